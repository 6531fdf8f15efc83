#include <flowgraph/ops/input/files.hpp>

#include "../../formats/folder.hpp"
#include "../../harness/engine_ops.hpp"

#include <flowgraph/ops/input/detail/files.hpp>

namespace fg = flowgraph;
using fg::error_code;

namespace {

std::vector<std::string> found_by(const fg::tensor<std::string>& patterns) {
  fg::graph g;
  const auto names = fg::matching_files(g.constant(patterns));
  const auto found = fg::session{g}.run(fg::fetch(names));
  return {found.begin(), found.end()};
}

}  // namespace

TEST_CASE("a file is written, read and written over") {
  const test_folder folder;
  fg::graph g;
  const auto name = g.placeholder<std::string>("name", {});
  const auto text = g.placeholder<std::string>("text", {});
  const auto put = fg::write_file(name, text);
  const auto contents = fg::read_file(name);
  fg::session s{g};
  const std::string path = folder / "new folder/below/a";
  for (const std::string& written : {std::string("long text\0with a zero", 21), std::string("short"), std::string()}) {
    s.run(put, {{name, path}, {text, written}});
    CHECK(s.run(fg::fetch(contents), {{name, path}}).scalar() == written);
  }
  const auto missing = s.try_run(fg::fetch(contents), {{name, folder / "none"}});
  CHECK(missing.error().code() == error_code::not_found);
  CHECK(std::string(missing.error().what()).find(folder / "none") != std::string::npos);
}

TEST_CASE("files are found by patterns, in the order of their names") {
  const test_folder folder;
  for (const char* name : {"b.txt", "a.txt", "c.bin", "x1/in", "x2/in", "x2/out"}) {
    fg::graph g;
    fg::session{g}.run(fg::write_file(g.constant(folder / name), g.constant(std::string("text"))));
  }
  CHECK(found_by(folder / "*.txt") == std::vector<std::string>{folder / "a.txt", folder / "b.txt"});
  CHECK(found_by(folder / "x?/in") == std::vector<std::string>{folder / "x1/in", folder / "x2/in"});
  CHECK(found_by(folder / "[b-c].*") == std::vector<std::string>{folder / "b.txt", folder / "c.bin"});
  CHECK(found_by(folder / "a.txt") == std::vector<std::string>{folder / "a.txt"});
  CHECK(found_by(folder / "none*").empty());
  CHECK(found_by(folder / "none/*").empty());
  CHECK(found_by(fg::tensor<std::string>({2}, {folder / "c*", folder / "a*"})) ==
        std::vector<std::string>{folder / "a.txt", folder / "c.bin"});
}

TEST_CASE("patterns match as a shell's do") {
  using fg::detail::matches;
  CHECK(matches("*", ""));
  CHECK(matches("a*b*c", "aXbYbZc"));
  CHECK_FALSE(matches("a*b*c", "aXbYbZ"));
  CHECK(matches("a?c", "abc"));
  CHECK_FALSE(matches("a?c", "ac"));
  CHECK(matches("[a-c]x", "bx"));
  CHECK_FALSE(matches("[a-c]x", "dx"));
  CHECK(matches("[^a-c]x", "dx"));
  CHECK(matches("[]x]", "]"));
  CHECK(matches("[a", "[a"));
  CHECK(matches("\\*", "*"));
  CHECK_FALSE(matches("\\*", "a"));
  CHECK(matches("**a", "aaaa"));
}

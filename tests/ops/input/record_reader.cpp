#include <flowgraph/ops/input/record_reader.hpp>

#include "../../formats/folder.hpp"
#include "../../harness/engine_ops.hpp"

#include <flowgraph/formats/example.hpp>
#include <flowgraph/formats/record_file.hpp>
#include <flowgraph/ops/data_flow/fifo_queue.hpp>
#include <flowgraph/ops/input/parse_example.hpp>

#include <filesystem>

namespace fg = flowgraph;
using fg::error_code;

namespace {

using read_pairs = std::vector<std::pair<std::string, std::string>>;

void put_file(const std::string& path, std::string_view text) {
  auto to = fg::file_writer::open(path).value();
  to.write(text).value();
  to.close().value();
}

// All that a reader gives of these files, and the error at their end.
struct reading {
  read_pairs found;
  error_code end = error_code::ok;
};
template <class Make> reading read(const std::vector<std::string>& files, Make&& make) {
  fg::graph g;
  fg::fifo_queue<std::string> names(g, {.shapes = {{}}});
  const auto put_names = names.enqueue_many(g.constant(fg::tensor<std::string>({files.size()}, files)));
  const auto close = names.close();
  const fg::reader from = make(g);
  const auto [key, value] = from.read(names);
  fg::session s{g};
  s.run(put_names);
  s.run(close);
  reading made;
  for (;;) {
    const auto found = s.try_run(fg::fetch(key, value));
    if (!found) return made.end = found.error().code(), made;
    const auto& [k, v] = *found;
    made.found.emplace_back(k.scalar(), v.scalar());
  }
}

}  // namespace

TEST_CASE("whole files, and strings as they are") {
  const test_folder folder;
  put_file(folder / "a", "one");
  put_file(folder / "b", "");
  const reading files = read({folder / "a", folder / "b"}, [](const fg::graph& g) { return fg::whole_file_reader(g); });
  CHECK(files.found == read_pairs{{folder / "a", "one"}, {folder / "b", ""}});
  CHECK(files.end == error_code::out_of_range);
  CHECK(read({"x", "y"}, [](const fg::graph& g) { return fg::identity_reader(g); }).found == read_pairs{{"x", "x"}, {"y", "y"}});
  CHECK(read({folder / "none"}, [](const fg::graph& g) { return fg::whole_file_reader(g); }).end == error_code::not_found);
}

TEST_CASE("lines, behind those of the header") {
  const test_folder folder;
  put_file(folder / "a", "head\none\r\n\nlast");
  put_file(folder / "b", "head");
  const std::string a = folder / "a";
  const reading lines =
      read({folder / "b", a}, [](const fg::graph& g) { return fg::text_line_reader(g, {.skip_header_lines = 1}); });
  CHECK(lines.found == read_pairs{{a + ":2", "one"}, {a + ":3", ""}, {a + ":4", "last"}});
  CHECK(lines.end == error_code::out_of_range);
}

TEST_CASE("records of one length, with header, footer and hops") {
  const test_folder folder;
  put_file(folder / "a", "hhaaabbbcccf");
  const std::string a = folder / "a";
  const auto fixed = [&](const fg::fixed_length_options& o) {
    return read({a}, [&](const fg::graph& g) { return fg::fixed_length_record_reader(g, o); });
  };
  CHECK(fixed({.record_bytes = 3, .header_bytes = 2, .footer_bytes = 1}).found ==
        read_pairs{{a + ":0", "aaa"}, {a + ":1", "bbb"}, {a + ":2", "ccc"}});
  CHECK(fixed({.record_bytes = 3, .header_bytes = 2, .footer_bytes = 1, .hop_bytes = 2}).found ==
        read_pairs{{a + ":0", "aaa"}, {a + ":1", "abb"}, {a + ":2", "bbc"}, {a + ":3", "ccc"}});
  CHECK(fixed({.record_bytes = 3, .header_bytes = 2, .footer_bytes = 1, .hop_bytes = 5}).found ==
        read_pairs{{a + ":0", "aaa"}, {a + ":1", "bcc"}});
  CHECK(fixed({.record_bytes = 20}).found.empty());
  CHECK(fixed({.record_bytes = 0}).end == error_code::invalid_argument);
}

TEST_CASE("TFRecords, compressed or not; a damaged file is data_loss") {
  const test_folder folder;
  for (const std::string kind : {"", "ZLIB", "GZIP"}) {
    if (!kind.empty() && !fg::has_compression()) continue;
    const std::string path = folder / "records";
    auto to = fg::record_writer::create(path, fg::compression_named(kind).value()).value();
    for (const char* record : {"one", "", "three"}) to.write(record).value();
    to.close().value();
    const reading found = read({path}, [&](const fg::graph& g) { return fg::tf_record_reader(g, {.compression_type = kind}); });
    CHECK(found.found == read_pairs{{path + ":0", "one"}, {path + ":19", ""}, {path + ":35", "three"}});
    CHECK(found.end == error_code::out_of_range);
  }
  put_file(folder / "cut", std::string_view("\5\0\0\0\0\0\0\0", 8));
  CHECK(read({folder / "cut"}, [](const fg::graph& g) { return fg::tf_record_reader(g); }).end == error_code::data_loss);
  CHECK(read({"x"}, [](const fg::graph& g) { return fg::tf_record_reader(g, {.compression_type = "RAR"}); }).end ==
        error_code::invalid_argument);
}

TEST_CASE("readers of one name are one, unless they are of two kinds") {
  fg::graph g;
  fg::fifo_queue<std::string> work(g, {.shapes = {{}}});
  const auto put_work = work.enqueue_many(g.constant(fg::tensor<std::string>({2}, {"a", "b"})));
  const fg::reader first = fg::identity_reader(g, {.shared_name = "shared"}),
                   second = fg::identity_reader(g, {.shared_name = "shared"});
  const fg::reader other = fg::whole_file_reader(g, {.shared_name = "shared"});
  fg::session s{g};
  s.run(put_work);
  s.run(fg::fetch(first.read(work).values));
  CHECK(s.run(fg::fetch(second.records())).scalar() == 1);
  CHECK(s.try_run(fg::fetch(other.records())).error().code() == error_code::invalid_argument);
}

TEST_CASE("a file of 64 KB that is cut at any byte gives the records before, then an error or its end") {
  const test_folder folder;
  std::vector<std::uintmax_t> ends{0};
  {
    auto to = fg::record_writer::create(folder / "cut").value();
    for (std::size_t i = 0; ends.back() < 64 * 1024; ++i) {
      fg::example_writer example;
      const std::vector<float> values(i * 37 % 400, 1.f);
      example.add("x", values);
      example.add("n", static_cast<std::int64_t>(values.size()));
      CHECK(to.write(example.bytes()));
      CHECK(to.flush());
      ends.push_back(std::filesystem::file_size(folder / "cut"));
    }
    CHECK(to.close());
  }
  fg::graph g;
  const fg::fifo_queue<std::string> names(g, {.shapes = {{}}});
  const auto put = names.enqueue(g.constant(folder / "cut"));
  const fg::reader from = fg::tf_record_reader(g);
  const auto anew = from.reset();
  const auto n = fg::parse_example(from.read_up_to(names, 50).values, fg::dense_feature<std::int64_t>{"n"});
  fg::session s{g};
  auto put_name = s.prepare(fg::feed(), put);
  auto reset = s.prepare(fg::feed(), anew);
  auto read_some = s.prepare(fg::feed(), fg::fetch(n));

  std::size_t complete = ends.size() - 1, wrong = 0;
  for (std::uintmax_t size = ends.back() + 1; size-- > 0;) {
    std::filesystem::resize_file(folder / "cut", size);
    if (size < ends[complete]) --complete;
    reset();
    put_name();
    std::size_t found = 0;
    fg::error end;
    while (!end) {
      const auto some = read_some.try_run({.may_wait = false});
      if (some) found += some->size();
      else end = some.error();
    }
    const bool is_clean = end.code() == error_code::unavailable;  // it would wait for the next file
    if (found != complete || is_clean != (size == ends[complete]) || (!is_clean && end.code() != error_code::data_loss)) ++wrong;
  }
  CHECK(wrong == 0);
}

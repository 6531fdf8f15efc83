#include <flowgraph/distributed/token.hpp>

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <unistd.h>

namespace fg = flowgraph;

namespace {

struct token_file {
  const std::string path = (std::filesystem::temp_directory_path() / ("flowgraph_token_" + std::to_string(::getpid()))).string();
  ~token_file() { std::filesystem::remove(path); }
  fg::result<std::string> read(const std::string& bytes) const {
    std::ofstream(path, std::ios::binary) << bytes;
    return fg::read_token(path);
  }
};

}  // namespace

TEST_CASE("token: the first line of a file, without what editors leave at its end") {
  const token_file file;
  const auto& path = file.path;
  for (const char* bytes : {"secret", "secret\n", "secret\r\n", "secret \t\r\nanother\n"})
    CHECK(file.read(bytes).value() == "secret");
  const auto token = fg::read_token(path).value();
  CHECK(token == "secret");
  CHECK(file.read("two words\n").value() == "two words");
  CHECK(file.read(" x\n").value() == " x");
  CHECK(file.read(std::string("\xff\0\x01", 3)).value() == std::string("\xff\0\x01", 3));
  CHECK(file.read(std::string(4096, 'x') + "\n").value().size() == 4096);
}

TEST_CASE("token: a first line that is blank, or far too long, is an error that names the file") {
  const token_file file;
  for (const std::string& bytes : {std::string(), std::string("\n"), std::string("\nsecret\n"), std::string(" \t\r\nsecret"),
                                   std::string(4097, 'x'), std::string(1 << 20, ' ')}) {
    const auto made = file.read(bytes);
    REQUIRE_FALSE(made.has_value());
    CHECK(made.error().code() == fg::error_code::invalid_argument);
    CHECK(std::string(made.error().what()).find(file.path) != std::string::npos);
  }
  const auto none = fg::read_token(file.path + ".none");
  REQUIRE_FALSE(none.has_value());
  CHECK(none.error().code() == fg::error_code::not_found);
  CHECK(std::string(none.error().what()).find(file.path) != std::string::npos);
}

#include <flowgraph/ops/strings/text.hpp>

#include "../../harness/engine_ops.hpp"

namespace fg = flowgraph;

TEST_CASE("strings: blanks, letters, lengths, parts and base64") {
  fg::graph g;
  const auto x = g.constant(fg::tensor<std::string>({2}, {" h\xc3\xa9Y\n", "ab c"}));
  fg::session s{g};
  const auto all = [&](auto y) {
    const auto found = s.run(fg::fetch(y));
    return std::vector(found.begin(), found.end());
  };
  using words = std::vector<std::string>;
  CHECK(all(fg::string_strip(x)) == words{"h\xc3\xa9Y", "ab c"});
  CHECK(all(fg::string_lower(x)) == words{" h\xc3\xa9y\n", "ab c"});
  CHECK(all(fg::string_upper(x)) == words{" H\xc3\xa9Y\n", "AB C"});
  CHECK(all(fg::string_length(x)) == std::vector<std::int32_t>{6, 4});
  CHECK(all(fg::string_length(x, "UTF8_CHAR")) == std::vector<std::int32_t>{5, 4});
  CHECK(all(fg::substr(x, 1, 2, "UTF8_CHAR")) == words{"h\xc3\xa9", "b "});
  CHECK(all(fg::substr(x, -2, 9)) == words{"Y\n", " c"});
  CHECK(s.try_run(fg::fetch(fg::substr(x, 5, 1))).error().code() == fg::error_code::invalid_argument);
  CHECK(all(fg::encode_base64(x)) == words{"IGjDqVkK", "YWIgYw"});
  CHECK(all(fg::encode_base64(x, true)) == words{"IGjDqVkK", "YWIgYw=="});
  CHECK(all(fg::decode_base64(fg::encode_base64(x, true))) == words{" h\xc3\xa9Y\n", "ab c"});
  CHECK(s.try_run(fg::fetch(fg::decode_base64(x))).error().code() == fg::error_code::invalid_argument);
}

TEST_CASE("unicode_script: letters, signs of all scripts, and what is no code point") {
  fg::graph g;
  const auto x = g.constant(fg::tensor<std::int32_t>({2, 4}, {'A', 945, 26085, 128512, 1488, 0x10ffff, 0x110000, -1}));
  fg::session s{g};
  const auto found = s.run(fg::fetch(fg::unicode_script(x)));
  CHECK(found.shape() == fg::shape{2, 4});
  CHECK(std::vector(found.begin(), found.end()) == std::vector<std::int32_t>{25, 14, 17, 0, 19, 103, -1, -1});
}

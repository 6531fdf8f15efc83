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
  CHECK(all(fg::substr(x, -1, -1)) == words{"\n", "c"});
  CHECK(all(fg::substr(x, 1, -1, "UTF8_CHAR")) == words{"", ""});
  CHECK(s.try_run(fg::fetch(fg::substr(x, -1, -1, "UTF8_CHAR"))).error().code() == fg::error_code::invalid_argument);
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

TEST_CASE("upper and lower case of all scripts, with letters that become several and the final sigma") {
  fg::graph g;
  const auto x = g.constant(
      fg::tensor<std::string>({4}, {"stra\xc3\x9f"
                                    "e",
                                    "\xce\x9f\xce\x94\xce\x9f\xce\xa3 \xce\xa3\xce\x91\xcc\x81\xce\xa3.", "\xc4\xb0\xef\xac\x81",
                                    "A\xff\xe2\x82"
                                    "b"}));
  fg::session s{g};
  const auto all = [&](auto y) {
    const auto found = s.run(fg::fetch(y));
    return std::vector(found.begin(), found.end());
  };
  CHECK(all(fg::string_lower(x, "utf-8")) ==
        std::vector<std::string>{"stra\xc3\x9f"
                                 "e",
                                 "\xce\xbf\xce\xb4\xce\xbf\xcf\x82 \xcf\x83\xce\xb1\xcc\x81\xcf\x82.", "i\xcc\x87\xef\xac\x81",
                                 "a\xef\xbf\xbd\xef\xbf\xbd"
                                 "b"});
  CHECK(all(fg::string_upper(x, "utf-8")) ==
        std::vector<std::string>{"STRASSE", "\xce\x9f\xce\x94\xce\x9f\xce\xa3 \xce\xa3\xce\x91\xcc\x81\xce\xa3.",
                                 "\xc4\xb0"
                                 "FI",
                                 "A\xef\xbf\xbd\xef\xbf\xbd"
                                 "B"});
  CHECK_THROWS(fg::string_lower(x, "latin1"));
}

#include <flowgraph/ops/strings/regex.hpp>

#include "../../harness/engine_ops.hpp"

namespace fg = flowgraph;

namespace {

fg::result<std::string> regex_rewritten(const char* pattern, const char* text, const char* rewrite) {
  fg::graph g;
  const auto y = fg::regex_replace(g.constant(fg::tensor<std::string>(text)), pattern, rewrite);
  fg::session s{g};
  auto made = s.try_run(fg::fetch(y));
  if (!made) return made.error();
  return std::string(made->scalar());
}

}  // namespace

// What TensorFlow 2.21 answered, whose patterns are RE2's.
TEST_CASE("regular expressions find what RE2 finds") {
  struct answer {
    const char *pattern, *text, *rewrite, *made;
  };
  constexpr answer answers[] = {
      {"l*", "hello", "_", "_h_e_o_"},
      {"", "ab", "-", "-a-b-"},
      {"a|ab", "abab", "<\\0>", "<a>b<a>b"},
      {"(a|ab)(c|bcd)", "abcd", "<\\1,\\2>", "<a,bcd>"},
      {"a*?", "aaa", "<\\0>", "<>a<>a<>a<>"},
      {"a+?", "aaa", "<\\0>", "<a><a><a>"},
      {"^a", "aaa", "<\\0>", "<a>aa"},
      {"a$", "aaa", "<\\0>", "aa<a>"},
      {"\\bfoo\\b", "foo foobar foo", "<\\0>", "<foo> foobar <foo>"},
      {".", "\303\251\012", "<\\0>", "<\303\251>\012"},
      {"[^a]", "\303\251\012a", "<\\0>", "<\303\251><\012>a"},
      {"x*", "\346\227\245b", "-", "-\346\227\245-b-"},
      {"(?i)HE", "hehE", "<\\0>", "<he><hE>"},
      {"\\d{2,3}", "1234567", "<\\0>", "<123><456>7"},
      {"(a)(b)?", "ab a", "[\\1|\\2]", "[a|b] [a|]"},
      {"a", "a", "\\\\", "\\"},
      {"a", "a", "\\x", ""},
      {"a", "a", "\\1", "a"},
      {"[[:alpha:]]+", "ab12", "<\\0>", "<ab>12"},
      {"[\\d-x]+", "1-x", "<\\0>", "<1-x>"},
      {"(?P<n>a)", "a", "\\1", "a"},
      {"(?P<x>a)(?P<x>b)", "ab", "\\2\\1", "ba"},
      {"a{0}", "aa", "<\\0>", "<>a<>a<>"},
      {"(a*)*", "aab", "<\\0>", "<aa>b<>"},
      {"(a|b)*c", "ababc", "<\\0>", "<ababc>"},
      {"(?:ab)+", "ababx", "<\\0>", "<abab>x"},
      {"(?s).", "\012", "<\\0>", "<\012>"},
      {"\\Qa.b\\E", "a.b", "<\\0>", "<a.b>"},
      {"\\Qa+b\\E", "a+b aab", "<\\0>", "<a+b> aab"},
      {"\\Qx?*{2}", "x?*{2} x", "<\\0>", "<x?*{2}> x"},
      {"\\Qab\\E+", "aabb", "<\\0>", "a<abb>"},
      {"\\Qa\\E{2}", "aaab", "<\\0>", "<aa>ab"},
      {"a\\Q\\E+", "aab", "<\\0>", "<aa>b"},
      {"(\\Qab\\E)+", "ababb", "<\\0>", "<abab>b"},
      {"\\x41", "A", "<\\0>", "<A>"},
      {"\\z", "ab", "<\\0>", "ab<>"},
      {"(?m)^", "a\012b", ">", ">a\012>b"},
      {"[]a]+", "]a", "<\\0>", "<]a>"},
      {"\\xff", "\377", "<\\0>", "\377"},
      {"\303\251", "a\303\251", "<\\0>", "a<\303\251>"},
      {".", "\377", "<\\0>", "\377"},
      {"(?U)a+", "aaa", "<\\0>", "<a><a><a>"},
      {"[^\\n]", "a\012", "<\\0>", "<a>\012"},
      {"(|a)+", "aa", "<\\0>", "<>a<>a<>"},
      {"(a|)+", "aa", "<\\0|\\1>", "<aa|a>"},
      {"\\s+", " \011\012\013\014\015x", "<\\0>", "< \011\012>\013<\014\015>x"},
      {"\\w+", "a\303\251_1", "<\\0>", "<a>\303\251<_1>"},
      {"{", "a{", "<\\0>", "a<{>"},
      {"a{,2}", "a{,2}", "<\\0>", "<a{,2}>"},
      {"a{2", "a{2", "<\\0>", "<a{2>"},
      {"\\B", "ab", "-", "a-b"},
      {"\\A.", "ab", "<\\0>", "<a>b"},
      {"(?i)k", "K\342\204\252", "<\\0>", "<K><\342\204\252>"},
      {"\\_", "_", "<\\0>", "<_>"},
      {"[a-c&&b]", "b&", "<\\0>", "<b><&>"},
      {"(?i:a)b", "Ab", "<\\0>", "<Ab>"},
      {"(?-s).", "\012", "<\\0>", "\012"},
      {".", "\355\240\200a", "<\\0>", "<\355\240\200><a>"},  // an encoded surrogate is one character
      {"", "\355\240\200a", "-", "-\355\240\200-a-"},
      {".", "\364\220\200\200a", "#", "##"},  // as is a number above the last character for sets that end there
      {"[^\\x{100}]", "\364\220\200\200a", "#", "\364\220\200\200#"},
      {"", "\364\220\200\200a", "-", "-\364-\220-\200-\200-a-"},
  };
  for (const answer& a : answers) {
    CAPTURE(a.pattern);
    const auto made = regex_rewritten(a.pattern, a.text, a.rewrite);
    CHECK(made);
    CHECK((made ? *made : std::string()) == a.made);
  }
}

TEST_CASE("what is no pattern is refused, and what is not known by its name") {
  for (const char* pattern :
       {"a**",          "a{1001}", ")",       "*a",      "\\1",     "(?=a)",       "[z-a]",     "a\\",  "[a-\\d]",
        "\\a\\f\\v\\e", "\\y",     "x{2}{3}", "(?<n>a)", "[",       "(",           "(?",        "(?P<", "(?i",
        "[[:foo:]]",    "x{2,1}",  "\\E",     "a\\E",    "\\Q\\E+", "(?i)\\Q\\E+", "\\Qab\\E**"}) {
    CAPTURE(pattern);
    const auto made = regex_rewritten(pattern, "a", "");
    CHECK(made.error().code() == fg::error_code::invalid_argument);
  }
  for (const char* pattern : {"\\pL", "[\\pL]", "\\C", "(?i)\303\251"})
    CHECK(regex_rewritten(pattern, "a", "").error().code() == fg::error_code::unimplemented);
  CHECK(!regex_rewritten("((a{1000}){1000}){1000}", "a", ""));
  for (const char* pattern : {"(?:(?:){1000}){2}", "(a{10}){101}", "((a{1000}){0}){2}", "(a{2}|b{501}){2}", "((a{500,})*){3}",
                              "(?:(?:(?:(?:(?:)){1000}){1000}){1000}){1000}"})
    CHECK(regex_rewritten(pattern, "a", "").error().code() == fg::error_code::invalid_argument);
  for (const char* pattern : {"(a{10}){100}", "(a{2}|b{500}){2}", "(a{500,})*", "((a?){1000}){1}"})
    CHECK(regex_rewritten(pattern, "a", ""));
  CHECK(!regex_rewritten(std::string(100'000, '(').c_str(), "a", ""));
}

TEST_CASE("a pattern that others need exponential time for takes next to none") {
  const std::string text(2000, 'a');
  const auto made = regex_rewritten("(a*)*(a*)*b", text.c_str(), "");
  CHECK(made);
  CHECK(*made == text);
}

TEST_CASE("a full match is one of the whole string") {
  fg::graph g;
  const auto x = g.constant(fg::tensor<std::string>({3}, {"hello", "hell", "a\nb"}));
  const auto y = fg::regex_full_match(x, "h.*o|hell|a.b");
  fg::session s{g};
  const auto found = s.run(fg::fetch(y));
  CHECK(std::vector<bool>(found.begin(), found.end()) == std::vector<bool>{true, true, false});
}

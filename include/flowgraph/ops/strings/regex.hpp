#pragma once
// Regular expressions in RE2's syntax. The time of a match grows linearly with the lengths of text and pattern. Patterns with \p
// classes, with \C, or with non-ASCII letters under (?i) are not supported and cause an error.
//
//     auto digits = fg::regex_full_match(words, "[0-9]+");
//     auto plain = fg::regex_replace(lines, R"((\w+), (\w+))", R"(\2 \1)");

#include <flowgraph/graph/apply.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

// Returns whether a pattern matches the whole of each string.
struct regex_full_match_op {
  static constexpr std::string_view name = "RegexFullMatch";
  static constexpr op_facts facts{.not_differentiable = true};

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& input, const flowgraph::shape& pattern) const;
  void operator()(cpu ctx, view<const std::string> input, view<const std::string> pattern, view<bool> output) const;
};

// Returns whether a pattern matches the whole of each string. The pattern is an attribute.
struct static_regex_full_match_op {
  static constexpr std::string_view name = "StaticRegexFullMatch";
  static constexpr op_facts facts{.not_differentiable = true};
  std::string pattern = {};
  static constexpr auto attrs = flowgraph::attrs(required("pattern", &static_regex_full_match_op::pattern));

  flowgraph::shape shape(const flowgraph::shape& input) const { return input; }
  void operator()(cpu ctx, view<const std::string> input, view<bool> output) const;
};

// Replaces matches of a pattern in each string. In the replacement, `\1` means the first group and `\0` the whole match.
struct regex_replace_op {
  static constexpr std::string_view name = "RegexReplace";
  static constexpr op_facts facts{.not_differentiable = true};
  bool replace_global = true;  // false: only the first match
  static constexpr auto attrs = flowgraph::attrs(attr("replace_global", &regex_replace_op::replace_global));

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& input, const flowgraph::shape& pattern,
                         const flowgraph::shape& rewrite) const;
  void operator()(cpu ctx, view<const std::string> input, view<const std::string> pattern, view<const std::string> rewrite,
                  view<std::string> output) const;
};

// Replaces matches of a pattern in each string. The pattern is an attribute.
struct static_regex_replace_op {
  static constexpr std::string_view name = "StaticRegexReplace";
  static constexpr op_facts facts{.not_differentiable = true};
  std::string pattern = {}, rewrite = {};
  bool replace_global = true;
  static constexpr auto attrs = flowgraph::attrs(required("pattern", &static_regex_replace_op::pattern),
                                                 required("rewrite", &static_regex_replace_op::rewrite),
                                                 attr("replace_global", &static_regex_replace_op::replace_global));

  flowgraph::shape shape(const flowgraph::shape& input) const { return input; }
  void operator()(cpu ctx, view<const std::string> input, view<std::string> output) const;
};

using regex_ops = type_list<regex_full_match_op, static_regex_full_match_op, regex_replace_op, static_regex_replace_op>;

// Returns whether a pattern matches the whole of each string. The pattern is an attribute.
inline out<bool> regex_full_match(const out<std::string>& x, std::string pattern, site s = {}) {
  static_regex_full_match_op op;
  op.pattern = std::move(pattern);
  return apply(op, x, s);
}
// `rewrite` is the replacement. In it, `\1` means the first group and `\0` the whole match. If `replace_global` is false, only
// the first match is replaced.
inline out<std::string> regex_replace(const out<std::string>& x, std::string pattern, std::string rewrite,
                                      bool replace_global = true, site s = {}) {
  static_regex_replace_op op;
  op.pattern = std::move(pattern);
  op.rewrite = std::move(rewrite);
  op.replace_global = replace_global;
  return apply(op, x, s);
}

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/strings/detail/regex.hpp>
#endif

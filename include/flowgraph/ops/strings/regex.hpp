#pragma once
// Regular expressions in RE2's syntax, in time that grows with text and pattern alone. Not there: \p classes, \C, and letters beyond ASCII
// under (?i); a pattern with one of them is refused.
//
//     auto digits = fg::regex_full_match(words, "[0-9]+");
//     auto plain = fg::regex_replace(lines, R"((\w+), (\w+))", R"(\2 \1)");

#include <flowgraph/graph/apply.hpp>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

// Whether the whole of each string is as a pattern says.
struct regex_full_match_op {
  static constexpr std::string_view name = "RegexFullMatch";
  static constexpr bool not_differentiable = true;

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& input, const flowgraph::shape& pattern) const;
  void operator()(cpu ctx, view<const std::string> input, view<const std::string> pattern, view<bool> output) const;
};

// Whether the whole of each string is as a pattern says that the node has.
struct static_regex_full_match_op {
  static constexpr std::string_view name = "StaticRegexFullMatch";
  static constexpr bool not_differentiable = true;
  std::string pattern = {};
  static constexpr auto attrs = flowgraph::attrs(required("pattern", &static_regex_full_match_op::pattern));

  flowgraph::shape shape(const flowgraph::shape& input) const { return input; }
  void operator()(cpu ctx, view<const std::string> input, view<bool> output) const;
};

// Strings with something else for what a pattern finds: `\1` in it is the first group, `\0` all that was found.
struct regex_replace_op {
  static constexpr std::string_view name = "RegexReplace";
  static constexpr bool not_differentiable = true;
  bool replace_global = true;  // false: the first find alone
  static constexpr auto attrs = flowgraph::attrs(attr("replace_global", &regex_replace_op::replace_global));

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& input, const flowgraph::shape& pattern,
                         const flowgraph::shape& rewrite) const;
  void operator()(cpu ctx, view<const std::string> input, view<const std::string> pattern, view<const std::string> rewrite,
                  view<std::string> output) const;
};

// Strings with something else for what a pattern finds that the node has.
struct static_regex_replace_op {
  static constexpr std::string_view name = "StaticRegexReplace";
  static constexpr bool not_differentiable = true;
  std::string pattern = {}, rewrite = {};
  bool replace_global = true;
  static constexpr auto attrs = flowgraph::attrs(required("pattern", &static_regex_replace_op::pattern),
                                                 required("rewrite", &static_regex_replace_op::rewrite),
                                                 attr("replace_global", &static_regex_replace_op::replace_global));

  flowgraph::shape shape(const flowgraph::shape& input) const { return input; }
  void operator()(cpu ctx, view<const std::string> input, view<std::string> output) const;
};

using regex_ops = type_list<regex_full_match_op, static_regex_full_match_op, regex_replace_op, static_regex_replace_op>;

// Whether the whole of each string is as the pattern says.
inline out<bool> regex_full_match(const out<std::string>& x, std::string pattern, site s = {}) {
  static_regex_full_match_op op;
  op.pattern = std::move(pattern);
  return apply(op, x, s);
}
// The strings with `rewrite` for all that the pattern finds, or `.replace_global` false: for the first find.
inline out<std::string> regex_replace(const out<std::string>& x, std::string pattern, std::string rewrite,
                                      bool replace_global = true, site s = {}) {
  static_regex_replace_op op;
  op.pattern = std::move(pattern);
  op.rewrite = std::move(rewrite);
  op.replace_global = replace_global;
  return apply(op, x, s);
}

}
}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/strings/detail/regex.hpp>
#endif

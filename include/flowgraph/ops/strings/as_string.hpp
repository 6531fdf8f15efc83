#pragma once
// Numbers as text: element by element, or whole tensors within a sentence.
//
//     auto names = fg::string_join({fg::as_string(years), words});
//     auto line = fg::string_format("step {}: loss {}", {step, loss});

#include <flowgraph/graph/apply.hpp>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

namespace detail {

// How AsString writes.
struct text_style {
  std::int64_t precision = -1;                // digits behind the point, or with `shortest` digits in all; negative: six
  bool scientific = false, shortest = false;  // 1.5e+00; as few characters as there may be
  std::int64_t width = -1;                    // characters at least
  std::string fill = {};  // one of '0', '-', '+', ' ': in front; behind; a sign, or its place, for positive ones
};

void check_style(shape_context& c, const text_style& style, dtype type);
std::string styled(const text_style& style, double x);
std::string styled(const text_style& style, std::int64_t x);
std::string styled(const text_style& style, std::uint64_t x);
std::string styled(const text_style& style, const std::string& x);

}  // namespace detail

// The text of each number, as printf would write it.
struct as_string_op : detail::text_style {
  static constexpr std::string_view name = "AsString";
  using types = type_list<float, double, std::int32_t, std::uint8_t, std::int16_t, std::int8_t, std::int64_t, bfloat16,
                          std::uint16_t, half, std::uint32_t, std::uint64_t, complex64, complex128, bool, std::string>;
  static constexpr bool not_differentiable = true;
  static constexpr auto attrs = flowgraph::attrs(
      attr("precision", &as_string_op::precision), attr("scientific", &as_string_op::scientific),
      attr("shortest", &as_string_op::shortest), attr("width", &as_string_op::width), attr("fill", &as_string_op::fill));

  template <class T> flowgraph::shape shape(shape_context& c, const flowgraph::shape& input) const {
    detail::check_style(c, *this, dtype_of<T>);
    return input;
  }
  template <class T> void operator()(cpu ctx, view<const T> input, view<std::string> output) const;
};

// A text in which tensors stand in the places of a placeholder, those that are long with the elements at their ends.
struct string_format_op {
  static constexpr std::string_view name = "StringFormat";
  static constexpr bool not_differentiable = true;
  std::string text = "%s", placeholder = "%s";
  std::int64_t summarize = 3;  // elements shown at either end of an axis; -1: all
  static constexpr auto attrs =
      flowgraph::attrs(attr("template", &string_format_op::text), attr("placeholder", &string_format_op::placeholder),
                       attr("summarize", &string_format_op::summarize));

  flowgraph::shape shape(shape_context& c, std::span<const flowgraph::shape> inputs) const;
  void operator()(cpu ctx, any_list inputs, view<std::string> output) const;
};

using as_string_ops = type_list<as_string_op, string_format_op>;

// The text of each element; how, the op's members say.
template <class T> out<std::string> as_string(const out<T>& x, const as_string_op& how = {}, site s = {}) {
  return apply(how, x, s);
}
// `text` with the tensors, one or more, in the places of "{}".
inline out<std::string> string_format(std::string text, const any_out_list& tensors, site s = {}) {
  string_format_op op;
  op.text = std::move(text);
  op.placeholder = "{}";
  return apply(op, tensors, s);
}

}
}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/strings/detail/as_string.hpp>
#endif

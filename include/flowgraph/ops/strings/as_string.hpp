#pragma once
// Conversion of numbers to text: element by element, or as whole tensors within a sentence.
//
//     auto names = fg::string_join({fg::as_string(years), words});
//     auto line = fg::string_format("step {}: loss {}", {step, loss});

#include <flowgraph/graph/apply.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// The format of AsString.
struct text_style {
  std::int64_t precision = -1;                // number of digits after the point (with `shortest`: of all digits); negative: six
  bool scientific = false, shortest = false;  // scientific: such as 1.5e+00; shortest: as few characters as possible
  std::int64_t width = -1;                    // the smallest number of characters
  std::string fill = {};  // '0': pad with zeros; '-': left-align; '+': sign; ' ': space instead of a plus sign
};

void check_style(shape_context& c, const text_style& style, dtype type);
std::string styled(const text_style& style, double x);
std::string styled(const text_style& style, std::int64_t x);
std::string styled(const text_style& style, std::uint64_t x);
std::string styled(const text_style& style, const std::string& x);

}  // namespace detail

// Converts each number to text, in the format of printf.
struct as_string_op : detail::text_style {
  static constexpr std::string_view name = "AsString";
  using types = type_list<float, double, std::int32_t, std::uint8_t, std::int16_t, std::int8_t, std::int64_t, bfloat16,
                          std::uint16_t, half, std::uint32_t, std::uint64_t, complex64, complex128, bool, std::string>;
  static constexpr op_facts facts{.not_differentiable = true};
  static constexpr auto attrs = flowgraph::attrs(
      attr("precision", &as_string_op::precision), attr("scientific", &as_string_op::scientific),
      attr("shortest", &as_string_op::shortest), attr("width", &as_string_op::width), attr("fill", &as_string_op::fill));

  template <class T> flowgraph::shape shape(shape_context& c, const flowgraph::shape& input) const {
    detail::check_style(c, *this, dtype_of<T>);
    return input;
  }
  template <class T> void operator()(cpu ctx, view<const T> input, view<std::string> output) const;
};

// Returns a text in which tensors replace the placeholders. Long tensors are shortened to the elements at both ends of each axis.
struct string_format_op {
  static constexpr std::string_view name = "StringFormat";
  static constexpr op_facts facts{.not_differentiable = true};
  std::string text = "%s", placeholder = "%s";
  std::int64_t summarize = 3;  // the number of elements at each end of an axis; -1: all
  static constexpr auto attrs =
      flowgraph::attrs(attr("template", &string_format_op::text), attr("placeholder", &string_format_op::placeholder),
                       attr("summarize", &string_format_op::summarize));

  flowgraph::shape shape(shape_context& c, std::span<const flowgraph::shape> inputs) const;
  void operator()(cpu ctx, any_list inputs, view<std::string> output) const;
};

using as_string_ops = type_list<as_string_op, string_format_op>;

// Returns the text of each element. The members of `how` are the format.
template <class T> out<std::string> as_string(const out<T>& x, const as_string_op& how = {}, site s = {}) {
  return apply(how, x, s);
}
// The placeholder is "{}". There must be at least one tensor.
inline out<std::string> string_format(std::string text, const any_out_list& tensors, site s = {}) {
  string_format_op op;
  op.text = std::move(text);
  op.placeholder = "{}";
  return apply(op, tensors, s);
}

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/strings/detail/as_string.hpp>
#endif

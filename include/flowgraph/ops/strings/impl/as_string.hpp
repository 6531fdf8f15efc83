#pragma once

#include <flowgraph/core/detail/real_from_chars.hpp>
#include <flowgraph/ops/strings/detail/as_string.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// A limit that no real text reaches, because graphs may come from outside.
constexpr std::int64_t most_characters = 1 << 16;

FLOWGRAPH_INLINE void check_style(shape_context& c, const text_style& style, dtype type) {
  const bool is_real = type == dtype::float16 || type == dtype::bfloat16 || type == dtype::float32 || type == dtype::float64 ||
                       type == dtype::complex64 || type == dtype::complex128;
  const bool is_number = is_real || type != dtype::string;
  if (style.scientific && style.shortest) c.fail("scientific and shortest exclude each other");
  else if (style.fill.size() > 1) c.fail("fill must be one character, or none");
  else if (!style.fill.empty() && std::string_view("0-+ #").find(style.fill[0]) == std::string_view::npos)
    c.fail(message{"fill must be one of '0', '-', '+', ' ' and '#', found '", style.fill, "'"});
  else if (is_number && !is_real && (style.scientific || style.shortest))
    c.fail(message{"scientific and shortest are of no use for ", name_of(type)});
  else if (is_number && !is_real && style.precision >= 0) c.fail(message{"precision is of no use for ", name_of(type)});
  else if (style.precision > most_characters || style.width > most_characters)
    c.fail(message{"precision and width may be ", most_characters, " at most"});
}

// Fills the text up to the requested width. `digits` has a sign if the number is negative; zeros go between the sign and a finite
// number.
inline std::string widened(const text_style& style, std::string digits, bool is_signed, bool is_finite) {
  const char fill = style.fill.empty() ? '\0' : style.fill[0];
  if (is_signed && (fill == '+' || fill == ' ') && !digits.starts_with('-')) digits.insert(digits.begin(), fill);
  const auto width = static_cast<std::size_t>(std::max<std::int64_t>(style.width, 0));
  if (digits.size() >= width) return digits;
  const std::size_t missing = width - digits.size();
  if (fill == '-') digits.append(missing, ' ');
  else if (fill == '0' && is_finite) digits.insert(digits.starts_with('-') ? 1 : 0, missing, '0');
  else digits.insert(0, missing, ' ');
  return digits;
}

inline std::string digits_of(double x, std::chars_format format, int precision) {
  std::string text(static_cast<std::size_t>(precision) + 350, '\0');
  const auto end = std::to_chars(text.data(), text.data() + text.size(), x, format, precision);
  text.resize(static_cast<std::size_t>(end.ptr - text.data()));
  return text;
}

// As the flag # of printf: the number always has a point, and in the general format zeros fill the precision.
inline void add_point(std::string& digits, std::chars_format format, int precision) {
  std::size_t end = std::min(digits.find('e'), digits.size());
  if (digits.find('.') == digits.npos) digits.insert(end++, 1, '.');
  if (format != std::chars_format::general) return;
  const std::size_t first = std::min(digits.find_first_of("123456789"), end);
  const auto known =
      std::count_if(digits.begin() + static_cast<std::ptrdiff_t>(first < end ? first : 0),
                    digits.begin() + static_cast<std::ptrdiff_t>(end), [](char c) { return c >= '0' && c <= '9'; });
  digits.insert(end, static_cast<std::size_t>(std::max<std::ptrdiff_t>(std::max(precision, 1) - known, 0)), '0');
}

FLOWGRAPH_INLINE std::string styled(const text_style& style, double x) {
  const auto format = style.scientific ? std::chars_format::scientific
                      : style.shortest ? std::chars_format::general
                                       : std::chars_format::fixed;
  const int precision = style.precision < 0 ? 6 : static_cast<int>(style.precision);
  std::string digits = digits_of(x, format, precision);
  if (style.fill == "#" && std::isfinite(x)) add_point(digits, format, precision);
  return widened(style, std::move(digits), true, std::isfinite(x));
}
FLOWGRAPH_INLINE std::string styled(const text_style& style, std::int64_t x) {
  return widened(style, std::to_string(x), true, true);
}
FLOWGRAPH_INLINE std::string styled(const text_style& style, std::uint64_t x) {
  return widened(style, std::to_string(x), false, true);
}
// As in TensorFlow, a precision cuts a string only if there is a width too.
FLOWGRAPH_INLINE std::string styled(const text_style& style, const std::string& x) {
  const bool is_cut = style.width > 0 && style.precision >= 0;
  return widened(style, is_cut ? x.substr(0, static_cast<std::size_t>(style.precision)) : x, false, false);
}

// ---- tensors as text

// Writes the fewer of two numbers of digits that distinguishes the number from others.
template <class T> void append_real(std::string& text, T x) {
  constexpr int few = std::is_same_v<T, double> ? 15 : 6, many = std::is_same_v<T, double> ? 17 : 9;
  std::string digits = digits_of(x, std::chars_format::general, few);
  T again{};
  real_from_chars(digits.data(), digits.data() + digits.size(), again);
  if (std::isfinite(x) && again != x) digits = digits_of(x, std::chars_format::general, many);
  text += digits;
}

inline void append_quoted(std::string& text, std::string_view x) {
  text += '"';
  for (const char c : x) {
    const auto code = static_cast<unsigned char>(c);
    if (c == '\n') text += "\\n";
    else if (c == '\r') text += "\\r";
    else if (c == '\t') text += "\\t";
    else if (c == '"' || c == '\'' || c == '\\') text.append({'\\', c});
    else if (code >= 0x20 && code != 0x7f) text += c;
    else
      text.append({'\\', static_cast<char>('0' + (code >> 6)), static_cast<char>('0' + (code >> 3 & 7)),
                   static_cast<char>('0' + (code & 7))});
  }
  text += '"';
}

inline void append_element_of(std::string& text, const any_tensor& t, std::int64_t i) {
  const auto append = [&]<class T>() {
    const T& x = static_cast<const T*>(t.data())[i];
    if constexpr (std::is_same_v<T, std::string>) append_quoted(text, x);
    else if constexpr (std::is_same_v<T, bool>) text += x ? '1' : '0';
    else if constexpr (std::is_integral_v<T>) text += std::to_string(x);
    else if constexpr (std::is_same_v<T, double>) append_real(text, x);
    else if constexpr (std::is_convertible_v<T, float>) append_real(text, static_cast<float>(x));
    else text += '?';
  };
  visit_type(t.type(), append, [&] { text += '?'; });
}

// As TensorFlow writes the elements of complex numbers: it knows no text for them, and does not show the axes.
inline void append_unknown(std::string& text, const any_tensor& t, std::int64_t ends) {
  const auto size = static_cast<std::int64_t>(t.size());
  text += '[';
  for (std::int64_t i = 0; i < std::min(size, ends); ++i) text += i > 0 ? " ?" : "?";
  text += ends < size ? "...]" : "]";
}

// Writes the tensor from element `first` on, along the axes from `axis` on: `ends` elements at either end of each. If there are to be
// none, a scalar is left out too.
inline void append_axis(std::string& text, const any_tensor& t, int axis, std::int64_t first, std::int64_t ends) {
  const shape& s = t.shape();
  if (axis == s.rank) {
    if (ends == 0) text += "...";
    else append_element_of(text, t, first);
    return;
  }
  std::int64_t step = 1;
  for (int k = axis + 1; k < s.rank; ++k) step *= s[k];
  const auto separate = [&] {
    if (axis + 1 == s.rank) {
      text += ' ';
    } else {
      text.append(static_cast<std::size_t>(s.rank - axis - 1), '\n');
      text.append(static_cast<std::size_t>(axis + 1), ' ');
    }
  };
  const std::int64_t n = s[axis], head = std::min(n, ends), tail = std::max(head, n - ends);
  text += '[';
  for (std::int64_t i = 0; i < n; ++i) {
    if (i == head && tail > head) {
      separate();
      text += "...";
      i = tail;
      if (i == n) break;
    }
    if (i > 0) separate();
    append_axis(text, t, axis + 1, first + i * step, ends);
  }
  text += ']';
}

inline std::size_t count_of(std::string_view text, std::string_view part) {
  std::size_t n = 0;
  for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + part.size())) ++n;
  return n;
}

}  // namespace detail

FLOWGRAPH_INLINE flowgraph::shape string_format_op::shape(shape_context& c, std::span<const flowgraph::shape> inputs) const {
  if (placeholder.empty()) c.fail("placeholder must not be empty");
  else if (const std::size_t n = detail::count_of(text, placeholder); n != inputs.size())
    c.fail(message{"the template must have a placeholder for each of the ", inputs.size(), " inputs, found ", n});
  return {};
}

FLOWGRAPH_INLINE void string_format_op::operator()(cpu, any_list inputs, view<std::string> output) const {
  std::string result;
  std::size_t from = 0;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const std::size_t at = text.find(placeholder, from);
    result.append(text, from, at - from);
    from = at + placeholder.size();
    const auto size = static_cast<std::int64_t>(inputs[i].size());
    const std::int64_t ends = summarize < 0 ? size : std::min(summarize, size);
    const bool is_complex = inputs[i].type() == dtype::complex64 || inputs[i].type() == dtype::complex128;
    if (is_complex && inputs[i].shape().rank > 0) detail::append_unknown(result, inputs[i], ends);
    else if (inputs[i].type() != dtype::boolean || summarize != 0) detail::append_axis(result, inputs[i], 0, 0, ends);
  }
  result.append(text, from);
  output.scalar() = std::move(result);
}

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>

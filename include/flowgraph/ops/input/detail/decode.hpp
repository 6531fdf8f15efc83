#pragma once

#include <flowgraph/ops/input/decode.hpp>
#include <flowgraph/ops/input/detail/number.hpp>

#include <algorithm>
#include <cstring>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// Reverses the bytes of elements of the other byte order; for a complex number, of each part.
template <class T> void reverse_bytes(view<T> elements) {
  constexpr std::size_t parts = in_list<T, complex_numbers> ? 2 : 1, size = sizeof(T) / parts;
  auto* bytes = reinterpret_cast<std::byte*>(elements.data());
  if constexpr (size > 1)
    for (std::size_t i = 0; i < elements.size() * parts; ++i) std::reverse(bytes + i * size, bytes + (i + 1) * size);
}
template <class T> void set_from_bytes(T* to, std::string_view bytes) {
  if constexpr (std::is_same_v<T, bool>)
    for (std::size_t i = 0; i < bytes.size(); ++i) to[i] = bytes[i] != 0;
  else if (!bytes.empty()) std::memcpy(static_cast<void*>(to), bytes.data(), bytes.size());
}

constexpr shape with_last_axis(const shape& s, std::int64_t extent) {
  if (!s.has_rank()) return s;
  shape result = s;
  result.push_back(extent);
  return result;
}

FLOWGRAPH_KERNEL_INLINE shape shape_of_padded_raw(shape_context& c, const shape& bytes, const shape& length,
                                                  std::size_t element_size) {
  const any_tensor* value = c.constant(1);
  if (!fits(length, {})) return c.fail("fixed_length must be a scalar");
  if (!value) return with_last_axis(bytes, -1);
  const std::int32_t n = value->as<std::int32_t>().scalar();
  const auto size = static_cast<std::int32_t>(element_size);
  if (n <= 0 || n % size != 0)
    return c.fail(
        message{"fixed_length must be a multiple of the ", size, " bytes of an element, and greater than 0; found ", n});
  return with_last_axis(bytes, n / size);
}

}  // namespace detail

FLOWGRAPH_KERNEL_INLINE shape decode_raw_op::shape(const flowgraph::shape& bytes) const {
  return detail::with_last_axis(bytes, -1);
}

template <class T> void decode_raw_op::operator()(cpu ctx, view<const std::string> bytes, unsized<T> elements) const {
  const std::size_t length = bytes.size() == 0 ? 0 : bytes[0].size();
  for (std::size_t i = 0; i < bytes.size(); ++i)
    if (bytes[i].size() != length)
      return ctx.fail(message{"the strings must have one size; found ", length, " and, as element ", i, ", ", bytes[i].size()});
  if (length % sizeof(T) != 0)
    return ctx.fail(message{"strings of ", length, " bytes are not a whole number of elements of ", sizeof(T), " bytes"});
  const view<T> y = elements.resize(detail::with_last_axis(bytes.shape(), static_cast<std::int64_t>(length / sizeof(T))));
  if (ctx.failed()) return;
  for (std::size_t i = 0; i < bytes.size(); ++i) detail::set_from_bytes(y.data() + i * (length / sizeof(T)), bytes[i]);
  if (!little_endian) detail::reverse_bytes(y);
}

template <class T>
void decode_padded_raw_op::operator()(cpu, view<const std::string> bytes, view<const std::int32_t> fixed_length,
                                      view<T> elements) const {
  const auto length = static_cast<std::size_t>(fixed_length.scalar());
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    T* row = elements.data() + i * (length / sizeof(T));
    std::fill_n(row, length / sizeof(T), T(0));
    detail::set_from_bytes(row, std::string_view(bytes[i]).substr(0, length));
  }
  if (!little_endian) detail::reverse_bytes(elements);
}

template <class T> void string_to_number_op::operator()(cpu ctx, view<const std::string> text, view<T> number) const {
  for (std::size_t i = 0; i < text.size(); ++i)
    if (!detail::parse_number(text[i], number[i]))
      return ctx.fail(message{"element ", i, ", '", text[i], "', is not of type ", name_of(dtype_of<T>)});
}

}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/ops/input/impl/decode.hpp>
#endif

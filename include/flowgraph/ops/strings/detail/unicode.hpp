#pragma once

#include <flowgraph/ops/strings/unicode.hpp>

#include <limits>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// Counts the code points of all strings. Fails and returns -1 if there are more than `most`, or if text is malformed in strict
// mode.
std::int64_t count_code_points(cpu ctx, const decode_attributes& a, view<const std::string> input, std::int64_t most);
// Writes the code points of a string and their beginnings, if `begins` is not null. Returns the end of the points.
std::int32_t* decode_string(const decode_attributes& a, const std::string& text, std::int32_t* points, std::int64_t* begins);
// Fails and returns false if the splits do not describe `size` code points.
bool check_text_splits(cpu ctx, any_indices splits, std::int64_t size);
void encode_points(cpu ctx, const unicode_encode_op& op, const std::int32_t* first, const std::int32_t* last, std::string& text);

template <class I>
void decode_strings(cpu ctx, const decode_attributes& a, view<const std::string> input, view<I> splits,
                    unsized<std::int32_t> points, const unsized<std::int64_t>* begins) {
  const std::int64_t count = count_code_points(ctx, a, input, static_cast<std::int64_t>(std::numeric_limits<I>::max()));
  if (count < 0) return;
  const view<std::int32_t> result = points.resize({count});
  const view<std::int64_t> at = begins && !ctx.failed() ? begins->resize({count}) : view<std::int64_t>();
  if (ctx.failed()) return;
  std::int32_t* next = result.data();
  splits[0] = 0;
  for (std::size_t i = 0; i < input.size(); ++i) {
    next = decode_string(a, input[i], next, begins ? at.data() + (next - result.data()) : nullptr);
    splits[i + 1] = static_cast<I>(next - result.data());
  }
}

}  // namespace detail

template <class I>
void unicode_decode_op::operator()(cpu ctx, view<const std::string> input, view<I> row_splits,
                                   unsized<std::int32_t> char_values) const {
  detail::decode_strings(ctx, *this, input, row_splits, char_values, nullptr);
}

template <class I>
void unicode_decode_with_offsets_op::operator()(cpu ctx, view<const std::string> input, view<I> row_splits,
                                                unsized<std::int32_t> char_values,
                                                unsized<std::int64_t> char_to_byte_starts) const {
  detail::decode_strings(ctx, *this, input, row_splits, char_values, &char_to_byte_starts);
}

template <class I>
void unicode_encode_op::operator()(cpu ctx, view<const std::int32_t> input_values, view<const I> input_splits,
                                   view<std::string> output) const {
  if (!detail::check_text_splits(ctx, input_splits, static_cast<std::int64_t>(input_values.size()))) return;
  for (std::size_t i = 0; i < output.size() && !ctx.failed(); ++i)
    detail::encode_points(ctx, *this, input_values.data() + input_splits[i], input_values.data() + input_splits[i + 1],
                          output[i]);
}

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/ops/strings/impl/unicode.hpp>
#endif

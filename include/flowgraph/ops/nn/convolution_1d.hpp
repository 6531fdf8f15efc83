#pragma once
// Convolution of batches of sequences: signals, series, rows of embeddings. A Conv2D over images of one row.
//
//     auto y = fg::conv1d(x, filter, {.padding = fg::padding_1d::causal, .dilation = 2});

#include <flowgraph/ops/nn/convolution.hpp>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

// Zeros around sequences. same: at both ends, so that the stride alone makes the output shorter; valid: none; causal: before the
// begin alone, so that no output depends on a later step; explicit_: as many as is said.
enum class padding_1d : std::uint8_t { same, valid, causal, explicit_ };

struct conv1d_options {
  std::int64_t stride = 1;                 // from one window to the next
  padding_1d padding = padding_1d::same;   // where zeros stand around a sequence
  std::array<std::int64_t, 2> paddings{};  // explicit ones: before the begin, behind the end
  std::int64_t dilation = 1;               // from one element of the filter to the next
};

namespace detail {

// The options as a convolution of images of one row has them. False, and refused, where x or filter are no sequences and no
// filter.
bool row_options(conv2d_options& rows, const conv1d_options& o, const any_out& x, const any_out& filter, const site& s);

}  // namespace detail

// Convolves sequences with filters: x is [sequences, steps, channels], filter [width, channels, outputs], the result [sequences,
// steps, outputs]. Where the filter has fewer channels than x, the outputs are in groups, each of which sees its part of the
// channels.
template <class T>
out<T> conv1d(const out<T>& x, const std::type_identity_t<out<T>>& filter, const conv1d_options& options = {}, site s = {}) {
  conv2d_options rows;
  if (!detail::row_options(rows, options, x, filter, s)) return {};
  const std::string base(s.name.empty() ? "conv1d" : s.name);
  const std::string images = base + "/ExpandDims", filters = base + "/ExpandDims_1", whole = base + "/Conv2D";
  const out<T> y =
      conv2d(expand_dims(x, 1, {images, s.location}), expand_dims(filter, 0, {filters, s.location}), rows, {whole, s.location});
  return squeeze(y, {1}, {base, s.location});
}

}
}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/ops/nn/impl/convolution_1d.hpp>
#endif

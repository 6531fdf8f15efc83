#pragma once
// Convolution of batches of sequences, such as signals, time series and rows of embeddings. It uses a Conv2D of images with one
// row.
//
//     auto y = fg::conv1d(x, filter, {.padding = fg::padding_1d::causal, .dilation = 2});

#include <flowgraph/ops/nn/convolution.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

// The zeros around sequences. same: zeros at both ends, so that only the stride makes the output shorter; valid: no zeros;
// causal: zeros only before the beginning, so that no output depends on a later step; explicit_: the numbers of zeros in
// `paddings`.
enum class padding_1d : std::uint8_t { same, valid, causal, explicit_ };

// Options of conv1d.
struct conv1d_options {
  std::int64_t stride = 1;                 // the distance between windows
  padding_1d padding = padding_1d::same;   // the zeros around a sequence
  std::array<std::int64_t, 2> paddings{};  // for explicit_: the number of zeros before the first and after the last step
  std::int64_t dilation = 1;               // the distance between elements of the filter
};

namespace detail {

// Converts the options to those for images of one row. If x or filter have the wrong rank, reports an error and returns false.
bool row_options(conv2d_options& rows, const conv1d_options& o, const any_out& x, const any_out& filter, const site& s);

}  // namespace detail

// Convolves sequences x [sequences, steps, channels] with a filter [width, channels, outputs]. The result is [sequences, steps,
// outputs]. If the filter has fewer channels than x, the convolution is grouped: each group of outputs uses its own part of the
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

}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/ops/nn/impl/convolution_1d.hpp>
#endif

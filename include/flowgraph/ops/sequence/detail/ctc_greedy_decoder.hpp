#pragma once

#include <flowgraph/ops/sequence/ctc_greedy_decoder.hpp>

#include <algorithm>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// Returns the memory for the number of labels of each sequence.
inline std::int64_t* ctc_counts(cpu ctx) { return ctx.scratch<std::int64_t>(); }
// Resolves a negative index. Fails and returns -1 if it is out of range.
std::int64_t find_blank(cpu ctx, std::int64_t index, std::int64_t classes);
// Writes the labels of all sequences, which follow their counts in scratch memory, `time` for each sequence.
void store_ctc_labels(cpu ctx, std::int64_t time, std::int64_t batch, unsized<std::int64_t> indices, unsized<std::int64_t> values,
                      view<std::int64_t> extents);

}  // namespace detail

template <class T>
void ctc_greedy_decoder_op::operator()(cpu ctx, view<const T> inputs, view<const std::int32_t> sequence_length,
                                       unsized<std::int64_t> decoded_indices, unsized<std::int64_t> decoded_values,
                                       view<std::int64_t> decoded_shape, view<T> log_probability) const {
  if (!detail::check_ctc_frames(ctx, inputs.shape(), sequence_length)) return;
  const std::int64_t time = inputs.dim(0), batch = inputs.dim(1), classes = inputs.dim(2);
  const std::int64_t blank = detail::find_blank(ctx, blank_index, classes);
  if (blank < 0) return;
  std::int64_t* const counts = detail::ctc_counts(ctx);
  auto* const labels = reinterpret_cast<std::int32_t*>(counts + batch);
  const std::int64_t grain = std::max<std::int64_t>(1, (1 << 14) / std::max<std::int64_t>(1, time * classes));
  ctx.parallel_ranges(batch, grain, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t b = first; b < last; ++b) {
      std::int64_t before = -1, count = 0;
      T total = 0;
      for (std::int64_t t = 0; t < sequence_length[static_cast<std::size_t>(b)]; ++t) {
        const T* const frame = inputs.data() + (t * batch + b) * classes;
        std::int64_t best = 0;
        for (std::int64_t c = 1; c < classes; ++c) best = frame[c] > frame[best] ? c : best;
        total -= frame[best];
        if (best != blank && !(merge_repeated && best == before)) labels[b * time + count++] = static_cast<std::int32_t>(best);
        before = best;
      }
      counts[b] = count;
      log_probability[static_cast<std::size_t>(b)] = total;
    }
  });
  detail::store_ctc_labels(ctx, time, batch, decoded_indices, decoded_values, decoded_shape);
}

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/ops/sequence/impl/ctc_greedy_decoder.hpp>
#endif

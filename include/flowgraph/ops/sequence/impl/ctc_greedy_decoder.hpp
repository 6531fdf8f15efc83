#pragma once

#include <flowgraph/ops/sequence/detail/ctc_greedy_decoder.hpp>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

FLOWGRAPH_COLD FLOWGRAPH_INLINE detail::ctc_decoder_shapes detail::check_ctc_decoder(shape_context& c, const shape& inputs,
                                                                                     const shape& lengths) {
  if (!fits(inputs, {any, any, any})) c.fail(message{"the inputs must have 3 axes, found the shape ", inputs});
  else if (!fits(lengths, {any})) c.fail(message{"sequence_length must be a vector, found the shape ", lengths});
  if (c.failed() || !inputs.has_rank()) return {};
  return {inputs[0], inputs[1]};
}

FLOWGRAPH_INLINE bool detail::check_ctc_frames(cpu ctx, const shape& inputs, view<const std::int32_t> lengths) {
  if (inputs.size() == 0) return detail::fail_check(ctx, message{"the inputs must not be empty, found the shape ", inputs});

  if (lengths.dim(0) != inputs[1]) {
    ctx.fail(error_code::failed_precondition,
             message{"expected a length for each of the ", inputs[1], " sequences, found ", lengths.dim(0), " lengths"});
    return false;
  }
  for (std::size_t b = 0; b < lengths.size(); ++b)
    if (lengths[b] > inputs[0]) {
      ctx.fail(error_code::failed_precondition,
               message{"the length of sequence ", b, " must be at most ", inputs[0], ", found ", lengths[b]});
      return false;
    }
  if (inputs[2] <= std::numeric_limits<std::int32_t>::max()) return true;
  return detail::fail_check(ctx, message{"the number of classes must be less than 2^31, found ", inputs[2]});
}

FLOWGRAPH_INLINE std::int64_t detail::find_blank(cpu ctx, std::int64_t index, std::int64_t classes) {
  if (index >= -classes && index < classes) return index < 0 ? index + classes : index;
  ctx.fail(message{"blank_index must be in [", -classes, ", ", classes - 1, "], found ", index});
  return -1;
}

FLOWGRAPH_INLINE void detail::store_ctc_labels(cpu ctx, std::int64_t time, std::int64_t batch, unsized<std::int64_t> indices,
                                               unsized<std::int64_t> values, view<std::int64_t> extents) {
  const std::int64_t* const counts = ctc_counts(ctx);
  const auto* const labels = reinterpret_cast<const std::int32_t*>(counts + batch);
  std::int64_t total = 0, most = 0;
  for (std::int64_t b = 0; b < batch; ++b) total += counts[b], most = std::max(most, counts[b]);
  const view<std::int64_t> places = indices.resize({total, 2}), all = values.resize({total});
  if (ctx.failed()) return;
  std::size_t at = 0;
  for (std::int64_t b = 0; b < batch; ++b)
    for (std::int64_t i = 0; i < counts[b]; ++i, ++at) {
      places[2 * at] = b, places[2 * at + 1] = i;
      all[at] = labels[b * time + i];
    }
  extents[0] = batch, extents[1] = most;
}

FLOWGRAPH_COLD FLOWGRAPH_INLINE shape_list ctc_greedy_decoder_op::shape(shape_context& c, const flowgraph::shape& inputs,
                                                                        const flowgraph::shape& lengths) const {
  const detail::ctc_decoder_shapes known = detail::check_ctc_decoder(c, inputs, lengths);
  return {{any, 2}, {any}, {2}, {known.batch, 1}};
}

FLOWGRAPH_COLD FLOWGRAPH_INLINE std::size_t ctc_greedy_decoder_op::scratch(const flowgraph::shape& inputs,
                                                                           const flowgraph::shape&) const {
  if (inputs.size() == 0) return 0;
  return static_cast<std::size_t>(inputs[1]) * sizeof(std::int64_t) +
         static_cast<std::size_t>(inputs[0] * inputs[1]) * sizeof(std::int32_t);
}

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>

#pragma once

#include <flowgraph/ops/sequence/detail/ctc_loss.hpp>
#include <flowgraph/ops/sparse/detail/places.hpp>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

FLOWGRAPH_COLD FLOWGRAPH_INLINE shape_list ctc_loss_op::shape(shape_context& c, const flowgraph::shape& inputs,
                                                              const flowgraph::shape& indices, const flowgraph::shape& values,
                                                              const flowgraph::shape& lengths) const {
  if (!fits(inputs, {any, any, any})) c.fail(message{"the inputs must have 3 axes, found the shape ", inputs});
  else if (!fits(lengths, {any})) c.fail(message{"sequence_length must be a vector, found the shape ", lengths});
  else if (!fits(indices, {any, 2})) c.fail(message{"labels_indices must be a matrix with 2 columns, found the shape ", indices});
  else if (!fits(values, {any})) c.fail(message{"labels_values must be a vector, found the shape ", values});
  if (c.failed()) return {flowgraph::shape::unknown(), flowgraph::shape::unknown()};
  const flowgraph::shape frames = merged(inputs, {any, any, any}), all_lengths = merged(lengths, {frames[1]});
  if (!fits({frames[1]}, lengths))
    c.fail(message{"expected a length for each of the ", frames[1], " sequences, found the shape ", lengths});
  else if (indices.has_rank() && !fits(values, {indices[0]}))
    c.fail(message{"expected as many rows of labels_indices as labels, found the shapes ", indices, " and ", values});
  else if (frames[1] == 0 || all_lengths[0] == 0) c.fail("expected at least one sequence, found an empty batch");
  else if (frames[2] == 0) c.fail("expected at least one class, the blank");
  return {{all_lengths[0]}, {frames[0], all_lengths[0], frames[2]}};
}

FLOWGRAPH_COLD FLOWGRAPH_INLINE detail::ctc_memory::ctc_memory(const shape& inputs, const shape& indices) : batch(inputs[1]) {
  if (inputs.size() == 0) return;
  time = inputs[0];
  classes = inputs[2];
  states = 2 * std::min(time, indices[0]) + 1;
}

FLOWGRAPH_COLD FLOWGRAPH_INLINE std::size_t ctc_loss_op::scratch(const flowgraph::shape& inputs, const flowgraph::shape& indices,
                                                                 const flowgraph::shape&, const flowgraph::shape&) const {
  return detail::ctc_memory(inputs, indices).bytes();
}

namespace detail {

// Checks the places of labels, and writes the first label of each sequence.
inline bool order_ctc_labels(cpu ctx, std::int64_t batch, view<const std::int64_t> indices, std::int64_t* first) {
  const places p(indices);
  const auto refuse = [&](std::int64_t i, const message& why) {
    return fail_check(ctx,
                      message{"label ", i, " is at position [", p[i][0], ", ", p[i][1], "]", std::string_view(why.string())});
  };
  std::int64_t b = 0;
  first[0] = 0;
  for (std::int64_t i = 0; i < p.count; ++i) {
    const std::int64_t sequence = p[i][0], place = p[i][1];
    if (sequence < 0 || sequence >= batch) return refuse(i, {", but sequences are in [0, ", batch, ")"});
    if (place < 0 || place == std::numeric_limits<std::int64_t>::max()) return refuse(i, {", which is out of range"});
    if (i > 0 && compare_places(p[i - 1], p[i], 2) >= 0)
      return refuse(i, {", which does not follow that of the label before it"});
    while (b < sequence) first[++b] = i;
  }
  while (b < batch) first[++b] = p.count;
  return true;
}

// Fails unless a path can contain the labels of sequence b.
inline bool check_ctc_labels(cpu ctx, const ctc_loss_op& op, std::int64_t b, const ctc_labels& labels, std::int64_t blank,
                             std::int64_t frames) {
  const auto refuse = [&](const message& why) {
    return fail_check(ctx, message{"sequence ", b, std::string_view(why.string())});
  };
  if (labels.count == 0) return refuse({" has no labels"});
  bool has_ended = false;
  for (std::int64_t i = 0; i < labels.count; ++i) {
    const std::int32_t label = labels.values[i];
    if (i > 0 && op.preprocess_collapse_repeated && label == labels.values[i - 1]) continue;
    if (label >= blank) has_ended = true;
    else if (has_ended)
      return refuse({" has the label ", label, " after a label of at least ", blank, ", which ends the labels"});
    else if (label < 0) return refuse({" has the label ", label, ", expected labels in [0, ", blank, ")"});
  }
  if (!op.ignore_longer_outputs_than_inputs && labels.count > frames)
    return refuse({" has ", labels.count, " labels and ", frames,
                   " frames: a frame for each label is necessary, unless "
                   "ignore_longer_outputs_than_inputs is true"});
  return true;
}

}  // namespace detail

FLOWGRAPH_INLINE bool detail::find_ctc_labels(cpu ctx, const ctc_loss_op& op, const ctc_memory& m,
                                              view<const std::int64_t> indices, view<const std::int32_t> values,
                                              view<const std::int32_t> lengths) {
  auto* const first = ctx.scratch<std::int64_t>();
  const std::int64_t time = ctx.input(0).shape()[0], blank = ctx.input(0).shape()[2] - 1;
  for (std::size_t b = 0; b < lengths.size(); ++b)
    if (lengths[b] < 0 || lengths[b] > time)
      return detail::fail_check(ctx, message{"the length of sequence ", b, " must be in [0, ", time, "], found ", lengths[b]});

  if (!order_ctc_labels(ctx, m.batch, indices, first)) return false;
  for (std::int64_t b = 0; b < m.batch; ++b)
    if (!check_ctc_labels(ctx, op, b, {values.data() + first[b], first[b + 1] - first[b]}, blank,
                          lengths[static_cast<std::size_t>(b)]))
      return false;
  return true;
}

FLOWGRAPH_INLINE std::int64_t detail::extend_labels(const ctc_labels& from, std::int64_t blank, bool collapse, std::int64_t* to) {
  std::int64_t size = 0;
  to[size++] = blank;
  for (std::int64_t i = 0; i < from.count && from.values[i] < blank; ++i) {
    if (i > 0 && collapse && from.values[i] == from.values[i - 1]) continue;
    to[size++] = from.values[i];
    to[size++] = blank;
  }
  return size;
}

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>

#pragma once

#include <flowgraph/ops/sequence/ctc_beam_search_decoder.hpp>
#include <flowgraph/ops/sequence/detail/ctc_beam.hpp>
#include <flowgraph/ops/sequence/detail/ctc_greedy_decoder.hpp>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// The memory of a call: for each sequence its paths, and a beam for each block of sequences.
struct ctc_beam_memory {
  static constexpr std::int64_t most_blocks = 8;
  std::int64_t time = 0, batch = 0, classes = 0, width = 0, paths = 0;

  ctc_beam_memory(const shape& inputs, std::int64_t beam_width, std::int64_t top_paths);
  std::int64_t blocks() const { return std::min(batch, most_blocks); }
  std::size_t of_beams() const { return static_cast<std::size_t>(blocks()) * ctc_beam<double>::bytes(time, classes, width); }
  std::size_t bytes() const {
    const auto all = static_cast<std::size_t>(batch * paths);
    return of_beams() + all * (sizeof(std::int64_t) + static_cast<std::size_t>(time) * sizeof(std::int32_t));
  }
};

// The paths of all sequences in scratch memory: the number of labels, -1 if there is no such path, and the labels.
struct ctc_paths {
  std::int64_t* counts;
  std::int32_t* labels;
  std::int64_t time, paths;

  ctc_paths(cpu ctx, const ctc_beam_memory& m)
      : counts(reinterpret_cast<std::int64_t*>(ctx.scratch() + m.of_beams())),
        labels(reinterpret_cast<std::int32_t*>(counts + m.batch * m.paths)), time(m.time), paths(m.paths) {}
  std::int64_t& count(std::int64_t b, std::int64_t path) const { return counts[b * paths + path]; }
  std::int32_t* of(std::int64_t b, std::int64_t path) const { return labels + (b * paths + path) * time; }
};
// Fails and returns false if a sequence has fewer paths than requested.
bool check_ctc_paths(cpu ctx, const ctc_beam_memory& m, const ctc_paths& found, std::int64_t wanted);
void store_ctc_paths(cpu ctx, const ctc_beam_memory& m, const ctc_paths& found, unsized_list<std::int64_t> indices,
                     unsized_list<std::int64_t> values, view_list<std::int64_t> extents);

}  // namespace detail

template <class T>
void ctc_beam_search_decoder_op::operator()(cpu ctx, view<const T> inputs, view<const std::int32_t> sequence_length,
                                            unsized_list<std::int64_t> decoded_indices, unsized_list<std::int64_t> decoded_values,
                                            view_list<std::int64_t> decoded_shape, view<T> log_probability) const {
  if (!detail::check_ctc_frames(ctx, inputs.shape(), sequence_length)) return;
  if (top_paths > beam_width)
    return ctx.fail(message{"top_paths must be at most beam_width, ", beam_width, ", found ", top_paths});
  const detail::ctc_beam_memory m(inputs.shape(), beam_width, top_paths);
  const detail::ctc_paths found(ctx, m);
  const std::int64_t blocks = m.blocks();
  ctx.parallel_for(blocks, [&](std::int64_t block) {
    detail::ctc_beam<T> beam(ctx.scratch() + static_cast<std::size_t>(block) * m.of_beams() / static_cast<std::size_t>(blocks),
                             m.time, m.classes, m.width);
    for (std::int64_t b = block; b < m.batch; b += blocks) {
      beam.begin();
      for (std::int64_t t = 0; t < sequence_length[static_cast<std::size_t>(b)]; ++t)
        beam.step(inputs.data() + (t * m.batch + b) * m.classes);
      const std::int64_t size = beam.sort();
      for (std::int64_t path = 0; path < m.paths; ++path) {
        found.count(b, path) = path < size ? beam.read(path, merge_repeated, found.of(b, path)) : -1;
        if (path < size && m.paths == top_paths)
          log_probability[static_cast<std::size_t>(b * m.paths + path)] = beam.log_probability(path);
      }
    }
  });
  if (detail::check_ctc_paths(ctx, m, found, top_paths))
    detail::store_ctc_paths(ctx, m, found, decoded_indices, decoded_values, decoded_shape);
}

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/ops/sequence/impl/ctc_beam_search_decoder.hpp>
#endif

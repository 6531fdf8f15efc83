#pragma once

#include <flowgraph/ops/array/reshape.hpp>
#include <flowgraph/ops/sequence/detail/ctc_beam_search_decoder.hpp>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

FLOWGRAPH_COLD FLOWGRAPH_INLINE std::vector<std::uint32_t> ctc_beam_search_decoder_op::output_sizes() const {
  return std::vector<std::uint32_t>(3, static_cast<std::uint32_t>(detail::list_size(top_paths)));
}

FLOWGRAPH_COLD FLOWGRAPH_INLINE shape_list ctc_beam_search_decoder_op::shape(shape_context& c, const flowgraph::shape& inputs,
                                                                             const flowgraph::shape& lengths) const {
  const detail::ctc_decoder_shapes known = detail::check_ctc_decoder(c, inputs, lengths);
  if (!c.failed() && beam_width < 1) c.fail(message{"beam_width must be at least 1, found ", beam_width});
  const std::size_t paths = detail::list_size(top_paths);
  if (!c.failed() && paths == 0) c.fail(message{"top_paths must be in [1, 65536], found ", top_paths});
  shape_list all;
  for (std::size_t i = 0; i < paths; ++i) all.push_back({any, 2});
  for (std::size_t i = 0; i < paths; ++i) all.push_back({any});
  for (std::size_t i = 0; i < paths; ++i) all.push_back({2});
  all.push_back({known.batch, static_cast<std::int64_t>(paths)});
  return all;
}

// The beam is never wider than the number of different labels, which may be far less than beam_width.
FLOWGRAPH_COLD FLOWGRAPH_INLINE detail::ctc_beam_memory::ctc_beam_memory(const shape& inputs, std::int64_t beam_width,
                                                                         std::int64_t top_paths) {
  if (inputs.size() == 0) return;
  time = inputs[0], batch = inputs[1], classes = inputs[2];
  std::int64_t of_length = 1;
  width = 1;
  for (std::int64_t t = 0; t < time && width < beam_width && of_length > 0; ++t) {
    of_length = classes - 1 > beam_width / of_length ? beam_width : of_length * (classes - 1);
    width += of_length;
  }
  width = std::max<std::int64_t>(1, std::min(width, beam_width));
  paths = std::max<std::int64_t>(0, std::min(top_paths, width));
}

FLOWGRAPH_COLD FLOWGRAPH_INLINE std::size_t ctc_beam_search_decoder_op::scratch(const flowgraph::shape& inputs,
                                                                                const flowgraph::shape&) const {
  return detail::ctc_beam_memory(inputs, beam_width, top_paths).bytes();
}

FLOWGRAPH_INLINE bool detail::check_ctc_paths(cpu ctx, const ctc_beam_memory& m, const ctc_paths& found, std::int64_t wanted) {
  for (std::int64_t b = 0; b < m.batch; ++b) {
    std::int64_t count = 0;
    while (count < m.paths && found.count(b, count) >= 0) ++count;
    if (count == wanted) continue;
    return detail::fail_check(ctx,
                              message{"the beam of sequence ", b, " contains ", count, " paths, fewer than top_paths, ", wanted});
  }
  return true;
}

FLOWGRAPH_INLINE void detail::store_ctc_paths(cpu ctx, const ctc_beam_memory& m, const ctc_paths& found,
                                              unsized_list<std::int64_t> indices, unsized_list<std::int64_t> values,
                                              view_list<std::int64_t> extents) {
  for (std::int64_t path = 0; path < m.paths; ++path) {
    const auto i = static_cast<std::size_t>(path);
    std::int64_t total = 0, most = 0;
    for (std::int64_t b = 0; b < m.batch; ++b) total += found.count(b, path), most = std::max(most, found.count(b, path));
    const view<std::int64_t> places = indices.resize(i, {total, 2}), all = values.resize(i, {total});
    if (ctx.failed()) return;
    std::size_t at = 0;
    for (std::int64_t b = 0; b < m.batch; ++b)
      for (std::int64_t k = 0; k < found.count(b, path); ++k, ++at) {
        places[2 * at] = b, places[2 * at + 1] = k;
        all[at] = found.of(b, path)[k];
      }
    extents[i][0] = m.batch, extents[i][1] = most;
  }
}

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>

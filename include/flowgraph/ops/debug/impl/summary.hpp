#pragma once

#include <flowgraph/ops/debug/detail/summary.hpp>

#include <algorithm>
#include <array>
#include <set>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

FLOWGRAPH_INLINE shape shape_of_summary(shape_context& c, const shape& tag) {
  return fits(tag, {}) ? shape{} : c.fail("the tag must be a scalar");
}

FLOWGRAPH_INLINE any_tensor red_of_summaries() {
  constexpr std::array<std::uint8_t, 4> red{255, 0, 0, 255};
  auto result = any_tensor::allocate(dtype::uint8, {4}).value();
  std::copy(red.begin(), red.end(), static_cast<std::uint8_t*>(result.data()));
  return result;
}

FLOWGRAPH_INLINE void finish_summary(cpu ctx, const result<void>& written, summary_writer& writer, view<std::string> summary) {
  if (!written) return ctx.fail(written.error());
  summary.scalar() = writer.take();
}

FLOWGRAPH_INLINE void summarize_images(cpu ctx, const image_summary_op& op, const std::string& tag, view<std::string> summary) {
  summary_writer writer;
  const image_options options{.max_images = op.max_images, .bad_color = op.bad_color.as<std::uint8_t>().span()};
  finish_summary(ctx, writer.add_images(tag, ctx.input(1), options), writer, summary);
}

FLOWGRAPH_INLINE void summarize_tensor(cpu ctx, const std::string& tag, const std::string& metadata, view<std::string> summary) {
  if (!summary_metadata::read(metadata)) return ctx.fail("serialized_summary_metadata is not a SummaryMetadata");
  summary_writer writer;
  writer.add_tensor(tag, ctx.input(1), metadata);
  summary.scalar() = writer.take();
}
FLOWGRAPH_INLINE void summarize_node_tensor(cpu ctx, view<std::string> summary) {
  summary_writer writer;
  writer.add_node_tensor(ctx.at()->name, ctx.input(0));
  summary.scalar() = writer.take();
}

}  // namespace detail

FLOWGRAPH_INLINE shape image_summary_op::shape(shape_context& c, const flowgraph::shape& tag,
                                               const flowgraph::shape& images) const {
  if (max_images < 1) return c.fail("max_images must be at least 1");
  if (bad_color.type() != dtype::uint8 || bad_color.shape().rank != 1) return c.fail("bad_color must be a vector of bytes");
  if (images.rank >= 0 && images.rank != 4) return c.fail("the images must be {batch, height, width, channels}");
  if (images.rank == 4 && images[3] >= 0 && images[3] != 1 && images[3] != 3 && images[3] != 4)
    return c.fail("the images must have 1, 3 or 4 channels");
  return detail::shape_of_summary(c, tag);
}

FLOWGRAPH_INLINE shape audio_summary_op::shape(shape_context& c, const flowgraph::shape& tag,
                                               const flowgraph::shape& sounds) const {
  if (max_outputs < 1) return c.fail("max_outputs must be at least 1");
  if (sounds.rank >= 0 && sounds.rank != 2 && sounds.rank != 3)
    return c.fail("the sounds must be {batch, frames, channels} or {batch, frames}");
  return detail::shape_of_summary(c, tag);
}
FLOWGRAPH_INLINE shape audio_summary_v2_op::shape(shape_context& c, const flowgraph::shape& tag, const flowgraph::shape& sounds,
                                                  const flowgraph::shape& sample_rate) const {
  if (sample_rate.is_known() && sample_rate.size() != 1) return c.fail("the sample rate must be one number");
  return audio_summary_op{.sample_rate = 1, .max_outputs = max_outputs}.shape(c, tag, sounds);
}

FLOWGRAPH_INLINE shape tensor_summary_v2_op::shape(shape_context& c, const flowgraph::shape& tag, const flowgraph::shape&,
                                                   const flowgraph::shape& metadata) const {
  if (!fits(metadata, {})) return c.fail("serialized_summary_metadata must be a scalar");
  return detail::shape_of_summary(c, tag);
}

FLOWGRAPH_INLINE void merge_summary_op::operator()(cpu ctx, view_list<const std::string> inputs,
                                                   view<std::string> summary) const {
  summary_writer writer;
  std::set<std::string, std::less<>> tags;
  for (std::size_t i = 0; i < inputs.size(); ++i)
    for (const std::string& input : inputs[i]) {
      std::string_view twice;
      const auto note = [&](const summary_value& v) {
        if (!v.tag.empty() && !tags.emplace(v.tag).second) twice = v.tag;
      };
      auto read = read_summary(input, note);
      if (read) read = writer.merge(input);
      if (!read) return ctx.fail(message{"input ", i, " is not a summary"});
      if (!twice.empty()) return ctx.fail(message{"two summaries have the tag '", twice, "'"});
    }
  summary.scalar() = writer.take();
}

}  // namespace flowgraph

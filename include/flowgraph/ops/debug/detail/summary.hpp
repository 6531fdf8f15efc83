#pragma once

#include <flowgraph/ops/debug/summary.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// The answer of a kernel: what was written, or why it could not be.
void finish_summary(cpu ctx, const result<void>& written, summary_writer& writer, view<std::string> summary);

void summarize_images(cpu ctx, const image_summary_op& op, const std::string& tag, view<std::string> summary);
void summarize_tensor(cpu ctx, const std::string& tag, const std::string& metadata, view<std::string> summary);
void summarize_node_tensor(cpu ctx, view<std::string> summary);

}  // namespace detail

template <class T>
void scalar_summary_op::operator()(cpu, view<const std::string> tags, view<const T> values, view<std::string> summary) const {
  summary_writer writer;
  for (std::size_t i = 0; i < values.size(); ++i) writer.add(tags[i], static_cast<float>(values[i]));
  summary.scalar() = writer.take();
}

template <class T>
void histogram_summary_op::operator()(cpu ctx, view<const std::string> tag, view<const T>, view<std::string> summary) const {
  summary_writer writer;
  detail::finish_summary(ctx, writer.add_histogram(tag.scalar(), ctx.input(1)), writer, summary);
}

template <class T>
void image_summary_op::operator()(cpu ctx, view<const std::string> tag, view<const T>, view<std::string> summary) const {
  detail::summarize_images(ctx, *this, tag.scalar(), summary);
}

FLOWGRAPH_KERNEL_INLINE void audio_summary_v2_op::operator()(cpu ctx, view<const std::string> tag, view<const float>,
                                                             view<const float> sample_rate, view<std::string> summary) const {
  summary_writer writer;
  detail::finish_summary(ctx, writer.add_audio(tag.scalar(), ctx.input(1), sample_rate.scalar(), max_outputs), writer, summary);
}
FLOWGRAPH_KERNEL_INLINE void audio_summary_op::operator()(cpu ctx, view<const std::string> tag, view<const float>,
                                                          view<std::string> summary) const {
  summary_writer writer;
  detail::finish_summary(ctx, writer.add_audio(tag.scalar(), ctx.input(1), sample_rate, max_outputs), writer, summary);
}

template <class T>
void tensor_summary_v2_op::operator()(cpu ctx, view<const std::string> tag, view<const T>, view<const std::string> metadata,
                                      view<std::string> summary) const {
  detail::summarize_tensor(ctx, tag.scalar(), metadata.scalar(), summary);
}
template <class T> void tensor_summary_op::operator()(cpu ctx, view<const T>, view<std::string> summary) const {
  detail::summarize_node_tensor(ctx, summary);
}

}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/ops/debug/impl/summary.hpp>
#endif

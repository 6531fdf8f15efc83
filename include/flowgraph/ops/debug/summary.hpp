#pragma once
// Summaries for TensorBoard inside a graph: strings that an event_writer adds to its file.
//
//     auto all = fg::merge_summaries({fg::scalar_summary("loss", loss), fg::histogram_summary("w", w)});
//     ...
//     writer.add(s.run(fg::fetch(all)), step).value();

#include <flowgraph/formats/summary_values.hpp>
#include <flowgraph/graph/apply.hpp>
#include <flowgraph/ops/array/constant.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// The shape rules of the ops below. `tag` must be a scalar, and the summary is a scalar.
shape shape_of_summary(shape_context& c, const shape& tag);

any_tensor red_of_summaries();

}  // namespace detail

// Returns a summary of real numbers, each with its own tag.
struct scalar_summary_op {
  static constexpr std::string_view name = "ScalarSummary";
  using types = type_attrs<type_attr<"T", real_numbers>>;
  static constexpr op_facts facts{.not_differentiable = true};

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& tags, const flowgraph::shape& values) const {
    return fits(tags, values) ? flowgraph::shape{} : c.fail("tags and values must be of one shape");
  }
  template <class T>
  void operator()(cpu ctx, view<const std::string> tags, view<const T> values, view<std::string> summary) const;
};

// Returns a summary of the distribution of values, as a histogram. Each bucket is 10% wider than the previous bucket. If a value
// is infinite or NaN, ends the run with an error.
struct histogram_summary_op {
  static constexpr std::string_view name = "HistogramSummary";
  using types = type_attrs<type_attr<"T", real_numbers>>;
  static constexpr op_facts facts{.not_differentiable = true};

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& tag, const flowgraph::shape&) const {
    return detail::shape_of_summary(c, tag);
  }
  template <class T> void operator()(cpu ctx, view<const std::string> tag, view<const T> values, view<std::string> summary) const;
};

// Returns a summary with the first images of a batch as PNG files. Byte images are unchanged. Floating-point images are scaled to
// 0 .. 255; if some elements are negative, 0 is mapped to 128. Pixels that are not finite get the color `bad_color`.
struct image_summary_op {
  static constexpr std::string_view name = "ImageSummary";
  using types = type_attrs<type_attr<"T", type_list<std::uint8_t, float, half, double>>>;
  static constexpr op_facts facts{.not_differentiable = true};
  std::int64_t max_images = 3;
  any_tensor bad_color = detail::red_of_summaries();
  static constexpr auto attrs =
      flowgraph::attrs(attr("max_images", &image_summary_op::max_images), attr("bad_color", &image_summary_op::bad_color));

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& tag, const flowgraph::shape& images) const;
  template <class T> void operator()(cpu ctx, view<const std::string> tag, view<const T> images, view<std::string> summary) const;
};

// Returns a summary with the first sounds of a batch as WAV files. The shape is {batch, frames, channels} or {batch, frames}, and
// samples are between -1 and 1.
struct audio_summary_v2_op {
  static constexpr std::string_view name = "AudioSummaryV2";
  static constexpr op_facts facts{.not_differentiable = true};
  std::int64_t max_outputs = 3;
  static constexpr auto attrs = flowgraph::attrs(attr("max_outputs", &audio_summary_v2_op::max_outputs));

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& tag, const flowgraph::shape& sounds,
                         const flowgraph::shape& sample_rate) const;
  void operator()(cpu ctx, view<const std::string> tag, view<const float> sounds, view<const float> sample_rate,
                  view<std::string> summary) const;
};

// AudioSummaryV2 with the sample rate as an attribute, for graphs that were made before 2016.
struct audio_summary_op {
  static constexpr std::string_view name = "AudioSummary";
  static constexpr op_facts facts{.not_differentiable = true};
  float sample_rate = 0;
  std::int64_t max_outputs = 3;
  static constexpr auto attrs = flowgraph::attrs(required("sample_rate", &audio_summary_op::sample_rate),
                                                 attr("max_outputs", &audio_summary_op::max_outputs));

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& tag, const flowgraph::shape& sounds) const;
  void operator()(cpu ctx, view<const std::string> tag, view<const float> sounds, view<std::string> summary) const;
};

// Returns a summary of a tensor under a tag, with a serialized SummaryMetadata. The metadata names the TensorBoard plugin that
// displays the tensor.
struct tensor_summary_v2_op {
  static constexpr std::string_view name = "TensorSummaryV2";
  using types = type_attrs<type_attr<"T", all_types>>;
  static constexpr op_facts facts{.not_differentiable = true};

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& tag, const flowgraph::shape&,
                         const flowgraph::shape& serialized_summary_metadata) const;
  template <class T>
  void operator()(cpu ctx, view<const std::string> tag, view<const T> tensor, view<const std::string> serialized_summary_metadata,
                  view<std::string> summary) const;
};

// Returns a summary of a tensor under the name of this node. The attributes are ignored, as in TensorFlow.
struct tensor_summary_op {
  static constexpr std::string_view name = "TensorSummary";
  using types = type_attrs<type_attr<"T", all_types>>;
  static constexpr op_facts facts{.not_differentiable = true};
  std::string description = {};
  std::vector<std::string> labels = {};
  std::string display_name = {};
  static constexpr auto attrs =
      flowgraph::attrs(attr("description", &tensor_summary_op::description), attr("labels", &tensor_summary_op::labels),
                       attr("display_name", &tensor_summary_op::display_name));

  flowgraph::shape shape(const flowgraph::shape&) const { return {}; }
  template <class T> void operator()(cpu ctx, view<const T> tensor, view<std::string> summary) const;
};

// Merges the values of several summaries into one summary. If a tag occurs twice, ends the run with an error.
struct merge_summary_op {
  static constexpr std::string_view name = "MergeSummary";
  static constexpr op_facts facts{.not_differentiable = true};

  flowgraph::shape shape(std::span<const flowgraph::shape>) const { return {}; }
  void operator()(cpu ctx, view_list<const std::string> inputs, view<std::string> summary) const;
};

using summary_ops = type_list<scalar_summary_op, histogram_summary_op, image_summary_op, audio_summary_v2_op, audio_summary_op,
                              tensor_summary_v2_op, tensor_summary_op, merge_summary_op>;

namespace detail {

inline out<std::string> text_beside(const any_out& handle, std::string_view text, const site& s) {
  return constant_beside(handle, tensor<std::string>(std::string(text)), {{}, s.location});
}

// The site of a summary's node. If the program gives no name, the node is named after its tag, as in TensorFlow.
class summary_site {
public:
  summary_site(std::string_view tag, const site& s) : s_(s) {
    if (!s.name.empty()) return;
    const auto is_letter = [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.';
    };
    for (const char c : tag)
      if (is_letter(c) || (!name_.empty() && (c == '/' || c == '-'))) name_ += c;
      else if (!name_.empty()) name_ += '_';
  }
  site get() const { return {name_.empty() ? s_.name : std::string_view(name_), s_.location}; }

private:
  site s_;
  std::string name_;
};

}  // namespace detail

// The function takes only one number.
template <class T> out<std::string> scalar_summary(std::string_view tag, const out<T>& value, site s = {}) {
  return apply(scalar_summary_op{}, detail::text_beside(value, tag, s), value, detail::summary_site(tag, s).get());
}
// Returns a summary of the distribution of values, as a histogram.
template <class T> out<std::string> histogram_summary(std::string_view tag, const out<T>& values, site s = {}) {
  return apply(histogram_summary_op{}, detail::text_beside(values, tag, s), values, detail::summary_site(tag, s).get());
}
// The shape of the images is {batch, height, width, channels}. The images are named "tag/image/0" and so on.
template <class T>
out<std::string> image_summary(std::string_view tag, const out<T>& images, std::int64_t max_images = 3, site s = {}) {
  image_summary_op op;
  op.max_images = max_images;
  return apply(op, detail::text_beside(images, tag, s), images, detail::summary_site(tag, s).get());
}
// The sounds are named "tag/audio/0" and so on.
inline out<std::string> audio_summary(std::string_view tag, const out<float>& sounds, float sample_rate,
                                      std::int64_t max_outputs = 3, site s = {}) {
  audio_summary_v2_op op;
  op.max_outputs = max_outputs;
  return apply(op, detail::text_beside(sounds, tag, s), sounds,
               detail::constant_beside(sounds, tensor<float>(sample_rate), {{}, s.location}), detail::summary_site(tag, s).get());
}
// `about` names the plugin. Without a plugin, TensorBoard stores the tensor but does not display it.
template <class T>
out<std::string> tensor_summary(std::string_view tag, const out<T>& x, const summary_metadata& about = {}, site s = {}) {
  return apply(tensor_summary_v2_op{}, detail::text_beside(x, tag, s), x, detail::text_beside(x, about.bytes(), s),
               detail::summary_site(tag, s).get());
}
// Returns a summary of texts, which TensorBoard displays as Markdown.
inline out<std::string> text_summary(std::string_view tag, const out<std::string>& texts, site s = {}) {
  return tensor_summary(tag, texts, {.plugin = "text"}, s);
}
// The result is one string, which can be fetched.
inline out<std::string> merge_summaries(const out_list<std::string>& summaries, site s = {}) {
  return apply(merge_summary_op{}, summaries, s);
}

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/debug/detail/summary.hpp>
#endif

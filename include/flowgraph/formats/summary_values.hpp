#pragma once
// Summaries: values under tags, as TensorFlow's Summary messages, which event files hold and TensorBoard shows.
//
//     fg::summary_writer made;
//     made.add("loss", 0.25f);
//     made.add_histogram("weights", w.erased()).value();
//     std::string bytes = made.take();
//
//     fg::read_summary(bytes, [](const fg::summary_value& v) { ... }).value();

#include <flowgraph/core/function.hpp>
#include <flowgraph/core/tensor.hpp>
#include <flowgraph/formats/fields.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

// How values are distributed: counts[i] of them are below limits[i], and not below limits[i - 1].
struct histogram_counts {
  double min = 0, max = 0, count = 0, sum = 0, sum_of_squares = 0;
  std::vector<double> limits, counts;
};

// The distribution of real numbers of any type over TensorFlow's buckets, each a tenth wider than the one before; runs of empty buckets are one. An
// infinity or NaN is refused.
result<histogram_counts> histogram_of(const any_tensor& values);

// What a summary says of a value besides the value. The plugin of TensorBoard that shows a tensor: "text", "scalars", "images", ...
struct summary_metadata {
  std::string plugin = {}, display_name = {}, description = {};

  // As a SummaryMetadata message.
  std::string bytes() const;
  static result<summary_metadata> read(std::string_view message);
};

// ---- reading: views of the bytes that are read

struct image_view {
  std::int64_t width = 0, height = 0, channels = 0;
  std::string_view file;  // PNG, mostly
};
struct audio_view {
  float rate = 0;
  std::int64_t channels = 0, frames = 0;
  std::string_view file, content_type;
};
struct tensor_view {
  std::string_view message;

  result<any_tensor> read() const;
};

struct summary_value {
  std::string_view tag, node;                     // the node's name stands for the tag of old tensors
  std::optional<std::string_view> metadata = {};  // a message
  std::variant<std::monostate, float, histogram_counts, image_view, audio_view, tensor_view> value = {};
  std::string_view message;  // all of it
};

// Calls f for each value of a summary. Bytes that are none are data_loss; the values before were given.
result<void> read_summary(std::string_view summary, function_ref<void(const summary_value&)> f);

// ---- writing

struct image_options {
  std::int64_t max_images = 3;                   // of a batch
  std::span<const std::uint8_t> bad_color = {};  // of pixels that are not finite; empty: red
};

// A summary that grows. What is refused leaves it as it was.
class summary_writer {
public:
  void add(std::string_view tag, float value);
  result<void> add_histogram(std::string_view tag, const any_tensor& values);
  // Images {batch, height, width, channels} of 1, 3 or 4 channels, as "tag/image/0", "tag/image/1", or "tag/image" where no more than one is
  // asked for. Bytes are shown as they are; reals are scaled to 0 .. 255, around 128 where some are negative.
  result<void> add_images(std::string_view tag, const any_tensor& images, const image_options& options = {});
  // Sounds {batch, frames, channels} or {batch, frames} from -1 to 1, named likewise: "tag/audio/0".
  result<void> add_audio(std::string_view tag, const any_tensor& sounds, float rate, std::int64_t max_outputs = 3);
  // Any tensor; the message says which plugin shows it.
  void add_tensor(std::string_view tag, const any_tensor& value, std::string_view metadata);
  // A tensor that a node's name stands for.
  void add_node_tensor(std::string_view node, const any_tensor& value);
  // A text, or several, which TensorBoard shows as Markdown.
  void add_text(std::string_view tag, const any_tensor& texts) {
    add_tensor(tag, texts, summary_metadata{.plugin = "text"}.bytes());
  }
  // The values of another summary.
  result<void> merge(std::string_view summary);

  const std::string& bytes() const noexcept { return bytes_; }
  std::string take() { return std::exchange(bytes_, {}); }

private:
  // Appends a value: under a tag if it has one, then the field of that number.
  void put(std::string_view tag, std::uint32_t field, std::string_view content);
  void put_value(std::string_view value) { detail::put_bytes_field(bytes_, 1, value); }

  std::string bytes_;
};

}
}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/formats/impl/summary_values.hpp>
#endif

#pragma once
// Reads and writes summaries: values with tags, in the form of TensorFlow's Summary messages. Event files contain such messages,
// and TensorBoard shows them.
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

namespace flowgraph::inline FLOWGRAPH_ABI {

// A histogram: counts[i] is the number of values that are below limits[i] but not below limits[i - 1].
struct histogram_counts {
  double min = 0, max = 0, count = 0, sum = 0, sum_of_squares = 0;  // statistics of all values
  std::vector<double> limits, counts;                               // upper limit of each bucket, and number of values in it
};

// Returns the histogram of real numbers of any type, with TensorFlow's buckets: each is a tenth wider than the previous bucket,
// and adjacent empty buckets are merged. An infinity or NaN is an error.
result<histogram_counts> histogram_of(const any_tensor& values);

// The description of a value in a summary. `plugin` is the plugin of TensorBoard that shows the value: "text", "scalars",
// "images", ...
struct summary_metadata {
  std::string plugin = {}, display_name = {}, description = {};  // the plugin, the name to display, and a description

  // Returns a SummaryMetadata message.
  std::string bytes() const;
  // Parses a SummaryMetadata message.
  static result<summary_metadata> read(std::string_view message);
};

// ---- reading: the results are views of the bytes

// An encoded image in a summary.
struct image_view {
  std::int64_t width = 0, height = 0, channels = 0;  // size in pixels, and number of channels
  std::string_view file;                             // usually PNG
};
// An encoded sound in a summary.
struct audio_view {
  float rate = 0;                       // frames per second
  std::int64_t channels = 0;            // number of channels
  std::int64_t frames = 0;              // number of samples per channel
  std::string_view file, content_type;  // the encoded sound, and its MIME type
};
// A tensor in a summary.
struct tensor_view {
  std::string_view message;  // a TensorProto message

  // Returns the tensor.
  result<any_tensor> read() const;
};

// One value of a summary.
struct summary_value {
  std::string_view tag, node;                     // the tag, or in old files the name of a node
  std::optional<std::string_view> metadata = {};  // a SummaryMetadata message
  // The value. std::monostate means a kind that is not listed.
  std::variant<std::monostate, float, histogram_counts, image_view, audio_view, tensor_view> value = {};
  std::string_view message;  // the whole message of the value
};

// Calls f for each value of a summary. If bytes are invalid, calls f for the values before them, and returns the error data_loss.
result<void> read_summary(std::string_view summary, function_ref<void(const summary_value&)> f);

// ---- writing

// Options of summary_writer::add_images.
struct image_options {
  std::int64_t max_images = 3;                   // number of images of a batch that are written
  std::span<const std::uint8_t> bad_color = {};  // colour of pixels that are not finite; empty: red
};

// Builds a summary. A call that returns an error does not change the summary.
class summary_writer {
public:
  // Adds a number.
  void add(std::string_view tag, float value);
  // Adds a histogram of the elements. Infinities and NaN are errors.
  result<void> add_histogram(std::string_view tag, const any_tensor& values);
  // Adds images {batch, height, width, channels} with 1, 3 or 4 channels, as "tag/image/0", "tag/image/1" and so on, or as
  // "tag/image" if max_images is 1. Bytes are written unchanged; real numbers are scaled to 0 .. 255. If some of them are
  // negative, zero becomes 128.
  result<void> add_images(std::string_view tag, const any_tensor& images, const image_options& options = {});
  // Adds sounds {batch, frames, channels} or {batch, frames} with values from -1 to 1. Their tags have the same form:
  // "tag/audio/0".
  result<void> add_audio(std::string_view tag, const any_tensor& sounds, float rate, std::int64_t max_outputs = 3);
  // Adds a tensor. `metadata` is a SummaryMetadata message that names the plugin for the tensor.
  void add_tensor(std::string_view tag, const any_tensor& value, std::string_view metadata);
  // Adds a tensor with the name of a node instead of a tag.
  void add_node_tensor(std::string_view node, const any_tensor& value);
  // Adds a text, or several texts, which TensorBoard shows as Markdown.
  void add_text(std::string_view tag, const any_tensor& texts) {
    add_tensor(tag, texts, summary_metadata{.plugin = "text"}.bytes());
  }
  // Adds the values of another summary.
  result<void> merge(std::string_view summary);

  // Returns the Summary message.
  const std::string& bytes() const noexcept { return bytes_; }
  // Returns the Summary message, and begins a new summary.
  std::string take() { return std::exchange(bytes_, {}); }

private:
  // Appends a value: its tag, if any, then the field with that number.
  void put(std::string_view tag, std::uint32_t field, std::string_view content);
  void put_value(std::string_view value) { detail::put_bytes_field(bytes_, 1, value); }

  std::string bytes_;
};

}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/formats/impl/summary_values.hpp>
#endif

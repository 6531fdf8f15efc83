#pragma once
// Writes event files for TensorBoard. They contain numbers, histograms, images, sounds and texts for each step, the graph, and
// the kernel times of steps.
//
//     auto writer = fg::event_writer::create("logs/run_1").value();
//     writer.add_graph(g).value();
//     for (std::int64_t step = 0; step < 1000; ++step) {
//       ...
//       writer.add("loss", loss, step).value();
//       writer.add(s.run(fg::fetch(all)), step).value();     // ops/debug/summary.hpp
//     }
//
//     tensorboard --logdir logs

#include <flowgraph/formats/record_file.hpp>
#include <flowgraph/formats/summary_values.hpp>
#include <flowgraph/graph/graph.hpp>
#include <flowgraph/observe/node_call.hpp>

#include <chrono>
#include <concepts>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace flowgraph::inline FLOWGRAPH_ABI {

// Options of an event_writer.
struct event_writer_options {
  std::string suffix = {};  // end of the file name
  // Interval after which events are passed to the operating system. They are also passed by `flush`, and when the file is closed.
  // If the program is killed, events that have not been passed yet are lost.
  std::chrono::milliseconds flush_after{2000};
};

// Writes one event file, events.out.tfevents.<seconds>.<host>.<process>.<number><suffix>, to a folder. TensorBoard shows each
// folder as a run. Any thread may add events; the file contains them in the order of the calls.
class event_writer {
public:
  // Creates the file, and the folder with its parents if they do not exist.
  static result<event_writer> create(const std::string& folder, event_writer_options options = {});
  // Writes the remaining events.
  ~event_writer();
  event_writer(event_writer&&) noexcept;
  event_writer& operator=(event_writer&&) noexcept;

  // Adds a number.
  result<void> add(std::string_view tag, float value, std::int64_t step);
  // Adds a histogram of the elements. Infinities and NaN are errors.
  result<void> add_histogram(std::string_view tag, const any_tensor& values, std::int64_t step);
  // Adds an image {height, width, channels} as "tag/image", or the first images of a batch as "tag/image/0" and so on. Elements
  // are bytes or real numbers.
  result<void> add_image(std::string_view tag, const any_tensor& images, std::int64_t step, const image_options& options = {});
  // Adds a sound {frames, channels} as "tag/audio", or the first sounds of a batch as "tag/audio/0" and so on. Values are from -1
  // to 1.
  result<void> add_audio(std::string_view tag, const any_tensor& sounds, float rate, std::int64_t step,
                         std::int64_t max_outputs = 3);
  // Adds a text in Markdown.
  result<void> add_text(std::string_view tag, std::string_view text, std::int64_t step);
  // Adds any tensor, to be shown by a plugin of TensorBoard.
  result<void> add_tensor(std::string_view tag, const any_tensor& value, std::int64_t step, const summary_metadata& about = {});
  // Adds the result of a summary_writer, or the fetched output of a summary op.
  result<void> add(std::string_view summary, std::int64_t step);
  template <class Fetched>
    requires requires(const Fetched& f) {
      { f.scalar() } -> std::convertible_to<std::string_view>;
    } result<void> add(const Fetched& summary, std::int64_t step) {
    return add(std::string_view(summary.scalar()), step);
  }

  // As above, for tensors with a static element type.
  template <class T> result<void> add_histogram(std::string_view tag, const tensor<T>& values, std::int64_t step) {
    return add_histogram(tag, values.erased(), step);
  }
  template <class T>
  result<void> add_image(std::string_view tag, const tensor<T>& images, std::int64_t step, const image_options& options = {}) {
    return add_image(tag, images.erased(), step, options);
  }
  result<void> add_audio(std::string_view tag, const tensor<float>& sounds, float rate, std::int64_t step,
                         std::int64_t max_outputs = 3) {
    return add_audio(tag, sounds.erased(), rate, step, max_outputs);
  }
  template <class T>
  result<void> add_tensor(std::string_view tag, const tensor<T>& value, std::int64_t step, const summary_metadata& about = {}) {
    return add_tensor(tag, value.erased(), step, about);
  }

  // Adds the graph, with scopes, devices and shapes.
  result<void> add_graph(const graph& g);
  // Adds the kernel times of one step. Each step needs a different tag.
  result<void> add_run(std::string_view tag, std::span<const node_call> calls, std::int64_t step);
  // Records that training resumes from a checkpoint: TensorBoard then discards the data that earlier files contain from this step
  // on. This must be the first event of the file.
  result<void> resume_at(std::int64_t step);

  // Passes all buffered events to the operating system.
  result<void> flush();
  // Closes the file. The destructor closes it too, but cannot report an error.
  result<void> close();

  // Returns the path of the file.
  const std::string& path() const noexcept;

private:
  struct state;
  explicit event_writer(std::unique_ptr<state> s);
  // Writes an event with one field of bytes.
  result<void> put(std::uint32_t field, std::string_view content, std::int64_t step);

  std::unique_ptr<state> state_;
};

}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/observe/impl/event_writer.hpp>
#endif

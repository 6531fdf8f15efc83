#pragma once
// Writes the files that TensorBoard shows: numbers, distributions, images, sounds and texts by step, the graph, and what a step took.
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

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

struct event_writer_options {
  std::string suffix = {};  // of the file's name
  // Events reach the system when the first one comes so long after the last that did, at `flush`, and at the end: a program that is killed
  // loses those in between.
  std::chrono::milliseconds flush_after{2000};
};

// Writes one event file, events.out.tfevents.<seconds>.<host>.<process>.<number><suffix>, in a folder: TensorBoard takes each folder for a run.
// Any thread may add; events stand in the file in the order of the calls.
class event_writer {
public:
  // Makes the folder, and those above it, where they do not exist.
  static result<event_writer> create(const std::string& folder, event_writer_options options = {});
  // Writes what is left.
  ~event_writer();
  event_writer(event_writer&&) noexcept;
  event_writer& operator=(event_writer&&) noexcept;

  // One number.
  result<void> add(std::string_view tag, float value, std::int64_t step);
  // How the elements are distributed. Infinities and NaN are refused.
  result<void> add_histogram(std::string_view tag, const any_tensor& values, std::int64_t step);
  // An image {height, width, channels}, or the first of a batch of them, of bytes or reals, as "tag/image" or "tag/image/0".
  result<void> add_image(std::string_view tag, const any_tensor& images, std::int64_t step, const image_options& options = {});
  // A sound {frames, channels}, or the first of a batch of them, from -1 to 1, as "tag/audio" or "tag/audio/0".
  result<void> add_audio(std::string_view tag, const any_tensor& sounds, float rate, std::int64_t step,
                         std::int64_t max_outputs = 3);
  // A text, in Markdown.
  result<void> add_text(std::string_view tag, std::string_view text, std::int64_t step);
  // Any tensor, for a plugin of TensorBoard.
  result<void> add_tensor(std::string_view tag, const any_tensor& value, std::int64_t step, const summary_metadata& about = {});
  // What a summary_writer made, or the fetched output of a summary op.
  result<void> add(std::string_view summary, std::int64_t step);
  template <class Fetched>
    requires requires(const Fetched& f) {
      { f.scalar() } -> std::convertible_to<std::string_view>;
    } result<void> add(const Fetched& summary, std::int64_t step) {
    return add(std::string_view(summary.scalar()), step);
  }

  // The same of tensors whose element type is known.
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

  // The graph, with scopes, devices and shapes.
  result<void> add_graph(const graph& g);
  // What the nodes of one step took, under a tag of its own.
  result<void> add_run(std::string_view tag, std::span<const node_call> calls, std::int64_t step);
  // The first event of a program that goes on from a checkpoint: TensorBoard forgets what files before have from this step on.
  result<void> resume_at(std::int64_t step);

  // Hands all events to the system.
  result<void> flush();
  // Ends the file; the destructor does too, but cannot say that it failed.
  result<void> close();

  const std::string& path() const noexcept;

private:
  struct state;
  explicit event_writer(std::unique_ptr<state> s);
  // An event with one field of form bytes.
  result<void> put(std::uint32_t field, std::string_view content, std::int64_t step);

  std::unique_ptr<state> state_;
};

}
}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/observe/impl/event_writer.hpp>
#endif

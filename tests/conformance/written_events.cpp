// Writes event files for tests/peers/tensorboard.py and summaries.py, which contain the expected values.
//
//     written_events FOLDER                 makes FOLDER/by_ops and FOLDER/by_writer
//     written_events ARRAYS.npz FOLDER      writes a summary of each array by an op, which the beginning of the array's name
//                                           determines

#include <flowgraph/flowgraph.hpp>
#include <flowgraph/formats/npy.hpp>
#include <flowgraph/observe/event_writer.hpp>
#include <flowgraph/ops/debug/summary.hpp>

#include <cmath>
#include <cstdio>

namespace {

namespace fg = flowgraph;

constexpr std::int64_t steps = 5;

// A step changes each pixel and each sample by one.
fg::tensor<std::uint8_t> colours(std::int64_t step) {
  fg::tensor<std::uint8_t> made({2, 3, 4, 3});
  std::int64_t i = step;
  for (std::uint8_t& p : made.writable()) p = static_cast<std::uint8_t>(7 * i++ % 256);
  return made;
}
fg::tensor<float> tone(std::int64_t step) {
  fg::tensor<float> made({1, 50, 2});
  std::int64_t i = step;
  for (float& x : made.writable()) x = static_cast<float>(i++ % 17) / 16 - 0.5f;
  return made;
}
fg::tensor<float> counted() {
  fg::tensor<float> made({100});
  float next = 0;
  for (float& x : made.writable()) x = next++;
  return made;
}

void write_by_ops(const std::string& folder) {
  fg::graph g;
  const auto step = g.placeholder<float>("step", {});
  const auto images = g.placeholder<std::uint8_t>("images", {fg::any, 3, 4, 3});
  const auto sounds = g.placeholder<float>("sounds", {fg::any, 50, 2});
  fg::out<float> loss, shifted;
  {
    const auto in = g.in_scope("model");
    const auto on = g.on_device("/device:cpu:0");
    const auto rate = g.variable("rate", fg::tensor<float>({}, {0.5f}));
    loss = rate / (step + 1.0f);
    shifted = g.constant(counted()) + step;
  }
  const auto all = fg::merge_summaries({fg::scalar_summary("model/loss", loss), fg::histogram_summary("model/values", shifted),
                                        fg::image_summary("images", images), fg::audio_summary("sounds", sounds, 8000),
                                        fg::text_summary("notes", g.constant(std::string("**bold** words")))});
  fg::session s{g};
  s.initialize();
  auto writer = fg::event_writer::create(folder).value();
  writer.add_graph(g).value();
  for (std::int64_t i = 0; i < steps; ++i)
    writer.add(s.run(fg::fetch(all), {{step, static_cast<float>(i)}, {images, colours(i)}, {sounds, tone(i)}}), i).value();
  const fg::node_call calls[]{
      {.node = "model/RealDiv", .device = "/device:cpu:0", .start = 1'000'000, .end = 1'021'000, .allocated_bytes = 4096},
      {.node = "model/Add", .device = "/device:cpu:0", .start = 1'030'000, .end = 1'033'000}};
  writer.add_run("step 4", calls, 4).value();
  writer.close().value();
}

void write_by_writer(const std::string& folder) {
  auto writer = fg::event_writer::create(folder).value();
  for (std::int64_t i = 0; i < steps; ++i) {
    writer.add("model/loss", 2 / static_cast<float>(i + 1), i).value();
    writer.add_histogram("model/values", counted(), i).value();
    writer.add_image("grey", fg::tensor<float>({1, 4, 1}, {0, 1, 2, 4}), i).value();
  }
  writer.add_text("notes", "| a | table |\n|---|---|\n| 1 | 2 |", 0).value();
  writer.close().value();

  // A second program continues from step 3. The later steps of the first program are then hidden.
  auto resumed = fg::event_writer::create(folder, {.suffix = ".resumed"}).value();
  resumed.resume_at(3).value();
  for (std::int64_t i = 3; i < 2 * steps; ++i) resumed.add("model/loss", 20 / static_cast<float>(i + 1), i).value();
  resumed.close().value();
}

template <class T> fg::out<std::string> summary_of(const std::string& name, const fg::out<T>& x) {
  if constexpr (fg::in_list<T, fg::type_list<std::uint8_t, float, double, fg::half>>)
    if (name.starts_with("images")) return fg::image_summary(name, x, 2);
  if constexpr (std::is_same_v<T, float>)
    if (name.starts_with("sounds")) return fg::audio_summary(name, x, 44100.7f, 2);
  if constexpr (fg::in_list<T, fg::real_numbers>)
    if (name.starts_with("values")) return fg::histogram_summary(name, x);
  return fg::tensor_summary(name, x, {.plugin = "mine", .description = "words"});
}

void write_arrays(const std::string& arrays, const std::string& folder) {
  auto writer = fg::event_writer::create(folder).value();
  const auto given = fg::load_npz(arrays).value();
  for (const auto& [name, value] : given) {
    fg::graph g;
    const auto made = fg::visit_type(
        value.type(),
        [&]<class T>() -> fg::out<std::string> {
          if constexpr (fg::is_plain(fg::dtype_of<T>)) return summary_of(name, g.constant(fg::tensor<T>::from(value).value()));
          else return {};
        },
        [] { return fg::out<std::string>(); });
    writer.add(fg::session{g}.run(fg::fetch(made)), 1).value();
  }
  writer.close().value();
}

}  // namespace

int main(int count, char** arguments) {
  if (count == 3) return write_arrays(arguments[1], arguments[2]), 0;
  if (count != 2) return std::fprintf(stderr, "usage: written_events [ARRAYS.npz] FOLDER\n"), 2;
  const std::string folder = arguments[1];
  write_by_ops(folder + "/by_ops");
  write_by_writer(folder + "/by_writer");
}

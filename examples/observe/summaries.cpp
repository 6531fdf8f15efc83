// What a training run does, for TensorBoard: numbers and distributions from the graph, texts from the program, and the graph itself.
//
//     x ──> dense ──> y ──> loss ──> train
//             │              │
//             w ─histogram─┐ │scalar
//                          v v
//                         merge ──> (a string, fetched) ──> event_writer ──> tensorboard --logdir FOLDER

#include <flowgraph/flowgraph.hpp>
#include <flowgraph/formats/event_reader.hpp>
#include <flowgraph/observe/event_writer.hpp>
#include <flowgraph/ops/debug/summary.hpp>

#include <cstdio>
#include <filesystem>

namespace fg = flowgraph;

int main() {
  fg::graph g;
  const auto x = g.placeholder<float>("x", {fg::any, 3});
  const auto wanted = g.placeholder<float>("wanted", {fg::any, 1});
  const auto w = g.variable("dense/w", fg::zeros<float>({3, 1}));
  const auto error = fg::matmul(x, w) - wanted;
  const auto loss = fg::mean(error * error);
  const auto train = fg::sgd{.rate = 0.1f}.minimize(loss);
  const auto all = fg::merge_summaries({fg::scalar_summary("loss", loss), fg::histogram_summary("dense/w", w)});

  const auto folder = std::filesystem::temp_directory_path() / "flowgraph_summaries";
  auto writer = fg::event_writer::create(folder.string()).value();
  writer.add_graph(g).value();
  writer.add_text("notes", "Least squares: `y = x w`, **three** weights.", 0).value();

  fg::session s{g};
  s.initialize();
  const fg::tensor<float> points({4, 3}, {1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 1});
  const fg::tensor<float> values({4, 1}, {1, -2, 3, 2});  // w is 1, -2, 3
  constexpr std::int64_t steps = 200;
  for (std::int64_t step = 0; step < steps; ++step) {
    const auto summary = s.run(fg::fetch(all), train, {{x, points}, {wanted, values}});
    writer.add(summary, step).value();
    writer.add("rate", 0.1f, step).value();
  }
  const fg::tensor<float> learnt = s.run(fg::fetch(w));
  writer.add_image("learnt", learnt.erased().reshaped({1, 3, 1}), steps).value();
  writer.close().value();
  std::printf("tensorboard --logdir %s\n", folder.c_str());

  // What the file has can be read again.
  float first = 0, last = 0;
  int count = 0;
  auto from = fg::event_reader::open(writer.path()).value();
  for (fg::event e; from.next(e).value();)
    fg::read_summary(e.summary(), [&](const fg::summary_value& v) {
      if (v.tag != "loss") return;
      (count++ == 0 ? first : last) = std::get<float>(v.value);
    }).value();
  std::printf("loss %.3f at first, %.6f in the end\n", static_cast<double>(first), static_cast<double>(last));
  return count == steps && last < 1e-3f * first ? 0 : 1;
}

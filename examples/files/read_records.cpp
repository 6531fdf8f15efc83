// Training from files: examples are stored as records, then read, parsed and batched in the background while the model trains.
//
//     names ──> queue ──> TFRecordReader ──> ParseExample ──> queue ──> batches ──> model ──> step
//      (thread 1)            (threads 2 and 3)                          (this thread)

#include <flowgraph/flowgraph.hpp>
#include <flowgraph/formats/example.hpp>
#include <flowgraph/formats/record_file.hpp>
#include <flowgraph/ops/input/parse_example.hpp>
#include <flowgraph/ops/input/record_reader.hpp>
#include <flowgraph/train/queue_runner.hpp>

#include <cmath>
#include <cstdio>
#include <filesystem>

namespace fg = flowgraph;

// Points of y = 3 a - 2 b.
void write_examples(const std::string& path, std::uint64_t seed) {
  auto to = fg::record_writer::create(path).value();
  for (int i = 0; i < 500; ++i) {
    float point[2];
    for (float& p : point) p = static_cast<float>((seed = seed * 48271 % 2147483647) % 1000) / 1000;
    fg::example_writer example;
    example.add("point", point);
    example.add("value", 3 * point[0] - 2 * point[1]);
    to.write(example.bytes()).value();
  }
  to.close().value();
}

int main() {
  const auto folder = std::filesystem::temp_directory_path() / "flowgraph_read_records";
  std::filesystem::create_directories(folder);
  std::vector<std::string> files;
  for (std::uint64_t i = 1; i <= 4; ++i) {
    files.push_back((folder / ("points-" + std::to_string(i))).string());
    write_examples(files.back(), i);
  }

  fg::graph g;
  const auto names = fg::file_names(g, files, {.epochs = 5});
  const auto records = fg::tf_record_reader(g).read_up_to(names.between, 64).values;
  const auto [point, value] =
      fg::parse_example(records, fg::dense_feature<float>{"point", {2}}, fg::dense_feature<float>{"value"});
  const auto ready = fg::batches({.size = 32, .capacity = 256, .of_batches = true}, point, value);

  auto [x, y] = ready.components;
  auto w = g.variable("w", fg::zeros<float>({2, 1}));
  auto error = fg::reshape(fg::matmul(x, w), {32}) - y;
  auto loss = fg::mean(error * error);
  auto train = fg::sgd{.rate = 0.5f}.minimize(loss);

  fg::session s{g};
  s.initialize();
  fg::coordinator workers;
  fg::queue_runner(names.filling).start(s, workers);
  fg::queue_runner(ready.filling).start(s, workers, 2);

  int steps = 0;
  for (;; ++steps) {
    const auto made = s.try_run(fg::fetch(loss), train);
    if (!made && made.error().code() != fg::error_code::out_of_range) std::printf("%s\n", made.error().what());
    if (!made) break;
    if (steps % 50 == 0) std::printf("step %d, loss %.6f\n", steps, static_cast<double>(made->scalar()));
  }
  workers.join();  // raises what went wrong in the background

  const auto learnt = s.run(fg::fetch(w));
  std::printf("after %d steps: w = [%.3f, %.3f]\n", steps, static_cast<double>(learnt[0]), static_cast<double>(learnt[1]));
  std::filesystem::remove_all(folder);
  return steps == 312 && std::abs(learnt[0] - 3) < 0.01f && std::abs(learnt[1] + 2) < 0.01f ? 0 : 1;
}

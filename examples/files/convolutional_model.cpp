// A convolutional model trained from files: records are read, decoded, shuffled and batched in the background, ahead of the training.
//
//     names ──> queue ──> TFRecordReader ──> ParseExample ──> DecodeRaw ──> shuffled queue ──> prefetched ──> model ──> step
//        (thread 1)                     (threads 2 and 3)                       (thread 4)           (this thread)

#include "../shared/digits.hpp"

#include <flowgraph/flowgraph.hpp>
#include <flowgraph/formats/example.hpp>
#include <flowgraph/formats/record_file.hpp>
#include <flowgraph/ops/input/decode.hpp>
#include <flowgraph/ops/input/parse_example.hpp>
#include <flowgraph/ops/input/prefetch.hpp>
#include <flowgraph/ops/input/record_reader.hpp>
#include <flowgraph/ops/input/shuffled_batches.hpp>
#include <flowgraph/train/queue_runner.hpp>

#include <filesystem>

namespace fg = flowgraph;

void write_records(const std::string& path, const digit_list& digits, std::size_t part, std::size_t parts) {
  auto to = fg::record_writer::create(path).value();
  for (std::size_t i = part; i < digits.size(); i += parts) {
    std::string pixels;
    for (const float p : digits[i].pixels) pixels += static_cast<char>(p * 16);
    fg::example_writer example;
    example.add("pixels", pixels);
    example.add("label", static_cast<std::int64_t>(digits[i].label));
    to.write(example.bytes()).value();
  }
  to.close().value();
}

int main(int count, char** arguments) {
  const auto [training, held_out] = read_digits(std::string(count > 1 ? arguments[1] : "examples/data") + "/digits.csv");
  const auto folder = std::filesystem::temp_directory_path() / "flowgraph_convolutional_model";
  std::filesystem::create_directories(folder);
  std::vector<std::string> files;
  for (std::size_t i = 0; i < 4; ++i) write_records(files.emplace_back((folder / std::to_string(i)).string()), training, i, 4);

  fg::graph g;
  g.set_seed(1);
  const auto names = fg::file_names(g, files, {.epochs = 12});
  const auto records = fg::tf_record_reader(g).read_up_to(names.between, 32).values;
  const auto [pixels, label] =
      fg::parse_example(records, fg::dense_feature<std::string>{"pixels"}, fg::dense_feature<std::int64_t>{"label"});
  const auto image = fg::reshape(fg::cast<float>(fg::decode_raw<std::uint8_t>(pixels)) / 16.f, {-1, 8, 8, 1});
  const auto mixed = fg::shuffled_batches(
      {.size = 32, .min_after_dequeue = 300, .of_batches = true, .allow_smaller = true, .shapes = {{8, 8, 1}, {}}}, image,
      fg::cast<std::int32_t>(label));
  const auto ready = fg::prefetched({.capacity = 2}, std::get<0>(mixed.components), std::get<1>(mixed.components));
  auto [x, t] = ready.components;
  auto w1 = g.variable("w1", fg::he_normal<float>({3, 3, 1, 16})), w2 = g.variable("w2", fg::he_normal<float>({3, 3, 16, 32}));
  auto w3 = g.variable("w3", fg::glorot_uniform<float>({128, 10})), b = g.variable("b", fg::zeros<float>({10}));
  auto pooled = fg::max_pool(fg::relu(fg::conv2d(x, w1)));
  auto features = fg::reshape(fg::max_pool(fg::relu(fg::conv2d(pooled, w2))), {-1, 128});
  auto logits = fg::matmul(features, w3) + b;
  auto loss = fg::mean(fg::sparse_softmax_cross_entropy(logits, t));
  auto train = fg::adam{.rate = 2e-3f}.minimize(loss);
  auto right = fg::mean(fg::cast<float>(fg::equal(fg::argmax<std::int32_t>(logits, 1), t)));

  fg::session s{g};
  s.initialize();
  fg::coordinator workers;
  fg::queue_runner(names.filling).start(s, workers);
  fg::queue_runner(mixed.filling).start(s, workers, 2);
  fg::queue_runner(ready.filling).start(s, workers);
  int steps = 0;
  for (; const auto made = s.try_run(fg::fetch(loss), train); ++steps)
    if (steps % 50 == 0) std::printf("step %3d   loss %.4f\n", steps, static_cast<double>(made->scalar()));
  workers.join();  // raises what went wrong in the background
  fg::tensor<float> test_x({held_out.size(), 8, 8, 1});
  fg::tensor<std::int32_t> test_t({held_out.size()});
  copy_batch(held_out, 0, test_x, test_t);
  const float reached = s.run(fg::fetch(right), {{x, test_x}, {t, test_t}}).scalar();  // fed past the queue
  std::printf("after %d steps: accuracy %.3f on held-out digits\n", steps, static_cast<double>(reached));
  std::filesystem::remove_all(folder);
  return steps == static_cast<int>((12 * training.size() + 31) / 32) && reached > 0.94f ? 0 : 1;
}

// Training data from files that TensorFlow has written: records are read, parsed, shuffled and batched in the background.

#include "works.hpp"

#include <flowgraph/ops/input/parse_example.hpp>
#include <flowgraph/ops/input/record_reader.hpp>
#include <flowgraph/ops/input/shuffled_batches.hpp>
#include <flowgraph/train/queue_runner.hpp>

#include <algorithm>
#include <cstdio>
#include <filesystem>

namespace bench {

namespace {

constexpr std::int64_t columns = 784, batch = 128, mixed = 1024;

// One pass over the files: bench/peers/input.py does the same with tf.data. `threads` of them read and parse, the caller's takes.
void run_input(const options& o, std::string_view name) {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(o.files.empty() ? "." : o.files))
    if (entry.path().extension() == ".tfrecord") files.push_back(entry.path().string());
  std::sort(files.begin(), files.end());
  if (files.empty()) {
    std::fprintf(stderr,
                 "input: no files *.tfrecord; bench/peers/input.py --write FOLDER makes them, --files FOLDER names them\n");
    return;
  }

  fg::graph g;
  const auto names = fg::file_names(g, files, {.epochs = 1});
  const auto records = fg::tf_record_reader(g).read_up_to(names.between, 64).values;
  const auto [image, label] =
      fg::parse_example(records, fg::dense_feature<float>{"image", {columns}}, fg::dense_feature<std::int64_t>{"label", {}});
  const auto ready = fg::shuffled_batches(
      {.size = batch, .capacity = mixed + 4 * batch, .min_after_dequeue = mixed, .seed = 1, .of_batches = true}, image, label);
  const auto& [x, y] = ready.components;

  std::vector<double> seconds;
  std::int64_t examples = 0;
  double mean = 0;
  for (int k = 0; k < o.samples; ++k) {
    const double began = now();
    fg::session s{g};
    fg::coordinator workers;
    fg::queue_runner(names.filling).start(s, workers);
    fg::queue_runner(ready.filling).start(s, workers, o.threads);
    auto take = s.prepare(fg::feed(), fg::fetch(x, y));
    for (examples = 0;; examples += batch) {
      const auto made = take.try_run({});
      if (!made) break;
      if (examples == 0) mean = mean_magnitude(std::get<0>(*made));
    }
    workers.join();
    seconds.push_back((now() - began) / static_cast<double>(examples));
  }
  if (!(mean > 0 && mean < 1)) std::fprintf(stderr, "input: the values are not those that were written\n");
  print_times(o, {.variant = "prepared", .work = name, .unit = "us/example", .peak_mb = peak_megabytes()}, seconds,
              static_cast<double>(examples));
}

constexpr work works[] = {{"input", run_input}};

}  // namespace

std::span<const work> input_works() { return works; }

}  // namespace bench

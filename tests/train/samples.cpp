#include <flowgraph/train/samples.hpp>

#include <flowgraph/core/generator.hpp>
#include <flowgraph/flowgraph.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>

namespace fg = flowgraph;
using fg::error_code;

namespace {

fg::generator<fg::tensor<float>> waves(int count, std::vector<const float*>& memory) {
  for (int i = 0; i < count; ++i) {
    fg::tensor<float> wave({2});
    wave.writable()[0] = static_cast<float>(i);
    memory.push_back(wave.data());
    co_yield wave;
  }
}

}  // namespace

TEST_CASE("what a coroutine yields comes out as it lies in memory") {
  fg::graph g;
  const auto sound = fg::samples<float>(g, {.capacity = 4, .shapes = {{2}}});
  fg::session s{g};
  fg::sample_feeder<float> feed(s, sound);
  std::vector<const float*> memory;
  CHECK(feed.feed_all(waves(3, memory)));
  CHECK(feed.close());
  for (std::size_t i = 0; i < 3; ++i) {
    const auto wave = s.run(fg::fetch(sound.components));
    CHECK(wave.data() == memory[i]);
    CHECK(wave[0] == static_cast<float>(i));
  }
  CHECK(s.try_run(fg::fetch(sound.components)).error().code() == error_code::out_of_range);
}

TEST_CASE("a callback writes samples where they are taken from") {
  fg::graph g;
  const auto read = fg::samples<float, std::int64_t>(g, {.shapes = {{3}, {}}});
  fg::session s{g};
  fg::sample_feeder<float, std::int64_t> feed(s, read);
  std::vector<const float*> memory;
  CHECK(feed.feed_all([&](std::span<float> values, std::span<std::int64_t> number) {
    if (memory.size() == 2) return false;
    std::iota(values.begin(), values.end(), 10.f * static_cast<float>(memory.size()));
    number[0] = static_cast<std::int64_t>(memory.size());
    memory.push_back(values.data());
    return true;
  }));
  const auto& [x, n] = read.components;
  for (std::size_t i = 0; i < 2; ++i) {
    const auto [fx, fn] = s.run(fg::fetch(x, n));
    CHECK(fx.data() == memory[i]);
    CHECK(fx[2] == 10.f * static_cast<float>(i) + 2);
    CHECK(fn.scalar() == static_cast<std::int64_t>(i));
  }
}

TEST_CASE("ranges of scalars and of tuples feed batches, in order or shuffled") {
  fg::graph g;
  const auto numbers = fg::samples<std::int64_t>(g, {.size = 4, .shapes = {{}}});
  const auto pairs = fg::samples<float, std::int64_t>(
      g, {.size = 4, .capacity = 100, .min_after_dequeue = 8, .seed = 3, .allow_smaller = true, .shapes = {{}, {}}});
  fg::session s{g};
  fg::sample_feeder<std::int64_t> feed(s, numbers);
  CHECK(feed.feed_all(std::vector<std::int64_t>{5, 6, 7, 8}));
  CHECK(s.run(fg::fetch(numbers.components))[3] == 8);

  fg::sample_feeder<float, std::int64_t> feed_pairs(s, pairs);
  std::vector<std::tuple<float, std::int64_t>> all;
  for (std::int64_t i = 0; i < 30; ++i) all.emplace_back(static_cast<float>(-i), i);
  CHECK(feed_pairs.feed_all(all));
  CHECK(feed_pairs.close());
  std::vector<std::int64_t> found;
  const auto& [x, n] = pairs.components;
  for (;;) {
    const auto batch = s.try_run(fg::fetch(x, n));
    if (!batch) break;
    const auto& [fx, fn] = *batch;
    for (std::size_t i = 0; i < fn.size(); ++i) CHECK(fx[i] == static_cast<float>(-fn[i]));
    found.insert(found.end(), fn.begin(), fn.end());
  }
  CHECK_FALSE(std::is_sorted(found.begin(), found.end()));
  std::sort(found.begin(), found.end());
  REQUIRE(found.size() == 30);
  CHECK(found[29] == 29);
}

TEST_CASE("a thread feeds until its source ends, and closes the queue") {
  fg::graph g;
  const auto sound = fg::samples<float>(g, {.size = 2, .capacity = 3, .shapes = {{2}}});
  fg::session s{g};
  std::vector<const float*> memory;
  fg::coordinator workers;
  fg::start_feeding(s, workers, sound, waves(100, memory));
  float sum = 0;
  int batches = 0;
  for (;; ++batches) {
    const auto batch = s.try_run(fg::fetch(sound.components));
    if (!batch) CHECK(batch.error().code() == error_code::out_of_range);
    if (!batch) break;
    sum += (*batch)[0] + (*batch)[2];
  }
  CHECK(batches == 50);
  CHECK(sum == 4950);
  workers.join();
}

TEST_CASE("a stop ends a thread that waits to feed, and who takes") {
  fg::graph g;
  const auto endless = fg::samples<float>(g, {.size = 2, .capacity = 3, .shapes = {{}}});
  fg::session s{g};
  fg::coordinator workers;
  fg::start_feeding(s, workers, endless, [](std::span<float> x) { return x[0] = 1, true; });
  s.run(fg::fetch(endless.components));
  workers.request_stop();
  workers.join(fg::steady_time::after(std::chrono::seconds(30)));
  while (s.try_run(fg::fetch(endless.components))) {}
  CHECK(s.run(fg::fetch(endless.between.is_closed())).scalar());
}

TEST_CASE("a sample of another shape is refused, and a source that fails ends all") {
  fg::graph g;
  const auto pairs = fg::samples<float>(g, {.size = 1, .shapes = {{2}}});
  const auto any_shape = fg::samples<float>(g, {});
  fg::session s{g};
  fg::sample_feeder<float> feed(s, pairs);
  CHECK(feed.try_feed({}, fg::tensor<float>({3})).error().code() == error_code::invalid_argument);
  CHECK(feed.try_feed({}, fg::tensor<float>({2})));
  fg::sample_feeder<float> feed_any(s, any_shape);
  CHECK(feed_any.feed_all([](std::span<float>) { return true; }).error().code() == error_code::invalid_argument);
  CHECK(feed_any.try_feed({}, fg::tensor<float>({3})));
  CHECK(feed_any.try_feed({}, fg::tensor<float>({1, 2})));

  fg::coordinator workers;
  fg::start_feeding(s, workers, pairs, std::vector<fg::tensor<float>>{fg::tensor<float>({3})});
  const auto ended = workers.try_join(fg::steady_time::after(std::chrono::seconds(30)));
  CHECK(ended.error().code() == error_code::invalid_argument);
  CHECK(s.run(fg::fetch(pairs.between.is_closed())).scalar());
}

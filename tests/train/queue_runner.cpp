#include <flowgraph/train/queue_runner.hpp>

#include "thread_limit.hpp"

#include <flowgraph/flowgraph.hpp>
#include <flowgraph/ops/input/buckets.hpp>
#include <flowgraph/ops/input/record_reader.hpp>
#include <flowgraph/ops/input/slices.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <thread>

namespace fg = flowgraph;
using fg::error_code;

TEST_CASE("a queue is filled until its input ends, and then closed") {
  fg::graph g;
  const auto names = fg::file_names(g, {"a", "b", "c"}, {.epochs = 4});
  const fg::reader from = fg::identity_reader(g);
  const auto [key, value] = from.read(names.between);
  const auto ready = fg::batches({.size = 5, .allow_smaller = true}, value);
  fg::session s{g};
  fg::coordinator workers;
  fg::queue_runner(names.filling).start(s, workers);
  fg::queue_runner(ready.filling).start(s, workers, 3);
  std::map<std::string, int> found;
  fg::error end;
  for (;;) {
    const auto batch = s.try_run(fg::fetch(ready.components));
    if (!batch) end = batch.error();
    if (!batch) break;
    for (const std::string& v : *batch) ++found[v];
  }
  CHECK(end.code() == error_code::out_of_range);
  CHECK(found == std::map<std::string, int>{{"a", 4}, {"b", 4}, {"c", 4}});
  workers.join();
}

TEST_CASE("the shards of names are apart, and together all") {
  fg::graph g;
  std::map<std::string, int> found;
  for (std::int64_t shard = 0; shard < 2; ++shard) {
    const auto names = fg::file_names(g, {"a", "b", "c"}, {.epochs = 1, .shard = shard, .shards = 2});
    fg::session s{g};
    fg::coordinator workers;
    CHECK(fg::queue_runner(names.filling).fill(s, workers));
    while (const auto name = s.try_run(fg::fetch(names.components))) ++found[name->scalar()];
  }
  CHECK(found == std::map<std::string, int>{{"a", 1}, {"b", 1}, {"c", 1}});
}

TEST_CASE("elements of different length are padded") {
  fg::graph g;
  const auto x = g.placeholder<float>("x", {fg::any});
  const auto ready = fg::batches({.size = 2, .pads = true}, x);
  CHECK(ready.components.shape() == fg::shape{2, fg::any});
  fg::session s{g};
  s.run(ready.filling.enqueue, {{x, fg::tensor<float>({1}, {1})}});
  s.run(ready.filling.enqueue, {{x, fg::tensor<float>({3}, {2, 3, 4})}});
  const auto batch = s.run(fg::fetch(ready.components));
  CHECK(std::vector<float>(batch.begin(), batch.end()) == std::vector<float>{1, 0, 0, 2, 3, 4});
}

TEST_CASE("buckets are filled by some threads and gathered by others, and all elements come in batches") {
  fg::graph g;
  fg::tensor<std::int64_t> lengths({60});
  for (std::size_t i = 0; i < 60; ++i) lengths.writable()[i] = static_cast<std::int64_t>(i * i % 30);
  const auto one = fg::slices({.epochs = 2}, g.constant(lengths));
  const auto length = one.components;
  const auto ready = fg::bucketed_batches({.boundaries = {5, 10, 20}, .size = 4, .allow_smaller = true}, length,
                                          fg::fill(fg::reshape(length, {1}), g.constant(1.0f)), length);
  const auto& [x, n] = ready.components;
  fg::session s{g};
  fg::coordinator workers;
  fg::queue_runner(one.filling).start(s, workers);
  fg::queue_runner(ready.filling).start(s, workers, 2);
  fg::queue_runner(ready.gathering).start(s, workers);
  std::map<std::int64_t, int> found, wanted;
  for (const std::int64_t l : lengths) wanted[l] += 2;
  for (;;) {
    const auto batch = s.try_run(fg::fetch(x, n));
    if (!batch) CHECK(batch.error().code() == error_code::out_of_range);
    if (!batch) break;
    const auto& [fx, fn] = *batch;
    CHECK(fx.dim(1) == *std::max_element(fn.begin(), fn.end()));
    for (const std::int64_t boundary : {5, 10, 20}) CHECK((fn[0] < boundary) == (fn[fn.size() - 1] < boundary));
    for (const std::int64_t l : fn) ++found[l];
  }
  CHECK(found == wanted);
  workers.join();
}

TEST_CASE("a stop ends filling that waits for a place, and who waits for elements") {
  fg::graph g;
  const auto ready = fg::batches({.size = 2, .capacity = 3}, g.constant(1.0f));
  fg::session s{g};
  fg::coordinator workers;
  fg::queue_runner(ready.filling).start(s, workers, 2);
  s.run(fg::fetch(ready.components));
  std::this_thread::sleep_for(std::chrono::milliseconds(10));  // the queue is full again
  workers.request_stop();
  workers.join(fg::steady_time::after(std::chrono::seconds(30)));
  while (s.try_run(fg::fetch(ready.components))) {}  // what is left, then the end: nobody waits
  CHECK(s.run(fg::fetch(ready.between.is_closed())).scalar());
}

TEST_CASE("an error of one filling ends all, and join tells it") {
  fg::graph g;
  const auto names = fg::file_names(g, {"/a file that is not there"});
  const fg::reader from = fg::whole_file_reader(g);
  const auto ready = fg::batches({.size = 1}, from.read(names.between).values);
  fg::session s{g};
  fg::coordinator workers;
  fg::queue_runner(names.filling).start(s, workers);
  fg::queue_runner(ready.filling).start(s, workers);
  CHECK(s.try_run(fg::fetch(ready.components)).error().code() == error_code::out_of_range);
  const auto made = workers.try_join(fg::steady_time::after(std::chrono::seconds(30)));
  CHECK(made.error().code() == error_code::not_found);
}

#ifdef LIMITS_THREADS
TEST_CASE("a queue is closed if a thread that fills it cannot be started") {
  if (flowgraph_test::is_sanitized) return;
  fg::graph g;
  const auto ready = fg::batches({.size = 2, .capacity = 3}, g.constant(1.0f));
  fg::session s{g};
  s.run(fg::fetch(ready.between.is_closed()));
  fg::coordinator workers;
  {
    const training_tests::thread_limit few;
    fg::queue_runner(ready.filling).start(s, workers, 200);
  }
  CHECK(workers.try_join(fg::steady_time::after(std::chrono::seconds(30))).error().code() == error_code::resource_exhausted);
  CHECK(s.run(fg::fetch(ready.between.is_closed())).scalar());
  while (s.try_run(fg::fetch(ready.components))) {}  // nobody waits
}
#endif

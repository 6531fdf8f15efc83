#include <flowgraph/ops/input/shuffled_batches.hpp>

#include "../../harness/engine_ops.hpp"

#include <numeric>

namespace fg = flowgraph;
using fg::error_code;

namespace {

// What comes of 0..39, in the order in which it comes.
std::vector<std::int64_t> shuffled_numbers(std::int64_t seed) {
  fg::graph g;
  fg::tensor<std::int64_t> numbers({40});
  std::iota(numbers.writable().begin(), numbers.writable().end(), 0);
  const auto ready = fg::shuffled_batches(
      {.size = 8, .capacity = 40, .min_after_dequeue = 10, .seed = seed, .of_batches = true, .allow_smaller = true},
      g.constant(numbers));
  fg::session s{g};
  s.run(ready.filling.enqueue);
  s.run(ready.filling.close);
  std::vector<std::int64_t> found;
  while (const auto batch = s.try_run(fg::fetch(ready.components))) found.insert(found.end(), batch->begin(), batch->end());
  return found;
}

}  // namespace

TEST_CASE("shuffled batches have each element once, in an order that the seed decides") {
  std::vector<std::int64_t> found = shuffled_numbers(5);
  CHECK(found == shuffled_numbers(5));
  CHECK(found != shuffled_numbers(6));
  CHECK_FALSE(std::is_sorted(found.begin(), found.end()));
  std::sort(found.begin(), found.end());
  REQUIRE(found.size() == 40);
  for (std::size_t i = 0; i < found.size(); ++i) CHECK(found[i] == static_cast<std::int64_t>(i));
}

TEST_CASE("shuffled batches leave some elements behind while more come, and drop those that make no batch") {
  fg::graph g;
  const auto x = g.placeholder<float>("x", {2});
  const auto n = g.placeholder<std::int64_t>("n", {});
  const auto ready = fg::shuffled_batches({.size = 2, .min_after_dequeue = 3}, x, n);
  const auto& [bx, bn] = ready.components;
  CHECK(bx.shape() == fg::shape{2, 2});
  fg::session s{g};
  const auto put = [&](std::int64_t i) {
    const auto v = static_cast<float>(i);
    return s.try_run(ready.filling.enqueue, {{x, fg::tensor<float>({2}, {v, -v})}, {n, i}}, {.may_wait = false});
  };
  for (std::int64_t i = 0; i < 4; ++i) CHECK(put(i));
  CHECK(s.try_run(fg::fetch(bx, bn), {}, {.may_wait = false}).error().code() == error_code::unavailable);
  for (std::int64_t i = 4; i < 9; ++i) CHECK(put(i));
  CHECK(put(9).error().code() == error_code::unavailable);  // room for those that stay, and for three batches
  const auto [fx, fn] = s.run(fg::fetch(bx, bn));
  for (std::size_t i = 0; i < 2; ++i) CHECK(fx(i, 1) == -static_cast<float>(fn[i]));
  s.run(ready.filling.close);
  for (int i = 0; i < 3; ++i) CHECK(s.try_run(fg::fetch(bx)));
  CHECK(s.try_run(fg::fetch(bx)).error().code() == error_code::out_of_range);
}

#include <flowgraph/runtime/schedule/owned_schedule.hpp>

#include <flowgraph/observe/trace.hpp>
#include <flowgraph/ops/control_flow/while_loop.hpp>
#include <flowgraph/ops/math/cast.hpp>
#include <flowgraph/ops/math/comparison.hpp>
#include <flowgraph/ops/math/division.hpp>
#include <flowgraph/ops/math/math.hpp>
#include <flowgraph/ops/math/trigonometry.hpp>
#include <flowgraph/runtime/session.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <bit>
#include <cstring>
#include <limits>
#include <random>
#include <thread>
#include <vector>

namespace fg = flowgraph;

namespace {

using std::int32_t, std::int64_t;

struct scalars {
  fg::graph g;
  fg::out<int32_t> n = g.placeholder<int32_t>("n", {});

  // The value after each of several prepared runs and a run by the ready queue, which must have the same bits.
  template <class T> T run(fg::out<T> y, int32_t count) {
    fg::session prepared{g}, queued{g, {.dynamic = true}};
    auto step = prepared.prepare(fg::feed(n), fg::fetch(y));
    const T expected = queued.run(fg::fetch(y), {{n, fg::tensor<int32_t>(count)}}).scalar();
    CHECK(step.plan().loops.at(0).is_of_scalars);
    for (int i = 0; i < 3; ++i) {
      const T found = step(count).scalar();
      CHECK(std::memcmp(&found, &expected, sizeof(T)) == 0);
    }
    return expected;
  }
};

// Applies an op with a function in scalar_functions.hpp, or an op without such a function.
template <class T> fg::out<T> combine(int which, fg::out<T> a, fg::out<T> b, fg::out<T> one) {
  const auto not_zero = fg::select(fg::equal(b, b - b), one, b);
  switch (which) {
    case 0: return a + b;
    case 1: return a - b;
    case 2: return a * b;
    case 3: return a / not_zero;
    case 4: return fg::floor_div(a, not_zero);
    case 5: return fg::floor_mod(a, not_zero);
    case 6: return fg::maximum(a, b);
    case 7: return fg::minimum(a, b);
    case 8: return fg::select(a < b, a, one);
    case 9: return fg::select(fg::logical_and(a <= b, fg::not_equal(a, one)), b, one);
    case 10: return fg::select(fg::logical_or(a > b, fg::equal(a, b)), a, b);
    case 11: return fg::select(fg::logical_not(a >= b), one, a);
    case 12: return fg::cast<T>(fg::cast<int64_t>(a < b));
    case 13: return fg::square(a);  // has no scalar function
    default: return fg::cast<T>(fg::cast<double>(fg::cast<int32_t>(a > b)));
  }
}

}  // namespace

TEST_CASE("scalar loops: a counter, and values that change places") {
  scalars s;
  const auto zero = s.g.constant(int32_t{0}), one = s.g.constant(int32_t{1});
  const auto [i, a, b] = fg::while_loop(
      std::tuple{zero, zero, one}, [&](auto at, auto, auto) { return at < s.n; },
      [&](auto at, auto x, auto y) {
        return std::tuple{at + one, y, x + y};
      });
  CHECK(s.run(i, 10'000) == 10'000);
  CHECK(s.run(a, 30) == 832'040);
  CHECK(s.run(b, 0) == 1);
  CHECK(s.run(a, 1000) == s.run(a, 1000));  // wraps around
}

TEST_CASE("scalar loops: a rotation of three variables, each the next one's value") {
  scalars s;
  const auto zero = s.g.constant(int32_t{0}), one = s.g.constant(int32_t{1});
  const auto [i, a, b, c] = fg::while_loop(
      std::tuple{zero, s.g.constant(1.f), s.g.constant(2.f), s.g.constant(3.f)},
      [&](auto at, auto, auto, auto) { return at < s.n; },
      [&](auto at, auto x, auto y, auto z) {
        return std::tuple{at + one, y, z, x};
      });
  CHECK(s.run(a + b * 10.f + c * 100.f, 1) == 132.f);
  CHECK(s.run(a + b * 10.f + c * 100.f, 2) == 213.f);
  CHECK(s.run(a + b * 10.f + c * 100.f, 3) == 321.f);
}

TEST_CASE("scalar loops: an old value is read after the new one is computed") {
  scalars s;
  const auto zero = s.g.constant(int32_t{0});
  const auto [i, sum] = fg::while_loop(
      std::tuple{zero, zero}, [&](auto at, auto) { return at < s.n; },
      [&](auto at, auto total) {
        const auto next = at + 1;
        return std::tuple{next, total + at * 10 + next};
      });
  CHECK(s.run(sum, 4) == 70);
}

TEST_CASE("scalar loops: Collatz, Newton, a linear congruence") {
  scalars s;
  const auto one = s.g.constant(int64_t{1}), two = s.g.constant(int64_t{2}), three = s.g.constant(int64_t{3});
  const auto [steps, last] = fg::while_loop(
      std::tuple{s.g.constant(int64_t{0}), fg::cast<int64_t>(s.n)}, [&](auto, auto m) { return m > one; },
      [&](auto k, auto m) {
        const auto is_even = fg::equal(fg::floor_mod(m, two), s.g.constant(int64_t{0}));
        return std::tuple{k + one, fg::select(is_even, fg::floor_div(m, two), m * three + one)};
      });
  CHECK(s.run(steps, 27) == 111);
  CHECK(s.run(last, 837'799) == 1);

  const auto root = std::get<1>(fg::while_loop(
      std::tuple{s.g.constant(int32_t{0}), s.g.constant(1.0)}, [&](auto i, auto) { return i < s.n; },
      [&](auto i, auto x) {
        return std::tuple{i + 1, (x + 2.0 / x) * 0.5};
      }));
  CHECK(s.run(root, 20) == doctest::Approx(1.4142135623730951));

  const auto drawn = std::get<1>(fg::while_loop(
      std::tuple{s.g.constant(int32_t{0}), s.g.constant(int64_t{1})}, [&](auto i, auto) { return i < s.n; },
      [&](auto i, auto x) {
        return std::tuple{i + 1, x * int64_t{6364136223846793005} + int64_t{1442695040888963407}};
      }));
  std::uint64_t x = 1;
  for (int i = 0; i < 1000; ++i) x = x * 6364136223846793005u + 1442695040888963407u;
  CHECK(s.run(drawn, 1000) == static_cast<int64_t>(x));
}

TEST_CASE_TEMPLATE("scalar loops: random bodies have the bits of the ready queue", T, int32_t, int64_t, float, double) {
  std::mt19937 random(7);
  for (int round = 0; round < 30; ++round) {
    scalars s;
    const auto one = s.g.constant(T(1)), start = s.g.constant(T(-7)), other = s.g.constant(T(3));
    const auto result = fg::while_loop(
        std::tuple{s.g.constant(int32_t{0}), start, other}, [&](auto i, auto, auto) { return i < s.n; },
        [&](auto i, auto a, auto b) {
          std::vector<fg::out<T>> values{a, b, one};
          const auto any = [&] { return values[random() % values.size()]; };
          for (int k = 0; k < 6; ++k) values.push_back(combine<T>(static_cast<int>(random() % 15), any(), any(), one));
          return std::tuple{i + 1, values.back(), values[values.size() - 1 - random() % 4]};
        });
    s.run(std::get<1>(result), static_cast<int32_t>(random() % 40));
    s.run(std::get<2>(result), static_cast<int32_t>(random() % 40));
  }
}

TEST_CASE("scalar loops: a division by zero is the error of the kernel, and names the iteration") {
  scalars s;
  const auto zero = s.g.constant(int32_t{0}), one = s.g.constant(int32_t{1}), hundred = s.g.constant(int32_t{100});
  const auto y = std::get<1>(fg::while_loop(
      std::tuple{zero, zero}, [&](auto i, auto) { return i < s.n; },
      [&](auto i, auto) {
        return std::tuple{i + one, fg::floor_div(hundred, i - 5)};
      }));
  fg::session prepared{s.g}, queued{s.g, {.dynamic = true}};
  auto step = prepared.prepare(fg::feed(s.n), fg::fetch(y));
  CHECK(step(5).scalar() == -100);
  const auto by_queue = queued.try_run(fg::fetch(y), {{s.n, fg::tensor<int32_t>(20)}});
  const auto by_step = step.try_run(fg::run_options{}, 20);
  REQUIRE(!by_queue);
  REQUIRE(!by_step);
  CHECK(by_step.error().message() == by_queue.error().message());
  CHECK(std::string(by_step.error().what()) == by_queue.error().what());
  CHECK(std::string(by_step.error().what()).find("iteration 5") != std::string::npos);
  CHECK(step(4).scalar() == -50);
}

TEST_CASE("scalar loops: a division by a value that has replaced its variable is refused") {
  scalars s;
  const auto zero = s.g.constant(int32_t{0}), hundred = s.g.constant(int32_t{100});
  const auto y = std::get<1>(fg::while_loop(
      std::tuple{s.n, zero}, [&](auto i, auto) { return i > -5; },
      [&](auto i, auto) {
        const auto next = i - 1;
        return std::tuple{next, fg::floor_div(hundred, next)};
      }));
  fg::session prepared{s.g}, queued{s.g, {.dynamic = true}};
  auto step = prepared.prepare(fg::feed(s.n), fg::fetch(y));
  CHECK(step.plan().loops.at(0).is_of_scalars);
  const auto by_queue = queued.try_run(fg::fetch(y), {{s.n, fg::tensor<int32_t>(3)}});
  const auto by_step = step.try_run(fg::run_options{}, 3);
  REQUIRE(!by_queue);
  REQUIRE(!by_step);
  CHECK(std::string(by_step.error().what()) == by_queue.error().what());
  CHECK(step(-1).scalar() == -20);
}

// A traced run calls the kernels, which leave numbers in their memory. A later run must not read them.
TEST_CASE("scalar loops: after a traced run a division by a value that has replaced its variable is refused") {
  scalars s;
  const auto hundred = s.g.constant(int32_t{100}), zero = s.g.constant(int32_t{0});
  const auto y = std::get<1>(fg::while_loop(
      std::tuple{s.n, zero}, [&](auto i, auto) { return i > -5; },
      [&](auto i, auto) {
        const auto next = i - 2;
        return std::tuple{next, fg::floor_div(hundred, next)};
      }));
  fg::session prepared{s.g};
  auto step = prepared.prepare(fg::feed(s.n), fg::fetch(y));
  REQUIRE(step.plan().loops.at(0).is_of_scalars);
  fg::trace_recorder recorder;
  CHECK(step.try_run({.trace = &recorder}, 1)->scalar() == -20);  // -1, -3, -5
  const auto even = step.try_run(fg::run_options{}, 4);           // 2, 0
  REQUIRE(!even);
  CHECK(even.error().code() == fg::error_code::invalid_argument);
  CHECK(step(3).scalar() == -20);
}

TEST_CASE("scalar loops: a stop token and a deadline end the loop") {
  scalars s;
  const auto zero = s.g.constant(int32_t{0});
  const auto endless = fg::while_loop(
      zero, [&](auto i) { return i < s.n; }, [&](auto i) { return i * 1; });
  fg::session session{s.g};
  auto step = session.prepare(fg::feed(s.n), fg::fetch(endless));
  fg::stop_source source;
  std::thread stopper([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    source.request_stop();
  });
  const auto stopped = step.try_run(fg::run_options{.stop = source.get_token()}, 1);
  stopper.join();
  REQUIRE(!stopped);
  CHECK(stopped.error().code() == fg::error_code::cancelled);
}

#include <flowgraph/runtime/schedule/arena_schedule.hpp>

#include <flowgraph/ops/math/division.hpp>
#include <flowgraph/ops/math/math.hpp>
#include <flowgraph/runtime/session.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

namespace fg = flowgraph;

namespace {

using std::int32_t, std::int64_t;

// A random graph: most nodes have a function in an arena, and some have none.
template <class T> fg::out<T> combine_numbers(unsigned which, fg::out<T> a, fg::out<T> b) {
  switch (which % 8) {
    case 0:
    case 1: return a + b;
    case 2: return a - b;
    case 3: return a * b;
    case 4: return fg::maximum(a, b);
    case 5: return fg::minimum(a, b);
    case 6: return fg::square(a);
    default: return -a;
  }
}

// Which of two NaN operands gives the result its sign and payload is up to the compiler.
template <class T> bool has_bits_of(T a, T b) { return std::memcmp(&a, &b, sizeof(T)) == 0 || (a != a && b != b); }

template <class T> void compare_random_graphs(unsigned seed, T first, T second) {
  std::mt19937 random(seed);
  fg::graph g;
  const auto x = g.placeholder<T>("x", {}), y = g.placeholder<T>("y", {1});
  std::vector<fg::out<T>> all{x, y, g.constant(static_cast<T>(3)), x + y};
  const auto pick = [&] { return all[random() % all.size()]; };
  for (int k = 0; k < 60; ++k) {
    const fg::out<T> a = pick(), b = pick();
    all.push_back(combine_numbers(static_cast<unsigned>(random()), a, b));
  }
  const fg::out<T> middle = all[all.size() / 2], last = all.end()[-1] + all.end()[-2] * all.end()[-3];
  const fg::pass_options none{.prune_identities = false, .merge_common = false};
  fg::session prepared{g, {.passes = none}}, queued{g, {.dynamic = true}};
  auto step = prepared.prepare(fg::feed(x, y), fg::fetch(middle, last));
  const auto watched = fg::run_options::within(std::chrono::hours(1));
  for (const T value : {first, second, first}) {
    const fg::tensor<T> fed_x(value), fed_y({1}, {static_cast<T>(2)});
    const auto [expected_middle, expected_last] = queued.run(fg::fetch(middle, last), {{x, fed_x}, {y, fed_y}});
    const auto same = [&](const auto& found) {
      const auto& [found_middle, found_last] = found;
      CHECK(has_bits_of(found_middle[0], expected_middle[0]));
      CHECK(has_bits_of(found_last[0], expected_last[0]));
    };
    same(step(fed_x, fed_y));
    same(step.try_run(watched, fed_x, fed_y).value());
  }
}

}  // namespace

TEST_CASE("numbers in an arena: random graphs have the bits of the ready queue") {
  for (unsigned seed = 0; seed < 20; ++seed) {
    compare_random_graphs<float>(seed, 0.375f, -std::numeric_limits<float>::infinity());
    compare_random_graphs<double>(seed, 1e300, std::numeric_limits<double>::quiet_NaN());
    compare_random_graphs<int32_t>(seed, 7, std::numeric_limits<int32_t>::lowest());
    compare_random_graphs<int64_t>(seed, -5, std::numeric_limits<int64_t>::max());
  }
}

TEST_CASE("numbers in an arena: an error between them ends the run, and later runs succeed") {
  fg::graph g;
  const auto x = g.placeholder<int32_t>("x", {});
  const auto a = x * g.constant(3) + g.constant(1);
  const auto quotient = fg::floor_div(g.constant(100), a - g.constant(7));
  const auto y = quotient * g.constant(2) - a + quotient;
  fg::session s{g};
  auto step = s.prepare(fg::feed(x), fg::fetch(y));
  CHECK(step(fg::tensor<int32_t>(4)).scalar() == 16 * 3 - 13);
  const auto failed = step.try_run(fg::run_options{}, fg::tensor<int32_t>(2));
  REQUIRE_FALSE(failed);
  CHECK(failed.error().code() == fg::error_code::invalid_argument);
  CHECK(step(fg::tensor<int32_t>(3)).scalar() == 33 * 3 - 10);
}

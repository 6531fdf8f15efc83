// What loops cost: memory that does not grow with the iterations, gradients that take time and memory in proportion to them, and
// nests that need no stack.

#include "../../harness/engine_ops.hpp"
#include "../../harness/sanitized.hpp"

#include <flowgraph/graph/gradients.hpp>
#include <flowgraph/ops/control_flow/cond.hpp>
#include <flowgraph/ops/control_flow/while_loop.hpp>
#include <flowgraph/ops/linear_algebra/matmul.hpp>
#include <flowgraph/ops/math/math.hpp>
#include <flowgraph/ops/nn/activation.hpp>
#include <flowgraph/ops/operators.hpp>
#include <flowgraph/ops/reduction/reduction.hpp>

#include <cstdlib>
#include <ctime>

#if defined(__GLIBC__) && !SEES_ADDRESSES && !SEES_THREADS
#include <malloc.h>
#define SEES_THE_HEAP 1
#else
#define SEES_THE_HEAP 0
#endif

namespace {

namespace fg = flowgraph;
using integer = std::int64_t;

std::size_t heap_in_use() {
#if SEES_THE_HEAP
  return mallinfo2().uordblks;
#else
  return 0;
#endif
}

// Of the processor: other programs do not count.
template <class F> double seconds(F&& f) {
  const std::clock_t before = std::clock();
  f();
  return static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC;
}

// Notes the heap that is in use in the loop's last iteration.
struct heap_probe_op {
  static constexpr std::string_view name = "HeapProbe";
  static constexpr fg::op_facts facts{.not_differentiable = true, .stateful = true};
  std::size_t* found = nullptr;

  fg::shape shape(const fg::shape& x, const fg::shape&) const { return x; }
  void operator()(fg::cpu, fg::view<const integer> x, fg::view<const integer> last, fg::view<integer> y) const {
    y.scalar() = x.scalar();
    if (x.scalar() + 1 == last.scalar()) *found = heap_in_use();
  }
};

}  // namespace

// FLOWGRAPH_TEST_ITERATIONS: ten million take a few seconds.
TEST_CASE("loop cost: a loop of many iterations needs the memory of one of few, to the byte") {
  const char* asked = std::getenv("FLOWGRAPH_TEST_ITERATIONS");
  const integer many = asked ? std::atoll(asked) : 1'000'000;
  fg::graph g;
  std::size_t heap = 0;
  auto n = g.placeholder<integer>("n", {});
  const auto [steps, sum] = fg::while_loop(
      std::tuple{g.constant(integer(0)), g.constant(0.0)}, [&](auto i, auto) { return i < n; },
      [&](auto i, auto a) {
        return std::tuple{fg::apply(heap_probe_op{&heap}, i, n) + integer(1), a * 0.5 + 1.0};
      });
  engine::counting_memory memory;
  fg::session s{g, {.memory = &memory}};
  const auto run = [&](integer iterations) {
    const auto [i, a] = s.run(fg::fetch(steps, sum), {{n, iterations}});
    CHECK(i.scalar() == iterations);
    CHECK(a.scalar() == 2.0);
    return std::pair{memory.most_in_use(), heap};
  };
  run(10'000);
  // The heap is the whole program's: a thread of a pool that an earlier test had may still give something back meanwhile.
  decltype(run(0)) few, all;
  double time = 0;
  for (int attempt = 0; attempt < 3 && (attempt == 0 || all != few); ++attempt) {
    few = run(10'000);
    time = seconds([&] { all = run(many); });
  }
  CHECK(all == few);
  MESSAGE(many, " iterations in ", time, " s, ", few.first, " bytes of tensors");
}

TEST_CASE("loop cost: a gradient takes time and memory in proportion to the iterations") {
  constexpr std::size_t side = 64;
  fg::graph g;
  auto n = g.placeholder<integer>("n", {});
  auto x = g.placeholder<float>("x", {side, side}), w = g.placeholder<float>("w", {side, side});
  const auto [steps, y] = fg::while_loop(
      std::tuple{g.constant(integer(0)), x}, [&](auto i, auto) { return i < n; },
      [&](auto i, auto a) {
        return std::tuple{i + integer(1), fg::tanh(fg::matmul(a, w))};
      });
  const fg::out<float> dw = fg::gradients(fg::sum(y), w);
  const fg::tensor<float> values(fg::shape{side, side}, std::vector<float>(side * side, 0.03f));
  struct cost {
    double time = 1e9, bytes = 0;
  };
  const auto cost_of = [&](integer iterations) {
    engine::counting_memory memory;
    fg::session s{g, {.memory = &memory}};
    cost least;
    for (int round = 0; round < 3; ++round)
      least.time = std::min(least.time, seconds([&] { s.run(fg::fetch(dw), {{x, values}, {w, values}, {n, iterations}}); }));
    least.bytes = static_cast<double>(memory.most_in_use());
    MESSAGE(iterations, " iterations: ", least.time * 1e3, " ms, ", least.bytes / 1e6, " MB");
    return least;
  };
  std::vector<cost> costs;
  for (const integer iterations : {250, 500, 1000, 2000}) costs.push_back(cost_of(iterations));
  // What an iteration saves is one matrix: what enters it is what the one before saved.
  const double matrix = side * side * sizeof(float), added = (costs[1].bytes - costs[0].bytes) / 250;
  CHECK(added > matrix);
  CHECK(added < 1.1 * matrix);
  CHECK((costs[3].bytes - costs[2].bytes) / 1000 == doctest::Approx(added).epsilon(0.01));
  CHECK(costs[3].time < 24 * costs[0].time);  // eight times as many iterations; their square would be 64 times
}

TEST_CASE("loop cost: a thousand branches, each in the one before, and loops in loops, with their gradients") {
  fg::graph g;
  auto x = g.placeholder<double>("x", {});
  auto p = g.placeholder<bool>("p", {});
  const std::function<fg::out<double>(int)> branches = [&](int depth) -> fg::out<double> {
    if (depth == 0) return x * 2.0;
    return fg::cond(
        p, [&] { return branches(depth - 1); }, [&] { return x; }, {.name = "c"});
  };
  const auto y = branches(1000);
  const fg::out<double> dy = fg::gradients(y, x);
  const std::function<fg::out<double>(int, fg::out<double>)> loops = [&](int depth, fg::out<double> first) -> fg::out<double> {
    if (depth == 0) return first * x;
    return std::get<1>(fg::while_loop(
        std::tuple{g.constant(0), first}, [](auto i, auto) { return i < 1; },
        [&](auto i, auto a) {
          return std::tuple{i + 1, loops(depth - 1, a)};
        },
        {.name = "l"}));
  };
  const auto z = loops(20, x);
  const fg::out<double> dz = fg::gradients(z, x);
  fg::session s{g};
  for (const bool taken : {true, false}) {
    const auto [value, slope] = s.run(fg::fetch(y, dy), {{x, 5.0}, {p, taken}});
    CHECK(value.scalar() == (taken ? 10.0 : 5.0));
    CHECK(slope.scalar() == (taken ? 2.0 : 1.0));
  }
  const auto [value, slope] = s.run(fg::fetch(z, dz), {{x, 5.0}});
  CHECK(value.scalar() == 25.0);
  CHECK(slope.scalar() == 10.0);
}

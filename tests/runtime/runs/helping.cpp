// Threads of a run that would wait take part in the kernel that they wait for.

#include <flowgraph/runtime/queue/executor.hpp>

#include <flowgraph/core/thread_pool.hpp>
#include <flowgraph/graph/apply.hpp>
#include <flowgraph/ops/array/fill.hpp>
#include <flowgraph/runtime/session.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <thread>

namespace fg = flowgraph;

namespace {

std::atomic<int> shared_begun;

template <class Condition> bool comes_true(const Condition& condition) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (!condition() && std::chrono::steady_clock::now() < end) std::this_thread::yield();
  return condition();
}

// Large enough to run without the baton; ends once the other one has begun.
struct waiting_op {
  static constexpr std::string_view name = "TestWaiting";
  using types = fg::floating;
  static constexpr fg::op_facts facts{.not_differentiable = true, .expensive = true};
  fg::shape shape(const fg::shape&) const { return {}; }
  template <class T> void operator()(fg::cpu, fg::view<const T>, fg::view<T> y) const {
    y.scalar() = comes_true([] { return shared_begun > 0; }) ? T(1) : T(0);
  }
};

// Two blocks, each of which waits for the other one: needs two threads. Small inputs: whoever runs it keeps the baton.
struct shared_op {
  static constexpr std::string_view name = "TestShared";
  using types = fg::floating;
  static constexpr fg::op_facts facts{.not_differentiable = true};
  fg::shape shape(const fg::shape& x) const { return x; }
  template <class T> void operator()(fg::cpu ctx, fg::view<const T>, fg::view<T> y) const {
    std::atomic<int> in{0};
    std::atomic<bool> met{true};
    ctx.parallel_for(2, [&](std::int64_t) {
      ++shared_begun;  // here, where the other block can be taken already
      ++in;
      if (!comes_true([&] { return in == 2; })) met = false;
    });
    y.scalar() = met ? T(1) : T(0);
  }
};

}  // namespace

TEST_CASE("a thread that waits for its turn takes blocks of the kernel that holds it up") {
  fg::thread_pool pool(2);
  for (int round = 0; round < 20; ++round) {
    shared_begun = 0;
    fg::graph g;
    auto large = g.placeholder<float>("large", {fg::any}), small = g.placeholder<float>("small", {});
    auto waited = fg::apply(waiting_op{}, large);
    auto shared = fg::apply(shared_op{}, small);
    fg::session s{g, {.pool = &pool}};
    auto [a, b] =
        s.run(fg::fetch(waited, shared), {{large, fg::tensor<float>(fg::shape{65536})}, {small, fg::tensor<float>(1.f)}});
    CHECK(a.scalar() == 1.f);
    CHECK(b.scalar() == 1.f);
  }
}

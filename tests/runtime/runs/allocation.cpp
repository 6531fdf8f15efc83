// A prepared step allocates nothing once it is warm.

#include <flowgraph/core/threads.hpp>
#include <flowgraph/ops/array/identity_variants.hpp>

#include "../../harness/counted_memory.hpp"
#include "../../harness/engine_ops.hpp"

#if REPLACES_NEW

using namespace engine;

namespace {

constexpr int repeats = 100'000;

}  // namespace

TEST_CASE("allocation: the counter sees what the library allocates") {
  CHECK(allocations_in([] { const auto t = zeros(16); }) > 0);
  CHECK(allocations_in([] { const fg::error e(error_code::internal, "a record of its own"); }) > 0);
}

TEST_CASE("allocation: none in a prepared step once it is warm") {
  fg::graph g;
  auto x = g.placeholder<float>("x", {8});
  auto v = g.variable("v", zeros(8));
  auto hidden = chain(multiply(x, v), 6);
  auto y = probe(fg::identity(hidden), [](fg::cpu) {});
  auto train = fg::assign_add(v, multiply(y, g.constant(1e-3f)));
  fg::session s{g};
  s.initialize();
  auto step = s.prepare(fg::feed(x), fg::fetch(y, v), train);
  auto quiet = s.prepare(fg::feed(x), fg::fetch(y), train);
  const fg::tensor<float> in({8}, {1.f, 2.f, 3.f, 4.f, 5.f, 6.f, 7.f, 8.f});
  float last = 0;
  for (int i = 0; i < 3; ++i) last += quiet(in)[0];
  CHECK(allocations_in([&] {
          for (int i = 0; i < repeats; ++i) last += quiet(in)[0];
        }) == 0);
  CHECK(last == 0.f);
  step(in);
}

TEST_CASE("allocation: none in a step without types, whose results replace its feeds") {
  fg::graph g;
  const auto a = g.placeholder<float>("a", {8}), b = g.placeholder<float>("b", {8});
  const fg::any_out edges[]{a, b}, fetches[]{add(a, b), multiply(a, b)};
  fg::session s{g};
  fg::any_step step = s.try_prepare(edges, fetches, {}).value();
  std::vector<fg::any_tensor> both{zeros(8).erased(), zeros(8).erased()};
  bool ran = true;
  for (int i = 0; i < 4; ++i) ran = ran && step.try_run(both, both).has_value();
  CHECK(allocations_in([&] {
          for (int i = 0; i < 1000; ++i) ran = ran && step.try_run(both, both).has_value();
        }) == 0);
  CHECK(ran);
}

TEST_CASE("allocation: none for what nodes only pass on") {
  fg::graph g;
  auto x = g.placeholder<float>("x", {8});
  auto v = g.variable("v", zeros(8));
  const fg::any_out_list in{chain(x, 3), fg::out<float>(v), x};
  const fg::any_out_list passed = fg::identity_n(in);
  auto part = [&](std::uint32_t k) { return fg::out<float>(passed[k].source, passed[k].port); };
  auto y = add(multiply(part(0), part(1)), part(2));
  fg::session s{g};
  s.initialize();
  auto step = s.prepare(fg::feed(x), fg::fetch(y, part(0), part(2)));
  const fg::tensor<float> ones({8}, {1.f, 1.f, 1.f, 1.f, 1.f, 1.f, 1.f, 1.f});
  step(ones);
  CHECK(allocations_in([&] {
          for (int i = 0; i < 1000; ++i) step(ones);
        }) == 0);
}

TEST_CASE("allocation: none, and no release, in a step while another thread swaps all it reads") {
  fg::graph g;
  auto x = g.placeholder<float>("x", {64});
  auto a = g.variable("a", zeros(64)), b = g.variable("b", zeros(64)), c = g.variable("c", zeros(64));
  auto first = multiply(x, a);
  auto y = add(add(first, fg::identity(fg::out<float>(b))), c);  // 0 when the three belong together
  fg::session s{g};
  s.initialize();
  auto weights = s.make_set("weights", a, b, c);
  auto step = s.prepare(fg::feed(x), fg::fetch(y, first));
  fg::tensor<float> ones = zeros(64);
  for (float& f : ones.writable()) f = 1;
  step(ones);
  std::atomic<bool> ended = false;
  std::atomic<int> swaps = 0;
  std::thread writer([&] {
    for (int k = 1; !ended; ++k, ++swaps) {
      fg::tensor<float> next[]{zeros(64), zeros(64), zeros(64)};
      const float value = static_cast<float>(k % 1000), values[]{value, 2 * value, -3 * value};
      for (int i = 0; i < 3; ++i)
        for (float& f : next[i].writable()) f = values[i];
      weights.swap(next[0], next[1], next[2]);
    }
  });
  while (swaps == 0) std::this_thread::yield();
  const int before = swaps;
  int torn = 0, seen = 0;
  float last = 0;
  const std::size_t allocated = allocations_in([&] {
    for (int i = 0; i < repeats || (swaps < before + 100 && i < 100 * repeats); ++i) {
      const auto [sum, now] = step(ones);
      for (const float f : sum.values()) torn += f != 0;
      seen += now[0] != last;
      last = now[0];
    }
  });
  const std::size_t released = releases;
  ended = true;
  writer.join();
  CHECK(allocated == 0);
  CHECK(released == 0);
  CHECK(torn == 0);
  CHECK(seen > 0);
}

TEST_CASE("allocation: none in steps of alternating shapes, with results that are kept for a while") {
  fg::graph g;
  auto x = g.placeholder<float>("x", {fg::any});
  auto y = chain(x, 5);
  fg::session s{g};
  auto step = s.prepare(fg::feed(x), fg::fetch(y, x));
  const fg::tensor<float> a = zeros(3), b = zeros(50);
  auto round = [&] {
    auto [first, same] = step(a);
    auto [second, other] = step(b);
    auto [third, again] = step(a);
    return first.size() + second.size() + third.size() + same.size() + other.size() + again.size();
  };
  round();
  std::size_t elements = 0;
  CHECK(allocations_in([&] {
          for (int i = 0; i < repeats / 10; ++i) elements += round();
        }) == 0);
  CHECK(elements == static_cast<std::size_t>(repeats / 10) * 112);
}

TEST_CASE("allocation: none in a step that honours a stop token and a deadline") {
  fg::graph g;
  auto x = g.placeholder<float>("x", {});
  auto y = chain(x, 5);
  fg::session s{g};
  auto step = s.prepare(fg::feed(x), fg::fetch(y));
  flowgraph::stop_source source;
  const fg::run_options options{.stop = source.get_token(), .deadline = std::chrono::steady_clock::now() + std::chrono::hours(1)};
  const fg::tensor<float> in(2.f);
  step(in);
  bool all = true;
  CHECK(allocations_in([&] {
          for (int i = 0; i < 1000; ++i) all = all && step.try_run(options, in).has_value();
        }) == 0);
  CHECK(all);
}

TEST_CASE("allocation: a loop of many iterations needs no more memory than one of few") {
  fg::graph g;
  auto x = g.placeholder<float>("x", {});
  auto n = g.placeholder<float>("n", {});
  counting_memory memory;
  std::size_t most = 0;
  auto y = loop(
      {x}, [&](const values& v) { return less(v[0], invariant(n)); },
      [&](const values& v) {
        return values{probe(add(v[0], invariant(x)), [&](fg::cpu) { most = std::max(most, memory.in_use()); })};
      })[0];
  fg::session s{g, {.memory = &memory}};
  CHECK(s.run(fg::fetch(y), {{x, 1.f}, {n, 100.f}}).scalar() == 100.f);
  const std::size_t few = most;
  CHECK(s.run(fg::fetch(y), {{x, 1.f}, {n, 1e6f}}).scalar() == 1e6f);
  CHECK(most == few);
}

#endif

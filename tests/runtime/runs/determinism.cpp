// Same graph, same seeds, same results: to the bit, for any number of threads and any way of running.

#include "../../harness/accelerator/kernels.hpp"
#include "../../harness/engine_ops.hpp"
#include "../../harness/sanitized.hpp"

#include <flowgraph/core/memory_budget.hpp>
#include <flowgraph/graph/graph_state.hpp>
#include <flowgraph/op/device.hpp>
#include <flowgraph/ops/nn/activation.hpp>
#include <flowgraph/ops/random/dropout.hpp>
#include <flowgraph/ops/linear_algebra/matmul.hpp>
#include <flowgraph/ops/operators.hpp>
#include <flowgraph/ops/reduction/reduction.hpp>
#include <flowgraph/ops/nn/softmax.hpp>

#include <array>
#include <bit>
#include <set>

using namespace engine;

namespace {

// A network with noise, state that changes with every run, and a loop; large enough that its kernels are cut into blocks.
struct noisy_model {
  fg::graph g;
  fg::out<float> x = g.placeholder<float>("x", {64, 300});
  fg::variable<float> w = g.variable("w", fg::random_normal<float>({300, 128}, 0.f, 0.1f));
  fg::variable<float> b = g.variable("b", fg::tensor<float>(fg::shape{128}));
  fg::out<float> hidden, loss, mean;
  fg::out<float> updated;

  noisy_model() {
    hidden = fg::dropout(fg::tanh(fg::matmul(x, w) + b), 0.3f);
    mean = fg::mean(hidden, {0});
    loss = fg::sum(fg::softmax(hidden) * hidden);
    updated = fg::assign_add(b, mean * 0.125f);
  }
};

using drawn_bits = std::vector<std::uint32_t>;

void append(drawn_bits& to, const fg::tensor<float>& t) {
  for (const float e : t) to.push_back(std::bit_cast<std::uint32_t>(e));
}

fg::tensor<float> images() {
  std::vector<float> values(64 * 300);
  std::uint32_t state = 1;
  for (float& v : values) {
    state = state * 1664525u + 1013904223u;
    v = static_cast<float>(state >> 8) * 0x1p-23f - 1.f;
  }
  return fg::tensor<float>({64, 300}, values);
}

// Everything that four steps give.
drawn_bits results(const fg::session_options& options, bool prepared) {
  noisy_model m;
  fg::session s{m.g, options};
  s.initialize();
  const fg::tensor<float> x = images();
  drawn_bits all;
  auto note = [&](const auto& made) {
    const auto& [loss, mean, hidden] = made;
    append(all, loss);
    append(all, mean);
    append(all, hidden);
  };
  if (prepared) {
    auto step = s.prepare(fg::feed(m.x), fg::fetch(m.loss, m.mean, m.hidden), m.updated);
    for (int i = 0; i < 4; ++i) note(step(x));
  } else {
    for (int i = 0; i < 4; ++i) note(s.run(fg::fetch(m.loss, m.mean, m.hidden), m.updated, {{m.x, x}}));
  }
  append(all, s.run(fg::fetch(m.b)));
  return all;
}

}  // namespace

TEST_CASE("determinism: equal to the bit for any number of threads, prepared or not, straight or by the ready queue") {
  const drawn_bits expected = results({}, false);
  CHECK(expected.size() == 4 * (1 + 128 + 64 * 128) + 128);
  CHECK(expected[0] != expected[expected.size() / 4]);  // the noise is another in every run
  for (const int threads : {1, 2, 4}) {
    if (flowgraph_test::is_sanitized && threads < 4) continue;
    fg::thread_pool pool(threads);
    for (const bool dynamic : {false, true})
      for (const bool prepared : {false, true}) {
        CAPTURE(threads);
        CAPTURE(dynamic);
        CAPTURE(prepared);
        CHECK((results({.pool = &pool, .dynamic = dynamic}, prepared) == expected));
      }
  }
  CHECK((results({.dynamic = true}, false) == expected));
  CHECK((results({}, true) == expected));
}

TEST_CASE("determinism: noise inside a loop depends on run and iteration alone") {
  auto draws = [](const fg::session_options& options, int parallel) {
    fg::graph g;
    auto x = g.placeholder<float>("x", {});
    const loop_options o{"loop", parallel};
    auto one = g.constant(1.f), n = g.constant(20.f);
    const values made = loop(
        {x, x}, [&](const values& v) { return less(v[0], invariant(n, o)); },
        [&](const values& v) {
          auto noise = [&] {
            auto after = g.after(v[0]);
            return fg::random_uniform<float>(g, fg::shape{});
          }();
          return values{add(v[0], invariant(one, o)), add(v[1], multiply(noise, v[0]))};
        },
        o);
    fg::session s{g, options};
    drawn_bits all;
    for (int run = 0; run < 3; ++run) append(all, s.run(fg::fetch(made[1]), {{x, 0.f}}));
    return all;
  };
  const drawn_bits expected = draws({}, 1);
  CHECK(expected[0] != expected[1]);
  fg::thread_pool pool(3);
  for (const int parallel : {1, 2, 10}) {
    CHECK((draws({}, parallel) == expected));
    CHECK((draws({.pool = &pool}, parallel) == expected));
    CHECK((draws({.dynamic = true}, parallel) == expected));
  }
}

namespace {

// Four loops that draw, side by side; two of them hold a loop of one frame name, with one seed.
struct noisy_loops {
  fg::graph g;
  fg::out<float> x = g.placeholder<float>("x", {}), one = g.constant(1.f), n = g.constant(12.f), few = g.constant(3.f);
  std::vector<fg::any_out> sums;

  explicit noisy_loops(int parallel) {
    const loop_options first{"first", parallel}, second{"second", parallel}, third{"third", parallel}, fourth{"fourth", parallel};
    for (const loop_options& o : {first, second})
      sums.push_back(sum(x, n, one, 0, o, [&](fg::out<float>) { return fg::any_out(); }));
    for (const loop_options& o : {third, fourth})
      sums.push_back(sum(x, n, one, 0, o, [&](fg::out<float> i) {
        const loop_options inner{"inner", parallel};
        return fg::any_out(sum(multiply(i, invariant(x, o)), invariant(few, o), invariant(one, o), 5, inner,
                               [](fg::out<float>) { return fg::any_out(); }));
      }));
  }

private:
  // What an iteration draws, weighted by its number, and what `more` gives, over `times` iterations.
  fg::out<float> sum(fg::out<float> zero, fg::out<float> times, fg::out<float> step, std::int64_t seed, const loop_options& o,
                     const std::function<fg::any_out(fg::out<float>)>& more) {
    return loop(
        {zero, zero}, [&](const values& v) { return less(v[0], invariant(times, o)); },
        [&](const values& v) {
          const auto drawn = [&] {
            auto after = g.after(v[0]);
            return fg::random_uniform<float>(g, fg::shape{}, {.seed = seed});
          }();
          const fg::out<float> next = add(v[0], invariant(step, o));
          const fg::out<float> total = add(v[1], multiply(drawn, next));
          const fg::any_out inner = more(next);
          return values{next, inner.source ? add(total, fg::out<float>::from(inner).value()) : total};
        },
        o)[1];
  }
};

// What three runs give, run after run, of the loops of these numbers. `way`: by session::run, a prepared step, a partial run. `place` says
// where nodes go.
std::vector<drawn_bits> drawn_by(
    const fg::session_options& options, int parallel, int way, const std::vector<std::size_t>& wanted,
    const std::function<void(const fg::graph&)>& place = [](const fg::graph&) {}) {
  noisy_loops l(parallel);
  place(l.g);
  fg::session s{l.g, options};
  std::vector<fg::any_out> fetches;
  for (const std::size_t i : wanted) fetches.push_back(l.sums[i]);
  const fg::any_out fed_edge(l.x);
  const fg::fed zero(l.x, 0.f);
  std::vector<fg::any_tensor> made(wanted.size());
  const fg::any_tensor value = fg::tensor<float>(0.f).erased();
  fg::any_step step = s.try_prepare({&fed_edge, 1}, fetches, {}).value();
  std::vector<drawn_bits> all(wanted.size());
  for (int run = 0; run < 3; ++run) {
    if (way == 0) made = s.try_run(fg::run_request{{&zero, 1}, fetches}).value();
    if (way == 1) step.try_run({&value, 1}, made).value();
    if (way == 2) made = s.try_begin_partial({&fed_edge, 1}, fetches).value().try_continue({&zero, 1}, fetches).value();
    for (std::size_t k = 0; k < made.size(); ++k) append(all[k], fg::tensor<float>::from(made[k]).value());
  }
  return all;
}

// Which sums are fetched together. Sanitizers do not compare numbers, so they get one choice alone.
using choice = std::vector<std::size_t>;
std::vector<choice> some_of(std::vector<choice> all) {
  if (flowgraph_test::is_sanitized) all.resize(1);
  return all;
}

// Each loop by itself.
std::vector<drawn_bits> draws_alone() {
  std::vector<drawn_bits> alone;
  for (std::size_t i = 0; i < 4; ++i) alone.push_back(drawn_by({}, 10, 0, {i})[0]);
  return alone;
}

}  // namespace

TEST_CASE("determinism: what a loop draws does not depend on what is fetched beside it") {
  const std::vector<drawn_bits> alone = draws_alone();
  CHECK(std::set<drawn_bits>(alone.begin(), alone.end()).size() == 4);
  fg::thread_pool single(1), four(4);
  for (fg::thread_pool* pool : {static_cast<fg::thread_pool*>(nullptr), &single, &four})
    for (const bool dynamic : {false, true})
      for (const int parallel : {1, 10})
        for (const int way : {0, 1, 2})
          for (const choice& wanted : some_of({{0, 1, 2, 3}, {1, 3}, {3, 0}, {2}, {3}})) {
            CAPTURE(dynamic);
            CAPTURE(parallel);
            CAPTURE(way);
            const std::vector<drawn_bits> found = drawn_by({.pool = pool, .dynamic = dynamic}, parallel, way, wanted);
            for (std::size_t k = 0; k < wanted.size(); ++k) {
              CAPTURE(wanted[k]);
              CHECK((found[k] == alone[wanted[k]]));
            }
          }
}

namespace {

// What carries the loops goes on the second of these devices, their bodies by chance on all of them; with seed 0 the loops do too.
void scatter(const fg::graph& g, std::uint64_t seed, const std::array<std::string_view, 3>& devices) {
  std::uint64_t drawn = seed;
  for (fg::node* n : g.state().nodes) {
    drawn = drawn * 6364136223846793005u + 1442695040888963407u;
    const bool carries = seed > 0 && n->op->control != fg::control_flow::none;
    n->device = devices[carries ? 1 : (drawn >> 33) % devices.size()];
  }
}

// Over these devices, in one plan and cut between them, the loops draw what they draw on one, whatever is fetched beside them.
void check_draws(const std::vector<drawn_bits>& alone, const fg::device_list& devices,
                 const std::function<void(const fg::graph&)>& place) {
  fg::thread_pool four(4);
  for (fg::thread_pool* pool : {static_cast<fg::thread_pool*>(nullptr), &four})
    for (const fg::cutting cut : {fg::cutting(), fg::per_device})
      for (const int parallel : {1, 10})
        for (const int way : {0, 1, 2})
          for (const choice& wanted : some_of({{0, 1, 2, 3}, {3, 0}, {2}})) {
            CAPTURE((pool != nullptr));
            CAPTURE((cut.divide != nullptr));
            CAPTURE(parallel);
            CAPTURE(way);
            const fg::session_options options{.pool = pool, .devices = devices, .soft_placement = true, .cut = cut};
            const std::vector<drawn_bits> found = drawn_by(options, parallel, way, wanted, place);
            for (std::size_t k = 0; k < wanted.size(); ++k) {
              CAPTURE(wanted[k]);
              CHECK((found[k] == alone[wanted[k]]));
            }
          }
}

}  // namespace

TEST_CASE("determinism: a loop on one of three devices, with its body on all of them, draws what it draws on one") {
  const std::vector<drawn_bits> alone = draws_alone();
  const fg::device_list cpus = fg::cpu_devices(3);
  for (const std::uint64_t seed : {0u, 1u, 2u}) {
    CAPTURE(seed);
    check_draws(alone, cpus, [&](const fg::graph& g) { scatter(g, seed, {"/cpu:0", "/cpu:1", "/cpu:2"}); });
    for (std::size_t d = 0; d < cpus.size(); ++d) CHECK(cpus[d].budget()->in_use() == 0);
  }
}

TEST_CASE("determinism: what accelerators draw in a loop is what the CPU draws") {
  const std::vector<drawn_bits> alone = draws_alone();
  for (const std::uint64_t seed : {0u, 1u}) {
    CAPTURE(seed);
    accelerator::accelerators beside(seed + 1, 2);
    std::size_t there = 0;  // draws that an accelerator is asked for and has a kernel for
    check_draws(alone, beside.devices(), [&](const fg::graph& g) {
      beside.learn(g);
      scatter(g, seed, {"/cpu:0", "/device:accel:0", "/device:accel:1"});
      for (const fg::node* n : g.state().nodes)
        there +=
            n->op->name() == "RandomUniform" && n->device.find("accel") != n->device.npos && beside.devices()[0].runs(*n->op);
    });
    CHECK(there > 0);
    for (std::size_t d = 0; d < 2; ++d) CHECK(beside.memory_of(d).in_use() == 0);
  }
}

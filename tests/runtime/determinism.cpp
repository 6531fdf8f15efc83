// Same graph, same seeds, same results: to the bit, for any number of threads and any way of running.

#include "../harness/engine_ops.hpp"

#include <flowgraph/ops/nn/activation.hpp>
#include <flowgraph/ops/random/dropout.hpp>
#include <flowgraph/ops/linear_algebra/matmul.hpp>
#include <flowgraph/ops/operators.hpp>
#include <flowgraph/ops/reduction/reduction.hpp>
#include <flowgraph/ops/nn/softmax.hpp>

#include <bit>

using namespace engine;

namespace {

// A network with noise, state that changes with every run, and a loop; large enough that its kernels are cut into blocks.
struct model {
  fg::graph g;
  fg::out<float> x = g.placeholder<float>("x", {64, 300});
  fg::variable<float> w = g.variable("w", fg::random_normal<float>({300, 128}, 0.f, 0.1f));
  fg::variable<float> b = g.variable("b", fg::tensor<float>(fg::shape{128}));
  fg::out<float> hidden, loss, mean;
  fg::out<float> updated;

  model() {
    hidden = fg::dropout(fg::tanh(fg::matmul(x, w) + b), 0.3f);
    mean = fg::mean(hidden, {0});
    loss = fg::sum(fg::softmax(hidden) * hidden);
    updated = fg::assign_add(b, mean * 0.125f);
  }
};

using bytes = std::vector<std::uint32_t>;

void append(bytes& to, const fg::tensor<float>& t) {
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
bytes results(const fg::session_options& options, bool prepared) {
  model m;
  fg::session s{m.g, options};
  s.initialize();
  const fg::tensor<float> x = images();
  bytes all;
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
  const bytes expected = results({}, false);
  CHECK(expected.size() == 4 * (1 + 128 + 64 * 128) + 128);
  CHECK(expected[0] != expected[expected.size() / 4]);  // the noise is another in every run
  for (const int threads : {1, 2, 4}) {
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
    bytes all;
    for (int run = 0; run < 3; ++run) append(all, s.run(fg::fetch(made[1]), {{x, 0.f}}));
    return all;
  };
  const bytes expected = draws({}, 1);
  CHECK(expected[0] != expected[1]);
  fg::thread_pool pool(3);
  for (const int parallel : {1, 2, 10}) {
    CHECK((draws({}, parallel) == expected));
    CHECK((draws({.pool = &pool}, parallel) == expected));
    CHECK((draws({.dynamic = true}, parallel) == expected));
  }
}

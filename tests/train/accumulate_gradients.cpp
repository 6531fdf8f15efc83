#include <flowgraph/train/accumulate_gradients.hpp>

#include <flowgraph/core/thread_pool.hpp>
#include <flowgraph/op/device.hpp>
#include <flowgraph/ops/array/gather.hpp>
#include <flowgraph/ops/linear_algebra/matmul.hpp>
#include <flowgraph/ops/operators.hpp>
#include <flowgraph/runtime/session.hpp>
#include <flowgraph/train/lazy_adam.hpp>

#include <doctest/doctest.h>

namespace fg = flowgraph;

namespace {

using numbers = std::vector<float>;

constexpr std::int64_t pieces = 4, piece = 3;

fg::tensor<float> inputs(std::int64_t first, std::int64_t count) {
  fg::tensor<float> x(fg::shape{count, 2});
  for (std::int64_t i = 0; i < count; ++i)
    for (std::int64_t k = 0; k < 2; ++k)
      x.writable()[static_cast<std::size_t>(2 * i + k)] = static_cast<float>((first + i) * 7 % 5 + k) * 0.25f;
  return x;
}
fg::tensor<std::int32_t> rows(std::int64_t first, std::int64_t count) {
  fg::tensor<std::int32_t> r(fg::shape{count});
  for (std::int64_t i = 0; i < count; ++i)
    r.writable()[static_cast<std::size_t>(i)] = static_cast<std::int32_t>((first + i) * 3 % 5);
  return r;
}

// A loss that is a mean over its batch, of a dense variable and of rows of a table.
struct model {
  fg::graph g;
  fg::variable<float> w = g.variable("w", fg::tensor<float>({2, 1}, {1, -2}));
  fg::variable<float> table = g.variable("table", fg::constant<float>({6, 1}, 0.5f));
  fg::out<float> x = g.placeholder<float>("x", {fg::any, 2});
  fg::out<std::int32_t> r = g.placeholder<std::int32_t>("r", {fg::any});
  fg::out<float> loss = fg::mean(fg::square(fg::matmul(x, w) + fg::gather(table, r) - 1.f));

  numbers values(fg::session& s) {
    auto [a, b] = s.run(fg::fetch(w, table));
    numbers made(a.begin(), a.end());
    made.insert(made.end(), b.begin(), b.end());
    return made;
  }
};

template <class Method> void check_equals_large_batches(const Method& method, fg::thread_pool* pool = nullptr) {
  model large, small;
  auto whole = method.minimize(large.loss);
  auto part = fg::accumulate_gradients(method, {.steps = pieces}).minimize(small.loss);
  fg::session a{large.g, {.pool = pool}}, b{small.g, {.pool = pool}};
  a.initialize();
  b.initialize();
  auto step = b.prepare(fg::feed(small.x, small.r), fg::fetch(), part);
  for (std::int64_t update = 0; update < 3; ++update) {
    const std::int64_t first = update * pieces * piece;
    const numbers before = small.values(b);
    for (std::int64_t i = 0; i < pieces; ++i) {
      CHECK(small.values(b) == before);
      step(inputs(first + i * piece, piece), rows(first + i * piece, piece));
    }
    a.run(whole, {{large.x, inputs(first, pieces * piece)}, {large.r, rows(first, pieces * piece)}});
    const numbers expected = large.values(a), found = small.values(b);
    for (std::size_t i = 0; i < expected.size(); ++i) CHECK(found[i] == doctest::Approx(expected[i]).epsilon(1e-5));
    CHECK(found != before);
  }
}

}  // namespace

TEST_CASE("accumulated gradients train as one large batch does, dense and by rows") {
  check_equals_large_batches(fg::sgd{.rate = 0.1f});
  check_equals_large_batches(fg::momentum{.rate = 0.1f});
  check_equals_large_batches(fg::adam{.rate = 0.1f});
  check_equals_large_batches(fg::adamw{.rate = 0.1f});
  check_equals_large_batches(fg::lazy_adam{.rate = 0.1f});
  fg::thread_pool pool(2);
  check_equals_large_batches(fg::lazy_adamw{.rate = 0.1f}, &pool);
}

TEST_CASE("accumulated rows stay rows") {
  model m;
  fg::accumulate_gradients(fg::lazy_adam{}, {.steps = 2}).minimize(m.loss);
  CHECK(m.g.find("table/GradientRows"));
  CHECK_FALSE(m.g.find("table/GradientSum"));
  CHECK(m.g.find("w/GradientSum"));
  CHECK(m.g.trainable_variables().size() == 2);
}

TEST_CASE("sums stand on the device of their variable, whatever scope is open") {
  model m;
  fg::variable<float> v, table;
  {
    const auto on = m.g.on_device("/cpu:1");
    v = m.g.variable("v", fg::tensor<float>({2, 1}, {1, -2}));
    table = m.g.variable("rows", fg::constant<float>({6, 1}, 0.5f));
  }
  const auto elsewhere = m.g.on_device("/cpu:2");
  const auto loss = fg::mean(fg::square(fg::matmul(m.x, v) + fg::gather(table, m.r)));
  const auto train = fg::accumulate_gradients(fg::sgd{.rate = 0.1f}, {.steps = 2}).minimize(loss);
  const fg::device_list cpus = fg::cpu_devices(3);
  fg::session s{m.g, {.devices = cpus}};
  s.initialize();
  for (int i = 0; i < 2; ++i) s.run(train, {{m.x, inputs(0, piece)}, {m.r, rows(0, piece)}});
  CHECK(m.g.find("v/GradientSum")->device == "/cpu:1");
  CHECK(m.g.find("rows/GradientRows")->device == "/cpu:1");
  CHECK(s.run(fg::fetch(v))[0] != 1);
}

TEST_CASE("no steps are refused") {
  model m;
#ifdef FLOWGRAPH_EXCEPTIONS
  CHECK_THROWS_WITH_AS(fg::accumulate_gradients(fg::sgd{.rate = 1.f}, {.steps = 0}).minimize(m.loss),
                       doctest::Contains("gradients accumulate over at least 1 step, found 0"), fg::error);
#else
  fg::accumulate_gradients(fg::sgd{.rate = 1.f}, {.steps = 0}).minimize(m.loss);
  CHECK(m.g.first_error().code() == fg::error_code::invalid_argument);
#endif
}

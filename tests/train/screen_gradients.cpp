#include <flowgraph/train/screen_gradients.hpp>

#include <flowgraph/ops/array/embedding.hpp>
#include <flowgraph/runtime/session.hpp>
#include <flowgraph/train/adagrad.hpp>

#include <doctest/doctest.h>

#include <cmath>

namespace fg = flowgraph;

namespace {

std::vector<float> numbers(const fg::tensor<float>& t) { return {t.begin(), t.end()}; }

}  // namespace

TEST_CASE("rows of a table wait until their gradients have added up, and nothing is lost") {
  fg::graph g;
  const fg::sparse_table<float> table(g, {.columns = 2, .initial_scale = 0});
  const auto keys = g.placeholder<std::int64_t>("keys", {fg::any});
  const auto loss = fg::sum(fg::embedding_lookup(table, keys) * g.constant(fg::tensor<float>({2}, {1, 0.25f})));
  const fg::sgd method{.rate = 1};
  const auto parts = fg::screen_gradients(method.gradients(loss), {.threshold = 2.5f});
  const auto train = fg::group(method.apply(parts.list), parts.feedback);
  fg::session s(g);
  s.initialize();
  const auto step = [&](std::vector<std::int64_t> named) {
    s.run(train, {{keys, fg::tensor<std::int64_t>({static_cast<std::int64_t>(named.size())}, named)}});
    return numbers(s.run(fg::fetch(table.peek(g.constant(fg::tensor<std::int64_t>({2}, {5, 9}))))));
  };
  CHECK(step({5, 5, 9}) == std::vector<float>{0, 0, 0, 0});
  CHECK(step({9}) == std::vector<float>{0, 0, 0, 0});
  CHECK(step({5}) == std::vector<float>{-3, -0.75f, 0, 0});
  CHECK(step({5, 9, 5}) == std::vector<float>{-3, -0.75f, -3, -0.75f});
  CHECK(step({9, 5, 9}) == std::vector<float>{-6, -1.5f, -3, -0.75f});
  CHECK(step({}) == std::vector<float>{-6, -1.5f, -3, -0.75f});
}

TEST_CASE("elements of variables and rows of variables wait too") {
  fg::graph g;
  const auto w = g.variable("w", fg::zeros<float>({2}));
  const auto rows = g.variable("rows", fg::zeros<float>({4, 1, 2}));
  const auto ids = g.constant(fg::tensor<std::int64_t>({3}, {1, 3, 3}));
  const auto loss = fg::sum(w * g.constant(fg::tensor<float>({2}, {1, 3}))) + fg::sum(fg::embedding_lookup(rows, ids));
  const fg::sgd method{.rate = 1};
  const auto parts = fg::screen_gradients(method.gradients(loss), {.threshold = 2});
  const auto train = fg::group(method.apply(parts.list), parts.feedback);
  fg::session s(g);
  s.initialize();
  s.run(train);
  CHECK(numbers(s.run(fg::fetch(fg::out<float>(w)))) == std::vector<float>{0, -3});
  CHECK(numbers(s.run(fg::fetch(fg::out<float>(rows)))) == std::vector<float>{0, 0, 0, 0, 0, 0, -2, -2});
  s.run(train);
  CHECK(numbers(s.run(fg::fetch(fg::out<float>(w)))) == std::vector<float>{-2, -6});
  CHECK(numbers(s.run(fg::fetch(fg::out<float>(rows)))) == std::vector<float>{0, 0, -2, -2, 0, 0, -4, -4});
}

TEST_CASE("a gradient that is not a number does not wait") {
  const float nan = std::nanf("");
  fg::graph g;
  const fg::sparse_table<float> table(g, {.columns = 2, .initial_scale = 0});
  const auto w = g.variable("w", fg::zeros<float>({2}));
  const auto factor = g.placeholder<float>("factor", {2});
  const auto key = g.constant(fg::tensor<std::int64_t>({1}, {5}));
  const auto loss = fg::sum(fg::embedding_lookup(table, key) * factor) + fg::sum(w * factor);
  const fg::sgd method{.rate = 1};
  const auto parts = fg::screen_gradients(method.gradients(loss), {.threshold = 2});
  const auto train = fg::group(method.apply(parts.list), parts.feedback);
  fg::session s(g);
  s.initialize();
  s.run(train, {{factor, fg::tensor<float>({2}, {0, nan})}});
  const auto row = numbers(s.run(fg::fetch(table.peek(key)))), element = numbers(s.run(fg::fetch(fg::out<float>(w))));
  CHECK(row[0] == 0);
  CHECK(std::isnan(row[1]));
  CHECK(element[0] == 0);
  CHECK(std::isnan(element[1]));
}

TEST_CASE("the sums that wait for a table have its limit of memory") {
  fg::graph g;
  const fg::sparse_table<float> table(g, {.columns = 4, .initial_scale = 0, .memory_limit = 600'000});
  const auto keys = g.placeholder<std::int64_t>("keys", {fg::any});
  const auto loss = fg::sum(fg::embedding_lookup(table, keys));
  const fg::sgd method{.rate = 1};
  const auto parts = fg::screen_gradients(method.gradients(loss), {.threshold = 2});
  fg::session s(g);
  s.initialize();
  fg::tensor<std::int64_t> all({40'000});
  for (std::size_t i = 0; i < all.size(); ++i) all.writable()[i] = static_cast<std::int64_t>(i);
  const auto found = s.try_run(fg::fetch(parts.waiting[0].lookup(keys)), {{keys, all}});
  REQUIRE_FALSE(found.has_value());
  CHECK(found.error().code() == fg::error_code::resource_exhausted);
}

TEST_CASE("without a threshold, screened training has the values of plain training") {
  std::vector<float> plain;
  for (const bool is_screened : {false, true}) {
    fg::graph g;
    const fg::sparse_table<float> table(g, {.columns = 3, .seed = 5, .initial_scale = 0.5f});
    const auto ids = g.constant(fg::tensor<std::int64_t>({5}, {1, 3, 3, -8, 1}));
    const auto bias = g.variable("bias", fg::constant<float>({3}, 0.25f));
    const auto loss = fg::sum(fg::square(fg::embedding_lookup(table, ids) + bias));
    const fg::adagrad method{.rate = 0.1f};
    fg::target train;
    if (is_screened) {
      const auto parts = fg::screen_gradients(method.gradients(loss), {});
      train = fg::group(method.apply(parts.list), parts.feedback);
    } else {
      train = method.minimize(loss);
    }
    fg::session s(g);
    s.initialize();
    for (int i = 0; i < 5; ++i) s.run(train);
    const auto found = numbers(s.run(fg::fetch(fg::embedding_lookup(table, ids))));
    if (!is_screened) plain = found;
    REQUIRE(found.size() == plain.size());
    for (std::size_t i = 0; i < found.size(); ++i) CHECK(std::abs(found[i] - plain[i]) < 1e-6f);
  }
}

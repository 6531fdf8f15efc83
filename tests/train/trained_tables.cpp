// Helpers of training, with gradients of sparse tables.

#include <flowgraph/train/accumulate_gradients.hpp>

#include <flowgraph/ops/array/embedding.hpp>
#include <flowgraph/ops/lookup/sparse_table.hpp>
#include <flowgraph/ops/operators.hpp>
#include <flowgraph/ops/reduction/reduction.hpp>
#include <flowgraph/ops/sparse/embedding.hpp>
#include <flowgraph/runtime/session.hpp>
#include <flowgraph/train/adagrad.hpp>
#include <flowgraph/train/clip.hpp>
#include <flowgraph/train/loss_scale.hpp>
#include <flowgraph/train/proximal.hpp>
#include <flowgraph/train/replicate.hpp>

#include <doctest/doctest.h>

#include <cmath>

namespace fg = flowgraph;

namespace {

using row_values = std::vector<float>;

// A table of zeros, and a variable beside it. The gradient of row k is the sum of `slopes` at its keys.
struct sloped_table {
  fg::graph g;
  fg::sparse_table<float> table{g, {.columns = 1, .initial_scale = 0}};
  fg::variable<float> bias = g.variable("bias", fg::tensor<float>(0.f));
  fg::out<std::int64_t> keys = g.placeholder<std::int64_t>("keys", {fg::any});
  fg::out<float> slopes = g.placeholder<float>("slopes", {fg::any, 1});
  fg::out<float> loss = fg::sum(table.lookup(keys) * slopes) + bias * 4.f;
  fg::session s{g};

  void run(const fg::target& what, const std::vector<std::int64_t>& k, const row_values& x) {
    const auto n = static_cast<std::int64_t>(k.size());
    s.run(what, {{keys, fg::tensor<std::int64_t>({n}, k)}, {slopes, fg::tensor<float>({n, 1}, x)}});
  }
  row_values rows(const std::vector<std::int64_t>& k) {
    const auto made = s.run(fg::fetch(table.peek(keys)), {{keys, fg::tensor<std::int64_t>({k.size()}, k)}});
    return {made.begin(), made.end()};
  }
  float of_bias() { return s.run(fg::fetch(bias)).scalar(); }
};

}  // namespace

TEST_CASE("gradients of a sparse table are clipped, by values and by the norm of all gradients") {
  sloped_table t;
  const fg::sgd method{.rate = 1};
  const auto parts = method.gradients(t.loss);
  REQUIRE(parts.size() == 2);
  const auto train = method.apply(fg::clip_by_global_norm(parts, 1.f));
  t.s.initialize();
  t.run(train, {7, 8}, {3, 12});  // with the slope of the bias, 4: norm 13
  CHECK(t.rows({7, 8})[0] == doctest::Approx(-3 / 13.f));
  CHECK(t.rows({7, 8})[1] == doctest::Approx(-12 / 13.f));
  CHECK(t.of_bias() == doctest::Approx(-4 / 13.f));

  sloped_table u;
  auto limited = method.gradients(u.loss);
  for (auto& one : limited) one.gradient = fg::clip_by_value(one.gradient, -1.f, 2.f);
  const auto step = method.apply(limited);
  u.s.initialize();
  u.run(step, {7, 8, 7}, {3, -12, 1});
  CHECK(u.rows({7, 8}) == row_values{-3, 1});
}

TEST_CASE("a step whose gradients of a sparse table are not finite is skipped by a loss scale") {
  sloped_table t;
  const fg::loss_scale scale(t.g, {.initial = 8});
  const auto train = scale.minimize(fg::adagrad{.rate = 1, .initial_accumulator = 5}, t.loss);
  t.s.initialize();
  t.run(train, {1, 2}, {2, 0});
  CHECK(t.rows({1, 2}) == row_values{-2 / 3.f, 0});
  const float bias = t.of_bias();
  t.run(train, {1, 2}, {std::numeric_limits<float>::infinity(), 1});
  CHECK(t.rows({1, 2}) == row_values{-2 / 3.f, 0});
  CHECK(t.of_bias() == bias);
  CHECK(t.s.run(fg::fetch(scale.value())).scalar() == 4);
  CHECK(t.s.run(fg::fetch(scale.skipped_steps())).scalar() == 1);
}

TEST_CASE("accumulated gradients of a sparse table give the step of one large batch") {
  sloped_table t;
  const auto train = fg::accumulate_gradients(fg::adagrad{.rate = 1, .initial_accumulator = 5}, {.steps = 2}).minimize(t.loss);
  t.s.initialize();
  t.run(train, {1, 2}, {2, 6});
  CHECK(t.rows({1, 2, 3}) == row_values{0, 0, 0});
  CHECK(t.of_bias() == 0);
  t.run(train, {3, 1}, {8, 2});
  const row_values expected{-2 / 3.f, -3 / std::sqrt(14.f), -4 / std::sqrt(21.f)};
  for (std::size_t i = 0; i < 3; ++i) CHECK(t.rows({1, 2, 3})[i] == doctest::Approx(expected[i]));
  CHECK(t.of_bias() == doctest::Approx(-4 / std::sqrt(21.f)));
  t.run(train, {3}, {8});
  for (std::size_t i = 0; i < 3; ++i) CHECK(t.rows({1, 2, 3})[i] == doctest::Approx(expected[i]));
  t.run(train, {2}, {0});
  CHECK(t.rows({3})[0] == doctest::Approx(expected[2] - 4 / std::sqrt(37.f)));
}

TEST_CASE("an optimizer without a rule for sparse tables is an error that names it, also below another optimizer") {
  const auto code_of = [](auto make) {
    sloped_table t;
    try {
      make(t);
    } catch (const fg::error& why) {
      CHECK(std::string(why.message()).find("no rule for the sparse table") != std::string::npos);
      return why.code();
    }
    return fg::error_code::ok;
  };
  const fg::proximal_sgd method{.rate = 1};
  CHECK(code_of([&](sloped_table& t) { method.minimize(t.loss); }) == fg::error_code::unimplemented);
  CHECK(code_of([&](sloped_table& t) { fg::accumulate_gradients(method, {.steps = 2}).minimize(t.loss); }) ==
        fg::error_code::unimplemented);
}

TEST_CASE("replicas train one sparse table") {
  sloped_table t;
  const auto [loss, gradients] = fg::replicate(t.g, {"/cpu:0", "/cpu:0"}, [&](const fg::replica& r) {
    return fg::mean(t.table.lookup(r.rows(t.keys)) * r.rows(t.slopes));
  });
  const auto train = fg::sgd{.rate = 1}.apply(gradients);
  t.s.initialize();
  t.run(train, {1, 2, 1, 3}, {4, 8, 12, 16});
  CHECK(t.rows({1, 2, 3}) == row_values{-4, -2, -4});
}

TEST_CASE("rows of a sparse table are combined line by line") {
  fg::graph g;
  const fg::sparse_table<float> table(g, {.columns = 2, .seed = 4, .initial_scale = 1});
  const auto keys = g.constant(fg::tensor<std::int64_t>({5}, {90, -7, 90, 5, 6}));
  const auto lines = g.constant(fg::tensor<std::int64_t>({5}, {0, 0, 0, 2, 2}));
  const auto weights = g.constant(fg::tensor<float>({5}, {1, 2, 3, 0.5f, 2}));
  const fg::sparse_tensor<std::int64_t> ids{g.constant(fg::tensor<std::int64_t>({5, 2}, {0, 0, 0, 1, 0, 2, 2, 0, 2, 1})), keys,
                                            g.constant(fg::tensor<std::int64_t>({2}, {3, 3}))};
  fg::session s{g};
  const auto rows = s.run(fg::fetch(table.lookup(keys)));
  const float w[] = {1, 2, 3, 0.5f, 2};
  const auto agrees = [&](const fg::out<float>& made, bool weighted, auto divisor) {
    const auto found = s.run(fg::fetch(made));
    REQUIRE(found.shape() == fg::shape{3, 2});
    for (std::size_t line = 0; line < 3; ++line)
      for (std::size_t c = 0; c < 2; ++c) {
        float total = 0, sum = 0, squares = 0;
        for (std::size_t i = line == 0 ? 0 : 3; i < (line == 0 ? 3 : line == 1 ? 3 : 5); ++i) {
          const float by = weighted ? w[i] : 1;
          total += by * rows[i * 2 + c];
          sum += by;
          squares += by * by;
        }
        CHECK(found[line * 2 + c] == doctest::Approx(line == 1 ? 0 : total / divisor(sum, squares)));
      }
  };
  const auto sum = [](float, float) { return 1.f; };
  const auto mean = [](float all, float) { return all; };
  const auto root = [](float, float squares) { return std::sqrt(squares); };
  agrees(fg::embedding_lookup_sparse(table, keys, lines, fg::combiner::sum), false, sum);
  agrees(fg::embedding_lookup_sparse(table, keys, lines), false, mean);
  agrees(fg::embedding_lookup_sparse(table, ids, fg::combiner::sqrt_n), false, root);
  agrees(fg::embedding_lookup_sparse(table, keys, lines, weights, fg::combiner::sum), true, sum);
  agrees(fg::embedding_lookup_sparse(table, keys, lines, weights), true, mean);
  agrees(fg::embedding_lookup_sparse(table, ids, ids.with_values(weights), fg::combiner::sqrt_n), true, root);
  const auto of_int =
      fg::embedding_lookup_sparse(table, g.constant(fg::tensor<std::int32_t>({1}, {90})), fg::slice(lines, {0}, {1}));
  CHECK(s.run(fg::fetch(of_int))[0] == rows[0]);

  // The gradient names each key once.
  const auto slices =
      fg::gradients(fg::sum(fg::embedding_lookup_sparse(table, keys, lines, weights, fg::combiner::sum)), table.anchor());
  REQUIRE(slices.is_slices());
  const auto [named, slopes] = s.run(fg::fetch(slices.slices().indices, slices.slices().values));
  CHECK(std::vector<std::int64_t>(named.begin(), named.end()) == std::vector<std::int64_t>{90, -7, 5, 6});
  CHECK(slopes[0] == 4);
}

TEST_CASE("only minimize updates a sparse table by gradients that are not stored") {
  const auto rows_of = [](bool minimizes, bool has_fields, std::string_view op) {
    fg::graph g;
    const fg::sparse_table<float> table(g, {.columns = 3, .seed = 4, .initial_scale = 1});
    const auto keys = g.constant(fg::tensor<std::int64_t>({3}, {90, -7, 90}));
    const auto values = g.constant(fg::tensor<float>({3}, {1, 2, 3}));
    const auto splits = g.constant(fg::tensor<std::int64_t>({3}, {0, 2, 3}));
    const auto fields = g.constant(fg::tensor<std::int32_t>({3}, {1, 0, 0}));
    const auto made =
        has_fields ? table.field_interactions(keys, values, fields, splits, 2, 1) : table.interactions(keys, values, splits, 1);
    const auto loss = fg::sum(made.sums);
    const fg::adagrad method{.rate = 0.1f};
    const auto train = minimizes ? method.minimize(loss) : method.apply(method.gradients(loss));
    bool is_used = false;
    for (std::size_t i = 0; i < g.size(); ++i) is_used |= g.at(i)->op->name() == op;
    CHECK(is_used);
    fg::session s{g};
    s.initialize();
    for (int step = 0; step < 3; ++step) s.run(train);
    const auto rows = s.run(fg::fetch(table.peek(keys)));
    return std::vector<float>(rows.begin(), rows.end());
  };
  for (const bool has_fields : {false, true}) {
    const std::string_view joint =
        has_fields ? "SparseTableFieldInteractionsApplyAdagrad" : "SparseTableInteractionsApplyAdagrad";
    CHECK(rows_of(true, has_fields, joint) == rows_of(false, has_fields, "SparseTableApplyAdagrad"));
  }
}

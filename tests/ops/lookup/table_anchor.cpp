#include <flowgraph/ops/lookup/table_anchor.hpp>

#include "../../harness/engine_ops.hpp"

#include <flowgraph/ops/array/embedding.hpp>
#include <flowgraph/ops/lookup/sparse_table.hpp>
#include <flowgraph/ops/operators.hpp>
#include <flowgraph/ops/reduction/reduction.hpp>
#include <flowgraph/train/adagrad.hpp>
#include <flowgraph/train/ftrl.hpp>
#include <flowgraph/train/lazy_adam.hpp>
#include <flowgraph/train/rms_prop.hpp>

namespace fg = flowgraph;
using fg::error_code;

namespace {

// A table and a variable with the same rows, which an optimizer trains by the same loss.
template <class Method, class Dense> void check_training(const Method& method, const Dense& of_variable) {
  fg::graph g;
  const fg::tensor<std::int64_t> all({6}, {0, 1, 2, 3, 4, 5});
  const fg::sparse_table<float> table(g, {.columns = 3, .seed = 4, .initial_scale = 1});
  const auto keys = g.placeholder<std::int64_t>("keys", {fg::any});
  const auto bias = g.variable("bias", fg::zeros<float>({3}));
  const auto rows = g.variable("rows", fg::zeros<float>({6, 3}));
  const auto loss_of = [&](const fg::out<float>& looked_up) {
    const auto x = looked_up + 1.f;
    return fg::sum(x * x * x);
  };
  const auto train = method.minimize(loss_of(fg::embedding_lookup(table, keys) + bias));
  const auto plain = of_variable.minimize(loss_of(fg::embedding_lookup(fg::out<float>(rows), keys)), rows);
  const auto of_table = table.peek(g.constant(all));
  const auto begin = fg::assign(rows, of_table);
  fg::session s(g);
  s.initialize();
  s.run(begin);
  for (const std::vector<std::int64_t>& step : {std::vector<std::int64_t>{1, 5, 1}, {2}, {5, 2, 0, 0}, {1}}) {
    const fg::tensor<std::int64_t> k({step.size()}, step);
    s.run(fg::assign(bias, g.constant(fg::tensor<float>({3}, {0, 0, 0}))));
    s.run(train, {{keys, k}});
    s.run(plain, {{keys, k}});
  }
  auto [a, b] = s.run(fg::fetch(of_table, rows));
  for (std::size_t i = 0; i < a.size(); ++i) CHECK(a[i] == doctest::Approx(b[i]).epsilon(1e-5));
  CHECK(s.run(fg::fetch(table.size())).scalar() == 4);
}
template <class Method> void check_training(const Method& method) { check_training(method, method); }

}  // namespace

TEST_CASE("optimizers train sparse tables as they train variables, beside other variables") {
  check_training(fg::sgd{.rate = 0.01f});
  check_training(fg::momentum{.rate = 0.01f});
  check_training(fg::momentum{.rate = 0.01f, .nesterov = true});
  check_training(fg::adagrad{.rate = 0.1f});
  check_training(fg::adadelta{.rate = 0.5f});
  check_training(fg::rms_prop{.rate = 0.01f, .momentum = 0.5f});
  check_training(fg::ftrl{.rate = 0.1f, .l1 = 0.01f});
  check_training(fg::lazy_adam{.rate = 0.05f});
  check_training(fg::adam{.rate = 0.05f}, fg::lazy_adam{.rate = 0.05f});
}

TEST_CASE("an optimizer that has no rule for tables is refused, and so is an update with another rule") {
  fg::graph g;
  const fg::sparse_table<float> table(g, {.columns = 2});
  const auto rows = table.lookup(g.constant(fg::tensor<std::int64_t>({2}, {3, 4})));
  const auto loss = fg::sum(rows * rows);
#ifdef FLOWGRAPH_EXCEPTIONS
  for (const auto& minimize : std::vector<std::function<void()>>{
           [&] { fg::rms_prop{.rate = 1, .centered = true}.minimize(loss); }, [&] { fg::adagrad_da{.rate = 1}.minimize(loss); },
           [&] { fg::ftrl{.rate = 1, .l2_shrinkage = 1}.minimize(loss); }}) {
    error_code code = error_code::ok;
    try {
      minimize();
    } catch (const fg::error& e) { code = e.code(); }
    CHECK(code == error_code::unimplemented);
  }
#endif
  const auto first = fg::adagrad{.rate = 0.1f}.minimize(loss), second = fg::momentum{.rate = 0.1f}.minimize(loss);
  fg::session s(g);
  s.initialize();
  s.run(first);
  CHECK(s.try_run(second).error().code() == error_code::failed_precondition);
}

TEST_CASE("the anchor of a table is a matrix without rows") {
  fg::graph g;
  const fg::sparse_table<fg::half> table(g, {.columns = 7});
  CHECK(table.anchor().shape() == fg::shape{0, 7});
  CHECK(fg::detail::anchor_op_of(table.anchor())->columns == 7);
  CHECK(fg::detail::anchor_op_of(table.handle()) == nullptr);
  fg::session s(g);
  CHECK(s.run(fg::fetch(table.anchor())).size() == 0);
}

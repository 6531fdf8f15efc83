#include <flowgraph/observe/model_account.hpp>

#include <flowgraph/ops/control_flow/while_loop.hpp>
#include <flowgraph/ops/linear_algebra/matmul.hpp>
#include <flowgraph/ops/nn/activation.hpp>
#include <flowgraph/ops/nn/convolution.hpp>
#include <flowgraph/ops/operators.hpp>
#include <flowgraph/ops/reduction/reduction.hpp>
#include <flowgraph/train/optimizer.hpp>

#include <doctest/doctest.h>

namespace fg = flowgraph;

namespace {

// A layer as the description has it, or with a bias that is a column by mistake: it is broadcast, and nothing fails.
fg::out<float> relu_layer(fg::graph& g, std::string_view scope, fg::out<float> x, std::int64_t from, std::int64_t to,
                          bool is_wrong = false) {
  const auto in = g.in_scope(scope);
  auto w = g.variable("w", fg::tensor<float>({from, to}));
  auto b = g.variable("b", fg::tensor<float>(is_wrong ? fg::shape{32, to} : fg::shape{to}));
  return fg::relu(fg::matmul(x, w) + b);
}

const std::initializer_list<fg::stated_scope> two_layers_as_stated{
    {"", 784 * 100 + 100 + 100 * 10 + 10, 32 * (784 * 100 + 100 * 10)},
    {"first", 784 * 100 + 100, 32 * 784 * 100},
    {"second", 100 * 10 + 10, {}}};

}  // namespace

TEST_CASE("model account: parameters and multiply-adds by scope, for the shapes that are fed, are those of the description") {
  fg::graph g;
  auto x = g.placeholder<float>("x", {fg::any, 784});
  auto y = relu_layer(g, "second", relu_layer(g, "first", x, 784, 100), 100, 10);
  const auto account = fg::account_of(g, {y}, {{x, {32, 784}}}).value();
  CHECK(account.unknown.empty());
  CHECK(fg::faults_of(account, two_layers_as_stated).empty());
  CHECK(account.rows[0].scope.empty());
  CHECK(account.find("first/w")->parameters == 78400);
  CHECK_FALSE(account.find("third"));
  const std::string text = fg::to_text(account, 1);
  CHECK(text ==
        "scope     nodes  parameters  multiply-adds   operations\n"
        "(all)        11       79510        2540800  5.08864e+06\n"
        "  first       5       78500        2508800    5.024e+06\n"
        "  second      5        1010          32000        64640\n");
}

TEST_CASE("model account: a parameter that is broadcast, a layer that is missing and one too many are found") {
  fg::graph g;
  auto x = g.placeholder<float>("x", {fg::any, 784});
  auto y = relu_layer(g, "second", relu_layer(g, "first", x, 784, 100, true), 100, 10);
  const auto account = fg::account_of(g, {y}, {{x, {32, 784}}}).value();
  CHECK(fg::faults_of(account, two_layers_as_stated) ==
        std::vector<std::string>{"(all): 82610 parameters, stated 79510", "first: 81600 parameters, stated 78500"});
  CHECK(fg::faults_of(account, {{"third", 1, {}}}) == std::vector<std::string>{"third: there is no such scope"});
  auto z = relu_layer(g, "first_1", y, 10, 10);
  const auto more = fg::account_of(g, {z}, {{x, {32, 784}}}).value();
  CHECK(fg::faults_of(more, {{"", {}, 32 * (784 * 100 + 100 * 10)}}) ==
        std::vector<std::string>{"(all): 2544000 multiply-adds, stated 2540800"});
}

TEST_CASE("model account: what optimizers keep and what other outputs need does not count") {
  fg::graph g;
  auto x = g.placeholder<float>("x", {fg::any, 784});
  auto y = relu_layer(g, "second", relu_layer(g, "first", x, 784, 100), 100, 10);
  relu_layer(g, "other", y, 10, 1000);
  fg::adam{}.minimize(fg::mean(fg::square(y)));
  CHECK(fg::faults_of(fg::account_of(g, {y}, {{x, {32, 784}}}).value(), two_layers_as_stated).empty());
}

TEST_CASE("model account: convolutions, shapes that only a run tells, and loops") {
  fg::graph g;
  auto x = g.placeholder<float>("x", {fg::any, 8, 8, 3});
  auto w = g.variable("w", fg::tensor<float>({3, 3, 3, 16}));
  auto y = fg::conv2d(x, w, fg::site{"conv"});
  const auto account = fg::account_of(g, {y}, {{x, {2, 8, 8, 3}}}).value();
  CHECK(account.find("conv")->multiply_adds == 2 * 8 * 8 * 16 * 3 * 3 * 3);
  CHECK(account.rows[0].parameters == 3 * 3 * 3 * 16);
  const auto unknown = fg::account_of(g, {y}).value();
  CHECK(unknown.unknown == std::vector<std::string>{"conv"});
  CHECK(fg::to_text(unknown).find("1 nodes have shapes that only a run tells, the first is conv") != std::string::npos);
  CHECK(fg::faults_of(unknown, {{"", {}, 5}}) == std::vector<std::string>{"(all): at least 0 multiply-adds, stated 5"});

  fg::graph loops;
  auto [n] = fg::while_loop(
      std::tuple{loops.constant(0.f)}, [](auto v) { return v < 5.f; }, [](auto v) { return std::tuple{v + 1.f}; });
  CHECK(fg::account_of(loops, {n}).value().in_loops.size() == 1);
}

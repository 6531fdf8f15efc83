#include <flowgraph/passes/group_elementwise.hpp>

#include <flowgraph/ops/linear_algebra/matmul.hpp>
#include <flowgraph/ops/math/division.hpp>
#include <flowgraph/ops/math/math.hpp>
#include <flowgraph/ops/math/power.hpp>
#include <flowgraph/ops/math/trigonometry.hpp>
#include <flowgraph/ops/nn/activation.hpp>
#include <flowgraph/ops/nn/bias.hpp>
#include <flowgraph/ops/nn/rectifier.hpp>
#include <flowgraph/ops/operators.hpp>
#include <flowgraph/ops/state/variable.hpp>

#include <algorithm>

#include "drafted.hpp"

using namespace engine;

namespace {

// Adds one to each element, and refuses negative numbers.
template <bool declares> struct negative_refusing_op {
  static constexpr std::string_view name = declares ? "Refusing" : "SecretlyRefusing";
  static constexpr fg::op_facts facts{.not_differentiable = true, .elementwise = true, .may_fail = declares};
  fg::shape shape(const fg::shape& x) const { return x; }
  void operator()(fg::cpu ctx, fg::view<const float> x, fg::view<float> y) const {
    if (std::ranges::any_of(x, [](float v) { return v < 0; })) return ctx.fail("negative");
    std::ranges::transform(x, y.begin(), [](float v) { return v + 1; });
  }
};

const fg::pass_options grouped_always{.further = {fg::passes::group_elementwise}};

// The groups of op(x, y) * x + x, and the explanation of the plan.
template <class T, class... Ops> std::pair<all_names, std::string> groups_behind(Ops... ops) {
  fg::graph g;
  const auto x = g.placeholder<T>("x", {100}), y = g.placeholder<T>("y", {100});
  const fg::out<T> made[]{(fg::apply(ops, x, y, {.name = "made"}) * x + x)...};
  const auto told = fg::session(g, {.passes = grouped_always}).explain(fg::fetch(made[0]));
  all_names found;
  for (const fg::explained_node& n : told.nodes)
    if (n.op.starts_with("_Group(")) found.push_back(n.op);
  return {found, fg::to_text(told)};
}
template <class... Ops> void check_outside_for_integers() {
  const auto check = [](auto op) {
    CAPTURE(op.name);
    const auto [groups, text] = groups_behind<std::int32_t>(op);
    CHECK(groups == all_names{"_Group(Mul, AddV2)"});
    CHECK(text.find("'made' is in no group: the kernel may fail\n") != std::string::npos);
    CHECK(groups_behind<float>(op).first == all_names{"_Group(" + std::string(op.name) + ", Mul, AddV2)"});
  };
  (check(Ops{}), ...);
}

// The error of a run, and then the value of a variable.
std::string error_and_value(const fg::graph& g, const fg::pass_options& passes, bool is_prepared,
                            const std::vector<fg::any_out>& fetches, const std::vector<fg::fed>& feeds,
                            const std::vector<fg::target>& targets = {}, const fg::out<float>* after = nullptr) {
  fg::session s{g, {.passes = passes}};
  s.initialize();
  std::vector<fg::any_out> fed;
  std::vector<fg::any_tensor> given, found(fetches.size());
  for (const fg::fed& f : feeds) fed.push_back(f.where), given.push_back(f.value);
  std::string text = "none";
  if (is_prepared) {
    auto step = s.try_prepare(fed, fetches, targets);
    if (!step) text = step.error().what();
    else if (const auto ran = step->try_run(given, found); !ran) text = ran.error().what();
  } else if (const auto ran = s.try_run(fg::run_request{feeds, fetches, targets}); !ran) {
    text = ran.error().what();
  }
  return after ? text + ", then " + std::to_string(s.run(fg::fetch(*after))[0]) : text;
}
// With and without groups, the error is the same and contains `part`.
void check_same_error(std::string_view part, const fg::graph& g, const std::vector<fg::any_out>& fetches,
                      const std::vector<fg::fed>& feeds, const std::vector<fg::target>& targets = {},
                      const fg::out<float>* after = nullptr) {
  const std::string expected = error_and_value(g, fg::pass_options::none(), false, fetches, feeds, targets, after);
  CHECK_MESSAGE(expected.find(part) != std::string::npos, expected);
  for (const bool is_prepared : {false, true}) {
    CAPTURE(is_prepared);
    CHECK(error_and_value(g, {}, is_prepared, fetches, feeds, targets, after) == expected);
    CHECK(error_and_value(g, grouped_always, is_prepared, fetches, feeds, targets, after) == expected);
  }
}
fg::tensor<std::int32_t> ones_but(std::int64_t size, std::size_t zero_at) {
  fg::tensor<std::int32_t> made({size});
  std::ranges::fill(made.writable(), 1);
  made.writable()[zero_at] = 0;
  return made;
}

}  // namespace

TEST_CASE("group_op: nodes whose kernel may fail stay outside, for the types for which it may") {
  check_outside_for_integers<fg::div_op, fg::floor_div_op, fg::floor_mod_op, fg::truncate_div_op, fg::truncate_mod_op, fg::mod_op,
                             fg::pow_op>();
  CHECK(groups_behind<std::int32_t>(fg::mul_op{}).first == all_names{"_Group(Mul, Mul, AddV2)"});

  fg::graph g;
  const auto x = g.placeholder<float>("x", {100});
  const auto declared = fg::apply(negative_refusing_op<true>{}, x) * x, secret = fg::apply(negative_refusing_op<false>{}, x) * x;
  all_names found;
  for (const fg::explained_node& n : fg::session(g, {.passes = grouped_always}).explain(fg::fetch(declared, secret)).nodes)
    if (n.op.starts_with("_Group(")) found.push_back(n.op);
  CHECK(found == all_names{"_Group(SecretlyRefusing, Mul)"});
}

TEST_CASE("group_op: a division by zero is the same error as without groups") {
  {  // beside an empty tensor
    fg::graph g;
    const auto x = g.placeholder<std::int32_t>("x", {fg::any}), a = g.placeholder<std::int32_t>("a", {}),
               b = g.placeholder<std::int32_t>("b", {});
    check_same_error("Integer division by zero", g, {x + a / b}, {{x, fg::tensor<std::int32_t>(fg::shape{0})}, {a, 1}, {b, 0}});
  }
  {  // the first node fails behind the tile in which the second fails
    fg::graph g;
    const auto a = g.placeholder<std::int32_t>("a", {fg::any}), b = g.placeholder<std::int32_t>("b", {fg::any}),
               c = g.placeholder<std::int32_t>("c", {fg::any});
    const auto first = fg::floor_div(a, b, {.name = "first"}), second = fg::floor_div(a, c, {.name = "second"});
    check_same_error("'first' (FloorDiv)", g, {first + second},
                     {{a, ones_but(20000, 0)}, {b, ones_but(20000, 15000)}, {c, ones_but(20000, 3)}});
  }
  {  // a variable changes between two nodes
    fg::graph g;
    const auto v = g.variable("v", fg::tensor<float>(1.f));
    const auto a = g.placeholder<std::int32_t>("a", {fg::any});
    const auto first = fg::floor_div(a, a);
    const fg::out<float> changed = v;
    const fg::target add = fg::assign_add(v, g.constant(1.f));
    check_same_error("zero\n", g, {first + a}, {{a, ones_but(20000, 9)}}, {add}, &changed);
  }
}

TEST_CASE("group_op: shapes that do not fit are the same error as without groups") {
  fg::graph g;
  const auto unknown = fg::shape::unknown();
  const auto x = g.placeholder<float>("x", unknown), w = g.placeholder<float>("w", unknown),
             b = g.placeholder<float>("b", unknown);
  const auto sum = fg::tanh(fg::relu(x, {.name = "positive"}) + w) * 2.f;
  const auto product = fg::relu(fg::bias_add(fg::matmul(x, g.constant(fg::tensor<float>({4, 3}))), b));
  const auto fed = [](const fg::out<float>& to, const fg::shape& s) { return fg::fed{to, fg::tensor<float>(s)}; };
  check_same_error("; found positive float[2,3], w float[2,4]\n  at node 'AddV2' (AddV2)\n", g, {sum},
                   {fed(x, {2, 3}), fed(w, {2, 4})});
  check_same_error("; found MatMul float[2,3], b float[4]\n  at node 'BiasAdd' (BiasAdd)\n", g, {product},
                   {fed(x, {2, 4}), fed(b, {4})});
  check_same_error("; found x float[2,5], Const", g, {product}, {fed(x, {2, 5}), fed(b, {3})});
}

TEST_CASE("group_op: an error of a member's kernel names the member") {
  fg::graph g;
  const auto x = g.placeholder<float>("x", {3});
  const auto y = fg::apply(negative_refusing_op<false>{}, x, {.name = "first"}) * x;
  check_same_error("negative\n  at node 'first' (SecretlyRefusing)\n", g, {y}, {{x, fg::tensor<float>({3}, {1.f, -1.f, 2.f})}});
}

#include <flowgraph/observe/gradient_check.hpp>

#include <flowgraph/ops/linear_algebra/matmul.hpp>
#include <flowgraph/ops/math/math.hpp>
#include <flowgraph/ops/nn/softmax.hpp>
#include <flowgraph/ops/operators.hpp>
#include <flowgraph/ops/random/dropout.hpp>
#include <flowgraph/ops/reduction/reduction.hpp>
#include <flowgraph/ops/state/variable.hpp>

#include <doctest/doctest.h>

namespace fg = flowgraph;

#ifndef FLOWGRAPH_INFERENCE
namespace {

// The cube of each element; its gradient is wrong by a factor where `is_wrong`.
struct cube_op {
  static constexpr std::string_view name = "Cube";
  using types = fg::type_list<float, double>;
  bool is_wrong = false;
  static constexpr auto attrs = fg::attrs(fg::attr("is_wrong", &cube_op::is_wrong));

  constexpr fg::shape shape(fg::shape x) const { return x; }
  template <class T> void operator()(fg::cpu, fg::view<const T> x, fg::view<T> y) const {
    for (std::size_t i = 0; i < x.size(); ++i) y[i] = x[i] * x[i] * x[i];
  }
  template <class T> fg::out<T> gradient(fg::out<T> x, fg::out<T>, fg::out<T> dy) const {
    return dy * fg::square(x) * (is_wrong ? T(2) : T(3));
  }
};

template <class T> struct checked_model {
  fg::graph g;
  fg::out<T> x = g.placeholder<T>("x", {2, 3});
  fg::variable<T> w = g.variable(
      "w", fg::tensor<T>({3, 4}, {T(.1), T(.2), T(-.3), T(.4), T(.5), T(-.6), T(.7), T(.8), T(-.9), 1, T(1.1), T(.2)}));
  fg::out<T> loss;
  fg::tensor<T> rows{{2, 3}, {1, T(.5), T(-.5), T(.25), 2, -1}};

  explicit checked_model(bool is_wrong) {
    loss = fg::mean(fg::square(fg::softmax(fg::apply(cube_op{is_wrong}, fg::matmul(x, w), {}))));
  }
};

}  // namespace

TEST_CASE_TEMPLATE("gradient check: right gradients of feeds, variables and edges within are right, a planted factor is found", T,
                   float, double) {
  for (const bool is_wrong : {false, true}) {
    checked_model<T> m(is_wrong);
    auto [dx, dw] = fg::gradients(m.loss, m.x, m.w);
    fg::session s{m.g};
    s.initialize();
    const auto report = fg::check_gradients(s, m.loss, {{m.x, dx}, {m.w, dw}}, {{m.x, m.rows}}).value();
    CHECK_MESSAGE(report.are_right() == !is_wrong, report.text());
    REQUIRE(report.edges.size() == 2);
    CHECK(report.edges[0].name == "x");
    CHECK(report.edges[0].checked == 6);
    CHECK(report.edges[1].checked == 12);
    if (is_wrong) CHECK(report.edges[1].wrong > 6);
    if (is_wrong) CHECK(report.edges[1].gradient / report.edges[1].difference == doctest::Approx(2.0 / 3).epsilon(0.02));
    CHECK(s.run(fg::fetch(fg::out<T>(m.w)))[11] == T(.2));  // as before
    const auto few = fg::check_gradients(s, m.loss, {{m.w, dw}}, {{m.x, m.rows}}, {.elements = 5}).value();
    CHECK(few.edges[0].checked == 5);
  }
}

TEST_CASE("gradient check: a gradient that is NaN or belongs to something else is wrong") {
  checked_model<float> m(false);
  auto dx = fg::gradients(m.loss, m.x);
  auto nan = fg::log(fg::out<float>(dx) * 0.f - 1.f), other = fg::out<float>(dx) + 1.f;
  fg::session s{m.g};
  s.initialize();
  for (const fg::any_out& wrong : {fg::any_out(nan), fg::any_out(other)}) {
    const auto report = fg::check_gradients(s, m.loss, {{m.x, wrong}}, {{m.x, m.rows}}).value();
    CHECK(report.edges[0].wrong == 6);
    CHECK(report.text().starts_with("x: 6 of 6 elements are wrong; farthest off is element "));
  }
}

TEST_CASE("gradient check: an objective that is random, that is no scalar, or whose feeds are missing is refused") {
  checked_model<float> m(false);
  auto dx = fg::gradients(m.loss, m.x);
  auto random = fg::mean(fg::dropout(m.x, 0.5f));
  auto d_random = fg::gradients(random, m.x);
  fg::session s{m.g};
  s.initialize();
  const auto refused = fg::check_gradients(s, random, {{m.x, d_random}}, {{m.x, m.rows}});
  REQUIRE_FALSE(refused.has_value());
  CHECK(refused.error().code() == fg::error_code::failed_precondition);
  CHECK_FALSE(fg::check_gradients(s, m.x, {{m.x, dx}}, {{m.x, m.rows}}).has_value());
  CHECK_FALSE(fg::check_gradients(s, m.loss, {{m.x, dx}}).has_value());
  CHECK_FALSE(fg::check_gradients(s, m.loss, {{m.x, fg::any_out(m.w)}}, {{m.x, m.rows}}).has_value());
}
#endif

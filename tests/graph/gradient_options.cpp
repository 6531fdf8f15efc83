#include <flowgraph/graph/gradient_options.hpp>

#include <flowgraph/graph/gradients.hpp>
#include <flowgraph/ops/accumulate.hpp>
#include <flowgraph/runtime/session.hpp>

#include <doctest/doctest.h>

namespace fg = flowgraph;

#ifndef FLOWGRAPH_INFERENCE

namespace {

// y = x^2, z = y * x
struct cubed {
  fg::graph g;
  fg::out<float> x = g.placeholder<float>("x", {});
  fg::out<float> y = fg::apply(fg::mul_op{}, x, x);
  fg::out<float> z = fg::apply(fg::mul_op{}, y, x);
  fg::out<float> apart = g.placeholder<float>("apart", {});

  float at_three(const fg::out<float>& slope) { return fg::session{g}.run(fg::fetch(slope), {{x, 3.f}}).scalar(); }
};

}  // namespace

TEST_CASE("gradient options: by default gradients begin with ones and pass everywhere") {
  cubed c;
  CHECK(c.at_three(fg::gradients(c.z, c.x, fg::gradient_options{})) == 27);
}

TEST_CASE("gradient options: starts take the place of the ones") {
  cubed c;
  const fg::any_grad starts[]{c.g.constant(10.f)};
  CHECK(c.at_three(fg::gradients(c.z, c.x, {.starts = starts})) == 270);
}

TEST_CASE("gradient options: what is stopped is a constant") {
  cubed c;
  const fg::any_out stop[]{c.y};
  CHECK(c.at_three(fg::gradients(c.z, c.x, {.stop = stop})) == 9);
}

TEST_CASE("gradient options: what is stopped and wanted gets its partial derivative, and passes nothing on") {
  cubed c;
  const fg::any_out stop[]{c.x, c.y};
  const auto [by_x, by_y] = fg::gradients({}, {.stop = stop}, c.z, c.x, c.y);
  CHECK(c.at_three(by_x) == 9);
  CHECK(c.at_three(by_y) == 3);
  const fg::any_out only_y[]{c.y};
  const auto [past_y, at_y] = fg::gradients({}, {.stop = only_y}, c.z, c.x, c.y);
  CHECK(c.at_three(past_y) == 9);
  CHECK(c.at_three(at_y) == 3);
  // The same for a sum: TensorFlow documents 1 and 1 for it.
  const auto twice = fg::apply(fg::add_v2_op{}, c.x, c.x), all = fg::apply(fg::add_v2_op{}, c.x, twice);
  const fg::any_out both[]{c.x, twice};
  const auto [a, b] = fg::gradients({}, {.stop = both}, all, c.x, twice);
  CHECK(c.at_three(a) == 1);
  CHECK(c.at_three(b) == 1);
}

TEST_CASE("gradient options: a handle that the loss does not depend on is an error, or none") {
  cubed c;
  const auto none = fg::gradients(c.z, c.apart, {.allow_none = true});
  CHECK(none.is_none());
  const fg::any_out losses[]{c.z}, wanted[]{c.apart};
  const fg::any_grad ones[]{c.g.constant(1.f)};
  const auto refused = fg::gradient_contributions(losses, wanted, {.starts = ones}, {});
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code() == fg::error_code::invalid_argument);
  CHECK(refused.error().message().find("apart") != std::string_view::npos);
}

#endif

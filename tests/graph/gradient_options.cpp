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

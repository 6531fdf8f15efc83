#include <flowgraph/ops/array/identity.hpp>

#include "../evaluate.hpp"

using namespace ops_test;

TEST_CASE("identity hands on the buffer itself, of any type") {
  fg::graph g;
  auto x = g.placeholder<std::string>("x", {fg::any});
  auto y = fg::identity(x, {.name = "y"});
  fg::session s{g};
  const fg::tensor<std::string> in({2}, {"a", std::string(100, 'b')});
  CHECK(s.run(fg::fetch(y), {{x, in}}).data() == in.data());
}

TEST_CASE("a gradient does not pass stop_gradient, and may not meet prevent_gradient") {
  fg::graph g;
  auto x = g.placeholder<float>("x", {});
  auto y = x * fg::stop_gradient(x);
  fg::out<float> dx = fg::gradients(y, x);
  fg::session s{g};
  CHECK(s.run(fg::fetch(dx), {{x, 3.f}}).scalar() == 3.f);
  auto z = fg::prevent_gradient(x, "no way");
  CHECK(says(refusal(g, [&] { fg::gradients(z, x); }), "PreventGradient"));
}

TEST_CASE("a group runs every node it is made of") {
  fg::graph g;
  auto a = g.placeholder<float>("a", {}), b = g.placeholder<float>("b", {});
  const fg::target both = fg::group(a + 1.f, b * 2.f);
  fg::session s{g};
  CHECK_FALSE(s.try_run(both, {{a, 1.f}}));
  CHECK_FALSE(s.try_run(both, {{b, 1.f}}));
  CHECK(s.try_run(both, {{a, 1.f}, {b, 1.f}}).has_value());
}

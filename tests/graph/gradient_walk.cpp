#include <flowgraph/graph/gradient_walk.hpp>

#include <flowgraph/graph/graph.hpp>
#include <flowgraph/ops/accumulate.hpp>

#include <doctest/doctest.h>

namespace fg = flowgraph;
using fg::detail::gradient_walk;

#ifndef FLOWGRAPH_INFERENCE

namespace {

// sum = x * y + x; other depends on nothing of it.
struct walked {
  fg::graph g;
  fg::out<float> x = g.placeholder<float>("x", {});
  fg::out<float> y = g.placeholder<float>("y", {});
  fg::out<float> other = g.placeholder<float>("other", {});
  fg::out<float> product = fg::apply(fg::mul_op{}, x, y);
  fg::out<float> sum = fg::apply(fg::add_v2_op{}, product, x);
};

struct rounded_op {
  static constexpr std::string_view name = "TestRounded";
  static constexpr fg::op_facts facts{.not_differentiable = true};
  fg::shape shape(const fg::shape& s) const { return s; }
  void operator()(fg::cpu, fg::view<const float>, fg::view<float>) const {}
};

}  // namespace

TEST_CASE("walk: reach says where gradients would arrive, and adds no node") {
  walked w;
  const fg::any_out losses[]{w.sum}, wanted[]{w.x, w.other, w.product, w.sum};
  const std::size_t before = w.g.size();
  CHECK(gradient_walk(losses, wanted, {}).reach() == std::vector<bool>{true, false, true, true});
  const fg::any_out stop[]{w.product};
  CHECK(gradient_walk(losses, wanted, {.stop = stop}).reach()[0]);  // through the sum
  const fg::any_out only_y[]{w.y};
  CHECK(gradient_walk(losses, only_y, {.stop = stop}).reach() == std::vector<bool>{false});
  const fg::any_out with_product[]{w.y, w.product};
  CHECK(gradient_walk(losses, with_product, {.stop = stop}).reach() == std::vector<bool>{false, true});
  CHECK(w.g.size() == before);
}

TEST_CASE("walk: what arrives is not summed") {
  walked w;
  const fg::any_out losses[]{w.sum}, wanted[]{w.x, w.y};
  const fg::any_grad ones[]{w.g.constant(1.f)};
  const fg::gradient_options options{.starts = ones};
  const auto found = gradient_walk(losses, wanted, options).run();
  REQUIRE(found);
  CHECK((*found)[0].size() == 2);
  CHECK((*found)[1].size() == 1);
}

TEST_CASE("walk: two losses add to what arrives") {
  walked w;
  const fg::any_out losses[]{w.sum, w.product}, wanted[]{w.y};
  const fg::any_grad ones[]{w.g.constant(1.f), w.g.constant(1.f)};
  const fg::gradient_options options{.starts = ones};
  const auto found = gradient_walk(losses, wanted, options).run();
  REQUIRE(found);
  CHECK((*found)[0].size() == 1);  // the product sums what arrives at it before it passes on
}

TEST_CASE("walk: a path through an op without a gradient is an error that names the op") {
  fg::graph g;
  auto x = g.placeholder<float>("x", {2});
  auto z = fg::apply(rounded_op{}, x, {.name = "rounded"});
  const fg::any_out losses[]{z}, wanted[]{x};
  const fg::any_grad ones[]{g.constant(1.f)};
  const fg::gradient_options options{.starts = ones};
  const auto refused = gradient_walk(losses, wanted, options).run();
  REQUIRE_FALSE(refused);
  const bool named = std::string_view(refused.error().what()).find("TestRounded") != std::string_view::npos;
  CHECK_MESSAGE(named, refused.error().what());
}

#endif

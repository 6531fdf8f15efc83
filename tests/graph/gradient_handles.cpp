#include <flowgraph/graph/gradients.hpp>

#include <flowgraph/flowgraph.hpp>
#include <flowgraph/ops/control_flow/map.hpp>
#include <flowgraph/ops/nn/rectifier.hpp>
#include <flowgraph/train/clip.hpp>

#include <doctest/doctest.h>

namespace fg = flowgraph;

#ifndef FLOWGRAPH_INFERENCE

namespace {

// A function of a user's, which reads a handle by reference.
fg::out<double> tripled(const fg::out<double>& x) { return x * 3.0; }

struct cubes {
  fg::graph g;
  fg::out<double> x = g.placeholder<double>("x", {2});
  fg::grad<double> d = fg::gradients(fg::sum(x * x * x), x);  // 3 x^2
  fg::session s{g};

  template <class Handle> double at_2(const Handle& h) { return s.run(fg::fetch(h), {{x, fg::tensor<double>({2}, {1, 2})}})[1]; }
};

}  // namespace

TEST_CASE("a gradient is a handle: fetched, taken by functions and operators, and by gradients") {
  cubes c;
  CHECK(c.at_2(c.d) == 12);
  CHECK(c.at_2(fg::square(c.d)) == 144);
  CHECK(c.at_2(c.d * 2.0) == 24);
  CHECK(c.at_2(2.0 * c.d) == 24);
  CHECK(c.at_2(c.d - c.x) == 10);
  CHECK(c.at_2(c.x - c.d) == -10);
  CHECK(c.at_2(-c.d) == -12);
  CHECK(c.at_2(c.d * c.d) == 144);
  CHECK(c.at_2(fg::maximum(c.x, c.d)) == 12);
  CHECK(c.at_2(fg::minimum(c.d, 5.0)) == 5);
  CHECK(c.at_2(fg::relu6(c.d)) == 6);
  CHECK(c.at_2(tripled(c.d)) == 36);
  CHECK(c.at_2(fg::concat({c.d, c.x}, 0)) == 12);
  CHECK(c.at_2(fg::apply(fg::square_op{}, c.d)) == 144);
  CHECK(c.at_2(fg::gradients(c.d, c.x)) == 12);
  CHECK(c.at_2(fg::gradients(fg::gradients(c.d, c.x), c.x)) == 6);
  fg::out<double> assigned;
  assigned = c.d;
  CHECK((assigned == c.d));
  CHECK(fg::any_out(c.d).name() == c.d.name());
  c.s.run(c.d, {{c.x, fg::tensor<double>({2})}});
}

TEST_CASE("a loop and a branch give gradients as they are") {
  cubes c;
  auto rows = fg::map_fn([&](auto row) { return fg::gradients(row * row, row); }, c.x);
  CHECK(c.at_2(rows) == 4);
  auto one = fg::cond(
      c.g.constant(true), [&] { return c.d; }, [&] { return c.x; });
  CHECK(c.at_2(one) == 12);
}

TEST_CASE("slices are a handle too, and stay slices for optimizers") {
  fg::graph g;
  auto table = g.variable("table", fg::tensor<float>({3, 2}, {1, 2, 3, 4, 5, 6}));
  auto ids = g.placeholder<std::int32_t>("ids", {fg::any});
  auto loss = fg::sum(fg::gather(table, ids));
  fg::grad<float> d = fg::gradients(loss, table);
  CHECK(d.is_slices());
  CHECK(fg::any_grad(d).kind == fg::any_grad::form::slices);
  const fg::out<float>& as_read = d;
  fg::session s{g};
  s.initialize();
  const fg::tensor<std::int32_t> twice{{3}, {1, 2, 1}};
  CHECK(s.run(fg::fetch(d), {{ids, twice}})[2] == 2);
  CHECK(s.run(fg::fetch(as_read * 2.f), {{ids, twice}})[2] == 4);
  CHECK(s.run(fg::fetch(d + table), {{ids, twice}})[5] == 7);
}

TEST_CASE("an optimizer's slices add no nodes until they are used, and compare as what they are") {
  fg::graph g;
  auto a = g.variable("a", fg::tensor<float>({3}, {1, 2, 3})), b = g.variable("b", fg::tensor<float>({3}, {1, 2, 3}));
  auto ids = g.constant(fg::tensor<std::int32_t>({1}, {1}));
  auto loss = fg::sum(fg::gather(a, ids)) + fg::sum(fg::gather(b, ids) * 4.f);
  const auto list = fg::sgd{.rate = 1.f}.gradients(loss);
  REQUIRE(list.size() == 2);
  const fg::grad<float> first = list[0].gradient;
  const fg::grad<float>& second = list[1].gradient;
  CHECK((first == list[0].gradient));
  CHECK_FALSE((first == second));
  const std::size_t before = g.size();
  const fg::grad<float> clipped = fg::clip_by_value(second, -1.f, 2.f);
  CHECK(clipped.is_slices());
  CHECK(g.find("UnsortedSegmentSum") == nullptr);
  CHECK(g.size() > before);
  fg::session s{g};
  s.initialize();
  CHECK(s.run(fg::fetch(first))[1] == 1);
  CHECK(s.run(fg::fetch(second))[1] == 4);
  CHECK(s.run(fg::fetch(fg::square(second)))[1] == 16);
  fg::out<float> assigned;
  assigned = clipped;
  CHECK(s.run(fg::fetch(assigned))[1] == 2);
  const std::vector<fg::any_out> erased{first, second};
  CHECK(s.run(fg::fetch(erased))[1].as<float>()[1] == 4);
}

TEST_CASE("none is an empty handle, which ops refuse") {
  fg::graph g;
  auto x = g.placeholder<double>("x", {}), y = g.placeholder<double>("y", {});
  const fg::grad<double> d = fg::gradients(x * x, y, {.allow_none = true});
  CHECK(d.is_none());
  CHECK(d.source == nullptr);
}

#endif

#include <flowgraph/graph/gradients.hpp>

#include <flowgraph/flowgraph.hpp>

#include <doctest/doctest.h>

namespace fg = flowgraph;

#ifndef FLOWGRAPH_INFERENCE

TEST_CASE("gradients with respect to many handles, of several types") {
  fg::graph g;
  std::vector<fg::variable<float>> x;
  for (int i = 0; i < 12; ++i) x.push_back(g.variable("x", fg::tensor<float>(static_cast<float>(i + 1))));
  auto d = g.variable("d", fg::tensor<double>(3.));
  fg::out<float> loss = fg::cast<float>(d);
  for (int i = 0; i < 12; ++i) loss = loss * x[static_cast<std::size_t>(i)];
  auto [a, b, c, e, f] = fg::gradients(loss, x[0], x[1], x[2], x[3], x[4]);
  const std::source_location here = std::source_location::current();
  auto all = fg::gradients(loss, x[0], x[1], x[2], x[3], x[4], x[5], d, x[6], x[7], x[8], x[9], x[10], x[11]);
  static_assert(std::tuple_size_v<decltype(all)> == 13);
  static_assert(std::is_same_v<std::tuple_element_t<6, decltype(all)>, fg::grad<double>>);
  CHECK(fg::out<float>(std::get<12>(all)).source->where.line() == here.line() + 1);
  fg::session s{g};
  s.initialize();
  const double product = 3. * 479001600.;
  auto [ra, rf, rd, last] = s.run(
      fg::fetch(fg::out<float>(a), fg::out<float>(f), fg::out<double>(std::get<6>(all)), fg::out<float>(std::get<12>(all))));
  CHECK(ra.scalar() == doctest::Approx(product));
  CHECK(rf.scalar() == doctest::Approx(product / 5));
  CHECK(rd.scalar() == doctest::Approx(product / 3));
  CHECK(last.scalar() == doctest::Approx(product / 12));
}

TEST_CASE("gradients with respect to lists: vectors, arrays and spans of handles, and of handles of any type") {
  fg::graph g;
  auto v = g.variable("v", fg::tensor<float>(2.f)), w = g.variable("w", fg::tensor<float>(5.f));
  auto d = g.variable("d", fg::tensor<double>(3.));
  auto loss = v * w * fg::cast<float>(d);
  const std::vector<fg::variable<float>> variables{v, w};
  const fg::out_list<float> handles{v, w};
  const std::array<fg::out<float>, 2> array{v, w};
  fg::session s{g};
  const auto check = [&](const std::vector<fg::grad<float>>& made) {
    REQUIRE(made.size() == 2);
    s.initialize();
    auto [dv, dw] = s.run(fg::fetch(fg::out<float>(made[0]), fg::out<float>(made[1])));
    CHECK(dv.scalar() == 15.f);
    CHECK(dw.scalar() == 6.f);
  };
  check(fg::gradients(loss, variables));
  check(fg::gradients(loss, handles));
  check(fg::gradients(loss, array));
  check(fg::gradients(loss, std::span<const fg::out<float>>(handles)));
  CHECK(fg::gradients(loss, fg::out_list<float>()).empty());
  auto other = g.variable("other", fg::tensor<float>(1.f));
  CHECK(fg::gradients(loss, fg::out_list<float>{other, v}, {.allow_none = true})[0].is_none());

  const std::vector<fg::any_grad> any = fg::gradients(loss, g.variables(), {.allow_none = true});
  REQUIRE(any.size() == 4);
  CHECK(any[2].dense.type() == fg::dtype::float64);
  CHECK_FALSE(any[3]);
  auto found = s.try_run(fg::run_request{{}, std::array{any[0].dense, any[2].dense}, {}}).value();
  CHECK(found[0].as<float>().scalar() == 15.f);
  CHECK(found[1].as<double>().scalar() == 10.);
}

#endif

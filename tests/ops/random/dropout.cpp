#include <flowgraph/ops/random/dropout.hpp>

#include "../evaluate.hpp"

#include <algorithm>

using namespace ops_test;

namespace {

fg::tensor<float> dropped(float rate, std::int64_t seed, std::size_t n = 4000) {
  fg::graph g;
  const auto x = g.placeholder<float>("x", {static_cast<std::int64_t>(n)});
  const auto y = fg::dropout(x, rate, seed);
  fg::session s{g};
  fg::tensor<float> ones(fg::shape{static_cast<std::int64_t>(n)});
  for (float& e : ones.writable()) e = 1;
  return s.run(fg::fetch(y), {{x, ones}});
}

}  // namespace

TEST_CASE("dropout: each element is zero or grown, and the mean stays") {
  const auto y = dropped(0.25f, 3);
  double sum = 0;
  for (const float e : y) {
    CHECK((e == 0 || e == doctest::Approx(1 / 0.75f)));
    sum += e;
  }
  CHECK(sum / 4000 == doctest::Approx(1).epsilon(0.05));
  CHECK(std::count(y.begin(), y.end(), 0.f) > 800);
}

TEST_CASE("dropout: the seed tells which elements go") {
  CHECK(same_bits(dropped(0.5f, 3), dropped(0.5f, 3)));
  CHECK_FALSE(same_bits(dropped(0.5f, 3), dropped(0.5f, 4)));
}

TEST_CASE("dropout: at rate 0 it is an identity, which draws nothing") {
  fg::graph g;
  const auto x = g.placeholder<float>("x", {2});
  CHECK(fg::dropout(x, 0).source->op->name() == "Identity");
}

TEST_CASE("dropout: a rate outside of [0, 1) is refused, and adds no node") {
  for (const float rate : {1.f, 1.5f, -0.5f, std::numeric_limits<float>::quiet_NaN()}) {
    fg::graph g;
    const auto x = g.placeholder<float>("x", {2});
    const fg::error why = refusal(g, [&] { fg::dropout(x, rate, {}, {.name = "thin"}); });
    CHECK(why.code() == fg::error_code::invalid_argument);
    CHECK(why.message().starts_with("the rate must be in [0, 1), found "));
    CHECK(why.node() == "thin");
    CHECK(g.size() == 1);
  }
}

#ifdef FLOWGRAPH_EXCEPTIONS
TEST_CASE("dropout: an empty handle is refused") {
  CHECK_THROWS_WITH_AS(fg::dropout(fg::out<float>(), 0.5f), doctest::Contains("empty handle"), fg::error);
}
#endif

#ifndef FLOWGRAPH_INFERENCE
TEST_CASE("dropout: the gradient goes where the value went") {
  fg::graph g;
  const auto x = g.placeholder<float>("x", {100});
  const auto y = fg::dropout(x, 0.5f, 9);
  const fg::out<float> dx = fg::gradients(y, x);
  fg::session s{g};
  fg::tensor<float> ones(fg::shape{100});
  for (float& e : ones.writable()) e = 1;
  const auto [value, slope] = s.run(fg::fetch(y, dx), {{x, ones}});
  CHECK(same_bits(value, slope));
}
#endif

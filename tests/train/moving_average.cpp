#include <flowgraph/train/moving_average.hpp>

#include <flowgraph/runtime/session.hpp>

#include <doctest/doctest.h>

#include <cmath>

namespace fg = flowgraph;

TEST_CASE("averages begin with their variables, follow them, and are named as in TensorFlow") {
  fg::graph g;
  auto w = g.variable("w", fg::random_uniform<float>({3}, 1, 2, 7));
  auto b = g.variable("b", fg::tensor<double>(4.));
  auto grow = fg::assign_add(w, g.constant(fg::tensor<float>({3}, {1, 2, 3})));
  const fg::exponential_moving_average averages{.decay = 0.75f};
  fg::target update;
  {
    auto in_order = g.after(grow);
    update = averages.apply(w, b);
  }
  auto smooth = averages.average(w);
  CHECK(update.source->name == "ExponentialMovingAverage");
  CHECK(smooth.name() == "w/ExponentialMovingAverage");
  CHECK(smooth.initializer != nullptr);
  fg::session s{g};
  s.initialize();
  const auto [first, begin] = s.run(fg::fetch(w, smooth));
  float expected = first[1], at = first[1];
  CHECK(begin[1] == first[1]);
  for (int i = 0; i < 3; ++i) {
    s.run(update);
    at += 2;
    expected -= 0.25f * (expected - at);
    CHECK(s.run(fg::fetch(smooth))[1] == doctest::Approx(expected));
  }
  CHECK(s.run(fg::fetch(averages.average(b))).scalar() == 4.);
}

TEST_CASE("a second update moves the same averages") {
  fg::graph g;
  auto w = g.variable("w", fg::tensor<float>(1.f));
  const fg::exponential_moving_average averages{.decay = 0.5f};
  averages.apply(w);
  const std::size_t variables = g.initializers().size();
  averages.apply(fg::out_list<float>{w});
  CHECK(g.initializers().size() == variables);
#ifdef FLOWGRAPH_EXCEPTIONS
  CHECK_THROWS_AS(fg::exponential_moving_average{.decay = 0.5f}.average(averages.average(w)), fg::error);
#endif
}

TEST_CASE("few updates make the decay small") {
  fg::graph g;
  auto w = g.variable("w", fg::tensor<float>(0.f));
  auto n = g.placeholder<std::int64_t>("n", {});
  const fg::exponential_moving_average averages{.decay = 0.9f, .num_updates = n};
  auto update = averages.apply(w);
  auto smooth = averages.average(w);
  auto set = fg::assign(w, g.constant(1.f));
  fg::session s{g};
  s.initialize();
  s.run(set);
  s.run(update, {{n, std::int64_t{2}}});
  CHECK(s.run(fg::fetch(smooth)).scalar() == doctest::Approx(1 - 0.25));
  s.run(update, {{n, std::int64_t{1000}}});
  CHECK(s.run(fg::fetch(smooth)).scalar() == doctest::Approx(0.75 + 0.1 * 0.25));
}

TEST_CASE("averages of tensors begin with zeros, and may leave that behind") {
  for (const bool unbiased : {false, true}) {
    fg::graph g;
    auto x = g.placeholder<float>("x", {2});
    const fg::exponential_moving_average averages{.decay = 0.9f, .zero_debias = unbiased};
    auto update = averages.apply(x);
    auto smooth = averages.average(x);
    fg::session s{g};
    s.initialize();
    double biased = 0;
    for (int i = 1; i <= 3; ++i) {
      s.run(update, {{x, fg::tensor<float>({2}, {static_cast<float>(i), 0})}});
      biased = 0.9 * biased + 0.1 * i;
      CHECK(s.run(fg::fetch(smooth))[0] == doctest::Approx(unbiased ? biased / (1 - std::pow(0.9, i)) : biased).epsilon(1e-5));
    }
  }
#ifdef FLOWGRAPH_EXCEPTIONS
  fg::graph g;
  auto x = g.placeholder<float>("x", {fg::any});
  CHECK_THROWS_AS(fg::exponential_moving_average{.decay = 0.9f}.apply(x), fg::error);
#endif
}

TEST_CASE("averages stand on the device of what they average, whatever scope is open") {
  fg::graph g;
  const fg::exponential_moving_average averages{.decay = 0.5f, .zero_debias = true};
  fg::out<float> x;
  fg::variable<float> w;
  {
    const auto on = g.on_device("/cpu:1");
    w = g.variable("w", fg::tensor<float>(1.f));
    x = fg::identity(w, {.name = "x"});
  }
  const auto elsewhere = g.on_device("/cpu:2");
  averages.apply(w, x);
  for (const char* name : {"w/ExponentialMovingAverage", "x/ExponentialMovingAverage", "x/ExponentialMovingAverage/biased"})
    CHECK(g.find(name)->device == "/cpu:1");
}

#include <flowgraph/train/optimizer.hpp>

#include <flowgraph/core/thread_pool.hpp>
#include <flowgraph/op/device.hpp>
#include <flowgraph/ops/array/gather.hpp>
#include <flowgraph/runtime/session.hpp>
#include <flowgraph/train/moving_average.hpp>

#include "../harness/refusal.hpp"

#include <doctest/doctest.h>

#include <cmath>

namespace fg = flowgraph;

namespace {

fg::tensor<float> vector(std::initializer_list<float> values) { return {{values.size()}, values}; }

// loss = sum((w - target)^2), whose gradient is 2 (w - target).
struct bowl {
  fg::graph g;
  fg::variable<float> w = g.variable("w", vector({1, -2, 3}));
  fg::out<float> target = g.constant(vector({0.5f, 0.5f, 0.5f}));
  fg::out<float> loss = fg::sum(fg::square(w - target));

  std::vector<float> after(const fg::target& train, int steps) {
    fg::session s{g};
    s.initialize();
    for (int i = 0; i < steps; ++i) s.run(train);
    const fg::tensor<float> t = s.run(fg::fetch(w));
    return {t.begin(), t.end()};
  }
  template <class Update> std::vector<float> expected(int steps, Update update) const {
    std::vector<float> made;
    for (const double start : {1., -2., 3.}) {
      double x = start, m = 0, v = 0;
      for (int i = 1; i <= steps; ++i) update(x, m, v, 2 * (x - 0.5), i);
      made.push_back(static_cast<float>(x));
    }
    return made;
  }
};

void check_close(const std::vector<float>& found, const std::vector<float>& expected) {
  REQUIRE(found.size() == expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) CHECK(found[i] == doctest::Approx(expected[i]).epsilon(1e-5));
}

}  // namespace

TEST_CASE("gradient descent, momentum and Adam follow their formulas for several steps") {
  {
    bowl b;
    check_close(b.after(fg::sgd{.rate = 0.1f}.minimize(b.loss), 5),
                b.expected(5, [](double& x, double&, double&, double d, int) { x -= 0.1 * d; }));
  }
  {
    bowl b;
    check_close(b.after(fg::momentum{.rate = 0.1f, .momentum = 0.5f}.minimize(b.loss), 5),
                b.expected(5, [](double& x, double& m, double&, double d, int) { x -= 0.1 * (m = 0.5 * m + d); }));
  }
  {
    bowl b;
    check_close(b.after(fg::momentum{.rate = 0.1f, .momentum = 0.5f, .nesterov = true}.minimize(b.loss), 5),
                b.expected(5, [](double& x, double& m, double&, double d, int) {
                  m = 0.5 * m + d;
                  x -= 0.1 * (d + 0.5 * m);
                }));
  }
  {
    bowl b;
    check_close(b.after(fg::adam{.rate = 0.1f}.minimize(b.loss), 5),
                b.expected(5, [](double& x, double& m, double& v, double d, int step) {
                  m += 0.1 * (d - m);
                  v += 0.001 * (d * d - v);
                  x -= 0.1 * std::sqrt(1 - std::pow(0.999, step)) / (1 - std::pow(0.9, step)) * m / (std::sqrt(v) + 1e-8);
                }));
  }
}

TEST_CASE("nodes and variables are named as in TensorFlow") {
  bowl b;
  const fg::target train = fg::adam{}.minimize(b.loss);
  CHECK(train.source->name == "Adam");
  for (const char* name : {"w/Adam", "w/Adam_1", "w/Adam/Assign", "beta1_power", "beta2_power", "Adam/update_w/ApplyAdam",
                           "Adam/learning_rate", "Adam/mul", "Adam/mul_1", "Adam/Assign", "Adam/Assign_1"})
    CHECK_MESSAGE(b.g.find(name) != nullptr, name);
  CHECK(fg::momentum{.rate = 1}.minimize(b.loss, b.w).source->name == "Momentum");
  CHECK(b.g.find("w/Momentum") != nullptr);
  CHECK(fg::sgd{.rate = 1}.minimize(b.loss, b.w).source->name == "GradientDescent");
  CHECK(fg::sgd{.rate = 1}.minimize(b.loss, {.name = "descent"}).source->name == "descent");
  CHECK(b.g.find("descent/update_w/ApplyGradientDescent") != nullptr);
}

TEST_CASE("minimize trains what the loss depends on, or what is named") {
  fg::graph g;
  auto a = g.variable("a", fg::tensor<float>(1.f)), b = g.variable("b", fg::tensor<float>(1.f)),
       c = g.variable("c", fg::tensor<float>(1.f));
  auto d = g.variable("d", fg::tensor<double>(1.));
  auto loss = a * b;
  auto all = fg::sgd{.rate = 0.5f}.minimize(loss), one = fg::sgd{.rate = 0.5f}.minimize(loss, b);
  auto other = fg::sgd{.rate = 0.5f}.minimize(fg::cast<float>(d * d), d);
  fg::session s{g};
  s.initialize();
  s.run(all);
  auto [ta, tb, tc] = s.run(fg::fetch(a, b, c));
  CHECK(ta.scalar() == 0.5f);
  CHECK(tb.scalar() == 0.5f);
  CHECK(tc.scalar() == 1.f);
  s.run(one);
  CHECK(s.run(fg::fetch(a)).scalar() == 0.5f);
  CHECK(s.run(fg::fetch(b)).scalar() == 0.25f);
  s.run(other);
  CHECK(s.run(fg::fetch(d)).scalar() == 0.);
#ifdef FLOWGRAPH_EXCEPTIONS
  CHECK_THROWS_AS(fg::sgd{.rate = 1}.minimize(g.constant(1.f) * 2.f), fg::error);
  CHECK_THROWS_AS(fg::sgd{.rate = 1}.minimize(loss, c), fg::error);
  CHECK_THROWS_AS(fg::sgd{.rate = 1}.minimize(loss * fg::cast<float>(d)), fg::error);
#endif
}

TEST_CASE("a rate that the graph computes, and gradients changed on the way") {
  bowl b;
  auto rate = b.g.placeholder<float>("rate", {});
  const fg::sgd method{.rate = rate};
  auto parts = method.gradients(b.loss);
  REQUIRE(parts.size() == 1);
  CHECK(parts[0].variable.name() == "w");
  parts[0].gradient = {fg::sign(fg::out<float>(parts[0].gradient))};
  const fg::target train = method.apply(parts);
  fg::session s{b.g};
  s.initialize();
  s.run(train, {{rate, 0.25f}});
  const fg::tensor<float> w = s.run(fg::fetch(b.w));
  CHECK(w[0] == 0.75f);
  CHECK(w[1] == -1.75f);
}

TEST_CASE("an embedding is trained by the rows that were looked up") {
  const fg::tensor<std::int32_t> rows({3}, {2, 0, 2});
  auto run = [&](auto method, bool dense, int steps) {
    fg::graph g;
    auto w = g.variable("w", fg::tensor<float>({4, 2}, {1, 2, 3, 4, 5, 6, 7, 8}));
    auto table = dense ? fg::identity<float>(w) * 1.f : fg::out<float>(w);
    auto i = g.placeholder<std::int32_t>("i", {fg::any});
    auto loss = fg::sum(fg::square(fg::gather(table, i)));
    auto train = method.minimize(loss, w);
    fg::session s{g};
    s.initialize();
    for (int k = 0; k < steps; ++k) s.run(train, {{i, rows}});
    const fg::tensor<float> t = s.run(fg::fetch(w));
    return std::vector<float>(t.begin(), t.end());
  };
  SUBCASE("descent: as with a dense gradient") {
    check_close(run(fg::sgd{.rate = 0.1f}, false, 3), run(fg::sgd{.rate = 0.1f}, true, 3));
  }
  SUBCASE("Adam: as with a dense gradient") {
    check_close(run(fg::adam{.rate = 0.1f}, false, 3), run(fg::adam{.rate = 0.1f}, true, 3));
  }
  SUBCASE("momentum: repeated rows are summed first, other rows rest") {
    const auto w = run(fg::momentum{.rate = 0.125f, .momentum = 0.5f}, false, 2);
    auto two_steps = [](float x, float slope) {
      float m = slope * x;
      x -= 0.125f * m;
      m = 0.5f * m + slope * x;
      return x - 0.125f * m;
    };
    check_close(w, {two_steps(1, 2), two_steps(2, 2), 3, 4, two_steps(5, 4), two_steps(6, 4), 7, 8});
  }
}

TEST_CASE("a prepared step trains as runs do, to the bit, on any number of threads") {
  auto train = [](bool prepared, fg::thread_pool* pool) {
    fg::graph g;
    g.set_seed(5);
    auto x = g.placeholder<float>("x", {fg::any, 50});
    auto w = g.variable("w", fg::glorot_uniform<float>({50, 700}));
    auto b = g.variable("b", fg::zeros<float>({700}));
    auto loss = fg::mean(fg::square(fg::sum(x) * fg::sum(w, 0) + b - 1.f));
    auto step = fg::adam{.rate = 0.01f}.minimize(loss);
    fg::session s{g, {.pool = pool}};
    s.initialize();
    fg::tensor<float> in({3, 50});
    float value = 0.3f;
    for (float& e : in.writable()) e = 0.01f * (value = value * 3.7f * (1 - value));
    std::vector<float> losses;
    if (prepared) {
      auto run = s.prepare(fg::feed(x), fg::fetch(loss), step);
      for (int i = 0; i < 20; ++i) losses.push_back(run(in).scalar());
    } else {
      for (int i = 0; i < 20; ++i) losses.push_back(s.run(fg::fetch(loss), step, {{x, in}}).scalar());
    }
    return losses;
  };
  fg::thread_pool pool(4);
  const auto plain = train(false, nullptr);
  CHECK(plain.back() < 0.9f * plain.front());
  CHECK(train(true, nullptr) == plain);
  CHECK(train(false, &pool) == plain);
  CHECK(train(true, &pool) == plain);
}

TEST_CASE("an optimizer without a list trains the trainable variables alone; what it remembers is not trainable") {
  fg::graph g;
  auto a = g.variable("a", fg::tensor<float>(1.f));
  auto kept = g.variable("kept", fg::tensor<float>(2.f), {.trainable = false});
  auto frozen = g.variable("frozen", fg::tensor<float>(3.f));
  g.set_trainable(frozen, false);
  auto loss = fg::square(a * kept * frozen);
  auto train = fg::adam{.rate = 0.1f}.minimize(loss);
  CHECK(g.trainable_variables() == fg::any_out_list{a});
  CHECK(g.variables().size() == 7);
  fg::session s{g};
  s.initialize();
  s.run(train);
  auto [x, y, z] = s.run(fg::fetch(a, kept, frozen));
  CHECK(x.scalar() != 1.f);
  CHECK(y.scalar() == 2.f);
  CHECK(z.scalar() == 3.f);
  static_cast<void>(fg::sgd{.rate = 1.f}.minimize(loss, frozen));  // a variable that is named is trained
}

TEST_CASE("what an optimizer remembers stands on the device of its variable, whatever scope is open") {
  bowl b;
  fg::variable<float> w;
  {
    const auto on = b.g.on_device("/cpu:1");
    w = b.g.variable("there", vector({1, 2}));
  }
  const auto elsewhere = b.g.on_device("/cpu:2");
  const auto train = fg::adam{.rate = 0.1f}.minimize(b.loss + fg::sum(fg::square(w)));
  CHECK(b.g.find("there/Adam")->device == "/cpu:1");
  CHECK(b.g.find("there/Adam/Assign")->device == "/cpu:1");
  CHECK(b.g.find("w/Adam_1")->device.empty());
  const fg::device_list cpus = fg::cpu_devices(3);
  fg::session s{b.g, {.devices = cpus}};
  s.initialize();
  s.run(train);
  CHECK(s.run(fg::fetch(w))[0] < 1);
}

TEST_CASE("a hyperparameter that is not a scalar of the graph is refused before variables are added") {
  bowl b;
  fg::graph other;
  const fg::out<float> of_other = other.placeholder<float>("rate", {}), wide = b.g.placeholder<float>("wide", {2});
  for (const fg::out<float>& rate : {fg::out<float>(), of_other, wide}) {
    const std::size_t variables = b.g.variables().size();
    const fg::error why = refusal(b.g, [&] { fg::momentum{.rate = rate}.minimize(b.loss); });
    CHECK(why.code() == fg::error_code::invalid_argument);
    CHECK(why.message().starts_with("the hyperparameter "));
#ifdef FLOWGRAPH_EXCEPTIONS
    CHECK(why.node() == "Momentum/learning_rate");
    CHECK(b.g.variables().size() == variables);
    const fg::error average = refusal(b.g, [&] { fg::exponential_moving_average{.decay = rate}.apply(b.w); });
    CHECK(average.message() == why.message());
#endif
  }
}

#ifdef FLOWGRAPH_EXCEPTIONS
TEST_CASE("an empty loss and an empty variable are refused") {
  bowl b;
  const fg::out<float> none;
  CHECK_THROWS_WITH_AS(fg::adam{}.minimize(none), doctest::Contains("empty handle"), fg::error);
  CHECK_THROWS_WITH_AS(fg::sgd{.rate = 1}.gradients(none), doctest::Contains("empty handle"), fg::error);
  const fg::trained_list<float> list{{b.w, {fg::any_grad(b.target)}}, {none, {fg::any_grad(b.target)}}};
  CHECK_THROWS_WITH_AS(fg::sgd{.rate = 1}.apply(list), doctest::Contains("empty handle"), fg::error);
}
#endif

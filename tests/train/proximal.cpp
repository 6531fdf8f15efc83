#include <flowgraph/train/proximal.hpp>

#include "formula.hpp"

namespace fg = flowgraph;
using namespace train_test;

TEST_CASE("descent with a proximal step follows its formula, with dense and with sparse gradients") {
  check_follows(fg::proximal_sgd{.rate = 0.125f, .l1 = 0.5f, .l2 = 0.25f},
                [](double& w, double*, double d, int) { w = soft(w - 0.125 * d, 0.0625) / (1 + 0.125 * 0.25); });
}

TEST_CASE("Adagrad with a proximal step follows its formula") {
  check_follows(fg::proximal_adagrad{.rate = 0.5f, .l1 = 0.5f, .l2 = 0.25f}, [](double& w, double* m, double d, int step) {
    if (step == 1) m[0] = 0.1;
    m[0] += d * d;
    const double rate = 0.5 / std::sqrt(m[0]);
    w = soft(w - rate * d, rate * 0.5) / (1 + rate * 0.25);
  });
}

TEST_CASE("proximal methods: what it remembers is named as in TensorFlow") {
  fg::graph g;
  auto w = g.variable("w", fg::zeros<float>({2}));
  auto loss = fg::sum(fg::square(w - 1.f));
  fg::proximal_sgd{.rate = 1}.minimize(loss);
  fg::proximal_adagrad{.rate = 1}.minimize(loss);
  check_names(g, {"ProximalGradientDescent/update_w/ApplyProximalGradientDescent", "w/ProximalAdagrad"});
}

TEST_CASE("several methods in one graph, each with its variables, and a rate that the graph computes") {
  fg::graph g;
  auto a = g.variable("a", fg::tensor<float>(1.f)), b = g.variable("b", fg::tensor<float>(1.f));
  auto rate = g.placeholder<float>("rate", {});
  auto loss = fg::square(a) + fg::square(b);
  auto first = fg::proximal_sgd{.rate = rate}.minimize(loss, a);
  auto second = fg::proximal_adagrad{.rate = rate, .initial_accumulator = 5}.minimize(loss, b);
  fg::session s{g};
  s.initialize();
  s.run(first, {{rate, 0.25f}});
  CHECK(s.run(fg::fetch(a)).scalar() == 0.5f);
  CHECK(s.run(fg::fetch(b)).scalar() == 1.f);
  s.run(second, {{rate, 1.5f}});
  CHECK(s.run(fg::fetch(a)).scalar() == 0.5f);
  CHECK(s.run(fg::fetch(b)).scalar() == 0.f);
}

#ifdef FLOWGRAPH_EXCEPTIONS
TEST_CASE("proximal Adagrad: an accumulator that begins at zero or below is an error where the method is used") {
  fg::graph g;
  auto w = g.variable("w", fg::zeros<float>({2}));
  auto loss = fg::sum(fg::square(w));
  CHECK_THROWS_WITH_AS((fg::proximal_adagrad{.rate = 1, .initial_accumulator = -1}).minimize(loss),
                       doctest::Contains("greater than zero"), fg::error);
}
#endif

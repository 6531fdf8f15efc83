#include <flowgraph/train/loss_scale.hpp>

#include <flowgraph/flowgraph.hpp>
#include <flowgraph/train/accumulate_gradients.hpp>

#include <doctest/doctest.h>

#include <cstring>
#include <limits>

namespace fg = flowgraph;

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

// Computes in halves: the gradient of w is 2 * share * share * w.
struct half_model {
  fg::graph g;
  fg::out<float> share = g.placeholder<float>("share", {});
  fg::variable<float> w = g.variable("w", fg::tensor<float>({2}, {1, -2}));
  fg::out<float> loss = fg::sum(fg::cast<float>(fg::square(fg::cast<fg::half>(w) * fg::cast<fg::half>(share))));
};

}  // namespace

TEST_CASE("a scaled loss trains as one that is not, to the bit, where floats hold all") {
  fg::graph a, b;
  const auto build = [](fg::graph& g, auto train) {
    auto w = g.variable("w", fg::tensor<float>({3}, {1.25f, -2, 3}));
    auto table = g.variable("table", fg::tensor<float>({3, 1}, {1, 2, 3}));
    auto rows = g.constant(fg::tensor<std::int32_t>({3}, {2, 0, 2}));
    const auto loss = fg::mean(fg::square(w * 0.7f)) + fg::mean(fg::square(fg::gather(table, rows)));
    const fg::target t = train(loss);
    fg::session s{g};
    s.initialize();
    auto step = s.prepare(fg::feed(), fg::fetch(), t);
    for (int i = 0; i < 10; ++i) step();
    auto [x, y] = s.run(fg::fetch(w, table));
    std::vector<float> made(x.begin(), x.end());
    made.insert(made.end(), y.begin(), y.end());
    return made;
  };
  const fg::momentum method{.rate = 0.1f};
  fg::loss_scale scale(b, {.growth_steps = 4});
  CHECK(build(a, [&](auto loss) { return method.minimize(loss); }) ==
        build(b, [&](auto loss) { return scale.minimize(method, loss); }));
}

TEST_CASE("a step whose gradients are not finite is skipped, and the scale shrinks; it grows after good ones") {
  half_model m;
  fg::loss_scale scale(m.g, {.initial = 4096, .growth_steps = 3, .smallest = 1024, .largest = 8192});
  auto train = scale.minimize(fg::adam{.rate = 0.1f}, m.loss);
  fg::session s{m.g};
  s.initialize();
  auto step = s.prepare(fg::feed(m.share), fg::fetch(), train);
  const auto after = [&](float share) {
    const auto before = s.run(fg::fetch(m.w));
    step(fg::tensor<float>(share));
    auto [scaled, skipped, w] = s.run(fg::fetch(scale.value(), scale.skipped_steps(), m.w));
    return std::tuple(scaled.scalar(), skipped.scalar(), w[0] != before[0] || w[1] != before[1]);
  };
  using found = std::tuple<float, std::int64_t, bool>;
  CHECK(after(1) == found{4096, 0, true});
  CHECK(after(1) == found{4096, 0, true});
  CHECK(after(10) == found{2048, 1, false});  // 2 * 20 * 4096 is more than a half holds
  CHECK(after(1) == found{2048, 1, true});
  CHECK(after(1) == found{2048, 1, true});
  CHECK(after(1) == found{4096, 1, true});
  CHECK(after(infinity) == found{2048, 2, false});
  CHECK(after(infinity) == found{1024, 3, false});
  CHECK(after(infinity) == found{1024, 4, false});  // no smaller
  for (int i = 0; i < 12; ++i) after(0.5f);
  CHECK(after(0.5f) == found{8192, 4, true});  // no larger
}

TEST_CASE("gradients that are too small for halves are not lost") {
  const auto trained = [](bool is_scaled) {
    half_model m;
    fg::loss_scale scale(m.g, {.initial = 1024});
    const fg::sgd method{.rate = 1e6f};
    const fg::target train = is_scaled ? scale.minimize(method, m.loss) : method.minimize(m.loss);
    fg::session s{m.g};
    s.initialize();
    s.run(train, {{m.share, fg::tensor<float>(1e-4f)}});
    return s.run(fg::fetch(m.w))[0];
  };
  CHECK(trained(false) == 1);  // 2e-8: halves have nothing between 0 and 6e-8
  CHECK(trained(true) == doctest::Approx(0.98).epsilon(1e-3));
}

TEST_CASE("some variables alone are trained with a scaled loss") {
  fg::graph g;
  auto a = g.variable("a", fg::tensor<float>(1.f)), b = g.variable("b", fg::tensor<float>(1.f));
  fg::loss_scale scale(g);
  auto train = scale.minimize(fg::sgd{.rate = 0.5f}, a * b, b);
  fg::session s{g};
  s.initialize();
  s.run(train);
  auto [x, y] = s.run(fg::fetch(a, b));
  CHECK(x.scalar() == 1);
  CHECK(y.scalar() == 0.5f);
}

TEST_CASE("a batch whose gradients are not finite is left out of those that accumulate") {
  fg::graph g;
  auto x = g.placeholder<float>("x", {});
  auto w = g.variable("w", fg::tensor<float>(1.f));
  fg::loss_scale scale(g);
  auto train = scale.minimize(fg::accumulate_gradients(fg::sgd{.rate = 1}, {.steps = 2}), w * x);
  fg::session s{g};
  s.initialize();
  std::vector<float> values;
  for (const float share : {1.f, infinity, 3.f, 5.f}) {
    s.run(train, {{x, fg::tensor<float>(share)}});
    values.push_back(s.run(fg::fetch(w)).scalar());
  }
  CHECK(values == std::vector<float>{1, 1, -1, -1});  // 1 - (1 + 3) / 2
  CHECK(s.run(fg::fetch(scale.skipped_steps())).scalar() == 1);
}

TEST_CASE("a scale is no variable that is trained, and stands in checkpoints under its name") {
  half_model m;
  fg::loss_scale scale(m.g);
  CHECK(m.g.trainable_variables() == fg::any_out_list{m.w});
  CHECK(m.g.variables("loss_scale").size() == 3);
  CHECK(scale.value().source->name == "loss_scale/value");
}

#ifdef FLOWGRAPH_EXCEPTIONS
TEST_CASE("options of a scale that make no sense are refused") {
  const auto refused = [](const fg::loss_scale_options& options, const char* text) {
    fg::graph g;
    try {
      const fg::loss_scale scale(g, options);
      FAIL("no error");
    } catch (const fg::error& e) {
      CHECK(e.code() == fg::error_code::invalid_argument);
      CHECK_MESSAGE(std::strstr(e.what(), text), e.what());
      CHECK(std::strstr(e.what(), "loss_scale.cpp"));
      CHECK(g.variables().empty());
    }
  };
  refused({.initial = 0}, "`initial` must lie between `smallest` and `largest`, found 0");
  refused({.initial = 1e30f}, "`initial`");
  refused({.initial = std::numeric_limits<float>::quiet_NaN()}, "`initial`");
  refused({.factor = 1}, "`factor` must be above one, found 1");
  refused({.growth_steps = 0}, "`growth_steps` must be at least 1");
  refused({.smallest = 0}, "`smallest` must be above zero");
}
#endif

#include <flowgraph/train/rate_schedule_hook.hpp>

#include <flowgraph/flowgraph.hpp>
#include <flowgraph/train/accumulate_gradients.hpp>
#include <flowgraph/train/rate_schedule.hpp>

#include <doctest/doctest.h>

namespace fg = flowgraph;

namespace {

struct scheduled_model {
  fg::graph g;
  fg::variable<float> w = g.variable("w", fg::tensor<float>(100.f));
  fg::out<float> loss = w * 1.f;
};

}  // namespace

TEST_CASE("a rate follows the steps of the loop, and those of a training that goes on") {
  scheduled_model m;
  fg::rate_schedule_hook falling(m.g, [](auto step) { return fg::exponential_decay(8.f, step, 1, 0.5f); });
  auto train = fg::sgd{.rate = falling.rate()}.minimize(m.loss);
  fg::session s{m.g};
  s.initialize();
  std::vector<float> rates, values;
  const auto step = [&] {
    auto [w, rate] = s.run(fg::fetch(m.w, falling.rate()));
    values.push_back(w.scalar());
    rates.push_back(rate.scalar());
    s.run(train);
  };
  fg::training_loop loop(s, {.steps = 3});
  loop.add(falling).run(step);
  CHECK(rates == std::vector<float>{8, 4, 2});
  CHECK(values == std::vector<float>{100, 92, 88});

  fg::session other{m.g};
  other.initialize();
  fg::training_loop next(other, {.steps = 7});
  next.set_step(5);
  rates.clear();
  next.add(falling).run([&] {
    rates.push_back(other.run(fg::fetch(falling.rate())).scalar());
    other.run(train);
  });
  CHECK(rates == std::vector<float>{0.25f, 0.125f});
  CHECK(other.run(fg::fetch(falling.step())).scalar() == 6);
  CHECK(m.g.trainable_variables().size() == 1);
}

TEST_CASE("a schedule counts updates where gradients accumulate") {
  scheduled_model m;
  fg::rate_schedule_hook falling(m.g, [](auto step) { return fg::exponential_decay(8.f, step, 1, 0.5f); },
                                 {.steps_per_update = 3});
  auto train = fg::accumulate_gradients(fg::sgd{.rate = falling.rate()}, {.steps = 3}).minimize(m.loss);
  fg::session s{m.g};
  s.initialize();
  fg::training_loop loop(s, {.steps = 9});
  std::vector<float> values;
  loop.add(falling).run([&] {
    s.run(train);
    values.push_back(s.run(fg::fetch(m.w)).scalar());
  });
  CHECK(values == std::vector<float>{100, 100, 92, 92, 92, 88, 88, 88, 86});
}

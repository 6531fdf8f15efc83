// What surrounds an optimizer: a rate that falls, gradients that are held, averages that stay calm.
//
//     loss ──> gradients ──> clip_by_global_norm ──> momentum ──> w ──> w/ExponentialMovingAverage
//                                                       ^
//                           global_step ──> cosine_decay

#include <flowgraph/flowgraph.hpp>
#include <flowgraph/train/clip.hpp>
#include <flowgraph/train/moving_average.hpp>
#include <flowgraph/train/rate_schedule.hpp>

#include <cmath>
#include <cstdio>

namespace fg = flowgraph;

int main() {
  fg::graph g;
  g.set_seed(3);
  auto w = g.variable("w", fg::tensor<float>({2}, {40, -30}));
  auto noise = fg::random_normal<float>(g, {2}, {.stddev = 2});
  auto loss = fg::sum(fg::square(w - noise));

  auto global_step = g.variable("global_step", fg::tensor<std::int64_t>(0));
  auto rate = fg::cosine_decay(0.2f, global_step, 400, 0.1f);
  const fg::momentum method{.rate = rate, .momentum = 0.5f};

  auto parts = method.gradients(loss);
  auto norm = fg::global_norm(parts);
  auto train = method.apply(fg::clip_by_global_norm(parts, 5.f, norm));

  const fg::exponential_moving_average averages{.decay = 0.98f, .num_updates = global_step};
  fg::target step;
  {
    auto in_order = g.after(train);
    auto averaged = averages.apply(w);
    auto counted = fg::assign_add(global_step, g.constant<std::int64_t>(1));
    step = fg::group(averaged, counted);
  }
  auto smooth = averages.average(w);

  fg::session s{g};
  s.initialize();
  for (int i = 0; i < 400; ++i) {
    auto [now, length] = s.run(fg::fetch(rate, norm), step);
    if (i % 80 == 0) std::printf("step %3d  rate %.4f  gradient of length %.2f\n", i, now.scalar(), length.scalar());
  }

  auto [last, calm] = s.run(fg::fetch(w, smooth));
  std::printf("the weights %.3f %.3f, their averages %.3f %.3f\n", last[0], last[1], calm[0], calm[1]);
  return std::hypot(calm[0], calm[1]) < 1 ? 0 : 1;
}

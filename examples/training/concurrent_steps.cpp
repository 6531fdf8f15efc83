// Steps that are on their way at the same time hide the wait for input: while one client's samples come in, another's are trained on.
//
//     one client:     input ......... step | input ......... step | input ......... step
//     three clients:  input ......... step | input ......... step | ...
//                       input ......... step | input ......... step | ...
//                         input ......... step | ...

#include <flowgraph/flowgraph.hpp>
#include <flowgraph/train/coordinator.hpp>
#include <flowgraph/train/training_loop.hpp>

#include <chrono>
#include <cstdio>
#include <string>
#include <thread>

namespace fg = flowgraph;

int main() {
  fg::graph g;
  g.set_seed(5);
  auto x = g.placeholder<float>("x", {64, 32});
  auto w = g.variable("w", fg::glorot_uniform<float>({32, 64})), v = g.variable("v", fg::glorot_uniform<float>({64, 1}));
  auto loss = fg::mean(fg::square(fg::matmul(fg::relu(fg::matmul(x, w)), v) - fg::mean(x, 1, true)));
  auto train = fg::sgd{.rate = 0.01f}.minimize(loss);

  // A source that answers after a while, as a disk, a network or a sensor does.
  const auto wait_for = [](fg::tensor<float>& samples, std::int64_t seed) {
    std::this_thread::sleep_for(std::chrono::milliseconds(4));
    for (float& sample : samples.writable()) sample = static_cast<float>((seed = seed * 48271 % 2147483647) % 1000) / 1000;
  };
  constexpr std::int64_t steps = 90;
  float reached = 1;
  const auto seconds_with = [&](int count) {
    fg::session s{g};
    s.initialize();
    const auto began = std::chrono::steady_clock::now();
    fg::coordinator clients;
    for (int i = 0; i < count; ++i)
      clients.start("client " + std::to_string(i), [&, i](std::stop_token stop) {
        auto step = s.prepare(fg::feed(x), fg::fetch(loss), train);
        fg::tensor<float> samples({64, 32});
        fg::training_loop loop(s, {.steps = steps / count, .stop = stop});
        loop.run([&](const fg::training_progress& now) {
          wait_for(samples, 1 + i + count * now.step);
          return step(samples).scalar();
        });
        if (i == 0) reached = loop.progress().loss;
      });
    clients.join();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  };
  const double one = seconds_with(1), three = seconds_with(3);
  std::printf("%d steps: one client %.2f s, three clients %.2f s, %.1f times as fast\n", static_cast<int>(steps), one, three,
              one / three);
  return three < one && reached < 0.5f ? 0 : 1;
}

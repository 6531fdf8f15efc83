// Tasks with an op of one's own. Its kernel is code of the program, so each task is a program that knows it: a main of five lines, in which
// the op is added beside the standard ones. Here the same program is client and tasks.
//
//     x ──> Swish on worker 0 ──> Swish on worker 1 ──> y          a task that lacks Swish says so, by name

#include "own_processes.hpp"

#include <flowgraph/flowgraph.hpp>
#include <flowgraph/graph/registration.hpp>

#include <cmath>
#include <cstdio>

namespace fg = flowgraph;

// x * sigmoid(x)
struct swish {
  static constexpr std::string_view name = "Swish";
  using types = fg::floating;
  fg::shape shape(fg::shape x) const { return x; }
  template <class T> void operator()(fg::cpu, fg::view<const T> x, fg::view<T> y) const {
    for (std::size_t i = 0; i < x.size(); ++i) y[i] = T(x[i] / (1 + std::exp(-x[i])));
  }
  template <class T> fg::out<T> gradient(fg::out<T> x, fg::out<T> y, fg::out<T> dy) const {
    const auto s = fg::sigmoid(x);
    return dy * (s + y * (T(1) - s));
  }
};

// What stands in the main() of a worker of one's own.
void own_worker(const own_processes::own_task& t) {
  fg::registry ops;
  fg::add_standard_ops(ops).value();
  fg::add_op<swish>(ops).value();
  const fg::tcp::server here(t.all, t.job, t.index, ops);
  t.until_the_end();
}

int main() {
  own_processes tasks({{"worker", 2}}, own_worker), others({{"worker", 1}});
  fg::graph g;
  auto x = g.placeholder<float>("x", {3});
  fg::out<float> y;
  {
    const auto on = g.on_device("/job:worker/task:0");
    y = fg::apply(swish{}, x);
  }
  {
    const auto on = g.on_device("/job:worker/task:1");
    y = fg::apply(swish{}, y);
  }
  fg::out<float> dx = fg::gradients(y, x);

  fg::session s{g, fg::tcp::connect(tasks.address("worker", 0))};
  const fg::tensor<float> at({3}, {-1, 0, 2});
  const auto [values, slopes] = s.run(fg::fetch(y, dx), {{x, at}});
  const auto twice = [](double v) {
    const double once = v / (1 + std::exp(-v));
    return once / (1 + std::exp(-once));
  };
  bool is_right = true;
  for (std::size_t i = 0; i < 3; ++i) {
    const double v = at[i], slope = (twice(v + 1e-5) - twice(v - 1e-5)) / 2e-5;
    std::printf("x %4.1f  y %.5f  slope %.5f\n", v, static_cast<double>(values[i]), static_cast<double>(slopes[i]));
    is_right = is_right && std::abs(values[i] - twice(v)) < 1e-5 && std::abs(slopes[i] - slope) < 1e-4;
  }

  fg::session t{g, fg::tcp::connect(others.address("worker", 0))};
  const auto lacks = t.try_run(fg::fetch(y), {{x, at}});
  std::printf("%s\n", lacks ? "" : lacks.error().what());
  return is_right && !lacks && std::string_view(lacks.error().what()).find("'Swish'") != std::string_view::npos ? 0 : 1;
}

// Measures kernels of a GPU as fractions of the rate of a copy.
//
//     gpu_rates [--elements 100000000] [--samples 5]    prints a table
//     gpu_rates --check                                 exits with 3 if there is no GPU, and prints why
//
// If the environment variable FLOWGRAPH_TEST_GPU is set, the program uses the first real GPU. Otherwise it uses an emulated GPU,
// whose rates mean nothing.

#include "../emulation/devices.hpp"

#include <flowgraph/cuda/cuda.hpp>
#include <flowgraph/graph/graph.hpp>
#include <flowgraph/ops/array/gather.hpp>
#include <flowgraph/ops/array/transpose.hpp>
#include <flowgraph/ops/linear_algebra/matmul.hpp>
#include <flowgraph/ops/math/math.hpp>
#include <flowgraph/ops/nn/activation.hpp>
#include <flowgraph/ops/nn/softmax.hpp>
#include <flowgraph/ops/operators.hpp>
#include <flowgraph/ops/reduction/reduction.hpp>
#include <flowgraph/ops/state/variable.hpp>
#include <flowgraph/runtime/session.hpp>
#include <flowgraph/train/optimizer.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <string>

namespace {

namespace fg = flowgraph;
using clock = std::chrono::steady_clock;

double seconds_since(clock::time_point start) { return std::chrono::duration<double>(clock::now() - start).count(); }

class rates {
public:
  rates(emulation::emulated gpu, std::int64_t elements, int samples)
      : gpu_(std::move(gpu)), side_(static_cast<std::int64_t>(std::sqrt(static_cast<double>(elements)))), samples_(samples) {}

  void print() {
    copy_ = copy_rate();
    std::printf("%-22s %10s %10s\n", "work", "GB/s", "of a copy");
    std::printf("%-22s %10.1f %10s\n", "copy", copy_ / 1e9, "1");
    const double all = static_cast<double>(4 * side_ * side_);  // bytes of a matrix
    row("add", 3 * all, [](fg::graph&, auto x, auto z) { return fg::target(x + z); });
    row("multiply by a number", 2 * all, [](fg::graph&, auto x, auto) { return fg::target(x * 1.5f); });
    row("exp", 2 * all, [](fg::graph&, auto x, auto) { return fg::target(fg::exp(x)); });
    row("tanh", 2 * all, [](fg::graph&, auto x, auto) { return fg::target(fg::tanh(x)); });
    row("sum of all", all, [](fg::graph&, auto x, auto) { return fg::target(fg::sum(x)); });
    row("sum of the first axis", all, [](fg::graph&, auto x, auto) { return fg::target(fg::sum(x, {0})); });
    row("sum of the last axis", all, [](fg::graph&, auto x, auto) { return fg::target(fg::sum(x, {1})); });
    row("softmax of rows", 2 * all, [](fg::graph&, auto x, auto) { return fg::target(fg::softmax(x)); });
    row("transpose", 2 * all, [](fg::graph&, auto x, auto) { return fg::target(fg::transpose(x)); });
    row("gather rows", 2 * all, [this](fg::graph& g, auto x, auto) {
      fg::tensor<std::int32_t> order(fg::shape{side_});
      for (std::int64_t i = 0; i < side_; ++i)
        order.writable()[static_cast<std::size_t>(i)] = static_cast<std::int32_t>(i * 7919 % side_);
      return fg::target(fg::gather(x, g.variable<std::int32_t>("order", order)));
    });
    adam(7 * all);
    chain();
    product("flowgraph", gpu_);
    if (auto made = emulation::try_open(1, std::make_shared<emulation::state>(), {}, true))
      product(fg::cuda::libraries_of(made->devices[0]).c_str(), *made);
    else std::printf("%s\n", made.error().what());
  }

private:
  static constexpr int repeats = 8;

  double copy_rate() {
    fg::cuda::device_memory& memory = gpu_.gpu().own_memory();
    const auto bytes = static_cast<std::size_t>(4 * side_ * side_);
    void* const from = memory.allocate(bytes);
    void* const to = memory.allocate(bytes);
    const double least = fastest([&] {
      for (int i = 0; i < repeats; ++i) memory.copy_within(from, to, bytes);
    });
    memory.deallocate(from, bytes);
    memory.deallocate(to, bytes);
    return 2. * static_cast<double>(bytes) * repeats / least;
  }
  template <class F> double fastest(const F& run) {
    double least = 1e9;
    for (int i = 0; i <= samples_; ++i) {  // the first run is not measured
      const auto start = clock::now();
      run();
      if (const fg::error why = gpu_.gpu().own_memory().finish()) fail(why);
      if (i > 0) least = std::min(least, seconds_since(start));
    }
    return least;
  }
  [[noreturn]] static void fail(const fg::error& why) {
    std::printf("%s\n", why.what());
    std::exit(1);
  }

  fg::variable<float> matrix(fg::graph& g, const char* name) const {
    return g.variable<float>(name, fg::tensor<float>(fg::shape{side_, side_}));
  }
  double seconds_of(fg::graph& g, const std::vector<fg::target>& targets) {
    fg::session s{g, {.devices = gpu_.devices, .passes = fg::pass_options::none()}};
    s.initialize();
    auto step = s.try_prepare(std::span<const fg::any_out>(), {}, targets);
    if (!step) fail(step.error());
    return fastest([&] {
      if (const auto ran = step->try_run({}, {}); !ran) fail(ran.error());
    });
  }
  void report(const char* name, double bytes, double seconds) const {
    std::printf("%-22s %10.1f %10.2f\n", name, bytes / seconds / 1e9, bytes / seconds / copy_);
  }
  template <class Build> void row(const char* name, double bytes, const Build& build) {
    fg::graph g;
    const fg::variable<float> x = matrix(g, "x"), z = matrix(g, "z");
    std::vector<fg::target> targets;
    for (int i = 0; i < repeats; ++i) targets.push_back(build(g, fg::out<float>(x), fg::out<float>(z)));
    report(name, bytes * repeats, seconds_of(g, targets));
  }
  // Measures the time of a step without the time of its gradient.
  void adam(double bytes) {
    fg::graph g;
    const fg::variable<float> w = matrix(g, "w"), z = matrix(g, "z");
    auto loss = fg::sum(w * z);
    const fg::target train = fg::adam{}.minimize(loss), gradient = fg::target(fg::gradients(loss, fg::out<float>(w)));
    const double both = seconds_of(g, {train}), alone = seconds_of(g, {gradient});
    report("Adam", bytes, both - alone);
  }
  // Measures the time that the host needs for a node of a chain.
  void chain() {
    constexpr int nodes = 200;
    fg::graph g;
    fg::out<float> y = g.variable<float>("x", fg::tensor<float>({1}, {1.f}));
    for (int i = 0; i < nodes; ++i) y = fg::tanh(y);
    std::printf("%-22s %10.2f us per node of a prepared step\n", "enqueue", 1e6 * seconds_of(g, {fg::target(y)}) / nodes);
    fg::session s{g, {.devices = gpu_.devices, .passes = fg::pass_options::none()}};
    s.initialize();
    const double queued = fastest([&] { s.run(fg::target(y)); });
    std::printf("%-22s %10.2f us per node of a run\n", "enqueue", 1e6 * queued / nodes);
  }

  // Measures products of matrices of floats.
  void product(const char* by, const emulation::emulated& gpu) {
    const std::int64_t side = std::min<std::int64_t>(side_, 4096);
    fg::graph g;
    const fg::out<float> x = g.variable<float>("x", fg::tensor<float>(fg::shape{side, side}));
    fg::session s{g, {.devices = gpu.devices, .passes = fg::pass_options::none()}};
    s.initialize();
    const fg::target made(fg::matmul(x, x));
    double least = 1e9;
    for (int i = 0; i <= samples_; ++i) {
      const auto start = clock::now();
      s.run(made);
      if (i > 0) least = std::min(least, seconds_since(start));
    }
    std::printf("product by %-20s %10.2f TFLOP/s\n", by, 2e-12 * std::pow(static_cast<double>(side), 3) / least);
  }

  emulation::emulated gpu_;
  std::int64_t side_;
  int samples_;
  double copy_ = 0;
};

}  // namespace

int main(int count, char** words) {
  std::int64_t elements = 100'000'000;
  int samples = 5;
  bool checks = false;
  for (int i = 1; i < count; ++i) {
    const std::string word = words[i];
    if (word == "--elements" && i + 1 < count) elements = std::stoll(words[++i]);
    else if (word == "--samples" && i + 1 < count) samples = std::stoi(words[++i]);
    else checks = word == "--check";
  }
  auto gpu = emulation::try_open(1, std::make_shared<emulation::state>());
  if (!gpu) {
    std::printf("there is no GPU here: %s\n", gpu.error().what());
    return 3;
  }
  if (!checks) rates(*std::move(gpu), elements, samples).print();
}

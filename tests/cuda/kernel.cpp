// Kernels that programs add for their ops. The C++ compiler compiles the .cu file of an example for the emulated GPU.

#include FLOWGRAPH_EXAMPLE_OF_KERNELS  // examples/devices/gpu_op.cu

#include <flowgraph/cuda/kernel.hpp>

#include "emulation/devices.hpp"

#include <flowgraph/graph/apply.hpp>
#include <flowgraph/graph/graph.hpp>
#include <flowgraph/runtime/session.hpp>

#include <doctest/doctest.h>

namespace {

// a x + b y, broadcast.
struct weighted_sum {
  static constexpr std::string_view name = "WeightedSum";
  using types = fg::type_list<float, fg::half>;
  static constexpr fg::op_facts facts{.not_differentiable = true};
  float a = 1, b = 1;
  static constexpr auto attrs = fg::attrs(fg::attr("a", &weighted_sum::a), fg::attr("b", &weighted_sum::b));
  fg::shape shape(fg::shape x, fg::shape y) const {
    fg::shape joint;
    return fg::broadcast(x, y, joint) ? joint : fg::shape::unknown();
  }
  template <class T> void operator()(fg::cpu, fg::view<const T>, fg::view<const T>, fg::view<T>) const {}
};
struct weighted_sum_of {
  float a, b;
  explicit weighted_sum_of(const weighted_sum& op) : a(op.a), b(op.b) {}
  FLOWGRAPH_FUNCTION float operator()(float x, float y) const { return a * x + b * y; }
};

emulation::emulated open_gpu(std::uint64_t seed) {
  emulation::emulated gpu = emulation::open(seed);
  add_gpu_kernels(gpu.devices[0]);
  fg::cuda::add_map<weighted_sum, weighted_sum_of, float, fg::half>(gpu.devices[0]).value();
  return gpu;
}

}  // namespace

TEST_CASE("ops of a program run on a GPU with the kernels of the program") {
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    const emulation::emulated gpu = open_gpu(seed);
    fg::graph g;
    auto x = g.placeholder<float>("x", {fg::any, fg::any});
    auto y = fg::apply(row_steps{}, fg::apply(soft_square{}, x));
    for (const std::int64_t columns : {3, 1001, 2000}) {
      fg::tensor<float> in({3, columns});
      float at = 0;
      for (float& e : in.writable()) e = at = at > 2 ? at - 3.3f : at + 0.7f;
      fg::session s{g, {.devices = gpu.devices}}, here{g};
      const auto before = gpu.counts->launches.load();
      const auto found = s.run(fg::fetch(y), {{x, in}}), wanted = here.run(fg::fetch(y), {{x, in}});
      CHECK(gpu.counts->launches == before + 2);
      for (std::size_t i = 0; i < wanted.size(); ++i) REQUIRE(found[i] == wanted[i]);
    }
  }
}

TEST_CASE("operands of a program's op are broadcast, and its functor has the attributes of the op") {
  const emulation::emulated gpu = open_gpu(1);
  fg::graph g;
  auto x = g.placeholder<float>("x", {fg::any, fg::any, fg::any});
  auto y = g.placeholder<float>("y", fg::shape::unknown());
  auto sum = fg::apply(weighted_sum{.a = 2, .b = 10}, x, y);
  fg::session s{g, {.devices = gpu.devices}};
  fg::tensor<float> in({2, 3, 500}), column({3, 1}, {1, 2, 3}), same({2, 3, 500});
  for (std::size_t i = 0; i < in.size(); ++i) in.writable()[i] = same.writable()[i] = static_cast<float>(i);
  const auto by_column = s.run(fg::fetch(sum), {{x, in}, {y, column}}), by_all = s.run(fg::fetch(sum), {{x, in}, {y, same}}),
             by_one = s.run(fg::fetch(sum), {{x, in}, {y, fg::tensor<float>(7.f)}});
  for (std::size_t i = 0; i < in.size(); ++i) {
    const float e = static_cast<float>(i);
    REQUIRE(by_column[i] == 2 * e + 10 * static_cast<float>(1 + i / 500 % 3));
    REQUIRE(by_all[i] == 12 * e);
    REQUIRE(by_one[i] == 2 * e + 70);
  }
}

TEST_CASE("a second kernel for the same op and type is an error") {
  const emulation::emulated gpu = open_gpu(1);
  const auto again = fg::cuda::add_map<soft_square, soft_square_of, double>(gpu.devices[0]);
  CHECK_FALSE(again.has_value());
}

TEST_CASE("a kernel for GPUs that was added to another device is an error of its node") {
  const fg::device_list cpus = fg::cpu_devices(1);
  fg::cuda::add_map<weighted_sum, weighted_sum_of, float>(cpus[0]).value();
  fg::graph g;
  const auto x = g.placeholder<float>("x", {fg::any});
  const auto sum = fg::apply(weighted_sum{}, x, x);
  fg::session s{g, {.devices = cpus}};
  const auto refused = s.try_run(fg::fetch(sum), {{x, fg::tensor<float>({2}, {1, 2})}});
  REQUIRE_FALSE(refused.has_value());
  CHECK(refused.error().code() == fg::error_code::failed_precondition);
  CHECK(refused.error().message().find("device:cpu:0, which is not a GPU") != std::string::npos);
  CHECK(refused.error().op() == "WeightedSum");
}

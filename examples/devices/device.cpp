// A device with a kernel of its own. What stands here for an accelerator is the CPU once more, with memory that counts: a library
// brings the device, the op and the graph know nothing of it.
//
//     x ──> Swish on /device:accel:0 ──> Sum on the CPU

#include <flowgraph/flowgraph.hpp>
#include <flowgraph/op/device_kernel.hpp>

#include <cmath>
#include <cstdio>
#include <memory_resource>

namespace fg = flowgraph;

// x * sigmoid(beta * x)
struct swish {
  static constexpr std::string_view name = "Swish";
  using types = fg::floating;
  static constexpr fg::op_facts facts{.not_differentiable = true};
  float beta = 1;
  static constexpr auto attrs = fg::attrs(fg::attr("beta", &swish::beta));

  constexpr fg::shape shape(fg::shape x) const { return x; }

  template <class T> void operator()(fg::cpu, fg::view<const T> x, fg::view<T> y) const {
    for (std::size_t i = 0; i < x.size(); ++i) y[i] = T(x[i] / (1 + std::exp(-beta * x[i])));
  }
};

// Where the outputs of the device's kernels lie.
struct device_memory final : std::pmr::memory_resource {
  std::size_t allocated = 0;

  void* do_allocate(std::size_t bytes, std::size_t alignment) override {
    allocated += bytes;
    return std::pmr::new_delete_resource()->allocate(bytes, alignment);
  }
  void do_deallocate(void* p, std::size_t bytes, std::size_t alignment) override {
    std::pmr::new_delete_resource()->deallocate(p, bytes, alignment);
  }
  bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override { return this == &other; }
};

int launches = 0;

// The kernel takes the node's struct, with its attributes, and what the op's own kernel takes.
constexpr auto swish_on_accelerator = [](const swish& node, fg::cpu, fg::view<const float> x, fg::view<float> y) {
  ++launches;
  for (std::size_t i = 0; i < x.size(); ++i) y[i] = x[i] / (1 + std::exp(-node.beta * x[i]));
};

int main() {
  device_memory memory;
  fg::device accelerator("accel", &memory);
  accelerator.add<swish, float>(swish_on_accelerator).value();
  const fg::device* const devices[] = {&accelerator};

  fg::graph g;
  auto x = g.placeholder<float>("x", {fg::any});
  auto here = fg::apply(swish{.beta = 2}, x);
  auto on = g.on_device("/device:accel:0");
  auto there = fg::apply(swish{.beta = 2}, x);
  auto d = g.placeholder<double>("d", {});
  auto other = fg::apply(swish{}, d, {.name = "other"});  // it has no kernel for double

  fg::session s{g, {.devices = devices}};
  const auto [a, b] = s.run(fg::fetch(here, there), {{x, fg::tensor<float>({3}, {-1, 0.5, 2})}});
  const fg::error refused = s.try_run(fg::fetch(other), {{d, 1.}}).error();
  std::printf("%d launch, %zu bytes on the device\n%s\n", launches, memory.allocated, refused.what());
  const bool same = a[0] == b[0] && a[1] == b[1] && a[2] == b[2];
  return same && launches == 1 && memory.allocated >= 12 && refused.code() == fg::error_code::unimplemented ? 0 : 1;
}

#include <flowgraph/cuda/device_tensor.hpp>

#include "emulation/doubling.hpp"

#include <doctest/doctest.h>

namespace {

namespace fg = flowgraph;
using namespace emulation;

}  // namespace

TEST_CASE("a tensor stays in the memory of a GPU from run to run") {
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    const emulation::emulated gpu = emulation::open(seed);
    const doubling model;
    {
      fg::session s{model.g, {.devices = gpu.devices}};
      floats t = floats::copy_of(counted(100), gpu.devices[0]).value();
      for (int i = 0; i < 3; ++i) t = model.run(s, t).value();
      CHECK(is_counted_by(t.to_host().value(), 8, 7));
      auto step = s.try_prepare({{model.fed}}, {{model.kept}}, {}).value();
      std::vector<fg::any_tensor> out(1);
      for (int i = 0; i < 2; ++i) {
        REQUIRE(step.try_run({{t.to_feed().erased()}}, out).has_value());
        t = floats::from(out[0]).value();
      }
      CHECK(is_counted_by(t.to_host().value(), 32, 31));
    }
    CHECK(gpu.gpu().own_memory().in_use() == 0);
  }
}

TEST_CASE("a tensor of one GPU is copied to the device that reads it, and other values are refused") {
  const emulation::emulated first = emulation::open(1), second = emulation::open(2);
  const doubling model;
  const floats t = floats::copy_of(counted(50), first.devices[0]).value();
  fg::session there{model.g, {.devices = second.devices}};
  CHECK(is_counted_by(model.run(there, t).value().to_host().value(), 2, 1));
  fg::session here{model.g};
  const auto on_host = here.try_run(fg::fetch(model.y), {{model.fed, t.to_feed()}});
  REQUIRE(on_host.has_value());
  CHECK(is_counted_by(*on_host, 2, 1));
  CHECK_FALSE(floats::from(counted(3).erased()).has_value());
  CHECK_FALSE(fg::cuda::device_tensor<double>::from(t.erased()).has_value());
  CHECK_FALSE(floats::from(fg::tensor<fg::variant>(fg::shape{}).erased()).has_value());
}

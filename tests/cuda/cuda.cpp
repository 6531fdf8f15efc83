#include <flowgraph/cuda/cuda.hpp>

#include <flowgraph/graph/graph.hpp>
#include <flowgraph/ops/math/math.hpp>
#include <flowgraph/runtime/session.hpp>

#include <doctest/doctest.h>

#include <string>

namespace fg = flowgraph;

TEST_CASE("a GPU computes, or the error names the missing part") {
  auto opened = fg::cuda::open(0);
  if (!opened) {
    const std::string why = opened.error().what();
    MESSAGE(why);
    const bool names_part = why.find("driver") != why.npos || why.find("GPU") != why.npos;
    CHECK(names_part);
    return;
  }
  fg::device_list devices;
  devices.push_back(*std::move(opened));
  fg::graph g;
  auto x = g.placeholder<float>("x", {fg::any});
  auto on = g.on_device("/gpu:0");
  auto y = x * x;
  fg::session s{g, {.devices = devices}};
  const auto made = s.run(fg::fetch(y), {{x, fg::tensor<float>({3}, {1, 2, 3})}});
  CHECK(made[2] == 9);
}

TEST_CASE("there is no GPU with a negative index, nor a thousandth") {
  for (const int index : {-1, 999}) {
    const auto opened = fg::cuda::open(index);
    CHECK_FALSE(opened.has_value());
  }
}

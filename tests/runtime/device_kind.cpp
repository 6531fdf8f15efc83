#include <flowgraph/runtime/device_kind.hpp>

#include <doctest/doctest.h>

TEST_CASE("device_kind: the kind that a constraint names, in its long and short forms") {
  using flowgraph::detail::device_kind;
  CHECK(device_kind("/job:a/task:0/device:CUDA:1") == "CUDA");
  CHECK(device_kind("/device:accel:0") == "accel");
  CHECK(device_kind("/job:a/gpu:1") == "gpu");
  CHECK(device_kind("/cpu:0") == "cpu");
  CHECK(device_kind("/device:*").empty());
  CHECK(device_kind("/job:worker/task:3").empty());
  CHECK(device_kind("").empty());
}

TEST_CASE("device_kind: kinds compare without case") {
  using flowgraph::detail::is_same_kind;
  CHECK(is_same_kind("CUDA", "cuda"));
  CHECK_FALSE(is_same_kind("cuda", "cpu"));
  CHECK_FALSE(is_same_kind("cpu", "cpu2"));
}

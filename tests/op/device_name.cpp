#include <flowgraph/op/device_name.hpp>

#include <doctest/doctest.h>

#include <string>

namespace fg = flowgraph;

namespace {

std::string read(std::string_view text) {
  const auto name = fg::parse_device_name(text);
  return name ? to_string(*name) : "no name";
}
bool allows(std::string_view wanted, std::string_view full) {
  return fg::allows(*fg::parse_device_name(wanted), *fg::parse_device_name(full));
}
std::string merged(std::string_view a, std::string_view b) {
  const auto both = fg::merge(*fg::parse_device_name(a), *fg::parse_device_name(b));
  return both ? to_string(*both) : "none";
}

constexpr std::string_view gpu = "/job:worker/task:17/device:GPU:3";

}  // namespace

TEST_CASE("device_name: full names, parts and short forms") {
  CHECK(read(gpu) == gpu);
  CHECK(read("/job:localhost/replica:0/task:0/device:CPU:1") == "/job:localhost/task:0/device:CPU:1");
  CHECK(read("/device:cuda:3/job:a") == "/job:a/device:cuda:3");
  CHECK(read("/device:GPU") == "/device:GPU");
  CHECK(read("/cpu:0") == "/device:cpu:0");
  CHECK(read("/job:a/GPU:1") == "/job:a/device:gpu:1");
  CHECK(read("/task:3") == "/task:3");
  for (const char* any : {"", "/", "/job:*", "/device:*", "/device:*:*", "/task:*/replica:7"}) CHECK(read(any) == "/");
  CHECK(read("/cpu:*") == "/device:cpu");
  CHECK(read("/device:*:2") == "/device:*:2");
}

TEST_CASE("device_name: what is no name of a device") {
  for (const char* text : {"nowhere", "cpu:0", "/device:", "/device:CPU:x", "/job:localhost/what:1", "/job:", "/job:1",
                           "/task:", "/task:-1", "/task:99999999999", "/cpu", "//", "/device:CPU:0 ", "/device:GPU:1/"})
    CHECK_MESSAGE(read(text) == "no name", text);
}

TEST_CASE("device_name: a part that is left out allows anything, kinds in any case") {
  for (const char* wanted : {"", "/job:worker", "/task:17", "/device:gpu", "/device:*:3", "/GPU:3", "/job:worker/gpu:*"})
    CHECK_MESSAGE(allows(wanted, gpu), wanted);
  for (const char* wanted : {"/job:Worker", "/task:1", "/device:cpu", "/gpu:2", "/job:worker/task:17/gpu:0"})
    CHECK_MESSAGE(!allows(wanted, gpu), wanted);
}

TEST_CASE("device_name: two constraints become one, or none where they disagree") {
  CHECK(merged("/job:a", "/gpu:1") == "/job:a/device:gpu:1");
  CHECK(merged("/device:GPU", "/device:gpu:1") == "/device:GPU:1");
  CHECK(merged("", "/task:3") == "/task:3");
  CHECK(merged("/job:a", "/job:b") == "none");
  CHECK(merged("/task:1", "/task:2") == "none");
  CHECK(merged("/cpu:0", "/gpu:0") == "none");
  CHECK(merged("/gpu:0", "/device:*:1") == "none");
  CHECK((*fg::parse_device_name("/CPU:0") == *fg::parse_device_name("/device:Cpu:0")));
}

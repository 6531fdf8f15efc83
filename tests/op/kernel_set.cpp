#include <flowgraph/op/kernel_set.hpp>

#include <flowgraph/op/device.hpp>
#include <flowgraph/op/make_table.hpp>

#include "call.hpp"

#include <doctest/doctest.h>

#include <memory>

using namespace test;

namespace {

struct shared_op {
  static constexpr std::string_view name = "Swish";
  using types = fg::floating;
  template <class T> void operator()(fg::cpu, fg::view<const T>, fg::view<T>) const {}
};

void run_of_kind(const void*, fg::detail::kernel_call&) {}
void run_of_one(const void*, fg::detail::kernel_call&) {}

}  // namespace

TEST_CASE("kernel_set: devices of one kind share its kernels, and a device's own kernel comes first") {
  const auto kernels = std::make_shared<fg::kernel_set>();
  REQUIRE(kernels->add("Swish", {fg::dtype::float32}, {.run = &run_of_kind}));
  fg::device first("accel:0", kernels), second("accel:1", kernels);
  REQUIRE(second.add("Swish", {fg::dtype::float32}, {.run = &run_of_one}));
  REQUIRE(second.add("Swish", {fg::dtype::float64}, {.run = &run_of_one}));
  const fg::op_table table = table_for<shared_op, float>();
  CHECK((first.find(table)->run == &run_of_kind));
  CHECK((first.find(table) == kernels->find(table)));
  CHECK((second.find(table)->run == &run_of_one));
  CHECK((first.find(table_for<shared_op, double>()) == nullptr));
  CHECK(first.list("Swish") == "Swish<float>");
  CHECK(second.list("Swish") == "Swish<float>, Swish<double>, Swish<float>");
}

TEST_CASE("kernel_set: an entry keeps its address when others are added") {
  fg::kernel_set set;
  REQUIRE(set.add("Swish", {fg::dtype::float32}, {.run = &run_of_kind}));
  const fg::kernel_entry* const found = set.find(table_for<shared_op, float>());
  for (int i = 0; i < 100; ++i) REQUIRE(set.add("Op" + std::to_string(i), {}, {.run = &run_of_one}));
  for (int i = 2; i < 8; ++i)
    REQUIRE(set.add("Swish", std::vector<fg::dtype>(static_cast<std::size_t>(i)), {.run = &run_of_one}));
  CHECK((set.find(table_for<shared_op, float>()) == found));
}

TEST_CASE("kernel_set: a second kernel for the same types is an error that names the op") {
  fg::kernel_set set;
  REQUIRE(set.add("Swish", {fg::dtype::float32}, {.run = &run_of_kind}));
  const auto again = set.add("Swish", {fg::dtype::float32}, {.run = &run_of_one});
  REQUIRE_FALSE(again);
  CHECK(again.error().code() == fg::error_code::already_exists);
  CHECK(std::string(again.error().what()).find("Swish") != std::string::npos);
  CHECK((set.find(table_for<shared_op, float>())->run == &run_of_kind));
}

#include <flowgraph/op/device.hpp>

#include <flowgraph/op/make_table.hpp>

#include "call.hpp"

#include <doctest/doctest.h>

using namespace test;

namespace {

struct ported_op {
  static constexpr std::string_view name = "Swish";
  using types = fg::floating;
  template <class T> void operator()(fg::cpu, fg::view<const T>, fg::view<T>) const {}
};

void on_accelerator(const void*, fg::detail::kernel_call&) {}
void another(const void*, fg::detail::kernel_call&) {}

}  // namespace

TEST_CASE("a device finds its kernels by op name and element types") {
  fg::device d("accel");
  CHECK(d.kind() == "accel");
  REQUIRE(d.add("Swish", {fg::dtype::float32}, {.run = &on_accelerator}));
  REQUIRE(d.add("Swish", {fg::dtype::float16}, {.run = &another}));
  CHECK((d.find(table_for<ported_op, float>())->run == &on_accelerator));
  CHECK((d.find(table_for<ported_op, fg::half>())->run == &another));
  CHECK((d.find(table_for<ported_op, double>()) == nullptr));
  CHECK(d.list("Swish") == "Swish<float>, Swish<half>");
  CHECK(d.list("Tanh").empty());
}

TEST_CASE("a second kernel for the same types is refused, the first stays") {
  fg::device d("accel");
  REQUIRE(d.add("Swish", {fg::dtype::float32}, {.run = &on_accelerator}));
  const auto again = d.add("Swish", {fg::dtype::float32}, {.run = &another});
  REQUIRE_FALSE(again);
  CHECK(again.error().code() == fg::error_code::already_exists);
  CHECK((d.find(table_for<ported_op, float>())->run == &on_accelerator));
}

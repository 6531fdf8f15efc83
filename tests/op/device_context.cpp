#include <flowgraph/op/device_context.hpp>

#include <flowgraph/op/device_kernel.hpp>

#include "call.hpp"

#include <doctest/doctest.h>

#include <memory>

using namespace test;

namespace {

struct passed_on_op {
  static constexpr std::string_view name = "PassedOn";
  using types = fg::floating;
  fg::shape shape(const fg::shape& x) const { return x; }
  template <class T> void operator()(fg::cpu, fg::view<const T> x, fg::view<T> y) const {
    for (std::size_t i = 0; i < x.size(); ++i) y[i] = x[i];
  }
};

class counting_device : public fg::device {
public:
  counting_device(std::string_view name, std::shared_ptr<const fg::kernel_set> kernels, float by)
      : device(name, std::move(kernels)), factor(by) {}
  float factor;
  mutable int calls = 0;
};

class counting_context : public fg::device_context {
public:
  using device_context::device_context;
  const counting_device& where() const { return static_cast<const counting_device&>(on()); }
};

}  // namespace

TEST_CASE("device_context: a kernel that devices of a kind share finds the device of its call") {
  const auto kernels = std::make_shared<fg::kernel_set>();
  REQUIRE(kernels->add<passed_on_op, float>(
      [](const passed_on_op&, counting_context ctx, fg::view<const float> x, fg::view<float> y) {
        ++ctx.where().calls;
        for (std::size_t i = 0; i < x.size(); ++i) y[i] = x[i] * ctx.where().factor;
        if (x[0] < 0) ctx.fail(fg::error_code::out_of_range, "negative");
      }));
  counting_device first("count:0", kernels, 2), second("count:1", kernels, 3);
  const passed_on_op op;
  for (const counting_device* d : {&first, &second}) {
    kernel_caller caller({edge<float>({}, {5.f})}, {edge<float>({}, {0.f})});
    caller.services.on = d;
    d->find(table_for<passed_on_op, float>())->run(&op, caller.call());
    CHECK(caller.output<float>(0)[0] == 5 * d->factor);
    CHECK_FALSE(caller.failure);
  }
  CHECK(first.calls == 1);
  CHECK(second.calls == 1);
  kernel_caller failing({edge<float>({}, {-1.f})}, {edge<float>({}, {0.f})});
  failing.services.on = &first;
  first.find(table_for<passed_on_op, float>())->run(&op, failing.call());
  CHECK(failing.failure.code() == fg::error_code::out_of_range);
}

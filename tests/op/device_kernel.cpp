#include <flowgraph/op/device_kernel.hpp>

#include "call.hpp"

#include <doctest/doctest.h>

using namespace test;

namespace {

struct scaled_op {
  static constexpr std::string_view name = "Scaled";
  using types = fg::floating;
  int by = 2;
  fg::shape shape(const fg::shape& x) const { return x; }
  template <class T> void operator()(fg::cpu, fg::view<const T> x, fg::view<T> y) const {
    for (std::size_t i = 0; i < x.size(); ++i) y[i] = x[i] * static_cast<T>(static_cast<float>(by));
  }
};

template <class T> T run(const fg::device& d, T x, int by) {
  const scaled_op op{by};
  kernel_caller caller({edge<T>({}, {x})}, {edge<T>({}, {T(0)})});
  d.find(table_for<scaled_op, T>())->run(&op, caller.call());
  CHECK_FALSE(caller.failure);
  return caller.template output<T>(0)[0];
}

}  // namespace

TEST_CASE("device_kernel: a lambda with the parameters of the op's own kernel, for the types that it is added for") {
  fg::device d("accel");
  REQUIRE(d.add<scaled_op, float>([](const scaled_op& op, fg::cpu, fg::view<const float> x, fg::view<float> y) {
    for (std::size_t i = 0; i < x.size(); ++i) y[i] = x[i] * static_cast<float>(op.by) + 1;
  }));
  CHECK(run<float>(d, 3, 5) == 16);
  CHECK((d.find(table_for<scaled_op, double>()) == nullptr));
  CHECK(d.list("Scaled") == "Scaled<float>");
}

TEST_CASE("device_kernel: the op's own kernel on a device") {
  fg::device d("accel");
  REQUIRE(d.add<scaled_op, double>());
  CHECK(run<double>(d, 3, 5) == 15);
  CHECK_FALSE(d.add<scaled_op, double>().has_value());
}

TEST_CASE("device_kernel: one that takes an answer is asynchronous, and found as such") {
  fg::device d("accel");
  REQUIRE(d.add<scaled_op, float>([](const scaled_op& op, fg::cpu, fg::view<const float> x, fg::view<float> y, fg::done answer) {
    for (std::size_t i = 0; i < x.size(); ++i) y[i] = x[i] * static_cast<float>(op.by) + 1;
    answer(x[0] < 0 ? fg::error(fg::error_code::out_of_range, "negative") : fg::error());
  }));
  const fg::op_table& table = table_for<scaled_op, float>();
  REQUIRE((d.find(table) != nullptr));
  CHECK((d.find(table)->run == nullptr));
  CHECK(d.runs(table));
  CHECK_FALSE(d.runs(table_for<scaled_op, double>()));
  const auto run = d.find(table)->start;
  REQUIRE((run != nullptr));
  for (const float x : {3.f, -3.f}) {
    const scaled_op op{5};
    kernel_caller caller({edge<float>({}, {x})}, {edge<float>({}, {0})});
    std::vector<fg::error> answers;
    run(&op, caller.call(),
        fg::done(std::make_shared<fg::detail::completion>([&](fg::error why) { answers.push_back(std::move(why)); })));
    CHECK(caller.output<float>(0)[0] == x * 5 + 1);
    REQUIRE(answers.size() == 1);
    CHECK(static_cast<bool>(answers[0]) == (x < 0));
  }
}

TEST_CASE("device_kernel: each kernel has facts and scratch of its own") {
  fg::device d("accel");
  const auto kernel = [](const scaled_op& op, fg::cpu, fg::view<const float> x, fg::view<float> y) {
    for (std::size_t i = 0; i < x.size(); ++i) y[i] = x[i] * static_cast<float>(op.by);
  };
  REQUIRE(d.add<scaled_op, float>(kernel));
  const auto bytes = [](const scaled_op& op, const fg::shape& x) { return static_cast<std::size_t>(x.size() * op.by); };
  REQUIRE(d.add<scaled_op, fg::half>([](const scaled_op&, fg::cpu, fg::view<const fg::half>, fg::view<fg::half>) {}, bytes,
                                     {.in_place = true}));
  const fg::kernel_entry& plain = *d.find(table_for<scaled_op, float>());
  CHECK_FALSE(plain.facts.in_place);
  CHECK((plain.scratch == nullptr));
  const fg::kernel_entry& other = *d.find(table_for<scaled_op, fg::half>());
  CHECK(other.facts.in_place);
  CHECK_FALSE(other.facts.expensive);
  const scaled_op op{5};
  const fg::shape x{7};
  const fg::shape* const shapes[] = {&x};
  CHECK(other.scratch(&op, {shapes, nullptr}) == 35);
}

#include <flowgraph/placement/cost_model.hpp>

#include <flowgraph/core/memory_budget.hpp>
#include <flowgraph/ops/linear_algebra/matmul.hpp>
#include <flowgraph/ops/nn/convolution.hpp>
#include <flowgraph/ops/state/resource_variable.hpp>

#include "../harness/engine_ops.hpp"

#include <limits>

using namespace engine;
using doctest::Approx;

namespace {

constexpr std::string_view first_cpu = "/job:localhost/task:0/device:cpu:0";

fg::device_name named(std::string_view text) { return *fg::parse_device_name(text); }

// Operations alone: memory and calls are free.
fg::cost_model counting_operations() {
  fg::cost_model costs;
  costs.set_speed("", {.operations_per_second = 1, .bytes_per_second = 1e300, .seconds_per_call = 0}).value();
  return costs;
}
double operations(const fg::any_out& o) { return counting_operations().seconds(*o.source, named(first_cpu)); }

struct no_figure_op {
  static constexpr std::string_view name = "NoFigure";
  static constexpr fg::op_facts facts{.not_differentiable = true};
  fg::shape shape(const fg::shape& x) const { return x; }
  void operator()(fg::cpu, fg::view<const float>, fg::view<float>) const {}
};

}  // namespace

TEST_CASE("cost model: what an op declares is counted in the shapes of its node") {
  fg::graph g;
  auto a = g.placeholder<float>("a", {5, 7}), b = g.placeholder<float>("b", {7, 11}), c = g.placeholder<float>("c", {11, 7});
  CHECK(operations(fg::matmul(a, b)) == 2 * 5 * 7 * 11);
  CHECK(operations(fg::matmul(a, c, {.transpose_b = true})) == 2 * 5 * 7 * 11);
  auto images = g.placeholder<float>("images", {2, 8, 8, 3}), filter = g.placeholder<float>("filter", {3, 3, 3, 16});
  const auto y = fg::conv2d(images, filter, {.padding = fg::padding::valid});
  CHECK(operations(y) == 2.0 * (2 * 6 * 6 * 16) * (3 * 3 * 3));
}

TEST_CASE("cost model: without a figure a call takes what it reads and writes, and always a time for itself") {
  fg::graph g;
  auto x = g.placeholder<float>("x", {100});
  auto y = fg::apply(no_figure_op{}, x);
  fg::cost_model costs;
  costs.set_speed("", {.operations_per_second = 1, .bytes_per_second = 800, .seconds_per_call = 3}).value();
  CHECK(costs.seconds(*y.source, named(first_cpu)) == 3 + 1);
  CHECK(costs.seconds(*y.source, named(first_cpu), 10) == 40);
  CHECK(costs.bytes(*y.source, 0) == 400);
}

TEST_CASE("cost model: the longer of computing and moving counts") {
  fg::graph g;
  auto a = g.placeholder<float>("a", {10, 10});
  auto y = fg::matmul(a, a);
  fg::cost_model costs;
  costs.set_speed("", {.operations_per_second = 100, .bytes_per_second = 1200, .seconds_per_call = 0}).value();
  CHECK(costs.seconds(*y.source, named(first_cpu)) == 20);
  costs.set_speed("", {.operations_per_second = 1e6, .bytes_per_second = 1200, .seconds_per_call = 0}).value();
  CHECK(costs.seconds(*y.source, named(first_cpu)) == 1);
}

TEST_CASE("cost model: what runs no kernel takes no time") {
  fg::graph g;
  auto x = g.placeholder<float>("x", {100});
  const fg::cost_model costs;
  CHECK(costs.seconds(*x.source, named(first_cpu)) == 0);
  CHECK(costs.seconds(*g.constant(fg::tensor<float>({2}, {1, 2})).source, named(first_cpu)) == 0);
  CHECK(costs.seconds(*enter(x).source, named(first_cpu)) == 0);
}

TEST_CASE("cost model: stated defaults stand for what is not known") {
  fg::graph g;
  auto rows = g.placeholder<float>("rows", {fg::any, 10}), unknown = g.placeholder<float>("unknown", fg::shape::unknown());
  auto text = g.placeholder<std::string>("text", {3});
  const fg::cost_model usual, other({.extent = 7, .elements = 9, .bytes_of_string = 100});
  CHECK(usual.bytes(*rows.source, 0) == 32 * 10 * 4);
  CHECK(usual.bytes(*unknown.source, 0) == 1024 * 4);
  CHECK(usual.bytes(*text.source, 0) == 3 * (sizeof(std::string) + 32));
  CHECK(other.bytes(*rows.source, 0) == 7 * 10 * 4);
  CHECK(other.bytes(*unknown.source, 0) == 9 * 4);
  CHECK(other.bytes(*text.source, 0) == 3 * (sizeof(std::string) + 100));
}

TEST_CASE("cost model: variables keep their bytes, by reference and by handle; handles themselves have none") {
  fg::graph g;
  auto v = g.variable("v", fg::tensor<float>(fg::shape{25}));
  const auto h = fg::apply_in<float>(g, fg::var_handle_op{.declared = {3, 5}}, {.name = "h"});
  const fg::cost_model costs;
  CHECK(costs.kept_bytes(*fg::any_out(v).source) == 100);
  CHECK(costs.kept_bytes(*fg::any_out(h).source) == 60);
  CHECK(costs.bytes(*fg::any_out(h).source, 0) == 0);
  CHECK(costs.kept_bytes(*add(v, v).source) == 0);
}

TEST_CASE("cost model: figures are set for devices by their names, the last that fits holds; no other text is a name") {
  fg::cost_model costs;
  const auto gpu = named("/job:localhost/task:0/device:gpu:1"), cpu = named(first_cpu);
  CHECK(costs.speed_of(gpu).operations_per_second == fg::device_speed{}.operations_per_second);
  costs.set_speed("/gpu:*", {.operations_per_second = 1}).value();
  costs.set_speed("/device:*:1", {.operations_per_second = 2}).value();
  CHECK(costs.speed_of(gpu).operations_per_second == 2);
  CHECK(costs.speed_of(named("/job:localhost/task:0/device:gpu:0")).operations_per_second == 1);
  CHECK(costs.speed_of(cpu).operations_per_second == fg::device_speed{}.operations_per_second);
  costs.set_link("/device:cpu", "", {.latency = 1, .bytes_per_second = 2}).value();
  costs.set_link("", "/device:cpu", {.latency = 3, .bytes_per_second = 4}).value();
  CHECK(costs.link_of(cpu, gpu).latency == 1);
  CHECK(costs.link_of(gpu, cpu).latency == 3);
  CHECK(costs.link_of(gpu, gpu).latency == fg::link_speed{}.latency);
  CHECK(std::string_view(costs.set_speed("nowhere", {}).error().message()).find("'nowhere' is not the name") == 0);
  CHECK(costs.set_link("/device:cpu", "7", {}).error().code() == error_code::invalid_argument);
  CHECK(std::string_view(costs.set_speed("", {.bytes_per_second = 0}).error().message()).find("bytes_per_second") == 0);
  CHECK_FALSE(costs.set_speed("", {.operations_per_second = -1}).has_value());
  CHECK_FALSE(costs.set_speed("", {.seconds_per_call = std::numeric_limits<double>::infinity()}).has_value());
  CHECK_FALSE(costs.set_link("", "", {.latency = std::numeric_limits<double>::quiet_NaN()}).has_value());
  CHECK(costs.speed_of(gpu).operations_per_second == 2);
}

TEST_CASE("cost model: measured goes before figures, of the device, else of its kind, else by the ratio of figures") {
  fg::graph g;
  auto x = g.placeholder<float>("x", {100}), y = fg::apply(no_figure_op{}, x, {.name = "y"});
  fg::cost_model costs;
  costs.set_speed("/gpu:*", {.bytes_per_second = 800, .seconds_per_call = 0}).value();
  costs.set_speed("/device:cpu", {.bytes_per_second = 80, .seconds_per_call = 0}).value();
  const auto on = [&](std::string_view device) { return costs.seconds(*y.source, named(device)); };
  CHECK(on("/job:localhost/task:0/device:gpu:0") == 1);
  fg::measurements seen;
  seen.add("y", first_cpu, {.runs = 2, .calls = 4, .nanoseconds = 6'000'000'000});
  costs.add(seen);
  CHECK(on(first_cpu) == Approx(3));
  CHECK(on("/job:localhost/task:0/device:cpu:1") == Approx(3));
  CHECK(on("/job:localhost/task:0/device:gpu:0") == Approx(0.3));
  CHECK(costs.seconds(*y.source, named(first_cpu), 100) == Approx(3));
  seen.clear();
  seen.add("y", "/job:localhost/task:0/device:cpu:1", {.runs = 1, .calls = 1, .nanoseconds = 5'000'000'000});
  costs.add(seen);
  CHECK(on("/job:localhost/task:0/device:cpu:1") == Approx(5));
  CHECK(on(first_cpu) == Approx(3));
}

TEST_CASE("cost model: sizes that the graph does not know are those of measured runs") {
  fg::graph g;
  auto x = g.placeholder<float>("x", {fg::any}), y = add(x, x, {.name = "y"});
  fg::session s{g};
  fg::measurements seen;
  s.run(fg::fetch(y), {{x, filled(5000, 1)}}, {.measure = &seen});
  fg::cost_model costs;
  CHECK(costs.bytes(*y.source, 0) == 32 * 4);
  costs.add(seen);
  CHECK(costs.bytes(*x.source, 0) == 5000 * 4);
  CHECK(costs.bytes(*y.source, 0) == 5000 * 4);
}

TEST_CASE("cost model: a probe finds how fast values get from device to device, and takes no memory for long") {
  const fg::device_list cpus = fg::cpu_devices(2, 4 << 20);
  fg::cost_model costs;
  costs.set_link("", "", {.latency = 77, .bytes_per_second = 1, .has_channel = true}).value();
  costs.probe(cpus);
  const fg::link_speed found = costs.link_of(cpus[0].name(), cpus[1].name());
  CHECK(found.latency < 1e-3);
  CHECK(found.bytes_per_second > 1e7);
  CHECK(found.bytes_per_second < 1e13);
  CHECK(found.has_channel);
  CHECK(costs.link_of(cpus[1].name(), cpus[0].name()).latency < 1e-3);
  for (std::size_t d = 0; d < cpus.size(); ++d) CHECK(cpus[d].budget()->in_use() == 0);
  const fg::device_list small = fg::cpu_devices(2, 100);
  fg::cost_model kept;
  kept.set_link("", "", {.latency = 77}).value();
  kept.probe(small);
  CHECK(kept.link_of(small[0].name(), small[1].name()).latency == 77);
}

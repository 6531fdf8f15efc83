// Failures that are found while the host already works on: no file, loop, variable or other run may use elements of a failed kernel.

#include "../formats/folder.hpp"
#include "emulation/devices.hpp"

#include <flowgraph/cuda/cuda.hpp>
#include <flowgraph/deploy/freeze.hpp>
#include <flowgraph/graph/apply.hpp>
#include <flowgraph/graph/graph.hpp>
#include <flowgraph/ops/array/gather.hpp>
#include <flowgraph/ops/control_flow/while_loop.hpp>
#include <flowgraph/ops/math/comparison.hpp>
#include <flowgraph/ops/math/math.hpp>
#include <flowgraph/ops/reduction/reduction.hpp>
#include <flowgraph/ops/state/variable.hpp>
#include <flowgraph/placement/cost_model.hpp>
#include <flowgraph/placement/measurements.hpp>
#include <flowgraph/runtime/session.hpp>
#include <flowgraph/train/saver.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <thread>

namespace {

namespace fg = flowgraph;

// Devices that are destroyed at the exit of the program.
fg::device_list devices_until_exit;

// An event for which another thread waits, but at most 20 s: so a test that never signals fails.
class signal {
public:
  void send() { is_sent_ = true; }
  void wait() const {
    for (int i = 0; i < 2000 && !is_sent_; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }

private:
  std::atomic<bool> is_sent_ = false;
};

// Two sessions on one GPU, with a node on the host that waits for the other session.
std::function<void()> wait_of_first, wait_of_second;
struct wait_for_other {
  static constexpr std::string_view name = "WaitForOther";
  using types = fg::type_list<float>;
  static constexpr fg::op_facts facts{.not_differentiable = true, .stateful = true};
  bool is_first = true;
  static constexpr auto attrs = fg::attrs(fg::attr("is_first", &wait_for_other::is_first));
  fg::shape shape(fg::shape x) const { return x; }
  template <class T> void operator()(fg::cpu, fg::view<const T> x, fg::view<T> y) const {
    for (std::size_t i = 0; i < x.size(); ++i) y[i] = x[i];
    (is_first ? wait_of_first : wait_of_second)();
  }
};

template <class T> fg::out<T> on_host(fg::graph& g, const fg::out<T>& x, bool is_first) {
  const auto on = g.on_device("/cpu:0");
  return fg::apply(wait_for_other{.is_first = is_first}, x);
}

fg::tensor<std::int32_t> indices(std::initializer_list<std::int32_t> i) {
  return {fg::shape{static_cast<std::int64_t>(i.size())}, i};
}

}  // namespace

TEST_CASE("a checkpoint is not written if the GPU is lost, and the checkpoint of the same step stays as it was") {
  const test_folder folder;
  fg::graph g;
  const auto v = g.variable<float>("v", fg::tensor<float>({4}, {1, 2, 3, 4}));
  fg::saver saver(g, {.directory = folder / "checkpoints"});
  const emulation::emulated gpu = emulation::open(1);
  fg::session s{g, {.devices = gpu.devices}};
  s.initialize();
  const std::string good = saver.save(s, 1).value();
  gpu.counts->is_lost = true;
  for (const std::int64_t step : {2, 1}) {
    const auto refused = saver.save(s, step);
    REQUIRE_FALSE(refused.has_value());
    CHECK(refused.error().code() == fg::error_code::unavailable);
  }
  gpu.counts->is_lost = false;
  CHECK_FALSE(std::filesystem::exists(folder / "checkpoints/model-2.index"));
  fg::session here{g};
  REQUIRE(saver.restore(here, good).has_value());
  CHECK(here.run(fg::fetch(v))[3] == 4);
}

TEST_CASE("a variable on a lost GPU is not frozen") {
  const emulation::emulated gpu = emulation::open(1);
  fg::graph g;
  const auto v = g.variable<float>("v", fg::tensor<float>({4}, {1, 2, 3, 4}));
  const auto y = fg::square(fg::out<float>(v));
  fg::session s{g, {.devices = gpu.devices}};
  s.initialize();
  gpu.counts->is_lost = true;
  const auto refused = fg::freeze(s, {y});
  gpu.counts->is_lost = false;
  REQUIRE_FALSE(refused.has_value());
  CHECK(refused.error().code() == fg::error_code::unavailable);
  CHECK(fg::freeze(s, {y}).has_value());
}

TEST_CASE("a loop whose condition depends on a bad index ends with the error of the index") {
  const emulation::emulated gpu = emulation::open(1);
  fg::graph g;
  const auto next = g.variable<std::int32_t>("next", indices({1, 9, 3, 3}));
  const auto begin = g.placeholder<std::int32_t>("begin", {1});
  const auto found = fg::while_loop(
      fg::out<std::int32_t>(begin), [](fg::out<std::int32_t> at) { return fg::any_of(fg::not_equal(at, std::int32_t{3})); },
      [&](fg::out<std::int32_t> at) { return fg::gather(fg::out<std::int32_t>(next), at); });
  fg::session s{g, {.devices = gpu.devices}};
  s.initialize();
  const auto run = [&](std::int32_t from) {
    return s.try_run(fg::fetch(found), {{begin, indices({from})}}, fg::run_options::within(std::chrono::seconds(10)));
  };
  const auto refused = run(0);
  REQUIRE_FALSE(refused.has_value());
  CHECK(refused.error().message() == "indices[0] is not in [0, 4)");
  CHECK(refused.error().cause() == nullptr);
  CHECK(run(2).has_value());
}

TEST_CASE("each run that overlaps a bad index ends with its error, so none loses an update and succeeds") {
  for (const bool is_first_to_end : {true, false}) {
    CAPTURE(is_first_to_end);
    const emulation::emulated gpu = emulation::open(1);
    fg::graph first, second;
    const auto v = first.variable<float>("v", fg::tensor<float>({4}, {1, 2, 3, 4}));
    const auto at = first.placeholder<std::int32_t>("at", {fg::any});
    const auto x = first.placeholder<float>("x", {1});
    const auto taken = fg::gather(v, at);
    const auto waited = [&] {
      const auto after = first.after(taken);
      return on_host(first, fg::out<float>(x), true);
    }();
    const auto u = second.variable<float>("u", fg::tensor<float>({2}, {100, 200}));
    const auto added = fg::assign_add(u, second.constant(fg::tensor<float>({2}, {1, 1})));
    const auto y = second.placeholder<float>("y", {1});
    const auto updated = [&] {
      const auto after = second.after(added);
      return on_host(second, fg::out<float>(y), false);
    }();
    fg::session a{first, {.devices = gpu.devices}}, b{second, {.devices = gpu.devices}};
    a.initialize(), b.initialize();
    signal has_fault, has_updated, has_ended;
    wait_of_first = [&] {
      has_fault.send();
      has_updated.wait();
      if (!is_first_to_end) has_ended.wait();
    };
    wait_of_second = [&] {
      has_updated.send();
      if (is_first_to_end) has_ended.wait();
    };
    const fg::tensor<float> one({1}, {1});
    fg::error of_first, of_second;
    std::thread other([&] {
      const auto ran = a.try_run(fg::fetch(waited), {{at, indices({0, 7})}, {x, one}});
      if (!ran) of_first = ran.error();
      if (is_first_to_end) has_ended.send();
    });
    has_fault.wait();
    const auto ran = b.try_run(fg::fetch(updated), {{y, one}});
    if (!ran) of_second = ran.error();
    if (!is_first_to_end) has_ended.send();
    other.join();
    CHECK(of_first.message() == "indices[1] is not in [0, 4)");
    CHECK(of_second.message() == "indices[1] is not in [0, 4)");
    CHECK(b.run(fg::fetch(u))[0] == 100);
    wait_of_first = wait_of_second = [] {};
    REQUIRE(b.try_run(fg::fetch(updated), {{y, one}}).has_value());
    CHECK(b.run(fg::fetch(u))[0] == 101);
  }
}

TEST_CASE(
    "a node on the host reads no element of a failed kernel, also if another run has reported the failure before the copy") {
  const emulation::emulated gpu = emulation::open(1);
  fg::graph first, second;
  const auto v = first.variable<float>("v", fg::tensor<float>({4}, {1, 2, 3, 4}));
  const auto at = first.placeholder<std::int32_t>("at", {fg::any});
  const auto x = first.placeholder<float>("x", {1});
  const auto taken = fg::gather(v, at);
  const auto waited = [&] {
    const auto after = first.after(taken);
    return on_host(first, fg::out<float>(x), true);
  }();
  const auto moved = [&] {
    const auto after = first.after(waited);
    return taken * 1.f;
  }();
  const auto seen = on_host(first, fg::out<float>(moved), false);
  const auto u = second.variable<float>("u", fg::tensor<float>({2}, {100, 200}));
  fg::session a{first, {.devices = gpu.devices}}, b{second, {.devices = gpu.devices}};
  a.initialize(), b.initialize();
  int reads = 0;
  fg::error of_second;
  wait_of_first = [&] {
    const auto ran = b.try_run(fg::fetch(u));
    if (!ran) of_second = ran.error();
  };
  wait_of_second = [&] { ++reads; };
  const auto ran = a.try_run(fg::fetch(seen), {{at, indices({0, 7})}, {x, fg::tensor<float>({1}, {1})}});
  wait_of_first = wait_of_second = [] {};
  REQUIRE_FALSE(ran.has_value());
  CHECK(ran.error().message() == "indices[1] is not in [0, 4)");
  CHECK(of_second.message() == "indices[1] is not in [0, 4)");
  CHECK(reads == 0);
}

TEST_CASE("a gather checks its indices, also if the rows have no elements") {
  const emulation::emulated gpu = emulation::open(1);
  fg::graph g;
  const auto v = g.placeholder<float>("v", {4, 0});
  const auto at = g.placeholder<std::int32_t>("at", {fg::any});
  const auto y = fg::gather(v, at);
  const fg::tensor<float> rows({4, 0});
  fg::session here{g}, there{g, {.devices = gpu.devices}};
  for (fg::session* const s : {&here, &there}) {
    CHECK(s->try_run(fg::fetch(y), {{v, rows}, {at, indices({1, 9})}}).error().code() == fg::error_code::invalid_argument);
    CHECK(s->run(fg::fetch(y), {{v, rows}, {at, indices({1, 3})}}).shape() == fg::shape{2, 0});
  }
}

TEST_CASE("a probe measures the copies from and to a GPU, and nothing if the GPU is lost") {
  const emulation::emulated gpu = emulation::open(1);
  const fg::device_list cpus = fg::cpu_devices(1);
  const fg::device* const all[] = {&cpus[0], &gpu.devices[0]};
  for (const bool is_lost : {false, true}) {
    gpu.counts->is_lost = is_lost;
    fg::cost_model costs;
    costs.set_link("", "", {.latency = 77}).value();
    costs.probe(all);
    for (const bool is_to_gpu : {false, true}) {
      const double latency = costs.link_of(all[!is_to_gpu]->name(), all[is_to_gpu]->name()).latency;
      CHECK((is_lost ? latency == 77 : latency < 1));
    }
  }
}

TEST_CASE("a measured kernel of a GPU took the time until its work was done") {
  const emulation::emulated gpu = emulation::open(1);
  fg::graph g;
  const auto x = g.placeholder<float>("x", {fg::any});
  const auto y = fg::sum(fg::square(x));
  fg::session s{g, {.devices = gpu.devices}};
  auto& by = static_cast<emulation::driver&>(gpu.gpu().own_memory().by());
  std::jthread later;
  gpu.counts->on_launch = [&](std::uint64_t) {
    if (later.joinable()) return;
    by.hold(true);
    later = std::jthread([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(60));
      by.hold(false);
    });
  };
  fg::measurements seen;
  REQUIRE(s.try_run(fg::fetch(y), {{x, fg::tensor<float>({3}, {1, 2, 3})}}, {.measure = &seen}).has_value());
  const auto times = seen.of("Square");
  REQUIRE(times.size() == 1);
  CHECK(times[0].second.nanoseconds > 50'000'000);
}

TEST_CASE("a list of GPUs may have static storage") {
  auto by = std::make_unique<emulation::driver>(1, std::make_shared<emulation::state>());
  devices_until_exit.push_back(fg::cuda::make_device("gpu:0", std::move(by)).value());
}

TEST_CASE("a device of the program that shares the memory of a GPU has no libraries") {
  const emulation::emulated gpu = emulation::try_open(1, std::make_shared<emulation::state>(), {}, true).value();
  CHECK(!fg::cuda::libraries_of(gpu.devices[0]).empty());
  const fg::device other("accel:0", gpu.devices[0].memory());
  CHECK(fg::cuda::libraries_of(other).empty());
}

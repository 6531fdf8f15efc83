// A GPU as a device of sessions: training, limits, bad indices, failures of the driver.

#include "emulation/devices.hpp"

#include <flowgraph/graph/graph.hpp>
#include <flowgraph/ops/array/gather.hpp>
#include <flowgraph/ops/linear_algebra/matmul.hpp>
#include <flowgraph/ops/math/math.hpp>
#include <flowgraph/ops/nn/activation.hpp>
#include <flowgraph/ops/nn/softmax.hpp>
#include <flowgraph/ops/reduction/reduction.hpp>
#include <flowgraph/ops/state/variable.hpp>
#include <flowgraph/runtime/session.hpp>
#include <flowgraph/train/optimizer.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <stop_token>
#include <thread>

namespace {

namespace fg = flowgraph;

// A classifier of two layers, and its training.
struct classifier {
  fg::graph g;
  fg::out<float> x = g.placeholder<float>("x", {fg::any, 6});
  fg::out<std::int32_t> labels = g.placeholder<std::int32_t>("labels", {fg::any});
  fg::variable<float> first = g.variable<float>("first", numbers({6, 20}, 0.1f));
  fg::variable<float> second = g.variable<float>("second", numbers({20, 3}, 0.2f));
  fg::out<float> loss = fg::mean(fg::sparse_softmax_cross_entropy(fg::matmul(fg::relu(fg::matmul(x, first)), second), labels));
  fg::target train = fg::adam{.rate = 0.02f}.minimize(loss);

  static fg::tensor<float> numbers(const fg::shape& s, float scale) {
    fg::tensor<float> made(s);
    float at = 0.3f;
    for (float& e : made.writable()) e = scale * (at = at > 1 ? at - 1.7f : at + 0.37f);
    return made;
  }
  std::vector<fg::fed> feeds() const {
    return {{x, numbers({9, 6}, 1).erased()}, {labels, fg::tensor<std::int32_t>({9}, {0, 1, 2, 0, 1, 2, 0, 1, 2}).erased()}};
  }
  // Trains, and returns the losses.
  fg::result<std::vector<float>> run(fg::session& s, int steps) const {
    std::vector<float> losses;
    if (auto begun = s.try_initialize(); !begun) return begun.error();
    const std::vector<fg::fed> fed = feeds();
    const std::vector<fg::any_out> fetched{loss};
    for (int i = 0; i < steps; ++i) {
      const auto made = s.try_run({fed, fetched, {&train, 1}});
      if (!made) return made.error();
      losses.push_back((*made)[0].as<float>().scalar());
    }
    return losses;
  }
};

}  // namespace

TEST_CASE("a classifier trains on a GPU as on the CPU, with equal bits in every run") {
  const classifier c;
  fg::session here{c.g};
  const auto wanted = c.run(here, 30).value();
  CHECK(wanted.back() < 0.6f * wanted.front());
  std::vector<float> before;
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    const emulation::emulated gpu = emulation::open(seed);
    fg::session s{c.g, {.devices = gpu.devices}};
    const auto found = c.run(s, 30).value();
    for (std::size_t i = 0; i < found.size(); ++i) CHECK(found[i] == doctest::Approx(wanted[i]).epsilon(1e-4));
    if (!before.empty()) CHECK(found == before);
    before = found;
    CHECK(gpu.counts->launches > 30 * 10);
  }
}

TEST_CASE("sessions on four threads share a GPU, each with the bits of one alone") {
  const classifier c;
  const emulation::emulated alone = emulation::open(1);
  fg::session first{c.g, {.devices = alone.devices}};
  const auto wanted = c.run(first, 10).value();
  const emulation::emulated gpu = emulation::open(2);
  std::vector<std::vector<float>> found(4);
  std::vector<std::thread> threads;
  for (std::vector<float>& losses : found)
    threads.emplace_back([&c, &gpu, &losses] {
      fg::session s{c.g, {.devices = gpu.devices}};
      if (auto made = c.run(s, 10)) losses = *std::move(made);
    });
  for (std::thread& t : threads) t.join();
  for (const std::vector<float>& losses : found) CHECK(losses == wanted);
}

TEST_CASE("the memory of a GPU has a limit, and the error names node and device") {
  const emulation::emulated gpu = emulation::open(1, 1 << 16);
  fg::graph g;
  auto x = g.placeholder<float>("x", {fg::any});
  auto y = fg::exp(x);
  fg::session s{g, {.devices = gpu.devices}};
  const auto run = [&](std::int64_t n) { return s.try_run(fg::fetch(y), {{x, fg::tensor<float>(fg::shape{n})}}); };
  CHECK(run(1000).has_value());
  const auto refused = run(20000);
  REQUIRE_FALSE(refused.has_value());
  CHECK(refused.error().code() == fg::error_code::resource_exhausted);
  const std::string why = refused.error().what();
  CAPTURE(why);
  CHECK(why.find("the limit of /job:localhost/task:0/device:gpu:0 is 65536, of which ") != why.npos);
  CHECK(why.find("at node 'x to") != why.npos);  // the transfer of x to the GPU
  CHECK(run(1000).has_value());
  CHECK(gpu.gpu().own_memory().in_use() == 0);
}

TEST_CASE("a bad index ends the run with the position, and no variable changes after it") {
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    const emulation::emulated gpu = emulation::open(seed);
    fg::graph g;
    auto v = g.variable<float>("v", fg::tensor<float>({4}, {1, 2, 3, 4}));
    auto at = g.placeholder<std::int32_t>("at", {fg::any});
    auto taken = fg::gather(v, at);
    auto changed = fg::assign_add(v, taken);
    fg::session s{g, {.devices = gpu.devices}};
    s.initialize();
    const auto run = [&](std::initializer_list<std::int32_t> i) {
      return s.try_run(fg::fetch(changed), {{at, fg::tensor<std::int32_t>({4}, i)}});
    };
    const auto refused = run({0, 1, 7, -1});
    REQUIRE_FALSE(refused.has_value());
    CHECK(refused.error().code() == fg::error_code::invalid_argument);
    CHECK(refused.error().message() == "indices[2] is not in [0, 4)");
    CHECK(refused.error().op() == "GatherV2");
    const auto kept = s.run(fg::fetch(v));
    CHECK(kept[2] == 3);
    const auto made = run({3, 2, 1, 0});
    REQUIRE(made.has_value());
    CHECK((*made)[0] == 5);
  }
}

TEST_CASE("a driver that fails at any call ends in an error, and nothing leaks") {
  const classifier c;
  std::uint64_t calls = 0;
  {
    const emulation::emulated gpu = emulation::open(1);
    fg::session s{c.g, {.devices = gpu.devices}};
    REQUIRE(c.run(s, 2).has_value());
    calls = gpu.counts->calls;
  }
  std::uint64_t refused = 0, made = 0;
  for (std::uint64_t failing = 1; failing <= calls; ++failing) {
    CAPTURE(failing);
    const auto counts = std::make_shared<emulation::state>();
    counts->failing = failing;
    {
      auto gpu = emulation::try_open(1, counts);
      if (gpu) {
        fg::session s{c.g, {.devices = gpu->devices}};
        const auto found = c.run(s, 2);
        // Freeing a block fails unnoticed only if it is the last work.
        found ? ++made : ++refused;
        counts->failing = 0;
        // Memory for a variable is allocated outside of runs on the GPU. If this fails, the next run ends with the GPU's error.
        const auto next = c.run(s, 1);
        CHECK((next.has_value() || next.error().code() == fg::error_code::unavailable));
        CHECK(c.run(s, 1).has_value());
      } else {
        CHECK(gpu.error().code() == fg::error_code::unavailable);
        ++refused;
      }
    }
    CHECK(counts->bytes == 0);
    CHECK(counts->streams == 0);
    CHECK(counts->events == 0);
  }
  CHECK(refused > 0);
  CHECK(made < calls / 10);
  MESSAGE(calls, " calls, ", refused, " ended in an error");
}

TEST_CASE("a hundred sessions give back the memory of a GPU") {
  const emulation::emulated gpu = emulation::open(7);
  const classifier c;
  const std::size_t before = gpu.counts->bytes;
  for (int i = 0; i < 100; ++i) {
    fg::session s{c.g, {.devices = gpu.devices}};
    REQUIRE(c.run(s, 1).has_value());
  }
  CHECK(gpu.counts->bytes == before);
  CHECK(gpu.gpu().own_memory().in_use() == 0);
}

TEST_CASE("a synchronous GPU finds the node whose kernel failed") {
  for (const bool synchronous : {false, true}) {
    const auto counts = std::make_shared<emulation::state>();
    counts->failing_launch = 2;
    const auto gpu = emulation::try_open(1, counts, {.synchronous = synchronous}).value();
    fg::graph g;
    auto x = g.placeholder<float>("x", {fg::any});
    auto y = fg::tanh(fg::square(fg::exp(x)));
    fg::session s{g, {.devices = gpu.devices}};
    const auto run = [&] { return s.try_run(fg::fetch(y), {{x, fg::tensor<float>({3}, {1, 2, 3})}}); };
    const auto refused = run();
    REQUIRE_FALSE(refused.has_value());
    CHECK(refused.error().code() == fg::error_code::unavailable);
    CHECK((refused.error().op() == "Square") == synchronous);
    CHECK(run().has_value());
  }
}

TEST_CASE("a stop token and a deadline end a run between the nodes of a GPU") {
  for (const bool prepared : {false, true}) {
    CAPTURE(prepared);
    const auto counts = std::make_shared<emulation::state>();
    const auto gpu = emulation::try_open(1, counts).value();
    fg::graph g;
    auto x = g.placeholder<float>("x", {fg::any});
    auto y = x;
    for (int i = 0; i < 50; ++i) y = fg::tanh(y);
    fg::session s{g, {.devices = gpu.devices}};
    auto step = s.prepare(fg::feed(x), fg::fetch(y));
    const fg::tensor<float> in({3}, {1, 2, 3});
    const auto run = [&](const fg::run_options& o) -> fg::error {
      if (prepared) {
        const auto ran = step.try_run(o, in);
        return ran ? fg::error() : ran.error();
      }
      const auto ran = s.try_run(fg::fetch(y), {{x, in}}, o);
      return ran ? fg::error() : ran.error();
    };
    CHECK_FALSE(run({}));

    std::stop_source stop;
    std::uint64_t first = counts->launches;
    counts->on_launch = [&](std::uint64_t number) {
      if (number == first + 5) stop.request_stop();
    };
    CHECK(run({.stop = stop.get_token()}).code() == fg::error_code::cancelled);
    CHECK(counts->launches < first + 50);

    first = counts->launches;
    counts->on_launch = [&](std::uint64_t number) {
      if (number == first + 5) std::this_thread::sleep_for(std::chrono::milliseconds(30));
    };
    CHECK(run(fg::run_options::within(std::chrono::milliseconds(20))).code() == fg::error_code::deadline_exceeded);
    CHECK(counts->launches < first + 50);

    counts->on_launch = {};
    CHECK_FALSE(run({}));
  }
}

TEST_CASE("a run on a lost GPU ends as unavailable, not for lack of memory") {
  for (std::uint64_t lost_at = 1; lost_at <= 3; ++lost_at) {
    CAPTURE(lost_at);
    const auto counts = std::make_shared<emulation::state>();
    const auto gpu = emulation::try_open(1, counts).value();
    fg::graph g;
    auto x = g.placeholder<float>("x", {fg::any});
    auto y = fg::tanh(fg::square(fg::exp(x)));
    fg::session s{g, {.devices = gpu.devices}};
    const std::uint64_t first = counts->launches;
    counts->on_launch = [&](std::uint64_t number) {
      if (number == first + lost_at) counts->is_lost = true;
    };
    const auto refused = s.try_run(fg::fetch(y), {{x, fg::tensor<float>({3}, {1, 2, 3})}});
    counts->is_lost = false;
    REQUIRE_FALSE(refused.has_value());
    CHECK(refused.error().code() == fg::error_code::unavailable);
    CHECK(refused.error().message() == "the emulated GPU is lost");
  }
}

TEST_CASE("a bad index is the cause of an error of a later node on the host, and no such node reads the elements") {
  const emulation::emulated gpu = emulation::open(1);
  fg::graph g;
  auto v = g.variable<std::int32_t>("v", fg::tensor<std::int32_t>({2}, {1, 2}));
  auto at = g.placeholder<std::int32_t>("at", {fg::any});
  auto by = g.placeholder<std::int32_t>("by", {});
  auto taken = fg::gather(v, at);
  const auto on = g.on_device("/cpu:0");
  const auto divided = g.constant(std::int32_t{6}) / taken;
  const auto later = g.after(taken);
  const auto other = g.constant(std::int32_t{6}) / by;
  fg::session s{g, {.devices = gpu.devices}};
  s.initialize();
  const fg::tensor<std::int32_t> bad({2}, {1, 5}), good({2}, {1, 0});
  const auto refused = s.try_run(fg::fetch(divided), {{at, bad}});
  REQUIRE_FALSE(refused.has_value());
  CHECK(refused.error().message() == "indices[1] is not in [0, 2)");
  CHECK(refused.error().op() == "GatherV2");
  CHECK(refused.error().cause() == nullptr);
  const auto failed = s.try_run(fg::fetch(other), {{at, bad}, {by, fg::tensor<std::int32_t>(0)}});
  REQUIRE_FALSE(failed.has_value());
  CHECK(failed.error().message() == "Integer division by zero");
  REQUIRE(failed.error().cause() != nullptr);
  CHECK(failed.error().cause()->message() == "indices[1] is not in [0, 2)");
  CHECK(s.run(fg::fetch(divided), {{at, good}})[1] == 6);
}

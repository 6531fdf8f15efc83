// Many threads on one session: training, and errors, cancellation and deadlines at random moments. Seeds are fixed.

#include "../../harness/engine_ops.hpp"
#include "../../harness/late_answers.hpp"
#include "../../harness/sanitized.hpp"

#include <flowgraph/core/memory_budget.hpp>
#include <flowgraph/core/threads.hpp>
#include <flowgraph/graph/graph_state.hpp>
#include <flowgraph/op/device.hpp>
#include <flowgraph/ops/nn/activation.hpp>
#include <flowgraph/ops/nn/bias.hpp>
#include <flowgraph/ops/random/dropout.hpp>
#include <flowgraph/ops/linear_algebra/matmul.hpp>
#include <flowgraph/ops/operators.hpp>
#include <flowgraph/ops/reduction/reduction.hpp>
#include <flowgraph/ops/nn/softmax.hpp>
#ifndef FLOWGRAPH_INFERENCE
#include <flowgraph/train/optimizer.hpp>
#endif

#include <array>
#include <cmath>
#include <random>

using namespace engine;
using namespace std::chrono_literals;

namespace {

constexpr int thread_count = 16;
constexpr int steps_in_all = 10'000;
constexpr int runs_in_all = SEES_THREADS ? 1'600 : 8'000;

template <class F> void on_threads(int count, F&& f) {
  std::vector<std::thread> threads;
  for (int t = 0; t < count; ++t) threads.emplace_back([&f, t] { f(t); });
  for (auto& t : threads) t.join();
}

fg::tensor<float> noise(const fg::shape& shape, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<float> values(static_cast<std::size_t>(shape.size()));
  for (float& v : values) v = static_cast<float>(random() >> 8) * 0x1p-23f - 1.f;
  return fg::tensor<float>(shape, values);
}

// A small network on points that a line parts, and a count of its training steps.
struct mlp {
  fg::graph g;
  fg::out<float> x = g.placeholder<float>("x", {8, 4});
  fg::out<std::int32_t> labels = g.placeholder<std::int32_t>("labels", {8});
  fg::out<float> loss;
  fg::variable<std::int64_t> steps = g.variable("steps", fg::tensor<std::int64_t>(std::int64_t{0}));
  fg::target train;

  mlp() {
    auto w1 = g.variable("w1", noise({4, 16}, 1)), w2 = g.variable("w2", noise({16, 2}, 2));
    auto b1 = g.variable("b1", fg::tensor<float>(fg::shape{16})), b2 = g.variable("b2", fg::tensor<float>(fg::shape{2}));
    auto hidden = fg::dropout(fg::relu(fg::matmul(x, w1) + b1), 0.1f);
    loss = fg::mean(fg::sparse_softmax_cross_entropy(fg::matmul(hidden, w2) + b2, labels));
    const fg::target counted = fg::assign_add(steps, g.constant(std::int64_t{1}));
#ifdef FLOWGRAPH_INFERENCE
    train = fg::group(fg::target(fg::assign_sub(b2, g.constant(fg::tensor<float>({2}, {1e-4f, -1e-4f})))), counted);
#else
    train = fg::group(fg::momentum{.rate = 0.01f}.minimize(loss), counted);
#endif
  }
};

// A bit of everything: a loop with an asynchronous kernel in it, a branch, variables, expensive kernels, and some that fail by
// chance.
struct mixture {
  late_answers answers{1.0 / 64};
  std::atomic<std::uint32_t> calls = 0;
  fg::graph g;
  fg::out<float> x = g.placeholder<float>("x", {fg::any});
  fg::out<float> n = g.placeholder<float>("n", {});
  fg::out<float> zero = g.constant(0.f), one = g.constant(1.f), two = g.constant(2.f);
  fg::out<float> twice = add(n, n);
  fg::out<float> y;

  mixture() {
    auto v = g.variable("v", fg::tensor<float>(0.f));
    auto grown = fg::assign_add(v, one);
    auto unsteady = [this](fg::cpu ctx) {
      if (calls++ * 2654435761u >> 27 == 0) ctx.fail(error_code::data_loss, "by chance");
    };
    const values made = loop(
        {zero, one}, [&](const values& w) { return less(w[0], invariant(n)); },
        [&](const values& w) {
          auto counted = async_probe(w[0], answers.body());
          auto checked = probe(w[1], unsteady);
          return values{add(counted, invariant(one)), add(checked, checked)};
        });
    const auto sides = fg::switch_(made[1], less(n, two));
    auto branch = fg::merge({async_probe(sides.if_false, answers.body()), multiply(sides.if_true, one)}).value;
    auto pass = [](fg::cpu) {};
    auto wide = add(expensive_probe(x, pass), expensive_probe(expensive_probe(x, unsteady), pass));
    auto last = add(wide, add(branch, multiply(grown, zero)));
    y = add(last, multiply(v, zero));
  }
};

bool is_expected(const fg::error& why) {
  switch (why.code()) {
    case error_code::data_loss:
    case error_code::unavailable:
    case error_code::cancelled:
    case error_code::deadline_exceeded: return true;
    default: return false;
  }
}

// Requests stops of whatever it is given, a little later.
class stopper {
public:
  stopper() : thread_([this] { serve(); }) {}
  ~stopper() {
    closing_ = true;
    thread_.join();
  }
  void stop_soon(flowgraph::stop_source s) {
    std::lock_guard lock(mutex_);
    sources_.push_back(std::move(s));
  }

private:
  void serve() {
    std::mt19937 random(23);
    while (!closing_) {
      std::vector<flowgraph::stop_source> mine;
      {
        std::lock_guard lock(mutex_);
        mine.swap(sources_);
      }
      for (auto& s : mine) s.request_stop();
      std::this_thread::sleep_for(std::chrono::microseconds(random() % 300));
    }
  }
  std::mutex mutex_;
  std::vector<flowgraph::stop_source> sources_;
  std::atomic<bool> closing_ = false;
  std::thread thread_;
};

// On how many CPUs the nodes are, placed by chance, and whether the plan is cut between them; 0: where sessions have them.
struct spreading {
  std::size_t cpus = 0;
  bool cut = false;
};

void disturb(fg::thread_pool* pool, const spreading& over = {}) {
  counting_memory memory;
  mixture m;
  const fg::device_list cpus = fg::cpu_devices(over.cpus);
  std::mt19937 places(7);
  for (fg::node* n : m.g.state().nodes)
    if (over.cpus > 0) n->device = std::array{"/cpu:0", "/cpu:1", "/cpu:2"}[places() % over.cpus];
  const int runs = over.cpus > 0 ? runs_in_all / 4 : runs_in_all;
  std::atomic<int> wrong = 0, whole = 0, ended = 0;
  {
    fg::session s{m.g,
                  {.pool = pool,
                   .memory = &memory,
                   .devices = cpus,
                   .soft_placement = true,
                   .cut = over.cut ? fg::per_device : fg::cutting()}};
    s.initialize();
    stopper stops;
    const fg::tensor<float> x(fg::shape{4096}, std::vector<float>(4096, 1.f));
    on_threads(8, [&](int t) {
      std::mt19937 random(static_cast<unsigned>(t));
      auto step = s.prepare(fg::feed(m.x, m.n), fg::fetch(m.y));
      // Until a kernel that was out has been told, which on a busy machine may take more runs.
      for (int i = 0; i < runs / 8 || (m.answers.told == 0 && i < runs); ++i) {
        const auto n = static_cast<float>(random() % 6);
        fg::run_options options;
        if (random() % 4 == 0) options = fg::run_options::within(std::chrono::microseconds(random() % 400));
        flowgraph::stop_source source;
        if (random() % 4 == 0) {
          options.stop = source.get_token();
          stops.stop_soon(source);
        }
        auto made = random() % 2 ? step.try_run(options, x, n) : s.try_run(fg::fetch(m.y), {{m.x, x}, {m.n, n}}, options);
        if (made) {
          ++whole;
          const float expected = 2 + std::exp2(n);
          if ((*made)[0] != expected || (*made)[4095] != expected) ++wrong;
        } else {
          ++ended;
          if (!is_expected(made.error())) ++wrong;
        }
        if (i % 16 == 0) {
          auto twice = s.try_run(fg::fetch(m.twice), {{m.n, n}});
          if (!twice || twice->scalar() != 2 * n) ++wrong;
        }
      }
    });
  }
  CHECK(wrong == 0);
  CHECK(whole > runs / 10);
  CHECK(ended > runs / 10);
  CHECK(m.answers.started == m.answers.answered);
  CHECK(m.answers.told > 0);
  CHECK(m.answers.told_late == 0);
  CHECK(memory.in_use() == 0);
  for (std::size_t d = 0; d < cpus.size(); ++d) CHECK(cpus[d].budget()->in_use() == 0);
}

}  // namespace

TEST_CASE("stress: sixteen threads train one network in one session") {
  mlp m;
  fg::session s{m.g};
  s.initialize();
  const fg::tensor<float> x = noise({8, 4}, 3);
  std::vector<std::int32_t> sides;
  for (std::size_t i = 0; i < 8; ++i) sides.push_back(x[4 * i] + x[4 * i + 1] > 0 ? 1 : 0);
  const fg::tensor<std::int32_t> labels({8}, sides);
  [[maybe_unused]] const float before = s.run(fg::fetch(m.loss), {{m.x, x}, {m.labels, labels}}).scalar();
  std::atomic<int> wrong = 0;
  on_threads(thread_count, [&](int t) {
    auto step = s.prepare(fg::feed(m.x, m.labels), fg::fetch(m.loss), m.train);
    for (int i = 0; i < steps_in_all / thread_count; ++i) {
      const auto loss =
          (t + i) % 2 ? step.try_run({}, x, labels) : s.try_run(fg::fetch(m.loss), m.train, {{m.x, x}, {m.labels, labels}});
      if (!loss || !std::isfinite(loss->scalar())) ++wrong;
    }
  });
  CHECK(wrong == 0);
  CHECK(s.run(fg::fetch(m.steps)).scalar() == steps_in_all / thread_count * thread_count);
#ifndef FLOWGRAPH_INFERENCE
  CHECK(s.run(fg::fetch(m.loss), {{m.x, x}, {m.labels, labels}}).scalar() < before / 2);
#endif
}

TEST_CASE("stress: errors, cancellation and deadlines at random moments leave the session usable and nothing behind") {
  SUBCASE("on the callers' threads") { disturb(nullptr); }
  SUBCASE("with a pool") {
    fg::thread_pool pool(3);
    disturb(&pool);
  }
  for (const bool cut : {false, true}) {
    SUBCASE(cut ? "spread over three devices and cut" : "spread over three devices") { disturb(nullptr, {3, cut}); }
    SUBCASE(cut ? "spread over three devices and cut, with a pool" : "spread over three devices, with a pool") {
      fg::thread_pool pool(3);
      disturb(&pool, {3, cut});
    }
  }
}

TEST_CASE("stress: sessions come and go while others run, and share a pool") {
  fg::thread_pool pool(3);
  std::atomic<int> wrong = 0;
  on_threads(4, [&](int t) {
    for (int i = 0; i < (SEES_THREADS ? 15 : 60); ++i) {
      counting_memory memory;
      {
        fg::graph g;
        auto x = g.placeholder<float>("x", {fg::any});
        auto pass = [](fg::cpu) {};
        fg::out<float> y = x;
        for (int k = 0; k < 3; ++k) y = add(expensive_probe(y, pass), expensive_probe(x, pass));
        fg::session s{g, {.pool = &pool, .memory = &memory}};
        const float value = static_cast<float>(t + i);
        for (int k = 0; k < 3; ++k) {
          auto made = s.try_run(fg::fetch(y), {{x, fg::tensor<float>(fg::shape{4096}, std::vector<float>(4096, value))}});
          if (!made || (*made)[0] != 4 * value) ++wrong;
        }
      }
      if (memory.in_use() != 0) ++wrong;
    }
  });
  CHECK(wrong == 0);
}

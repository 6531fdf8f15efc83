#include <flowgraph/placement/save_memory.hpp>

#include <flowgraph/core/memory_budget.hpp>
#include <flowgraph/core/thread_pool.hpp>
#include <flowgraph/op/device_kernel.hpp>
#include <flowgraph/ops/common.hpp>
#include <flowgraph/ops/control_flow/cond.hpp>
#include <flowgraph/ops/control_flow/while_loop.hpp>
#include <flowgraph/ops/random/random.hpp>
#include <flowgraph/runtime/explain.hpp>
#include <flowgraph/train/adamw.hpp>

#include "../harness/engine_ops.hpp"

#include <algorithm>
#include <chrono>
#include <functional>
#include <random>

using namespace engine;

namespace {

constexpr std::int64_t size = 1024;  // elements of a value
constexpr std::size_t each = 4 * size;

fg::cost_model with_links(double bytes_per_second) {
  fg::cost_model costs;
  costs.set_link("", "", {.latency = 0, .bytes_per_second = bytes_per_second}).value();
  return costs;
}

const fg::pass_report& saved(const fg::explanation& e) {
  for (const fg::pass_report& p : e.passes)
    if (p.name == "save_memory") return p;
  FAIL("the pass is not named");
  return e.passes.front();
}
bool tells(const fg::pass_report& p, std::string_view words) {
  return std::ranges::any_of(p.notes, [&](const std::string& n) { return n.find(words) != std::string::npos; });
}

// On the second of two CPUs: `start` and `early` are made first and read last; between, values need memory.
struct long_way {
  fg::graph g;
  fg::out<float> x = g.placeholder<float>("x", {size});
  fg::out<float> early, y;

  struct parts {
    fg::out<float> early, beside;  // read at the end, and at once
  };
  explicit long_way(const std::function<parts(fg::graph&, fg::out<float>)>& make) {
    const auto on = g.on_device("/cpu:1");
    auto start = add(x, x, {.name = "start"});
    const parts first = make(g, start);
    early = first.early;
    auto wide = add(early, first.beside, {.name = "wide"});
    fg::out<float> made[] = {add(wide, start), add(wide, start), add(wide, start)};
    auto sum = add(add(made[0], made[1]), made[2]);
    y = add(multiply(sum, early, {.name = "product"}), start, {.name = "y"});
  }
  long_way()
      : long_way([](fg::graph&, fg::out<float> start) {
          return parts{multiply(start, start, {.name = "early"}), start};
        }) {}

  struct outcome {
    fg::pass_report report;
    std::vector<std::string> bits;
    std::size_t arena = 0;  // bytes of the second CPU
  };
  // Queued and prepared, on one thread and on several, in one plan and cut.
  outcome run(const fg::save_memory* saving) const {
    outcome made;
    fg::thread_pool pool(3);
    for (const bool is_cut : {false, true})
      for (fg::thread_pool* threads : {static_cast<fg::thread_pool*>(nullptr), &pool}) {
        const fg::device_list cpus = fg::cpu_devices(2);
        fg::session_options o{.pool = threads, .devices = cpus};
        if (saving) o.passes.further = {*saving};
        if (is_cut) o.cut = fg::per_device;
        fg::session s{g, o};
        s.initialize();
        if (!is_cut && saving) made.report = saved(s.explain(fg::fetch(y), {{x, fg::shape{size}}}));
        const std::size_t before = cpus[1].budget()->in_use();
        auto step = s.prepare(fg::feed(x), fg::fetch(y));
        if (!is_cut) made.arena = cpus[1].budget()->in_use() - before;
        for (int round = 0; round < 2; ++round)
          for (const fg::tensor<float>& t :
               {fg::tensor<float>(s.run(fg::fetch(y), {{x, filled(size, 1.5f)}})), fg::tensor<float>(step(filled(size, 1.5f)))})
            made.bits.emplace_back(reinterpret_cast<const char*>(t.data()), sizeof(float) * t.size());
      }
    return made;
  }
  // So many values less than it takes otherwise.
  outcome check_without(std::size_t values, double bytes_per_second, fg::memory_options options = {}) const {
    const outcome plain = run(nullptr);
    const fg::cost_model costs = with_links(bytes_per_second);
    options.limit = plain.arena + kept - values * each;
    const fg::save_memory saving(costs, options);
    outcome made = run(&saving);
    CHECK((made.bits == plain.bits));
    CHECK((made.report.changed == 0 || made.arena < plain.arena));
    if (made.report.too_large == 0) CHECK(made.arena + kept <= options.limit);
    return made;
  }
  std::size_t kept = 0;  // bytes of variables
};

// The value that is made early is read by a branch, or by a loop, at the end alone.
struct late_reader : long_way {
  late_reader(bool is_loop, float sign)
      : long_way([](fg::graph&, fg::out<float> start) {
          return parts{multiply(start, start, {.name = "early"}), start};
        }) {
    const auto on = g.on_device("/cpu:1");
    // What stands at the end reads `early` too: it is left out.
    auto wide = add(early, x, {.name = "wide_again"});
    // Six that live at once.
    std::vector<fg::out<float>> made{add(wide, x)};
    while (made.size() < 6) made.push_back(add(made.back(), wide));
    auto sum = made[0];
    for (const auto& one : made) sum = add(sum, one);
    const auto then = g.after(sum);
    if (is_loop) {
      y = std::get<1>(fg::while_loop(
          std::tuple{g.constant(0), sum}, [&](auto k, auto) { return k < g.constant(2); },
          [&](auto k, auto a) {
            return std::tuple{k + g.constant(1), add(a, early)};
          }));
    } else {
      y = fg::cond(
          fg::sum(sum) * g.constant(sign) > g.constant(0.f), [&] { return add(sum, early); },
          [&] { return multiply(sum, early); });
    }
  }
};

}  // namespace

TEST_CASE("save memory: what is cheap is computed again, what is not lies on the host") {
  const long_way m;
  const auto slow_links = m.check_without(1, 1e6);
  CHECK(slow_links.report.changed == 1);
  CHECK(tells(slow_links.report, "early (4096 bytes) is computed again for product, by 1 node"));
  const auto fast_links = m.check_without(1, 1e15);
  CHECK(fast_links.report.changed == 1);
  CHECK(tells(fast_links.report, "start (4096 bytes) lies on the host until y"));
}

TEST_CASE("save memory: either way can be switched off, and small values stay") {
  const long_way m;
  CHECK(tells(m.check_without(1, 1e6, {.recompute = false}).report, "start (4096 bytes) lies on the host until y"));
  CHECK(tells(m.check_without(1, 1e6, {.swap = false}).report, "early (4096 bytes) is computed again for product"));
  for (const fg::memory_options& o : {fg::memory_options{.recompute = false, .swap = false}, {.smallest = each + 1}}) {
    const auto left = m.check_without(1, 1e9, o);
    CHECK(left.report.changed == 0);
    CHECK(left.report.too_large == 1);
    CHECK(tells(left.report, " bytes above the limit of /job:localhost/task:0/device:cpu:1 remain"));
  }
}

TEST_CASE("save memory: without a limit, and below it, nothing is done") {
  const long_way m;
  const fg::cost_model costs;
  const fg::save_memory none(costs), ample(costs, {.limit = 100 * each});
  CHECK(m.run(&none).report.changed == 0);
  CHECK(m.run(&ample).report.changed == 0);
}

TEST_CASE("save memory: what it was computed from is computed again too where it is gone") {
  const long_way m([](fg::graph&, fg::out<float> start) {
    return long_way::parts{multiply(add(start, start), start, {.name = "early"}), start};
  });
  // x has crossed for `start` alone.
  CHECK(tells(m.check_without(1, 1e6).report, "start (4096 bytes) is computed again for y, by 2 nodes"));
}

TEST_CASE("save memory: random numbers are not drawn again") {
  const long_way m([](fg::graph& g, fg::out<float> start) {
    return long_way::parts{fg::random_uniform<float>(g, {size}, {.seed = 3}, {.name = "early"}), start};
  });
  CHECK_FALSE(tells(m.check_without(1, 1e6, {.swap = false}).report, "early (4096 bytes) is computed again"));
}

TEST_CASE("save memory: a variable is read again where nobody has written to it since") {
  for (const bool is_written : {false, true}) {
    CAPTURE(is_written);
    long_way m([&](fg::graph& g, fg::out<float> start) {
      // Its initial value belongs to it alone, so that preparing takes no memory for it.
      auto v = g.variable("v", fg::glorot_uniform<float>({size}));
      auto early = multiply(v, start, {.name = "early"});
      if (!is_written) return long_way::parts{early, start};
      const auto order = g.after(early);
      return long_way::parts{early, fg::assign(v, add(start, start))};
    });
    m.kept = each;
    const auto made = m.check_without(1, 1e6, {.swap = false});
    CHECK(tells(made.report, "early (4096 bytes) is computed again") == !is_written);
  }
}

TEST_CASE("save memory: what a branch or a loop reads comes back before it") {
  const fg::cost_model costs;
  const auto remaining = [](const fg::pass_report& p) {
    for (const std::string& n : p.notes)
      if (n.ends_with("device:cpu:1 remain")) return std::stoull(n);
    return 0ull;
  };
  for (const bool is_loop : {false, true})
    for (const float sign : {1.f, -1.f}) {
      CAPTURE(is_loop);
      CAPTURE(sign);
      const late_reader m(is_loop, sign);
      const auto run = [&](const fg::memory_options& o) {
        const fg::save_memory saving(costs, o);
        return m.run(&saving);
      };
      const auto plain = run({.limit = 1, .recompute = false, .swap = false});
      CHECK(plain.report.changed == 0);
      const auto again = run({.limit = 1, .swap = false});
      CHECK(tells(again.report, "early (4096 bytes) is computed again for "));
      const auto away = run({.limit = 1, .recompute = false});
      CHECK(tells(away.report, "early (4096 bytes) lies on the host until "));
      for (const auto* saved_by : {&again, &away}) {
        CHECK((saved_by->bits == plain.bits));
        CHECK(remaining(saved_by->report) + each <= remaining(plain.report));
      }
    }
}

namespace {

// Values that are made early; many that live at once; and then nodes, branches and loops, within each other, that read some of the early ones.
class random_reader {
public:
  explicit random_reader(unsigned seed) : random_(seed) {
    const auto on = g.on_device("/cpu:1");
    for (int i = 0; i < 6; ++i)
      early_.push_back(fg::tanh(add(multiply(any_early(), x), any_early()), {fg::message{"early_", i}.string()}));
    std::vector<fg::out<float>> made{add(any_early(), x)};
    while (made.size() < 12) made.push_back(add(made.back(), any_early()));
    y = x;
    for (const auto& one : made) y = fg::tanh(add(y, one));
    const auto then = g.after(y);
    for (int i = 0; i < 5; ++i) y = grown(y, 2);
  }

  fg::graph g;
  fg::out<float> x = g.placeholder<float>("x", {size}), y;

private:
  fg::out<float> any_early() { return early_.empty() ? x : early_[random_() % early_.size()]; }
  fg::out<float> grown(const fg::out<float>& v, int depth) {
    switch (depth == 0 ? 0 : random_() % 3) {
      case 0: return fg::tanh(add(v, multiply(any_early(), any_early())));
      case 1: {
        const auto is_less = less(fg::sum(v), g.constant(static_cast<float>(random_() % 400) - 200.f));
        return fg::cond(
            is_less, [&] { return grown(v, depth - 1); }, [&] { return grown(add(v, any_early()), depth - 1); });
      }
      default:
        return std::get<1>(fg::while_loop(
            std::tuple{g.constant(0), v}, [&](auto k, auto) { return k < g.constant(2); },
            [&](auto k, auto a) {
              return std::tuple{k + g.constant(1), grown(a, depth - 1)};
            }));
    }
  }

  std::mt19937 random_;
  std::vector<fg::out<float>> early_;
};

}  // namespace

TEST_CASE("save memory: branches and loops of random graphs have the same bits") {
  const fg::cost_model costs;
  std::size_t changed = 0, for_flow = 0;
  for (unsigned seed = 1; seed <= 25; ++seed) {
    CAPTURE(seed);
    const random_reader m(seed);
    const auto bits = [&](fg::further_passes further, fg::cutting cut) {
      const fg::device_list cpus = fg::cpu_devices(2);
      fg::session s{m.g, {.devices = cpus, .cut = cut, .passes = {.further = further}}};
      auto step = s.prepare(fg::feed(m.x), fg::fetch(m.y));
      std::vector<std::string> made;
      for (const float v : {0.25f, -0.5f})
        for (const fg::tensor<float>& t :
             {fg::tensor<float>(s.run(fg::fetch(m.y), {{m.x, filled(size, v)}})), fg::tensor<float>(step(filled(size, v)))})
          made.emplace_back(reinterpret_cast<const char*>(t.data()), sizeof(float) * t.size());
      const fg::explanation e = s.explain(fg::fetch(m.y));
      for (const fg::pass_report& p : e.passes) {
        changed += p.name == "save_memory" ? p.changed : 0;
        for (const std::string& n : p.notes)
          for_flow += n.find("/Switch") != std::string::npos || n.find("/Enter") != std::string::npos;
      }
      return made;
    };
    const auto expected = bits({}, {});
    for (const bool recompute : {false, true})
      for (const fg::cutting cut : {fg::cutting(), fg::per_device}) {
        const fg::save_memory saving(costs, {.limit = 1, .recompute = recompute, .swap = !recompute});
        CHECK((bits({saving}, cut) == expected));
      }
  }
  CHECK(for_flow > 10);
  MESSAGE(for_flow, " of ", changed, " values came back for a branch or a loop");
}

TEST_CASE("save memory: what has been handed to a branch or a loop stays, and so do its bits") {
  long_way m([](fg::graph& g, fg::out<float> start) {
    auto early = multiply(start, start, {.name = "early"});
    const auto [count, grown] = fg::while_loop(
        std::tuple{g.constant(0), early}, [&](auto k, auto) { return k < g.constant(3); },
        [&](auto k, auto a) {
          return std::tuple{k + g.constant(1), add(multiply(a, a), early)};
        });
    auto chosen = fg::cond(
        count > g.constant(2), [&] { return add(grown, early); }, [&] { return multiply(grown, early); });
    return long_way::parts{chosen, early};
  });
  const auto plain = m.run(nullptr);
  const fg::cost_model costs;
  const fg::save_memory saving(costs, {.limit = 1});
  const auto made = m.run(&saving);
  CHECK((made.bits == plain.bits));
  CHECK(made.report.too_large == 2);  // either CPU
  CHECK_FALSE(tells(made.report, "early"));
}

TEST_CASE("save memory: a branch that began before the peak keeps its value, whoever else reads it afterwards") {
  fg::graph g;
  const auto x = g.placeholder<float>("x", {size});
  fg::out<float> y;
  {
    const auto on = g.on_device("/cpu:1");
    const auto early = multiply(x, x, {.name = "early"});
    const auto sides = fg::switch_(early, less(g.constant(0.f), fg::sum(x)));
    const auto wide = add(add(x, x), multiply(x, x));
    fg::out<float> made[] = {add(wide, x), multiply(wide, x), add(wide, wide)};
    const auto sum = add(add(made[0], made[1]), made[2]);
    const auto read = add(sum, early, {.name = "read"});
    const auto inside = add(sides.if_true, read);
    y = fg::merge({inside, multiply(sides.if_false, read)}).value;
  }
  std::vector<std::string> bits;
  const fg::cost_model costs;
  const fg::save_memory saving(costs, {.limit = 1});
  for (const bool is_saving : {false, true}) {
    const fg::device_list cpus = fg::cpu_devices(2);
    fg::session_options o{.devices = cpus};
    if (is_saving) o.passes.further = {saving};
    fg::session s{g, o};
    const auto made = fg::tensor<float>(s.run(fg::fetch(y), {{x, filled(size, 1.25f)}}));
    bits.emplace_back(reinterpret_cast<const char*>(made.data()), sizeof(float) * made.size());
    if (is_saving) CHECK_FALSE(tells(saved(s.explain(fg::fetch(y), {{x, fg::shape{size}}})), "early"));
  }
  CHECK(bits[0] == bits[1]);
}

namespace {

// A network on the second of two CPUs, and what Adam makes of it.
struct trained_network {
  static constexpr std::int64_t batch = 512, units = 64;
  fg::graph g;
  fg::out<float> x = g.placeholder<float>("x", {batch, units}), loss;
  fg::target train = nullptr;
  fg::tensor<float> images{fg::shape{batch, units}};

  trained_network() {
    g.set_seed(1);
    const auto on = g.on_device("/cpu:1");
    fg::out<float> h = x;
    for (int i = 0; i < 8; ++i) {
      auto w = g.variable(fg::message{"w", i}.string(), fg::glorot_uniform<float>({units, units}));
      auto a = fg::matmul(h, w) + g.variable(fg::message{"b", i}.string(), fg::zeros<float>({units}));
      h = a * fg::sigmoid(a);
    }
    loss = fg::mean(fg::square(h - x));
    train = fg::adam{.rate = 1e-2f}.minimize(loss);
    int k = 0;
    for (float& f : images.writable()) f = static_cast<float>(k++ % 17) / 17;
  }

  auto prepare(fg::session& s) const { return s.prepare(fg::feed(x), fg::fetch(loss), train); }
  template <class F> double seconds(F&& step) const {
    const auto start = std::chrono::steady_clock::now();
    step(images);
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }
  // The losses of some steps.
  std::vector<float> losses(fg::session& s, bool is_prepared) const {
    std::vector<float> made;
    for (int i = 0; i < 3 && !is_prepared; ++i)
      made.push_back(fg::tensor<float>(s.run(fg::fetch(loss), train, {{x, images}})).scalar());
    if (!is_prepared) return made;
    auto step = prepare(s);
    for (int i = 0; i < 3; ++i) made.push_back(fg::tensor<float>(step(images)).scalar());
    return made;
  }
};

}  // namespace

TEST_CASE("save memory: training under 0.7 of its own peak has the same bits, at no more than 1.35 times the time") {
  const trained_network m;
  const fg::cost_model costs;
  const fg::device_list cpus = fg::cpu_devices(2);
  fg::session plain{m.g, {.devices = cpus}};
  plain.initialize();
  const auto expected = m.losses(plain, true);
  const std::size_t variables = cpus[1].budget()->in_use();
  auto step = m.prepare(plain);
  const std::size_t peak = cpus[1].budget()->in_use();
  // Of all that lies there; for one way alone of what is not a variable, which nobody can save.
  std::size_t limit = peak * 7 / 10;
  const auto limited = [&](const fg::pass_options& passes, auto use) {
    const fg::device_list under = fg::cpu_devices(2, limit);
    const fg::device* const both[] = {&cpus[0], &under[1]};
    fg::session s{m.g, {.devices = both, .passes = passes}};
    s.initialize();
    use(s);
  };
  limited({}, [&](fg::session& s) {
    const fg::any_out fed[] = {m.x}, fetched[] = {m.loss};
    const auto refused = s.try_prepare(fed, fetched, {&m.train, 1});
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code() == fg::error_code::resource_exhausted);
  });
  for (const fg::memory_options& o : {fg::memory_options{}, {.swap = false}, {.recompute = false}}) {
    const fg::save_memory saving(costs, o);
    limit = o.swap && o.recompute ? peak * 7 / 10 : variables + (peak - variables) * 7 / 10;
    for (const bool is_prepared : {false, true})
      limited({.further = {saving}}, [&](fg::session& s) { CHECK((m.losses(s, is_prepared) == expected)); });
    limited({.further = {saving}}, [&](fg::session& s) {
      auto saved = m.prepare(s);
      double without = 1e9, with = 1e9;  // the fastest rounds: other work only slows a round down, often many in turn
      for (int i = 0; i < 15 || (i < 150 && with > 1.35 * without); ++i) {
        without = std::min(without, m.seconds(step));
        with = std::min(with, m.seconds(saved));
      }
      MESSAGE(std::string(o.swap ? o.recompute ? "recomputed or swapped" : "swapped" : "recomputed")
              << ": " << with / without << " times the time, the fastest rounds of each");
      CHECK(with <= 1.35 * without);
    });
  }
}

TEST_CASE("save_memory: a device's own kernel needs the scratch of its own rule") {
  constexpr std::size_t most = std::size_t{1} << 20;
  fg::device wide("wide");
  const auto sum = [](const add_op&, fg::cpu, fg::view<const float> a, fg::view<const float> b, fg::view<float> y) {
    for (std::size_t i = 0; i < y.size(); ++i) y[i] = a[i] + b[i];
  };
  REQUIRE(wide.add<add_op>(sum, [](const add_op&, const fg::shape&, const fg::shape&) { return most; }));
  const fg::device* const devices[] = {&wide};
  fg::graph g;
  const auto x = g.placeholder<float>("x", {size});
  const auto y = [&] {
    const auto there = g.on_device("/device:wide:0");
    return add(add(x, x), x, {.name = "y"});
  }();
  const fg::cost_model costs;
  const fg::save_memory saving(costs, {.limit = most / 2});
  fg::session_options o{.devices = devices};
  o.passes.further = {saving};
  fg::session s{g, o};
  CHECK(tells(saved(s.explain(fg::fetch(y), {{x, fg::shape{size}}})),
              " bytes above the limit of /job:localhost/task:0/device:wide:0"));
}

// Random programs as graphs and as plain C++: the answers have equal bits, and the gradients are the derivatives.
//
// FLOWGRAPH_TEST_PROGRAMS says how many, FLOWGRAPH_TEST_SEED where they begin; a failure names the seed of its program.

#include "../../harness/accelerator/kernels.hpp"
#include "../../harness/engine_ops.hpp"
#include "../../harness/random_program.hpp"

#include <flowgraph/core/memory_budget.hpp>
#include <flowgraph/core/thread_pool.hpp>
#include <flowgraph/graph/gradients.hpp>
#include <flowgraph/op/device.hpp>
#include <flowgraph/passes/arithmetic.hpp>
#include <flowgraph/passes/dead_switches.hpp>
#include <flowgraph/passes/dependencies.hpp>
#include <flowgraph/passes/group_elementwise.hpp>
#include <flowgraph/passes/known_shapes.hpp>

#include <doctest/doctest.h>

#include <cmath>

namespace {

using namespace programs;

// A number with its derivatives by the doubles that a program begins with.
struct dual {
  double value = 0;
  std::array<double, count> by{};

  dual() = default;
  explicit dual(double v) : value(v) {}
  explicit operator integer() const { return static_cast<integer>(value); }
  friend bool operator<(const dual& a, double b) { return a.value < b; }
  friend dual operator+(const dual& a, const dual& b) { return made(a.value + b.value, a, 1, b, 1); }
  friend dual operator-(const dual& a, const dual& b) { return made(a.value - b.value, a, 1, b, -1); }
  friend dual operator*(const dual& a, const dual& b) { return made(a.value * b.value, a, b.value, b, a.value); }
  friend dual wrapped(const dual& x) {
    return made(programs::wrapped(x.value), x, x.value >= -1000 && x.value <= 1000 ? 0.5 : 0, x, 0);
  }

  static dual made(double value, const dual& a, double by_a, const dual& b, double by_b) {
    dual y(value);
    for (std::size_t k = 0; k < count; ++k) y.by[k] = a.by[k] * by_a + b.by[k] * by_b;
    return y;
  }
};

// A number with the handle that computes it: a program on such numbers leaves a graph without loops and branches.
struct unrolled {
  double value = 0;
  number at;

  explicit unrolled(double v, number computed = {}) : value(v), at(computed) {}
  explicit operator integer() const { return static_cast<integer>(value); }
  friend bool operator<(const unrolled& a, double b) { return a.value < b; }
  friend unrolled operator+(const unrolled& a, const unrolled& b) { return unrolled(a.value + b.value, a.at + b.at); }
  friend unrolled operator-(const unrolled& a, const unrolled& b) { return unrolled(a.value - b.value, a.at - b.at); }
  friend unrolled operator*(const unrolled& a, const unrolled& b) { return unrolled(a.value * b.value, a.at * b.at); }
  friend unrolled wrapped(const unrolled& x) { return unrolled(programs::wrapped(x.value), programs::wrapped(x.at)); }
};

// The derivative of the program's loss by the double number k, from differences; none where it goes another way close by.
std::optional<double> difference(const block& b, const plain::state& start, std::size_t k) {
  using real = long double;
  std::vector<integer> way;
  std::vector<real> seen;  // what reads of variables give: the derivative does not pass through them
  const auto loss_at = [&](real step) {
    plain_of<real>::state s{start.i, {start.d.begin(), start.d.end()}};
    s.d[k] += step;
    plain_of<real> along;
    std::size_t reads = 0;
    along.read = [&](const real& kept) {
      if (step == 0) seen.push_back(kept);
      return reads < seen.size() ? seen[reads++] : kept;
    };
    way.clear();
    along.way = &way;
    along.run(b, s);
    return program::loss_of(s.d);
  };
  loss_at(0);
  const std::vector<integer> straight = way;
  std::array<real, 2> slopes{};  // of a step, and of half of it
  for (std::size_t n = 0; n < 2; ++n) {
    const real step = 1e-6L / static_cast<real>(n + 1);
    const real after = loss_at(step);
    if (way != straight) return {};
    const real before = loss_at(-step);
    if (way != straight) return {};
    slopes[n] = (after - before) / (2 * step);
  }
  return static_cast<double>((4 * slopes[1] - slopes[0]) / 3);
}

const fg::pass_options further{.further = {fg::passes::known_shapes, fg::passes::dead_switches, fg::passes::arithmetic,
                                           fg::passes::dependencies, fg::passes::group_elementwise}};

const std::uint64_t how_many = number_from("FLOWGRAPH_TEST_PROGRAMS", 150), first_seed = number_from("FLOWGRAPH_TEST_SEED", 1);

// Runs in a row give what C++ gives, whose variables go on from run to run as well. With each of these numbers the program runs as it is
// asked for, and by a step that was prepared.
fg::any_step check_runs(const program& p, fg::session& s, const block& b, std::span<const plain::state> starts) {
  const fg::result<void> begun = s.try_initialize();
  REQUIRE_MESSAGE(begun.has_value(), std::string(begun.error().what()));
  const auto results = p.results();
  auto step = p.try_prepare(s, results);
  REQUIRE_MESSAGE(step.has_value(), std::string(step.error().what()));
  plain::state expected;
  for (std::size_t round = 0; round < starts.size(); ++round) {
    CAPTURE(round);
    for (const bool prepared : {false, true}) {
      CAPTURE(prepared);
      expected = run_from(b, starts[round], expected);
      const auto made = prepared ? p.try_run(*step, results.size(), starts[round]) : p.try_run(s, results, starts[round]);
      REQUIRE_MESSAGE(made.has_value(), std::string(made.error().what()));
      CHECK(same(*made, expected));
    }
  }
  return std::move(*step);
}

// With the nodes of a program spread over three CPUs, and over two or four: in one plan and cut, on the caller's thread and with others.
// Then their memory must be empty.
template <class F> void on_cpus(const program& p, std::uint64_t seed, fg::thread_pool* pool, F&& f) {
  constexpr std::array<std::string_view, 4> names{"/cpu:0", "/cpu:1", "/cpu:2", "/cpu:3"};
  struct spreading {
    std::size_t cpus;
    bool threads, cut;
  };
  const bool few = seed % 2 == 0;
  const spreading ways[]{
      {3, false, false}, {3, true, false}, {3, false, true}, {3, true, true}, {few ? 2u : 4u, seed % 4 < 2, seed % 8 < 4}};
  for (const spreading& w : ways) {
    CAPTURE(w.cpus);
    CAPTURE(w.threads);
    CAPTURE(w.cut);
    const fg::device_list cpus = fg::cpu_devices(w.cpus);
    spread(p.g, seed, std::span(names).first(w.cpus));
    {
      fg::session s{p.g,
                    {.pool = w.threads ? pool : nullptr,
                     .devices = cpus,
                     .soft_placement = true,
                     .cut = w.cut ? fg::per_device : fg::cutting()}};
      f(s);
    }
    for (std::size_t d = 0; d < cpus.size(); ++d) CHECK(cpus[d].budget()->in_use() == 0);
  }
}

}  // namespace

TEST_CASE("random programs give what C++ gives, on 1 and 4 threads and for any overlap of iterations") {
  fg::thread_pool pool(4);
  std::uint64_t straight = 0;
  for (std::uint64_t at = first_seed; at < first_seed + how_many; ++at) {
    CAPTURE(at);
    plain::state start;
    const block b = random_block(at, start);
    // Twice with the same numbers, then with others.
    std::array<plain::state, 3> starts{start, start, start};
    starts[2].i[0] += 7;
    starts[2].d[1] -= 3.25;
    for (const int parallel : {0, 1, 2, 10}) {
      CAPTURE(parallel);
      const program p(b, {.parallel = parallel});
      for (fg::thread_pool* threads : {static_cast<fg::thread_pool*>(nullptr), &pool}) {
        CAPTURE((threads != nullptr));
        for (const bool dynamic : {false, true}) {  // as straight lines, and by the ready queue
          CAPTURE(dynamic);
          engine::counting_memory memory;
          {
            fg::session s{
                p.g,
                {.pool = threads, .memory = &memory, .dynamic = dynamic, .passes = parallel < 2 ? further : fg::pass_options()}};
            straight += check_runs(p, s, b, starts).plan().queued.empty();
          }
          CHECK(memory.in_use() == 0);
        }
      }
    }
  }
  CHECK(straight > 4 * how_many);
  MESSAGE("steps as straight lines: ", straight, " of ", 16 * how_many);
}

TEST_CASE("random programs spread over several CPUs give the bits of one, in one plan and cut between them") {
  fg::thread_pool pool(4);
  for (std::uint64_t at = first_seed; at < first_seed + how_many; ++at) {
    CAPTURE(at);
    plain::state start;
    const block b = random_block(at, start);
    const program p(b, {.parallel = at % 2 == 0 ? 1 : 10});
    on_cpus(p, at, &pool, [&](fg::session& s) { check_runs(p, s, b, std::array{start, start}); });
  }
}

TEST_CASE("random programs over a CPU and two accelerators give the bits of one, cut or not, whatever order the streams take") {
  fg::thread_pool pool(4);
  constexpr std::array<std::string_view, 3> names{"/cpu:0", "/device:accel:0", "/device:accel:1"};
  for (std::uint64_t at = first_seed; at < first_seed + how_many; ++at) {
    CAPTURE(at);
    plain::state start;
    const block b = random_block(at, start);
    const program p(b, {.parallel = at % 2 == 0 ? 1 : 10});
    spread(p.g, at, names);
    for (std::uint64_t order = 0; order < 6; ++order) {
      CAPTURE(order);
      accelerator::accelerators beside(6 * at + order, 2);
      beside.learn(p.g);
      {
        const fg::cutting cut = order < 4 ? fg::cutting() : fg::per_device;
        fg::session s{
            p.g, {.pool = order % 2 == 1 ? &pool : nullptr, .devices = beside.devices(), .soft_placement = true, .cut = cut}};
        check_runs(p, s, b, std::array{start, start});
      }
      for (std::size_t d = 0; d < 2; ++d) CHECK(beside.memory_of(d).in_use() == 0);
    }
  }
}

TEST_CASE("gradients of random programs: derivatives, differences, and what the same without loops and branches gives") {
  fg::thread_pool pool(4);
  std::uint64_t smooth = 0, straight_steps = 0;
  for (std::uint64_t at = first_seed; at < first_seed + how_many; ++at) {
    CAPTURE(at);
    plain::state start;
    const block b = random_block(at, start);
    program p(b, {.parallel = static_cast<int>(at % 11), .forgets = true});

    plain_of<dual>::state duals{start.i, {}};
    plain_of<unrolled>::state straight{start.i, {}};
    for (std::size_t k = 0; k < count; ++k) {
      duals.d.push_back(dual(start.d[k]));
      duals.d[k].by[k] = 1;
      straight.d.push_back(unrolled(start.d[k], p.first.d[k]));
    }
    plain_of<dual> with_derivatives;
    with_derivatives.read = [](const dual& kept) { return dual(kept.value); };
    with_derivatives.run(b, duals);
    plain_of<unrolled> along;
    for (unrolled& kept : straight.kept_d) kept.at = p.g.constant(kept.value);
    along.read = [&](const unrolled& kept) { return unrolled(kept.value, p.g.constant(kept.value)); };
    along.number = [&](double v) { return unrolled(v, p.g.constant(v)); };
    along.run(b, straight);
    const number straight_loss = program::loss_of(std::array{straight.d[0].at, straight.d[1].at, straight.d[2].at});

    std::vector<fg::any_out> fetches{p.loss(), straight_loss};
    std::vector<std::array<std::size_t, 2>> places;  // among the fetches, of both gradients; 0: none, which is zero
    const auto by_loop = fg::gradients(p.loss(), p.first.d, {.allow_none = true});
    const auto by_line = fg::gradients(straight_loss, p.first.d, {.allow_none = true});
    const auto place = [&](const fg::grad<double>& g) -> std::size_t {
      if (g.is_none()) return 0;
      fetches.push_back(number(g));
      return fetches.size() - 1;
    };
    for (std::size_t k = 0; k < count; ++k) places.push_back({place(by_loop[k]), place(by_line[k])});
    fg::session s{
        p.g,
        {.pool = at % 2 == 0 ? &pool : nullptr, .dynamic = at % 3 == 0, .passes = at % 3 == 1 ? further : fg::pass_options()}};
    REQUIRE(s.try_initialize());
    const auto made = p.try_run(s, fetches, start);
    REQUIRE_MESSAGE(made.has_value(), std::string(made.error().what()));
    auto step = p.try_prepare(s, fetches);
    REQUIRE_MESSAGE(step.has_value(), std::string(step.error().what()));
    straight_steps += step->plan().queued.empty();
    for (int round = 0; round < 2; ++round) {
      const auto again = p.try_run(*step, fetches.size(), start);
      REQUIRE_MESSAGE(again.has_value(), std::string(again.error().what()));
      for (std::size_t k = 0; k < fetches.size(); ++k)
        CHECK(std::memcmp((*made)[k].data(), (*again)[k].data(), sizeof(double)) == 0);
    }
    const auto value = [&](std::size_t n) { return (*made)[n].as<double>().scalar(); };
    CHECK(value(0) == value(1));
    for (std::size_t k = 0; k < count; ++k) {
      CAPTURE(k);
      const double expected = duals.d[0].by[k] + duals.d[1].by[k] * 2 - duals.d[2].by[k];
      const auto is_near = [](double a, double b_, double bound) { return std::abs(a - b_) <= bound * (1 + std::abs(b_)); };
      const double found = places[k][0] ? value(places[k][0]) : 0;
      CHECK(is_near(found, expected, 1e-9));
      CHECK(is_near(found, places[k][1] ? value(places[k][1]) : 0, 1e-9));
      if (const auto by_difference = difference(b, start, k)) {
        ++smooth;
        CHECK_MESSAGE(is_near(found, *by_difference, 1e-6), found, " is not ", *by_difference);
      }
    }
  }
  CHECK(smooth > 2 * how_many);
  CHECK(straight_steps > how_many / 4);
  MESSAGE("differences: ", smooth, " of ", 3 * how_many, "; steps as straight lines: ", straight_steps, " of ", how_many);
}

TEST_CASE("gradients of random programs spread over several CPUs have the bits of one, in one plan and cut between them") {
  fg::thread_pool pool(4);
  for (std::uint64_t at = first_seed; at < first_seed + (how_many + 3) / 4; ++at) {  // plans are many times those of the programs
    CAPTURE(at);
    plain::state start;
    const block b = random_block(at, start);
    program p(b, {.parallel = static_cast<int>(at % 11), .forgets = true});
    std::vector<fg::any_out> fetches = p.results();
    for (const auto& d : fg::gradients(p.loss(), p.first.d, {.allow_none = true}))
      if (!d.is_none()) fetches.push_back(number(d));
    std::vector<fg::any_tensor> expected;
    {
      fg::session s{p.g};
      REQUIRE(s.try_initialize());
      auto made = p.try_run(s, fetches, start);
      REQUIRE_MESSAGE(made.has_value(), std::string(made.error().what()));
      expected = *made;
    }
    on_cpus(p, at, &pool, [&](fg::session& s) {
      REQUIRE(s.try_initialize());
      auto step = p.try_prepare(s, fetches);
      REQUIRE_MESSAGE(step.has_value(), std::string(step.error().what()));
      for (const bool prepared : {false, true, true}) {
        CAPTURE(prepared);
        const auto made = prepared ? p.try_run(*step, fetches.size(), start) : p.try_run(s, fetches, start);
        REQUIRE_MESSAGE(made.has_value(), std::string(made.error().what()));
        for (std::size_t k = 0; k < fetches.size(); ++k)
          CHECK(std::memcmp((*made)[k].data(), expected[k].data(), sizeof(double)) == 0);
      }
    });
  }
}

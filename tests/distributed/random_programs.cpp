// Random programs, with variables, nested loops and branches, whose nodes are on the tasks of a cluster: the answers have the
// bits of plain C++. FLOWGRAPH_TEST_PROGRAMS is the number of programs, FLOWGRAPH_TEST_SEED the first seed; a failure names the
// seed of its program.
#include "../harness/random_program.hpp"

#include "../harness/free_addresses.hpp"
#include "simulated_cluster.hpp"
#include "task_process.hpp"

#ifdef FLOWGRAPH_BY_NAME  // other tasks have few ops

#include <flowgraph/graph/registration.hpp>
#include <flowgraph/ops/exchange.hpp>
#include <flowgraph/ops/standard.hpp>

using namespace flowgraph_test;

namespace {

// Returns the ops of the library, and the op of the programs.
const fg::registry& program_ops() {
  static const fg::registry made = [] {
    fg::registry ops;
    fg::add_standard_ops(ops).value();
    fg::add_exchange_ops(ops).value();
    ops.add(fg::forward_table<programs::aside_op>, std::source_location::current()).value();
    return ops;
  }();
  return made;
}

constexpr std::array<std::string_view, 3> tasks{"/job:worker/task:0", "/job:worker/task:1", "/job:worker/task:2"};

// Runs the programs, each over this number of tasks, as runs and prepared.
template <class Connect> void check_programs(std::uint64_t how_many, std::size_t over, Connect&& connect) {
  const std::uint64_t first = programs::number_from("FLOWGRAPH_TEST_SEED", 1);
  for (std::uint64_t at = first; at < first + how_many; ++at) {
    CAPTURE(at);
    programs::plain::state start;
    const programs::block b = programs::random_block(at, start);
    const programs::program p(b, {.parallel = at % 2 == 0 ? 1 : 10});
    programs::spread(p.g, at, std::span(tasks).first(over));
    const auto results = p.results();
    connect(at, [&](const fg::session_target& target) {
      fg::session s{p.g, target, {.soft_placement = true}};
      const auto begun = s.try_initialize();
      REQUIRE_MESSAGE(begun.has_value(), std::string(begun.error().what()));
      programs::plain::state expected;
      auto step = p.try_prepare(s, results);
      REQUIRE_MESSAGE(step.has_value(), std::string(step.error().what()));
      for (const bool prepared : {false, true, true}) {
        CAPTURE(prepared);
        expected = programs::run_from(b, start, expected);
        const auto made = prepared ? p.try_run(*step, results.size(), start) : p.try_run(s, results, start);
        REQUIRE_MESSAGE(made.has_value(), std::string(made.error().what()));
        CHECK(programs::same(*made, expected));
      }
    });
  }
}

}  // namespace

TEST_CASE("random programs: a task" * doctest::skip()) {
  if (const auto here = started_task(program_ops())) (void)own_process::is_asked();
}

TEST_CASE("random programs over 2 and 3 tasks of a simulated network give the bits of one process") {
  for (std::uint32_t over = 2; over <= 3; ++over)
    check_programs(programs::number_from("FLOWGRAPH_TEST_PROGRAMS", 25), over, [&](std::uint64_t at, auto&& run) {
      simulated_cluster cluster(over, at, program_ops());
      run(cluster.connect());
    });
}

TEST_CASE("random programs over 2 and 3 processes give the bits of one") {
  for (std::size_t over = 2; over <= 3; ++over) {
    const std::vector<std::string> addresses = free_addresses(over);
    std::vector<own_process> processes;
    for (std::size_t i = 0; i < over; ++i) processes.push_back(start_task("random programs: a task", i, addresses));
    check_programs(programs::number_from("FLOWGRAPH_TEST_PROGRAMS", 15), over,
                   [&](std::uint64_t, auto&& run) { run(fg::tcp::connect(addresses[0])); });
  }
}

#endif

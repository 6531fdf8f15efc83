// Random programs with branches, loops and variables over a CPU and two emulated GPUs: the answers have the bits of plain C++,
// for any order of the streams. FLOWGRAPH_TEST_PROGRAMS sets their number, and FLOWGRAPH_TEST_FIRST_PROGRAM the first of them.

#include "../harness/random_program.hpp"
#include "emulation/devices.hpp"

#include <flowgraph/core/thread_pool.hpp>
#include <flowgraph/runtime/session.hpp>

#include <doctest/doctest.h>

namespace {

using namespace programs;

const std::uint64_t programs_on_gpus = number_from("FLOWGRAPH_TEST_PROGRAMS", 150),
                    first_program = number_from("FLOWGRAPH_TEST_FIRST_PROGRAM", 1);

void check_on_gpus(const program& p, fg::session& s, const block& b, const plain::state& start) {
  REQUIRE(s.try_initialize().has_value());
  const auto results = p.results();
  auto step = p.try_prepare(s, results);
  REQUIRE_MESSAGE(step.has_value(), std::string(step.error().what()));
  plain::state expected;
  for (const bool prepared : {false, true, true}) {
    CAPTURE(prepared);
    expected = run_from(b, start, expected);
    const auto made = prepared ? p.try_run(*step, results.size(), start) : p.try_run(s, results, start);
    REQUIRE_MESSAGE(made.has_value(), std::string(made.error().what()));
    CHECK(same(*made, expected));
  }
}

}  // namespace

TEST_CASE("random programs over a CPU and two GPUs give the bits of plain C++") {
  fg::thread_pool pool(4);
  constexpr std::array<std::string_view, 3> names{"/cpu:0", "/gpu:0", "/gpu:1"};
  std::uint64_t launches = 0;
  for (std::uint64_t at = first_program; at < first_program + programs_on_gpus; ++at) {
    CAPTURE(at);
    if (at % 500 == 0) MESSAGE("program ", at);
    plain::state start;
    const block b = random_block(at, start);
    const program p(b, {.parallel = at % 2 == 0 ? 1 : 10});
    spread(p.g, at, names);
    for (std::uint64_t order = 0; order < 4; ++order) {
      CAPTURE(order);
      const auto counts = std::make_shared<emulation::state>();
      {
        fg::device_list devices;
        for (const std::string_view name : {"gpu:0", "gpu:1"})
          devices.push_back(fg::cuda::make_device(name, std::make_unique<emulation::driver>(4 * at + order, counts)).value());
        const fg::cutting cut = order < 3 ? fg::cutting() : fg::per_device;
        fg::session s{p.g, {.pool = order % 2 == 1 ? &pool : nullptr, .devices = devices, .soft_placement = true, .cut = cut}};
        check_on_gpus(p, s, b, start);
      }
      launches += counts->launches;
      CHECK(counts->bytes == 0);
      CHECK(counts->streams == 0);
      CHECK(counts->events == 0);
    }
  }
  CHECK(launches > 10 * programs_on_gpus);
  MESSAGE(launches, " launches");
}

#include <flowgraph/runtime/schedule/schedule.hpp>

#include <flowgraph/core/threads.hpp>

#include "../../harness/engine_ops.hpp"

using namespace engine;
namespace detail = fg::detail;

namespace {

// Entries that write down which of them ran; one may fail.
struct noted {
  std::vector<int>* ran;
  int number;
  bool fails = false;
};
void note(const void* op, detail::kernel_call& call) {
  const noted& n = *static_cast<const noted*>(op);
  n.ran->push_back(n.number);
  if (n.fails) fg::cpu(call).fail(error_code::data_loss, "enough");
}

struct small_schedule {
  fg::graph g;
  fg::out<float> x = g.placeholder<float>("x", {}), y = add(x, x, {.name = "y"});
  const fg::call_site site = site_of_y();
  detail::plan plan;
  fg::run_services services;
  std::vector<int> ran;
  noted notes[3]{{&ran, 0}, {&ran, 1}, {&ran, 2}};
  detail::schedule calls{plan, services};

  fg::call_site site_of_y() const {
    fg::call_site made;
    made.name = y.source->name;
    made.op = y.source->op;
    made.where = y.source->where;
    return made;
  }
  small_schedule() {
    for (const noted& n : notes) calls.entries.push_back({&note, &n, calls.call_at(&site)});
  }
};

}  // namespace

TEST_CASE("schedule: a walk runs the entries asked for, in order") {
  small_schedule s;
  CHECK(s.calls.walk(0, 3, nullptr));
  CHECK(s.calls.walk(1, 2, nullptr));
  CHECK(s.calls.walk(2, 2, nullptr));
  CHECK(s.ran == std::vector{0, 1, 2, 1});
}

TEST_CASE("schedule: a failure ends the walk and names its node; the next walk is as if it had not been") {
  small_schedule s;
  s.notes[1].fails = true;
  CHECK_FALSE(s.calls.walk(0, 3, nullptr));
  CHECK(s.ran == std::vector{0, 1});
  check_error(s.calls.take_failure(), error_code::data_loss, "y", "TestAdd", {"enough"});
  s.notes[1].fails = false;
  CHECK(s.calls.walk(0, 3, nullptr));
}

TEST_CASE("schedule: a run that is asked to stop ends before the next entry") {
  small_schedule s;
  flowgraph::stop_source stop;
  const fg::run_options watched{.stop = stop.get_token()};
  CHECK(s.calls.walk(0, 1, &watched));
  stop.request_stop();
  CHECK_FALSE(s.calls.walk(1, 3, &watched));
  CHECK(s.ran == std::vector{0});
  check_error(s.calls.take_failure(), error_code::cancelled, "y", "TestAdd");
}

TEST_CASE("schedule: entries that draw random numbers get those of the run") {
  small_schedule s;
  s.calls.entries.clear();
  s.calls.number_next(1);
  s.calls.entries.push_back({&note, &s.notes[0], s.calls.call_at(&s.site)});
  std::atomic<std::uint64_t> drawn{7};
  const detail::random_ordinal ordinals[]{{}, {5, &drawn}};
  s.calls.number(ordinals);
  CHECK(s.calls.entries[0].call.ordinal == 5);
  CHECK(s.calls.entries[0].call.drawn == &drawn);
}

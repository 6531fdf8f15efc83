#include <flowgraph/runtime/schedule/root_schedule.hpp>

#include "../../harness/engine_ops.hpp"

#include <flowgraph/core/threads.hpp>

using namespace engine;

namespace {

// Writes down the course of a run; one part may fail.
class noting_root final : public fg::detail::root_schedule {
public:
  noting_root(fg::detail::session_state& session, const fg::detail::plan& p) : root_schedule(session, p) {}

  bool fits(std::span<const fg::any_tensor* const>) const override { return true; }
  void describe(fg::step_report&) const override {}

  std::string course, fails_at;

private:
  fg::error note(const char* part) {
    course += std::string(course.empty() ? "" : " ") + part;
    return fails_at == part ? fg::error(error_code::data_loss, "enough") : fg::error();
  }
  fg::error begin(std::span<const fg::any_tensor* const>) override { return note("begin"); }
  fg::error walk(const fg::run_options* watched) override { return note(watched ? "watched" : "walk"); }
  fg::error fetch(std::size_t, std::span<const fg::any_tensor* const>, fg::any_tensor&) override { return note("fetch"); }
  void end(bool failed) override { static_cast<void>(note(failed ? "failed" : "end")); }
};

struct root_of_a_run {
  fg::graph g;
  fg::detail::session_state session{g, {}};
  fg::detail::plan plan;
  noting_root root{session, plan};
  fg::any_tensor fetched[2];

  std::string run(const fg::run_options* options = nullptr) {
    root.course.clear();
    const fg::error why = root.run({}, fetched, options);
    CHECK(static_cast<bool>(why) == !root.fails_at.empty());
    return root.course;
  }
};

}  // namespace

TEST_CASE("root_schedule: a run begins, walks, fetches and ends") {
  root_of_a_run r;
  CHECK(r.run() == "begin walk fetch fetch end");
  flowgraph::stop_source stop;
  const fg::run_options watched{.stop = stop.get_token()}, idle;
  CHECK(r.run(&watched) == "begin watched fetch fetch end");
  CHECK(r.run(&idle) == "begin walk fetch fetch end");
}

TEST_CASE("root_schedule: a run that fails does nothing more, and ends") {
  root_of_a_run r;
  r.root.fails_at = "begin";
  CHECK(r.run() == "begin failed");
  r.root.fails_at = "walk";
  CHECK(r.run() == "begin walk failed");
  r.root.fails_at = "fetch";
  CHECK(r.run() == "begin walk fetch failed");
}

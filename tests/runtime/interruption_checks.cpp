#include <flowgraph/runtime/interruption_checks.hpp>

#include <flowgraph/core/threads.hpp>

#include "../harness/engine_ops.hpp"

#include <string_view>
#include <thread>

namespace fg = flowgraph;
using namespace std::chrono_literals;

TEST_CASE("interruption_checks: a run is watched if anything may end it") {
  flowgraph::stop_source source;
  CHECK_FALSE(fg::detail::is_watched({}));
  CHECK(fg::detail::is_watched({.stop = source.get_token()}));
  CHECK(fg::detail::is_watched(fg::run_options::within(1h)));
  CHECK(fg::detail::token_of({}) == nullptr);
  CHECK(fg::detail::token_of({.stop = source.get_token()}) != nullptr);
}

TEST_CASE("interruption_checks: a stop request comes before a deadline, and none of both is no error") {
  flowgraph::stop_source source;
  fg::run_options o = fg::run_options::within(1h);
  o.stop = source.get_token();
  CHECK_FALSE(fg::detail::check_stop(o));
  o.deadline = fg::steady_time::after(-1ns);
  CHECK(fg::detail::check_stop(o).code() == fg::error_code::deadline_exceeded);
  source.request_stop();
  CHECK(fg::detail::check_stop(o).code() == fg::error_code::cancelled);
}

TEST_CASE("interruption_checks: kernels see a deadline only of a run that has one, and whether the run may wait") {
  fg::run_services services;
  fg::detail::tell_kernels(services, fg::run_options::within(-1ns));
  REQUIRE((services.is_late != nullptr));
  CHECK(services.is_late(services));
  fg::detail::tell_kernels(services, fg::run_options::within(1h));
  CHECK_FALSE(services.is_late(services));
  fg::detail::tell_kernels(services, {});
  CHECK((services.is_late == nullptr));
  CHECK(services.may_wait);
  fg::detail::tell_kernels(services, {.may_wait = false});
  CHECK_FALSE(services.may_wait);
}

TEST_CASE("interruption_checks: what is registered is called once asked to stop, and not when it is gone") {
  flowgraph::stop_source source;
  const fg::run_options o{.stop = source.get_token()};
  int calls = 0;
  {
    const fg::detail::stop_registration gone(o, [&] { calls += 100; });
  }
  const fg::detail::stop_registration stays(o, [&] { ++calls; });
  const fg::detail::stop_registration without({}, [&] { calls += 100; });
  source.request_stop();
  CHECK(calls == 1);
}

TEST_CASE("interruption_checks: the time of the clock that waits use is the time that was given") {
  const auto at = std::chrono::steady_clock::now() + 5ms;
  CHECK(fg::detail::time_of(fg::steady_time(at)) == std::chrono::time_point_cast<std::chrono::nanoseconds>(at));
}

TEST_CASE("interruption_checks: an error about a deadline says how long it was, where it was given as a duration") {
  const auto text = [](const fg::steady_time& deadline) { return std::string(fg::detail::deadline_error(deadline).message()); };
  CHECK(text(fg::steady_time::after(20ms)) == "the run's deadline of 20 ms has passed");
  CHECK(text(fg::steady_time::after(1500ms)) == "the run's deadline of 1500 ms has passed");
  CHECK(text(fg::steady_time::after(2h)) == "the run's deadline of 7200 s has passed");
  CHECK(text(fg::steady_time::after(std::chrono::duration<double>(0.00025))) == "the run's deadline of 250 us has passed");
  CHECK(text(fg::steady_time::after(1001ns)) == "the run's deadline of 1001 ns has passed");
  CHECK(text(fg::steady_time::after(0s)) == "the run's deadline of 0 s has passed");
  CHECK(text(fg::steady_time(std::chrono::steady_clock::now())) == "the run's deadline has passed");

  fg::graph g;
  auto x = g.placeholder<float>("x", {});
  auto y = engine::add(x, x);
  fg::session s{g};
  const fg::error late = s.try_run(fg::fetch(y), {{x, 1.f}}, fg::run_options::within(1us)).error();
  CHECK(late.code() == fg::error_code::deadline_exceeded);
  CHECK(late.message().find("of 1 us") != std::string_view::npos);
}

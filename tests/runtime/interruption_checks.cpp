#include <flowgraph/runtime/interruption_checks.hpp>

#include <doctest/doctest.h>

#include <string_view>
#include <thread>

namespace fg = flowgraph;
using namespace std::chrono_literals;

TEST_CASE("watch: a run is watched if anything may end it") {
  std::stop_source source;
  CHECK_FALSE(fg::detail::is_watched({}));
  CHECK(fg::detail::is_watched({.stop = source.get_token()}));
  CHECK(fg::detail::is_watched(fg::run_options::within(1h)));
  CHECK(fg::detail::token_of({}) == nullptr);
  CHECK(fg::detail::token_of({.stop = source.get_token()}) != nullptr);
}

TEST_CASE("watch: a stop request comes before a deadline, and none of both is no error") {
  std::stop_source source;
  fg::run_options o = fg::run_options::within(1h);
  o.stop = source.get_token();
  CHECK_FALSE(fg::detail::check_stop(o));
  o.deadline = fg::steady_time::after(-1ns);
  CHECK(fg::detail::check_stop(o).code() == fg::error_code::deadline_exceeded);
  source.request_stop();
  CHECK(fg::detail::check_stop(o).code() == fg::error_code::cancelled);
}

TEST_CASE("watch: kernels see a deadline only of a run that has one") {
  fg::run_services services;
  fg::detail::set_deadline(services, fg::run_options::within(-1ns));
  REQUIRE((services.is_late != nullptr));
  CHECK(services.is_late(services));
  fg::detail::set_deadline(services, fg::run_options::within(1h));
  CHECK_FALSE(services.is_late(services));
  fg::detail::set_deadline(services, {});
  CHECK((services.is_late == nullptr));
}

TEST_CASE("watch: what is registered is called once asked to stop, and not when it is gone") {
  std::stop_source source;
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

TEST_CASE("watch: the time of the clock that waits use is the time that was given") {
  const auto at = std::chrono::steady_clock::now() + 5ms;
  CHECK(fg::detail::time_of(fg::steady_time(at)) == std::chrono::time_point_cast<std::chrono::nanoseconds>(at));
}

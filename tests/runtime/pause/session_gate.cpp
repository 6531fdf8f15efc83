#include <flowgraph/runtime/pause/session_gate.hpp>

#include <flowgraph/runtime/options.hpp>

#include <doctest/doctest.h>

#include <chrono>

namespace fg = flowgraph;
using namespace std::chrono_literals;

TEST_CASE("session_gate: others stand before it, the thread that shut it passes") {
  fg::detail::session_gate gate;
  CHECK_FALSE(gate.pass(nullptr));
  REQUIRE_FALSE(gate.shut({}));
  CHECK_FALSE(gate.pass(nullptr));
  std::atomic<bool> has_passed = false;
  std::thread other([&] {
    CHECK_FALSE(gate.pass(nullptr));
    has_passed = true;
  });
  while (gate.standing() != 1) std::this_thread::sleep_for(50us);
  CHECK_FALSE(has_passed);
  gate.open();
  other.join();
  CHECK(gate.standing() == 0);
}

TEST_CASE("session_gate: a deadline ends standing there, and waiting to shut it") {
  fg::detail::session_gate gate;
  REQUIRE_FALSE(gate.shut({}));
  CHECK(gate.shut({}).code() == fg::error_code::failed_precondition);  // by the same thread
  std::thread other([&] {
    const auto late = fg::run_options::within(2ms);
    CHECK(gate.pass(&late).code() == fg::error_code::deadline_exceeded);
    CHECK(gate.shut(late).code() == fg::error_code::deadline_exceeded);
  });
  other.join();
  gate.open();
}

TEST_CASE("session_gate: those that run stay while it is held") {
  fg::detail::session_gate gate;
  REQUIRE_FALSE(gate.shut({}));
  gate.stay_while_held();
  gate.hold(true);
  gate.stay_while_held();  // of this thread
  std::atomic<bool> goes_on = false;
  std::thread other([&] {
    gate.stay_while_held();
    goes_on = true;
  });
  std::this_thread::sleep_for(2ms);
  CHECK_FALSE(goes_on);
  gate.hold(false);
  other.join();
  CHECK(goes_on);
  gate.open();
}

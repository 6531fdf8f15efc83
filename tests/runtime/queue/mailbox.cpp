#include <flowgraph/runtime/queue/mailbox.hpp>

#include <flowgraph/runtime/session.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <thread>

namespace fg = flowgraph;
using namespace std::chrono_literals;

namespace {

using resting = fg::detail::plan_runner::resting;

constexpr auto nothing_to_help = [] { return false; };
constexpr auto nothing_has_come = [] { return false; };
constexpr auto waits_forever = [] { return resting::to_begin_anew; };

}  // namespace

TEST_CASE("mailbox: arrived values are taken once, in their order") {
  fg::detail::mailbox m;
  CHECK_FALSE(m.has_news());
  m.put({{3, nullptr}, false, {}});
  m.put({{5, nullptr}, true, {}});
  CHECK(m.has_news());
  fg::detail::sequence<fg::detail::arrived_value> came;
  CHECK_FALSE(m.take(came));
  CHECK_FALSE(m.has_news());
  REQUIRE(came.size() == 2);
  CHECK(came[0].at.record == 3);
  CHECK(came[1].dead);
  came.clear();
  CHECK_FALSE(m.take(came));
  CHECK(came.empty());
}

TEST_CASE("mailbox: the cause to end is news") {
  fg::detail::mailbox m;
  m.cancel(fg::error(fg::error_code::cancelled, "the session is closed"));
  CHECK(m.has_news());
  fg::detail::sequence<fg::detail::arrived_value> came;
  CHECK(m.take(came).code() == fg::error_code::cancelled);
}

TEST_CASE("mailbox: a sleep ends at its deadline, when it is woken, or when an answer has come") {
  fg::detail::mailbox m;
  const auto before = std::chrono::steady_clock::now();
  CHECK(m.sleep(fg::steady_time::after(20ms), waits_forever, nothing_has_come, nothing_to_help));
  CHECK(std::chrono::steady_clock::now() - before >= 20ms);
  CHECK(m.rests() == resting::to_begin_anew);  // others see the state until the thread goes on
  m.rise();
  CHECK(m.rests() == resting::no);

  m.wake();  // before the sleep: it ends at once
  CHECK(m.sleep({}, waits_forever, nothing_has_come, nothing_to_help));

  std::thread other([&] { m.wake(); });
  CHECK(m.sleep({}, waits_forever, nothing_has_come, nothing_to_help));
  other.join();

  bool has_come = false;
  std::thread answering([&] {
    fg::threading::lock_guard lock(m.guard());
    has_come = true;
    m.look_again();
  });
  CHECK(m.sleep(
      {}, waits_forever, [&] { return has_come; }, nothing_to_help));
  answering.join();
}

TEST_CASE("mailbox: a thread helps with other work before it sleeps") {
  fg::detail::mailbox m;
  int helped = 0;
  CHECK(m.sleep(fg::steady_time::after(1ms), waits_forever, nothing_has_come, [&] { return ++helped < 4; }));
  CHECK(helped <= 4);
  CHECK(helped > 0);
}

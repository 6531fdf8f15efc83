#include <flowgraph/runtime/interruption.hpp>

#include "../harness/engine_ops.hpp"

#include <chrono>
#include <flowgraph/core/threads.hpp>

using namespace engine;
using namespace std::chrono_literals;
using std::chrono::steady_clock;

namespace {

// Looks like a token, and is none.
struct own_token {
  bool stop_requested() const { return false; }
  bool stop_possible() const { return true; }
};

}  // namespace

TEST_CASE("interruption: a token that nobody can use is as good as none") {
  CHECK(fg::stop_signal().token() == nullptr);
  CHECK(fg::stop_signal(flowgraph::stop_token()).token() == nullptr);
  flowgraph::stop_source source;
  CHECK(fg::stop_signal(source.get_token()).token() != nullptr);
}

TEST_CASE("interruption: an object that is not a stop token is refused by the run") {
  fg::graph g;
  auto x = g.placeholder<float>("x", {});
  auto y = add(x, x);
  fg::session s{g};
  const auto made = s.try_run(fg::fetch(y), {{x, 1.f}}, {.stop = own_token()});
  CHECK(made.error().code() == error_code::invalid_argument);
  CHECK(std::string(made.error().what()).find("stop_token") != std::string::npos);
  CHECK(s.try_run(fg::fetch(y), {{x, 1.f}}).has_value());
}

TEST_CASE("interruption: times of the steady clock, in any unit, near and far") {
  CHECK_FALSE(fg::steady_time().is_set());
  CHECK_FALSE(fg::steady_time().has_passed());
  const auto now = steady_clock::now();
  const std::int64_t at = std::chrono::nanoseconds(now.time_since_epoch()).count();
  CHECK(fg::steady_time(now).nanoseconds() == at);
  CHECK(fg::steady_time(now).has_passed());
  CHECK(fg::steady_time(std::chrono::time_point_cast<std::chrono::milliseconds>(now)).nanoseconds() ==
        at / 1'000'000 * 1'000'000);
  CHECK_FALSE(fg::steady_time(now + 1h).has_passed());
  CHECK_FALSE(fg::steady_time(steady_clock::time_point::max()).is_set());
  CHECK(fg::steady_time::after(-1ns).has_passed());
  const fg::steady_time later = fg::steady_time::after(std::chrono::duration<double>(0.5));
  CHECK(later.nanoseconds() > at + 490'000'000);
  CHECK(later.nanoseconds() < at + 60'000'000'000);
  CHECK_FALSE(fg::steady_time::after(std::chrono::hours::max()).is_set());
  CHECK(fg::steady_time::after(std::chrono::hours::min()).has_passed());
}

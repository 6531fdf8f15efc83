#include <flowgraph/op/completion.hpp>

#include <flowgraph/op/kernel.hpp>

#include <doctest/doctest.h>

#include <thread>
#include <vector>

namespace fg = flowgraph;
using fg::detail::completion;

namespace {

const fg::error gone(fg::error_code::unavailable, "gone");

struct answers {
  std::vector<fg::error> all;
  std::shared_ptr<completion> state = std::make_shared<completion>([this](fg::error e) { all.push_back(std::move(e)); });
};

}  // namespace

TEST_CASE("a kernel answers once; later answers are ignored") {
  answers a;
  fg::done done(a.state);
  done();
  done(gone);
  a.state->answer(gone);
  REQUIRE(a.all.size() == 1);
  CHECK_FALSE(a.all[0]);
}

TEST_CASE("an answer carries an error") {
  answers a;
  fg::done{a.state}(gone);
  REQUIRE(a.all.size() == 1);
  CHECK(a.all[0].message() == "gone");
}

TEST_CASE("one that is dropped unanswered is an internal error") {
  answers a;
  {
    fg::done first(a.state);
    const fg::done second = std::move(first);
  }
  REQUIRE(a.all.size() == 1);
  CHECK(a.all[0].code() == fg::error_code::internal);
}

TEST_CASE("cancellation reaches a waiting kernel once") {
  answers a;
  fg::done done(a.state);
  int stopped = 0;
  done.on_cancel([&] { ++stopped; });
  a.state->cancel();
  a.state->cancel();
  CHECK(stopped == 1);
  done(gone);
  CHECK(a.all.size() == 1);
}

TEST_CASE("registering after the cancellation runs at once, after the answer never") {
  answers a, b;
  fg::done cancelled(a.state), answered(b.state);
  int stopped = 0;
  a.state->cancel();
  cancelled.on_cancel([&] { ++stopped; });
  CHECK(stopped == 1);
  b.state->answer({});
  answered.on_cancel([&] { stopped += 10; });
  b.state->cancel();
  CHECK(stopped == 1);
  cancelled();
}

TEST_CASE("a stop callback may answer") {
  answers a;
  auto done = std::make_shared<fg::done>(a.state);
  done->on_cancel([done] { (*done)(gone); });
  done.reset();
  a.state->cancel();
  REQUIRE(a.all.size() == 1);
  CHECK(a.all[0].message() == "gone");
}

TEST_CASE("an answer drops the stop callback and what it holds") {
  answers a;
  fg::done done(a.state);
  auto held = std::make_shared<int>(1);
  done.on_cancel([held] {});
  CHECK(held.use_count() == 2);
  done();
  CHECK(held.use_count() == 1);
}

TEST_CASE("answer and cancellation race: exactly one answer, at most one stop") {
  for (int repeat = 0; repeat < 200; ++repeat) {
    std::atomic<int> answered = 0, stopped = 0;
    const auto state = std::make_shared<completion>([&](const fg::error&) { ++answered; });
    std::thread kernel([&] {
      fg::done done(state);
      done.on_cancel([&] { ++stopped; });
      done();
    });
    std::thread other([&] { state->answer(gone); });
    state->cancel();
    kernel.join();
    other.join();
    CHECK(answered == 1);
    CHECK(stopped <= 1);
  }
}

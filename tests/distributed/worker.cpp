// A worker by itself: its reactions to messages that arrive too early, too late, twice, or over another link.

#include "negating_part.hpp"
#include "simulated_cluster.hpp"

#include <thread>

using namespace flowgraph_test;
using namespace std::chrono_literals;

namespace {

constexpr std::uint64_t session = 5;
constexpr std::uint64_t step(std::uint64_t number) { return session << 32 | number; }

fg::frame value_of(std::uint64_t at, float x) {
  fg::frame f;
  f.kind = fg::frame_kind::value;
  f.number = at;
  f.tensors.push_back(fg::tensor<float>(fg::shape{}, {x}).erased());
  return f;
}
fg::frame text_of(std::uint64_t at) {
  fg::frame f = value_of(at, 0);
  f.tensors = {fg::tensor<std::string>(fg::shape{}, {"not a number"}).erased()};
  return f;
}

// The end of a run.
struct outcome {
  bool is_there = false;
  fg::error why;
};

// The worker of task 0 on a simulated network, and its peer, task 1, which ignores all frames.
struct lone_worker {
  explicit lone_worker(const fg::task_limits& limits = {})
      : others(*by, all, {[this](wire::lost_link gone, const fg::error& why) { hurt = keeps.lost_values(gone, why); }, nullptr}),
        keeps(*by, cluster_ops(), others, std::pmr::new_delete_resource(), limits) {
    keeps.owner = alive;
    (void)there->listen("b:1", [](const auto&) { return std::make_shared<deaf>(); });
  }
  ~lone_worker() {
    const fg::error why(fg::error_code::cancelled, "the test has ended");
    keeps.close(why);
    others.close(why);
    pass();
  }
  struct deaf final : fg::link_user {
    void receive(fg::frame) override {}
    void lost(const fg::error&) override {}
  };

  fg::error add(wire::worker::asker by_whom = nullptr, std::uint64_t to = session) {
    return keeps.register_part(by_whom, to, false, 0, negating_part());
  }
  std::shared_ptr<outcome> run(std::uint64_t at, std::uint64_t oldest = 0) {
    auto made = std::make_shared<outcome>();
    keeps.run_part(at, 0, oldest, {}, {}, true, [made](const fg::error& why, auto&&) {
      made->is_there = true;
      made->why = why;
    });
    return made;
  }
  void pass(std::chrono::nanoseconds time = 10ms) { net.run_for(time); }

  fg::simulated_network net{1};
  std::shared_ptr<fg::transport> by = net.host("a"), there = net.host("b");
  fg::cluster all{{"worker", {"a:1", "b:1"}}};
  std::shared_ptr<int> alive = std::make_shared<int>(0);
  std::vector<wire::worker::hurt_steps> hurt;
  wire::peers others;
  wire::worker keeps;
};

// Computes at once, on another thread, while the caller waits: this detects state that was not ready yet.
class hasty_transport final : public fg::transport {
public:
  explicit hasty_transport(std::shared_ptr<fg::transport> by) : by_(std::move(by)) {}
  fg::result<std::string> listen(std::string_view address, acceptor accept) override { return by_->listen(address, accept); }
  std::shared_ptr<fg::link> connect(std::string_view address, std::shared_ptr<fg::link_user> user) override {
    return by_->connect(address, std::move(user));
  }
  fg::task_clock& clock() noexcept override { return by_->clock(); }
  void compute(fg::unique_function<void()> f) override {
    std::thread([&] { f(); }).join();
  }
  bool wait(fg::function_ref<bool()> is_done, std::chrono::nanoseconds until) override { return by_->wait(is_done, until); }
  void wake() override { by_->wake(); }

private:
  std::shared_ptr<fg::transport> by_;
};

}  // namespace

TEST_CASE("worker: a value of a wrong type that came before its run ends the run, once it has begun") {
  fg::simulated_network net(1);
  hasty_transport by(net.host("a"));
  const fg::cluster all{{"worker", {"a:1", "b:1"}}};
  wire::peers others(by, all, {[](wire::lost_link, const fg::error&) {}, nullptr});
  wire::worker keeps(by, cluster_ops(), others, std::pmr::new_delete_resource());
  REQUIRE_FALSE(keeps.register_part(nullptr, session, false, 0, negating_part()));
  keeps.receive_value(text_of(step(1)));
  fg::error ended;
  keeps.run_part(step(1), 0, 0, {}, {}, true, [&](const fg::error& why, auto&&) { ended = why; });
  CHECK(std::string_view(ended.what()).find("edge 0") != std::string_view::npos);
  CHECK(keeps.kept() == 1);  // only the part
}

TEST_CASE("worker: a part that is refused leaves no session behind") {
  lone_worker w({.sessions = 1, .edges = 2});
  wire::part_record many = negating_part(), wrong = negating_part();
  many.edges = 3;
  wrong.feeds = {9};
  CHECK(w.keeps.register_part(nullptr, 1, false, 0, many));
  CHECK(w.keeps.register_part(nullptr, 2, false, 0, wrong));
  CHECK(w.keeps.register_part(nullptr, std::uint64_t{1} << 32, false, 0, negating_part()));  // no step can belong to it
  CHECK_FALSE(w.add(nullptr, 3));
}

TEST_CASE("worker: values that nobody came for in time are an error of their step, and not a wait without end") {
  lone_worker w;
  w.keeps.receive_value(value_of(step(1), 1));
  w.pass(10s);
  CHECK(w.keeps.kept() == 0);
  REQUIRE_FALSE(w.add());
  const auto late = w.run(step(1)), next = w.run(step(2));
  w.keeps.receive_value(value_of(step(2), 1));
  w.pass();
  REQUIRE(late->is_there);
  CHECK(late->why.code() == fg::error_code::unavailable);
  REQUIRE(next->is_there);
  CHECK_FALSE(next->why);
}

TEST_CASE("worker: a step that has ended, or runs, is not begun again, and one that its master has given up ends") {
  lone_worker w;
  REQUIRE_FALSE(w.add());
  w.keeps.end_step(step(2), fg::error(fg::error_code::aborted, "elsewhere"));
  w.keeps.receive_value(value_of(step(2), 1));
  const auto first = w.run(step(1)), twice = w.run(step(1)), ended = w.run(step(2));
  w.pass();
  CHECK_FALSE(first->is_there);
  CHECK(twice->why.code() == fg::error_code::aborted);
  CHECK(ended->why.code() == fg::error_code::aborted);
  const auto third = w.run(step(3), step(3));
  w.pass();
  REQUIRE(first->is_there);  // 1 is before the oldest step that continues
  CHECK(first->why.code() == fg::error_code::aborted);
  CHECK(w.run(step(1), step(1))->why.code() == fg::error_code::aborted);
  w.keeps.receive_value(value_of(step(1), 1));
  CHECK(w.keeps.kept() == 2);  // the part and the run, and no value of an earlier step
  w.keeps.receive_value(value_of(step(3), 1));
  w.pass();
  REQUIRE(third->is_there);
  CHECK_FALSE(third->why);
}

TEST_CASE("worker: questions of a step that has ended are dropped by its number, and so is what nobody came for in time") {
  lone_worker w;
  const auto ask = [&](std::uint64_t at) {
    w.keeps.receive_value(wire::questions_for(std::vector<wire::value_place>{{at, 1, 0, 0}}));
  };
  ask(step(1));
  CHECK(w.keeps.kept() == 1);
  w.pass(10s);
  CHECK(w.keeps.kept() == 0);
  REQUIRE_FALSE(w.add());
  CHECK(w.run(step(1))->why.code() == fg::error_code::unavailable);
  ask(step(2));
  CHECK(w.keeps.kept() == 2);  // the part and the question, whose value may still come
  const auto second = w.run(step(2));
  w.keeps.receive_value(value_of(step(2), 1));
  w.pass();
  CHECK(second->is_there);
  CHECK(w.keeps.kept() == 1);  // the value that it sends is small, and was not kept
  ask(step(2));
  CHECK(w.keeps.kept() == 1);
  ask(step(3));
  w.keeps.end_step(step(3), fg::error(fg::error_code::aborted, "elsewhere"));
  ask(step(3));
  CHECK(w.keeps.kept() == 1);
  ask(step(4));
  const auto fifth = w.run(step(5), step(5));
  ask(step(4));
  CHECK(w.keeps.kept() == 2);  // the part and the run
}

TEST_CASE("worker: what it keeps until it is asked for is sent once, and is dropped when the step fails or its session ends") {
  lone_worker w;
  wire::part_record record = negating_part();
  record.pushed_up_to = 0;
  REQUIRE_FALSE(w.keeps.register_part(nullptr, session, false, 0, record));
  const auto sent = [&] { return w.net.between("a", "b").frames; };
  const auto make = [&](std::uint64_t at) {
    const auto made = w.run(at);
    w.keeps.receive_value(value_of(at, 1));
    w.pass();
    REQUIRE(made->is_there);
    CHECK_FALSE(made->why);
  };
  const auto ask = [&](std::uint64_t at) {
    w.keeps.receive_value(wire::questions_for(std::vector<wire::value_place>{{at, 1, 0, 0}}));
    w.pass();
  };
  make(step(1));
  CHECK(w.keeps.kept() == 2);
  auto before = sent();
  ask(step(1));
  ask(step(1));
  CHECK(sent() == before + 1);
  CHECK(w.keeps.kept() == 1);
  make(step(2));
  w.keeps.end_step(step(2), fg::error(fg::error_code::aborted, "elsewhere"));
  CHECK(w.keeps.kept() == 1);
  before = sent();
  ask(step(2));
  CHECK(sent() == before);
  make(step(3));
  CHECK(w.keeps.kept() == 2);
  w.keeps.drop_session(session);
  CHECK(w.keeps.kept() == 0);
}

TEST_CASE("worker: a master that comes over another link has given up what it asked before") {
  lone_worker w;
  const int one = 1, other = 2;
  REQUIRE_FALSE(w.add(&one));
  const auto before = w.run(step(1));
  w.pass();
  REQUIRE_FALSE(w.add(&other));
  w.keeps.lost_asker(&one, fg::error(fg::error_code::unavailable, "late"));
  w.pass();
  CHECK(before->is_there);
  const auto after = w.run(step(2));
  w.keeps.receive_value(value_of(step(2), 1));
  w.pass();
  REQUIRE(after->is_there);
  CHECK_FALSE(after->why);
}

TEST_CASE(
    "worker: a step whose values were dropped with a lost master ends when it is asked for anew, and does not wait for them") {
  for (const bool asks : {false, true}) {
    lone_worker w;
    const int one = 1, other = 2;
    REQUIRE_FALSE(w.add(&one));
    // From a task that has already begun the step. Its own links work, so the loss of this frame is never reported.
    if (asks) w.keeps.receive_value(wire::questions_for(std::vector<wire::value_place>{{step(1), 1, 0, 0}}));
    else w.keeps.receive_value(value_of(step(1), 1));
    w.keeps.lost_asker(&one, fg::error(fg::error_code::unavailable, "late"));
    CHECK(w.keeps.kept() == 0);
    REQUIRE_FALSE(w.add(&other));
    const auto again = w.run(step(1));
    w.pass();
    REQUIRE(again->is_there);
    CHECK(again->why.code() == fg::error_code::unavailable);
    const auto next = w.run(step(2));
    w.keeps.receive_value(value_of(step(2), 1));
    w.pass();
    REQUIRE(next->is_there);
    CHECK_FALSE(next->why);
  }
}

TEST_CASE("worker: a part that comes after its session was dropped is not kept") {
  lone_worker w;
  REQUIRE_FALSE(w.add());
  w.keeps.drop_session(session);
  CHECK(w.add());
  CHECK(w.keeps.kept() == 0);
}

TEST_CASE("worker: the numbers of sessions end where they end") {
  lone_worker w;
  const std::uint64_t last = 0xffffffff;
  REQUIRE_FALSE(w.add(nullptr, last));
  w.keeps.receive_value(value_of(last << 32 | 1, 1));
  w.keeps.receive_value(value_of(step(1), 1));
  CHECK(w.keeps.kept() == 3);
  w.keeps.drop_session(last);
  w.keeps.drop_session(~std::uint64_t{0});
  w.keeps.drop_session(session | std::uint64_t{1} << 32);
  CHECK(w.keeps.kept() == 1);  // only the part of the other session
}

TEST_CASE("worker: a lost link hurts the steps that sent values over it, and no later ones") {
  lone_worker w;
  const int master = 1;
  REQUIRE_FALSE(w.add(&master));
  const auto send = [&](std::uint64_t number) {
    const auto made = w.run(step(number), step(1));
    w.keeps.receive_value(value_of(step(number), 1));
    w.pass();
    REQUIRE(made->is_there);
    CHECK_FALSE(made->why);
  };
  send(1);
  send(2);
  const auto waits = w.run(step(3));
  w.net.break_links("a", "b");
  w.pass();
  REQUIRE(w.hurt.size() == 1);
  CHECK(w.hurt[0].by == &master);
  CHECK(w.hurt[0].last == step(2));
  CHECK_FALSE(waits->is_there);  // it has sent nothing
  w.keeps.receive_value(value_of(step(3), 1));
  w.pass();
  CHECK(waits->is_there);
  CHECK_FALSE(waits->why);
}

// A process that does not know the token is between two ends that do: at the port of a task that has ended, or on the way.

#include <distributed/guarded_transport.hpp>
#include <distributed/proving/handshake.hpp>
#include <distributed/task_meeting.hpp>

#include <flowgraph/distributed/simulated_network.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <string>
#include <thread>
#include <vector>

namespace fg = flowgraph;
namespace wire = fg::distributed;
using namespace std::chrono_literals;

namespace {

struct relayed_user final : fg::link_user {
  int opened = 0, ended = 0;
  std::vector<std::string> heard;
  fg::error why;
  std::shared_ptr<fg::link> link;
  void open(const fg::greeting&) override { ++opened; }
  void receive(fg::frame came) override { heard.emplace_back(came.body); }
  void lost(const fg::error& cause) override {
    ++ended;
    why = cause;
    link.reset();
  }
  bool says(std::string_view text) const { return std::string_view(why.what()).find(text) != std::string_view::npos; }
};

// Passes frames on between an end that connects to r:1 and an address, through `change`, and records them.
struct frame_relay {
  struct end final : fg::link_user {
    explicit end(frame_relay& r, int s) : of(r), side(s) {}
    frame_relay& of;
    int side;  // 0: the end that connected to the relay
    void receive(fg::frame came) override {
      of.seen[side].push_back(came);
      for (fg::frame& f : of.change(side, std::move(came))) of.say(1 - side, std::move(f));
    }
    void lost(const fg::error&) override {
      if (of.links[1 - side]) of.links[1 - side]->close(fg::error(fg::error_code::unavailable, "the other end has gone"));
    }
  };

  frame_relay(fg::simulated_network& net, const std::string& to) : host(net.host("r")) {
    REQUIRE(host->listen("r:1", [this, to](const std::shared_ptr<fg::link>& made) {
      links[0] = made;
      links[1] = host->connect(to, std::make_shared<end>(*this, 1));
      return std::make_shared<end>(*this, 0);
    }));
  }
  ~frame_relay() { host.reset(); }  // notifies its ends
  frame_relay(const frame_relay&) = delete;
  void say(int side, fg::frame f) { links[side]->send(std::move(f)); }
  // Returns the number of frames of this kind that an end has sent, without its farewell.
  std::size_t said(int side, fg::frame_kind kind) const {
    std::size_t count = 0;
    for (const fg::frame& f : seen[side]) count += f.kind == kind && !f.is_dead ? 1 : 0;
    return count;
  }

  std::shared_ptr<fg::transport> host;
  std::shared_ptr<fg::link> links[2];
  std::vector<fg::frame> seen[2];
  std::function<std::vector<fg::frame>(int side, fg::frame f)> change = [](int, fg::frame f) {
    return std::vector{std::move(f)};
  };
};

// Task 1 runs at a:1. A task, or a client that expects no certain task, connects to r:1, where task 0 was.
struct relayed {
  explicit relayed(std::string wanted = {}, std::string token = "secret") {
    wire::guard_options of_a{.self = {"task 1", 11}, .token = token}, of_b{.self = {"task 2", 22}, .token = token};
    of_a.on_refused = [this](const fg::error& why) { refused.emplace_back(why.what()); };
    of_b.wanted = [w = std::move(wanted)](std::string_view) { return w; };
    a = wire::guarded(net.host("a"), of_a);
    b = wire::guarded(net.host("b"), of_b);
    REQUIRE(a->listen("a:1", [this](const std::shared_ptr<fg::link>& made) {
      accepted = std::make_shared<relayed_user>();
      accepted->link = made;
      return accepted;
    }));
  }
  void connect() { link = b->connect("r:1", user); }
  bool is_open() {
    return b->wait([&] { return user->opened == 1 && accepted && accepted->opened == 1; }, net.now() + 5s);
  }

  std::vector<std::string> refused;
  fg::simulated_network net{1};
  std::shared_ptr<fg::transport> a, b;
  frame_relay between{net, "a:1"};
  std::shared_ptr<relayed_user> accepted, user = std::make_shared<relayed_user>();
  std::shared_ptr<fg::link> link;
};

fg::frame relayed_news(std::string_view body) {
  fg::frame f;
  f.body = body;
  return f;
}

// The position of the incarnation in a hello, in bytes.
constexpr std::size_t incarnation_at = 1 + 4 + 8 + 1 + 1;

}  // namespace

TEST_CASE("relayed handshake: who comes to the port of a dead task is proved nothing, and hears no proof") {
  relayed r("task 0");
  r.connect();
  REQUIRE(r.b->wait([&] { return r.user->ended == 1; }, 10s));
  CHECK(r.user->why.code() == fg::error_code::failed_precondition);
  CHECK(r.user->says("at r:1 is task 1, and by the list of this end task 0 should be there"));
  r.net.run_for(1s);
  CHECK(r.between.said(0, fg::frame_kind::proof) == 0);
  CHECK(r.between.said(1, fg::frame_kind::proof) == 0);
  CHECK(r.accepted == nullptr);
  CHECK(r.net.now() < 2s);
  // The task that the relay has connected to finds it too.
  REQUIRE(r.refused.size() == 1);
  CHECK(r.refused[0].find("wants task 0, and by the list of this end task 1 is here") != std::string::npos);
}

TEST_CASE("relayed handshake: a task does not prove itself to itself") {
  fg::simulated_network net(1);
  const auto a = wire::guarded(net.host("a"), {.self = {"task 1", 11}, .token = "secret"});
  frame_relay between(net, "a:1");
  int accepted = 0;
  REQUIRE(a->listen("a:1", [&](const auto&) {
    ++accepted;
    return nullptr;
  }));
  const auto user = std::make_shared<relayed_user>();
  const auto link = a->connect("r:1", user);
  REQUIRE(a->wait([&] { return user->ended == 1; }, 10s));
  CHECK(user->says("leads from this process to itself"));
  CHECK(between.said(0, fg::frame_kind::proof) == 0);
  CHECK(accepted == 0);
}

TEST_CASE("relayed handshake: an end that accepts is not taken for one that connects") {
  relayed r;
  r.between.change = [&](int side, fg::frame f) {
    if (side == 0) r.between.say(0, f);  // a mirror
    return std::vector<fg::frame>();
  };
  r.connect();
  REQUIRE(r.b->wait([&] { return r.user->ended == 1; }, 10s));
  CHECK(r.between.said(0, fg::frame_kind::proof) == 0);
}

TEST_CASE("relayed handshake: a relay that changes either hello is refused") {
  for (const int changed : {0, 1}) {
    relayed r;
    r.between.change = [&](int side, fg::frame f) {
      if (side == changed && f.kind == fg::frame_kind::hello) f.body[incarnation_at] ^= 64;
      return std::vector{std::move(f)};
    };
    r.connect();
    REQUIRE(r.b->wait([&] { return r.user->ended == 1; }, 10s));
    CHECK(r.user->opened == 0);
    CHECK(r.user->why.code() == fg::error_code::unauthenticated);
    CHECK(r.accepted == nullptr);
  }
}

TEST_CASE("relayed handshake: what was recorded is worth nothing on another connection") {
  relayed r;
  r.connect();
  REQUIRE(r.is_open());
  r.link->send(relayed_news("once"));
  r.net.run_for(1s);
  REQUIRE(r.accepted->heard.size() == 1);
  const auto first = r.accepted;
  // The relay itself sends all frames that it has received.
  const auto again = std::make_shared<relayed_user>();
  const auto link = r.between.host->connect("a:1", again);
  REQUIRE(r.b->wait([&] { return again->opened == 1; }, 10s));
  const std::vector<fg::frame> recorded(r.between.seen[0].begin(), r.between.seen[0].end());
  for (const fg::frame& f : recorded) {
    link->send(f);
    r.net.run_for(200ms);
  }
  r.net.run_for(1s);
  CHECK(again->ended == 1);
  CHECK(r.accepted == first);
  CHECK(first->heard.size() == 1);
  REQUIRE(r.refused.size() == 1);
  CHECK(r.refused[0].find("does not know the token") != std::string::npos);
}

TEST_CASE("relayed frames: a relay may pass on, and cannot speak, repeat, leave out, turn round or change") {
  struct trick {
    const char* name;
    std::function<std::vector<fg::frame>(frame_relay&, fg::frame)> play;  // replaces the news that an end sends
  };
  const auto changed = [](auto&& how) {
    return [how](frame_relay&, fg::frame f) {
      how(f);
      return std::vector{std::move(f)};
    };
  };
  const std::vector<trick> tricks = {
      {"speaks",
       [](frame_relay&, fg::frame f) {
         return std::vector{std::move(f), relayed_news("my own words")};
       }},
      {"speaks with what may be a tag",
       [](frame_relay&, fg::frame) { return std::vector{relayed_news("my own words 8 bytes")}; }},
      {"speaks without any", [](frame_relay&, fg::frame) { return std::vector{relayed_news("")}; }},
      {"repeats",
       [](frame_relay&, fg::frame f) {
         return std::vector{f, f};
       }},
      {"leaves out", [](frame_relay&, fg::frame) { return std::vector<fg::frame>(); }},
      {"sends back",
       [](frame_relay& r, fg::frame f) {
         r.say(0, f);
         return std::vector{std::move(f)};
       }},
      {"changes the kind", changed([](fg::frame& f) { f.kind = fg::frame_kind::request; })},
      {"changes the number", changed([](fg::frame& f) { f.number ^= 1; })},
      {"changes the edge", changed([](fg::frame& f) { f.edge ^= 1; })},
      {"changes the loop", changed([](fg::frame& f) { f.loop ^= 1; })},
      {"changes the iteration", changed([](fg::frame& f) { f.iteration ^= 1; })},
      {"makes it dead", changed([](fg::frame& f) { f.is_dead = !f.is_dead; })},
      {"changes the body", changed([](fg::frame& f) { f.body[0] ^= 1; })},
      {"shortens the body", changed([](fg::frame& f) { f.body.erase(0, 1); })},
      {"drops a tensor", changed([](fg::frame& f) { f.tensors.pop_back(); })},
      {"changes a shape", changed([](fg::frame& f) {
         f.tensors[0] = fg::tensor<float>({3, 2}).erased();
       })},
      {"changes a type", changed([](fg::frame& f) {
         f.tensors[0] = fg::tensor<std::int32_t>({2, 3}).erased();
       })},
  };
  for (const trick& t : tricks) {
    CAPTURE(t.name);
    relayed r;
    r.connect();
    REQUIRE(r.is_open());
    const auto send = [&](const char* body) {
      fg::frame f = relayed_news(body);
      f.number = 5;
      f.tensors.push_back(fg::tensor<float>({2, 3}).erased());
      r.link->send(std::move(f));
      r.net.run_for(300ms);
    };
    send("before");
    CHECK(r.accepted->heard == std::vector<std::string>{"before"});
    bool has_played = false;
    r.between.change = [&](int side, fg::frame f) {
      if (side == 1 || f.kind != fg::frame_kind::news || std::exchange(has_played, true)) return std::vector{std::move(f)};
      return t.play(r.between, std::move(f));
    };
    send("during");
    send("after");
    r.net.run_for(3s);
    CHECK(has_played);
    CHECK(r.accepted->ended + r.user->ended > 0);
    CHECK((r.accepted->says("did not send so") || r.user->says("did not send so")));
    for (const std::string& h : r.accepted->heard) CHECK((h == "before" || h == "during"));
    CHECK(std::ranges::count(r.accepted->heard, "during") <= 1);
    CHECK(r.user->heard.empty());
  }
}

TEST_CASE("relayed frames: a relay at the port of a dead task, unnoticed by a planted fault, cannot speak either") {
  const char* const fault = std::getenv("FLOWGRAPH_TEST_FAULT");
  const bool is_unnoticed = fault != nullptr && std::string_view(fault) == "nobody_checks_who_is_there";
  relayed r("task 0");
  r.connect();
  REQUIRE(r.is_open() == is_unnoticed);
  if (!is_unnoticed) return;
  r.between.say(1, relayed_news("my own words"));
  r.net.run_for(1s);
  CHECK(r.accepted->heard.empty());
  CHECK(r.accepted->says("did not send so"));
}

TEST_CASE("relayed frames: those that are passed on arrive as they are, elements of tensors unseen") {
  relayed r;
  r.between.change = [](int, fg::frame f) {
    for (fg::any_tensor& t : f.tensors) t = fg::tensor<float>({2}, {7, 8}).erased();
    return std::vector{std::move(f)};
  };
  r.connect();
  REQUIRE(r.is_open());
  for (int i = 0; i < 20; ++i) {
    fg::frame f = relayed_news(std::string(static_cast<std::size_t>(i), 'x'));
    f.loop = static_cast<std::uint64_t>(i % 3);
    f.iteration = static_cast<std::uint64_t>(i % 5);
    for (int k = 0; k < i % 3; ++k) f.tensors.push_back(fg::tensor<float>({2}, {1, 2}).erased());
    r.link->send(std::move(f));
    r.accepted->link->send(relayed_news("back"));
  }
  r.net.run_for(2s);
  CHECK(r.accepted->heard.size() == 20);
  CHECK(r.user->heard.size() == 20);
  CHECK(r.user->ended == 0);
}

TEST_CASE("relayed frames: a signer of elements notices each that was changed") {
  wire::frame_signer signs(1, 2, true), checks(1, 2, true);
  fg::frame f = relayed_news("body");
  f.tensors = {fg::tensor<float>({2}, {1, 2}).erased(), fg::tensor<std::string>({2}, {"ab", "c"}).erased()};
  signs.sign(f);
  fg::frame floats = f, strings = f, moved = f;
  floats.tensors[0] = fg::tensor<float>({2}, {1, 3}).erased();
  strings.tensors[1] = fg::tensor<std::string>({2}, {"ab", "d"}).erased();
  moved.tensors[1] = fg::tensor<std::string>({2}, {"a", "bc"}).erased();
  for (fg::frame* wrong : {&floats, &strings, &moved}) {
    wire::frame_signer first(1, 2, true);
    CHECK_FALSE(first.check(*wrong));
  }
  CHECK(checks.check(f));
  CHECK(f.body == "body");
}

TEST_CASE("relayed handshake: nor does a relay announce a task that meets the others, or change where it is") {
  // The simulated time of the first may have passed before the second begins: then both are repeated.
  bool has_met_the_relay = false;
  for (unsigned tries = 1; tries <= 100 && !has_met_the_relay; ++tries) {
    fg::simulated_network net(tries);
    frame_relay between(net, "a:1");
    between.change = [&](int side, fg::frame f) {
      if (side == 0 && f.kind == fg::frame_kind::request) f.body[f.body.size() - wire::tag_bytes - 1] ^= 1;
      return std::vector{std::move(f)};
    };
    const wire::meeting_options of_first{
        .run = "run", .rank = 0, .size = 2, .at = "a:1", .own = "a:2", .token = "secret", .patience = 3s};
    wire::meeting_options of_second = of_first;
    of_second.rank = 1, of_second.at = "r:1", of_second.own = "b:2";
    const auto a = net.host("a"), b = net.host("b");
    fg::result<std::vector<std::string>> first = std::vector<std::string>(), second = first;
    std::thread other([&] { first = wire::meet(a, of_first); });
    second = wire::meet(b, of_second);
    other.join();
    has_met_the_relay = between.said(0, fg::frame_kind::request) > 0;
    REQUIRE_FALSE(first);
    CHECK(first.error().code() == fg::error_code::deadline_exceeded);
    CHECK_FALSE(second);
  }
  CHECK(has_met_the_relay);
}

TEST_CASE("relayed handshake: without a token there is no tag") {
  relayed r({}, "");
  r.connect();
  REQUIRE(r.is_open());
  r.link->send(relayed_news("as it is"));
  r.net.run_for(1s);
  REQUIRE(r.accepted->heard.size() == 1);
  CHECK(std::ranges::any_of(r.between.seen[0], [](const fg::frame& f) { return f.body == "as it is"; }));
}

TEST_CASE("relayed handshake: two hellos of one process are never equal") {
  const wire::guard_options o{.self = {"task 1", 11}, .token = "secret"};
  const auto hello = [&] { return wire::handshake(o, wire::role::connects, "a:1", "task 2", "", false).own_hello(); };
  CHECK(hello() != hello());
}

TEST_CASE("relayed handshake: a proof is for one encrypted connection, and its keys are") {
  const wire::guard_options of_a{.self = {"task 1", 11}, .token = "secret"}, of_b{.self = {"task 2", 22}, .token = "secret"};
  using wire::role;
  wire::handshake a(of_a, role::accepts, "b:1", "", "one connection", false);
  wire::handshake b(of_b, role::connects, "a:1", "task 1", "another one", false),
      c(of_b, role::connects, "a:1", "", "one connection", false);
  REQUIRE_FALSE(a.hear(c.own_hello()));
  REQUIRE_FALSE(c.hear(a.own_hello()));
  REQUIRE_FALSE(b.hear(a.own_hello()));
  CHECK(a.proof_of(role::connects) == c.proof_of(role::connects));
  CHECK(a.proof_of(role::connects) != a.proof_of(role::accepts));
  CHECK(a.proof_of(role::connects) != b.proof_of(role::connects));
}

TEST_CASE("lists of tasks: the first entry that differs is quoted at both ends, at once") {
  struct lists {
    const char *a, *b, *at_b;
  };
  for (const lists& l :
       {lists{"worker 2\nps 2\n", "worker 2\nps 3\n", "entry 2 of that list is 'ps 2', of this end's list 'ps 3'"},
        lists{"worker 2\n", "worker 2\nps 3\n", "entry 2 of that list is nothing, of this end's list 'ps 3'"},
        lists{"chief 1\nworker 2\n", "worker 2\n", "entry 1 of that list is 'chief 1', of this end's list 'worker 2'"}}) {
    fg::simulated_network net(1);
    std::vector<std::string> refused;
    wire::guard_options of_a{.self = {"task a", 11}, .token = "secret", .tasks = l.a},
        of_b{.self = {"task b", 22}, .token = "secret", .tasks = l.b};
    of_a.on_refused = [&](const fg::error& why) { refused.emplace_back(why.what()); };
    const auto a = wire::guarded(net.host("a"), of_a), b = wire::guarded(net.host("b"), of_b);
    REQUIRE(a->listen("a:1", [](const auto&) { return std::make_shared<relayed_user>(); }));
    const auto user = std::make_shared<relayed_user>();
    const auto link = b->connect("a:1", user);
    REQUIRE(b->wait([&] { return user->ended == 1 && refused.size() == 1; }, 10s));
    CHECK(net.now() < 1s);
    CHECK(user->why.code() == fg::error_code::failed_precondition);
    CHECK_MESSAGE(user->says(l.at_b), user->why.what());
    CHECK(refused[0].find("task b at b:1000 has another list of tasks than task a: entry") != std::string::npos);
  }
}

TEST_CASE("lists of tasks: one that is longer than a handshake, and a client that has none") {
  std::string many;
  for (int i = 0; i < 1000; ++i) many += "job " + std::to_string(i) + " with 1 task\n";
  const auto hears = [](std::string of_a, std::string of_b) {
    fg::simulated_network net(1);
    const auto a = wire::guarded(net.host("a"), {.self = {"task a", 11}, .tasks = std::move(of_a)});
    const auto b = wire::guarded(net.host("b"), {.self = {"task b", 22}, .tasks = std::move(of_b)});
    REQUIRE(a->listen("a:1", [](const auto&) { return std::make_shared<relayed_user>(); }));
    const auto user = std::make_shared<relayed_user>();
    const auto link = b->connect("a:1", user);
    b->wait([&] { return user->ended + user->opened == 1; }, 10s);
    return user->opened == 1 ? std::string("open") : std::string(user->why.what());
  };
  CHECK(hears(many, many) == "open");
  CHECK(hears(many, "") == "open");
  CHECK(hears("", many) == "open");
  CHECK(hears("first\n" + many, many).find("entry 1 of that list is 'first'") != std::string::npos);
  CHECK(hears(many + "last\n", many).find("the entries that fit in a message are equal") != std::string::npos);
}

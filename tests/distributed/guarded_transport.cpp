// Tests which peers are accepted, which are refused and receive the reason, and which are found silent.

#include <distributed/guarded_transport.hpp>

#include <distributed/bytes.hpp>
#include <distributed/proving/keyed_hash.hpp>

#include <flowgraph/distributed/simulated_network.hpp>

#include "waiting.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace fg = flowgraph;
namespace wire = fg::distributed;
using namespace std::chrono_literals;

namespace {

std::string hex(const wire::hash_bytes& h) {
  std::string text;
  for (const std::uint8_t b : h) {
    text += "0123456789abcdef"[b >> 4];
    text += "0123456789abcdef"[b & 15];
  }
  return text;
}
std::string hash_of(std::string_view text) {
  wire::sha256 h;
  h.add(text);
  return hex(h.finish());
}

struct guarded_user final : fg::link_user {
  fg::greeting peer;
  std::vector<std::string> heard;
  int opened = 0, ended = 0;
  fg::error why;
  std::shared_ptr<fg::link> link;

  void open(const fg::greeting& from) override {
    peer = from;
    ++opened;
  }
  void receive(fg::frame came) override { heard.emplace_back(came.body); }
  void lost(const fg::error& cause) override {
    ++ended;
    why = cause;
    link.reset();
  }
};

// Two hosts. One of them listens behind its guard.
struct guarded_pair {
  explicit guarded_pair(wire::guard_options of_a = {.self = {"task a", 11}, .token = "secret"},
                        wire::guard_options of_b = {.self = {"task b", 22}, .token = "secret"})
      : a(wire::guarded(net.host("a"), std::move(of_a))), b(wire::guarded(net.host("b"), std::move(of_b))) {
    REQUIRE(a->listen("a:1", [this](const std::shared_ptr<fg::link>& made) {
      accepted = std::make_shared<guarded_user>();
      accepted->link = made;
      return accepted;
    }));
    link = b->connect("a:1", user);
  }
  bool wait_until_open() {
    return b->wait([&] { return user->opened == 1 && accepted != nullptr && accepted->opened == 1; }, 10s);
  }

  fg::simulated_network net{1};
  std::shared_ptr<fg::transport> a, b;
  std::shared_ptr<guarded_user> accepted, user = std::make_shared<guarded_user>();
  std::shared_ptr<fg::link> link;
};

bool says(const fg::error& why, std::string_view text) {
  return std::string_view(why.what()).find(text) != std::string_view::npos;
}

fg::frame news_of(std::string body) {
  fg::frame f;
  f.body = std::move(body);
  return f;
}

// A peer that sends arbitrary frames.
struct rude_user final : fg::link_user {
  explicit rude_user(std::vector<fg::frame> s) : says_first(std::move(s)) {}
  std::vector<fg::frame> says_first, heard;
  bool is_lost = false;
  void open(const fg::greeting&) override {}
  void receive(fg::frame came) override { heard.push_back(std::move(came)); }
  void lost(const fg::error&) override { is_lost = true; }
};

}  // namespace

TEST_CASE("hashes are those of the standards' examples") {
  CHECK(hash_of("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK(hash_of("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK(hash_of("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq") ==
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  CHECK(hash_of(std::string(1000000, 'a')) == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
  // RFC 4231, cases 1, 2 and 6.
  CHECK(hex(wire::keyed_hash(std::string(20, '\x0b'), {"Hi", " There"})) ==
        "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
  CHECK(hex(wire::keyed_hash("Jefe", {"what do ya want for nothing?"})) ==
        "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
  CHECK(hex(wire::keyed_hash(std::string(131, '\xaa'), {"Test Using Larger Than Block-Size Key - Hash Key First"})) ==
        "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}

TEST_CASE("two ends that know the token hear each other's names, and then frames in order") {
  guarded_pair p;
  p.link->send(news_of("early"));
  REQUIRE(p.wait_until_open());
  CHECK(p.user->peer.name == "task a");
  CHECK(p.user->peer.incarnation == 11);
  CHECK(p.accepted->peer.name == "task b");
  CHECK(p.accepted->peer.incarnation == 22);
  p.link->send(news_of("one"));
  p.accepted->link->send(news_of("two"));
  p.net.run_for(1s);
  CHECK(p.accepted->heard == std::vector<std::string>{"early", "one"});
  CHECK(p.user->heard == std::vector<std::string>{"two"});
}

TEST_CASE("the wrong token is refused, and both ends could say so") {
  for (const bool is_empty : {false, true}) {
    guarded_pair p({.self = {"task a", 1}, .token = "secret"}, {.self = {"task b", 2}, .token = is_empty ? "" : "guess"});
    CHECK(p.b->wait([&] { return p.user->ended == 1; }, 10s));
    CHECK(p.user->why.code() == fg::error_code::unauthenticated);
    CHECK(says(p.user->why, "task b at b:1000 does not know the token of task a"));
    CHECK_FALSE(says(p.user->why, "unauthenticated: unauthenticated"));
    CHECK(p.accepted == nullptr);
    CHECK(p.user->opened == 0);
    CHECK(p.net.now() < 1s);
  }
}

TEST_CASE("who accepts is told of each peer that was refused, by its address, and of none that left by itself") {
  std::vector<std::string> told;
  wire::guard_options of_a{.self = {"task a", 1}, .token = "secret"};
  of_a.on_refused = [&](const fg::error& why) { told.emplace_back(why.what()); };
  guarded_pair p(of_a, {.self = {"task b", 2}, .token = "guess"});
  CHECK(p.b->wait([&] { return p.user->ended == 1; }, 10s));
  REQUIRE(p.b->wait([&] { return told.size() == 1; }, 10s));
  CHECK(told[0].find("b:1000 was refused") != std::string::npos);
  CHECK(told[0].find("does not know the token") != std::string::npos);
  const auto c = p.net.host("c");
  auto leaves = std::make_shared<rude_user>(std::vector<fg::frame>{});
  c->connect("a:1", leaves)->close(fg::error(fg::error_code::cancelled, "a look"));
  p.net.run_for(20s);
  CHECK(told.size() == 1);
  auto silent = std::make_shared<rude_user>(std::vector<fg::frame>{});
  const auto link = c->connect("a:1", silent);
  p.net.run_for(20s);
  REQUIRE(told.size() == 2);
  CHECK(told[1].find("silent from the beginning") != std::string::npos);
}

TEST_CASE("what was built from other sources is refused") {
  guarded_pair p({.self = {"task a", 1}, .fingerprint = 5}, {.self = {"task b", 2}, .fingerprint = 6});
  CHECK(p.b->wait([&] { return p.user->ended == 1; }, 10s));
  CHECK(p.user->why.code() == fg::error_code::failed_precondition);
  CHECK(says(p.user->why, "fingerprint is"));
  CHECK(p.accepted == nullptr);
}

TEST_CASE("nothing is heard of who does not prove itself: rude, silent, of another version, or a mirror") {
  guarded_pair p;
  const auto other = p.net.host("c");
  const auto try_with = [&](auto&& what) {
    auto user = std::make_shared<rude_user>(std::vector<fg::frame>{});
    auto link = other->connect("a:1", user);
    what(*link, *user);
    const auto began = p.net.now();
    other->wait([&] { return user->is_lost; }, began + 20s);
    CHECK(user->is_lost);
    CHECK(p.net.now() - began < 6s);
    return user;
  };
  REQUIRE(p.wait_until_open());
  const auto first = p.accepted;

  try_with([](fg::link&, rude_user&) {});
  try_with([](fg::link& link, rude_user&) { link.send(news_of("let me in")); });
  try_with([](fg::link& link, rude_user&) {
    fg::frame f;
    f.kind = fg::frame_kind::hello;
    f.body = std::string(60, '\x09');
    link.send(std::move(f));
  });
  try_with([](fg::link& link, rude_user&) {
    fg::frame f;
    f.kind = fg::frame_kind::hello;
    f.body = std::string(100000, 'x');
    link.send(std::move(f));
  });
  try_with([](fg::link& link, rude_user&) {
    fg::frame f;
    f.kind = fg::frame_kind::proof;
    f.body = std::string(32, 'x');
    link.send(std::move(f));
  });
  // Repeats the frames that it receives.
  try_with([&](fg::link& link, rude_user& user) {
    std::size_t said = 0;
    other->wait(
        [&] {
          while (said < user.heard.size()) link.send(fg::frame(user.heard[said++]));
          return user.is_lost;
        },
        p.net.now() + 20s);
  });
  CHECK(p.accepted == first);
  CHECK(p.accepted->ended == 0);
}

TEST_CASE("a peer that falls silent is lost within three seconds, with its name and address") {
  guarded_pair p;
  REQUIRE(p.wait_until_open());
  const auto began = p.net.now();
  SUBCASE("its machine is gone") { p.net.vanish("a"); }
  SUBCASE("it is stopped") { p.net.pause("a"); }
  SUBCASE("the network is cut") { p.net.cut("a", "b"); }
  CHECK(p.b->wait([&] { return p.user->ended == 1; }, began + 10s));
  CHECK(p.net.now() - began < 3s);
  CHECK(p.net.now() - began > 1900ms);
  CHECK(p.user->why.code() == fg::error_code::unavailable);
  CHECK(says(p.user->why, "task a at a:1 is silent: it was last heard 2."));
  p.net.heal("a", "b");
  p.net.resume("a");
  p.net.run_for(5s);
  CHECK(p.user->ended == 1);
}

TEST_CASE("one that is there all along but says nothing is not lost, and costs two small frames a second each way") {
  guarded_pair p;
  REQUIRE(p.wait_until_open());
  const auto before = p.net.all();
  p.net.run_for(60s);
  const auto after = p.net.all();
  CHECK(p.user->ended == 0);
  CHECK(p.accepted->ended == 0);
  CHECK(after.frames - before.frames >= 220);
  CHECK(after.frames - before.frames <= 244);
  CHECK(after.bytes - before.bytes <= 244 * (64 + 8));  // a head and a tag
}

TEST_CASE("who was asleep itself does not take its peers for silent") {
  guarded_pair p;
  REQUIRE(p.wait_until_open());
  p.net.pause("b");
  p.net.run_for(2s);
  p.net.pause("a");
  p.net.run_for(1s);
  p.net.resume("a");
  p.net.resume("b");
  p.net.run_for(10s);
  CHECK(p.user->ended == 0);
  CHECK(p.accepted->ended == 0);
}

TEST_CASE("who ends a link says why, and a dead process is named") {
  guarded_pair p;
  REQUIRE(p.wait_until_open());
  SUBCASE("closed") {
    p.accepted->link->close(fg::error(fg::error_code::resource_exhausted, "too many sessions"));
    CHECK(p.b->wait([&] { return p.user->ended == 1 && p.accepted->ended == 1; }, 10s));
    CHECK(says(p.user->why, "task a at a:1 ended the connection"));
    CHECK(says(p.user->why, "too many sessions"));
    CHECK(says(p.accepted->why, "too many sessions"));
  }
  SUBCASE("killed") {
    p.net.kill("a");
    CHECK(p.b->wait([&] { return p.user->ended == 1; }, 10s));
    CHECK(p.net.now() < 1s);
    CHECK(says(p.user->why, "the connection to task a at a:1 is lost"));
  }
  CHECK(p.user->why.code() == fg::error_code::unavailable);
  p.net.run_for(10s);
  CHECK(p.user->ended == 1);
}

TEST_CASE("once all links are gone there is nothing left to happen") {
  guarded_pair p;
  REQUIRE(p.wait_until_open());
  p.link->close(fg::error(fg::error_code::cancelled, "done"));
  CHECK_FALSE(p.b->wait([] { return false; }, no_limit));
  CHECK(p.net.now() < 1min);
}

TEST_CASE("the text of a stranger cannot steer the terminal that shows it") {
  std::vector<std::string> told;
  wire::guard_options of_a{.self = {"task a", 1}, .token = "secret"};
  of_a.on_refused = [&](const fg::error& why) { told.emplace_back(why.what()); };
  guarded_pair p(of_a);
  const auto c = p.net.host("c");
  fg::frame farewell;
  farewell.kind = fg::frame_kind::proof;
  farewell.is_dead = true;
  wire::byte_writer to(farewell.body);
  to.number(fg::error_code::permission_denied);
  to.text("\x1b[2Jall is\rwell\nworker: all is well" + std::string(1000, '!'));
  const auto link = c->connect("a:1", std::make_shared<rude_user>(std::vector<fg::frame>{}));
  link->send(std::move(farewell));
  REQUIRE(c->wait([&] { return told.size() == 1; }, p.net.now() + 10s));
  CHECK(told[0].find("?[2Jall is?well?worker: all is well!!!") != std::string::npos);
  CHECK(told[0].size() < 300);
}

TEST_CASE("with the longest silence nobody is ever silent") {
  wire::guard_options of_a{.self = {"task a", 1}, .token = "secret"};
  of_a.silence = no_limit;
  guarded_pair p(of_a);
  const auto c = p.net.host("c");
  auto silent = std::make_shared<rude_user>(std::vector<fg::frame>{});
  const auto link = c->connect("a:1", silent);
  p.net.run_for(20s);
  CHECK_FALSE(silent->is_lost);
}

#include <flowgraph/distributed/simulated_network.hpp>

#include "waiting.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <string>
#include <thread>
#include <vector>

namespace fg = flowgraph;
using namespace std::chrono_literals;

namespace {

// Records the frames that it receives, and answers requests.
struct noting_user final : fg::link_user {
  std::shared_ptr<fg::link> link;  // of an accepting user; ends with it
  std::vector<std::string> heard;
  bool is_open = false, is_lost = false, answers = false;
  fg::error why;

  void open(const fg::greeting&) override { is_open = true; }
  void receive(fg::frame came) override {
    heard.emplace_back(came.body);
    if (answers && came.kind == fg::frame_kind::request) {
      came.kind = fg::frame_kind::answer;
      came.body = "answer to " + came.body;
      link->send(std::move(came));
    }
  }
  void lost(const fg::error& cause) override {
    is_lost = true;
    why = cause;
    link.reset();
  }
};

// Accepts links, and keeps their users.
struct noting_server {
  std::vector<std::shared_ptr<noting_user>> users;
  fg::transport::acceptor acceptor() {
    return [this](const std::shared_ptr<fg::link>& link) {
      auto user = std::make_shared<noting_user>();
      user->link = link;
      user->answers = true;
      users.push_back(user);
      return user;
    };
  }
};

fg::frame request(std::string body) {
  fg::frame f;
  f.kind = fg::frame_kind::request;
  f.body = std::move(body);
  return f;
}

bool mentions(const fg::error& why, std::string_view text) {
  return std::string_view(why.what()).find(text) != std::string_view::npos;
}

// Runs a client that sends ten requests, with faults that the seed determines. Returns all events as one text.
std::string history_of(std::uint64_t seed) {
  fg::simulated_network net(seed);
  auto a = net.host("a"), b = net.host("b"), c = net.host("c");
  noting_server on_a, on_b;
  std::string history;
  REQUIRE(a->listen("a:1", on_a.acceptor()));
  REQUIRE(b->listen("b:1", on_b.acceptor()));
  auto to_a = std::make_shared<noting_user>(), to_b = std::make_shared<noting_user>();
  auto link_a = c->connect("a:1", to_a), link_b = c->connect("b:1", to_b);
  for (int i = 0; i < 10; ++i) {
    link_a->send(request("a" + std::to_string(i)));
    link_b->send(request("b" + std::to_string(i)));
  }
  if (net.draw(2) == 0) net.at(std::chrono::microseconds(net.draw(2000)), [&] { net.kill("a"); });
  if (net.draw(2) == 0) net.at(std::chrono::microseconds(net.draw(2000)), [&] { net.break_links("b", "c"); });
  if (net.draw(2) == 0) {
    net.at(std::chrono::microseconds(net.draw(1000)), [&] { net.pause("b"); });
    net.at(3ms, [&] { net.resume("b"); });
  }
  const auto is_done = [&] { return (to_a->is_lost || to_a->heard.size() == 10) && (to_b->is_lost || to_b->heard.size() == 10); };
  CHECK(c->wait(is_done, no_limit));
  history += std::to_string(net.now().count()) + " " + std::to_string(net.all().bytes);
  for (const auto& user : {to_a, to_b}) {
    for (const auto& heard : user->heard) history += " " + heard;
    if (user->is_lost) history += std::string(" ") + user->why.what();
  }
  return history;
}

}  // namespace

TEST_CASE("frames of a simulated network arrive in their order, later, and are counted") {
  fg::simulated_network net(1);
  auto a = net.host("a"), b = net.host("b");
  noting_server server;
  REQUIRE(a->listen("a:1", server.acceptor()).value() == "a:1");
  CHECK(a->listen("a:1", server.acceptor()).error().code() == fg::error_code::already_exists);
  CHECK(a->listen("b:1", server.acceptor()).error().code() == fg::error_code::invalid_argument);
  auto user = std::make_shared<noting_user>();
  auto link = b->connect("a:1", user);
  for (int i = 0; i < 100; ++i) link->send(request(std::to_string(i)));
  CHECK_FALSE(user->is_open);
  CHECK(b->wait([&] { return user->heard.size() == 100; }, no_limit));
  CHECK(user->is_open);
  for (int i = 0; i < 100; ++i) CHECK(user->heard[static_cast<std::size_t>(i)] == "answer to " + std::to_string(i));
  CHECK(net.now() > 100us);
  CHECK(net.now() < 10ms);
  CHECK(net.between("b", "a").frames == 100);
  CHECK(net.between("a", "b").frames == 100);
  CHECK(net.all().bytes > 200 * 64);
  link->close(fg::error(fg::error_code::cancelled, "enough"));
  CHECK(b->wait([&] { return user->is_lost && server.users[0]->is_lost; }, no_limit));
  CHECK(mentions(user->why, "enough"));
  CHECK(mentions(server.users[0]->why, "closed the connection"));
}

TEST_CASE("the same seed gives the same history, another another") {
  std::size_t different = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const std::string first = history_of(seed);
    CHECK(history_of(seed) == first);
    different += history_of(seed + 1000) != first ? 1 : 0;
  }
  CHECK(different > 190);
}

TEST_CASE("links that differ overtake each other") {
  fg::simulated_network net(3);
  auto a = net.host("a"), b = net.host("b");
  noting_server server;
  REQUIRE(a->listen("a:1", server.acceptor()));
  std::vector<std::shared_ptr<noting_user>> users;
  std::vector<std::shared_ptr<fg::link>> links;
  for (int i = 0; i < 20; ++i) {
    users.push_back(std::make_shared<noting_user>());
    links.push_back(b->connect("a:1", users.back()));
    links.back()->send(request(std::to_string(i)));
  }
  bool overtaken = false;
  std::size_t first = 0;
  CHECK(b->wait(
      [&] {
        std::size_t answered = 0;
        for (std::size_t i = 0; i < users.size(); ++i) {
          if (users[i]->heard.empty()) continue;
          ++answered;
          if (answered == 1) first = i;
        }
        if (answered == 1 && first != 0) overtaken = true;
        return answered == users.size();
      },
      no_limit));
  CHECK(overtaken);
}

TEST_CASE("nobody there, a dead host and a refusal are losses that say so") {
  fg::simulated_network net(4);
  auto a = net.host("a"), b = net.host("b");
  auto user = std::make_shared<noting_user>();
  auto first = b->connect("a:1", user);
  CHECK(b->wait([&] { return user->is_lost; }, no_limit));
  CHECK(user->why.code() == fg::error_code::unavailable);
  CHECK(mentions(user->why, "nobody listens at a:1"));

  REQUIRE(a->listen("a:2", [](const std::shared_ptr<fg::link>&) { return std::shared_ptr<fg::link_user>(); }));
  auto refused = std::make_shared<noting_user>();
  auto second = b->connect("a:2", refused);
  CHECK(b->wait([&] { return refused->is_lost; }, no_limit));
  CHECK(mentions(refused->why, "refused"));
}

TEST_CASE("peers of a killed host hear so, those of one that vanished do not, and a new process knows nothing") {
  fg::simulated_network net(5);
  auto b = net.host("b");
  for (const bool vanishes : {false, true}) {
    auto a = net.host("a");
    noting_server server;
    REQUIRE(a->listen("a:1", server.acceptor()));
    auto user = std::make_shared<noting_user>();
    auto link = b->connect("a:1", user);
    CHECK(b->wait([&] { return user->is_open; }, no_limit));
    vanishes ? net.vanish("a") : net.kill("a");
    net.run_for(5s);
    CHECK(user->is_lost == !vanishes);
    CHECK_FALSE(server.users[0]->is_lost);  // its process had ended
    auto again = net.host("a");
    CHECK(again != a);
    link->send(request("still there?"));
    net.run_for(1s);
    CHECK(user->is_lost);
    bool ran = false;
    a->compute([&] { ran = true; });
    a->clock().call_at(net.now(), [&] { ran = true; });
    net.run_for(1s);
    CHECK_FALSE(ran);
  }
}

TEST_CASE("what a paused host and a cut hold up comes later, in its order") {
  fg::simulated_network net(6);
  auto a = net.host("a"), b = net.host("b");
  noting_server server;
  REQUIRE(a->listen("a:1", server.acceptor()));
  auto user = std::make_shared<noting_user>();
  auto link = b->connect("a:1", user);
  CHECK(b->wait([&] { return user->is_open; }, no_limit));
  int sent = 0;
  const auto send_some = [&] {
    for (int i = 0; i < 5; ++i) link->send(request(std::to_string(sent++)));
  };
  net.pause("a");
  send_some();
  net.run_for(1s);
  CHECK(user->heard.empty());
  net.resume("a");
  net.run_for(1s);
  CHECK(user->heard.size() == 5);
  net.cut("a", "b");
  send_some();
  net.run_for(1s);
  send_some();
  CHECK(user->heard.size() == 5);
  net.heal("b", "a");
  send_some();
  net.run_for(1s);
  REQUIRE(user->heard.size() == 20);
  for (std::size_t i = 0; i < 20; ++i) CHECK(user->heard[i] == "answer to " + std::to_string(i));
}

TEST_CASE("a wait ends where nothing is left to happen, at its time, and by its patience") {
  fg::simulated_network net(7, {.patience = 1h});
  auto a = net.host("a");
  CHECK_FALSE(a->wait([] { return false; }, no_limit));
  CHECK_FALSE(a->wait([] { return false; }, 5s));
  CHECK(net.now() == 5s);
  int ticks = 0;
  struct ticker {
    fg::transport& on;
    int& ticks;
    void operator()() const {
      ++ticks;
      on.clock().call_at(on.clock().now() + 1min, *this);
    }
  };
  a->clock().call_at(6s, ticker{*a, ticks});
  CHECK_FALSE(a->wait([] { return false; }, no_limit));
  CHECK(ticks == 60);
  bool computed = false;
  a->compute([&] { computed = true; });
  CHECK(a->wait([&] { return computed; }, no_limit));
}

TEST_CASE("several threads may wait") {
  fg::simulated_network net(8);
  auto a = net.host("a"), b = net.host("b");
  noting_server server;
  REQUIRE(a->listen("a:1", server.acceptor()));
  std::vector<std::thread> threads;
  std::atomic<int> answered{0};
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      auto user = std::make_shared<noting_user>();
      auto link = b->connect("a:1", user);
      std::atomic<int> heard{0};
      struct counting final : fg::link_user {
        std::atomic<int>& heard;
        explicit counting(std::atomic<int>& h) : heard(h) {}
        void receive(fg::frame) override { ++heard; }
        void lost(const fg::error&) override {}
      };
      auto counts = std::make_shared<counting>(heard);
      auto counted = b->connect("a:1", counts);
      for (int i = 1; i <= 50; ++i) {
        counted->send(request("x"));
        if (b->wait([&] { return heard == i; }, b->clock().now() + 1h)) ++answered;
      }
      counted->close(fg::error(fg::error_code::cancelled, "done"));
    });
  }
  for (auto& t : threads) t.join();
  CHECK(answered == 200);
}

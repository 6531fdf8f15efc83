// Values that are sent when they are computed, and values that are kept until they are requested.

#include "../harness/sanitized.hpp"
#include "negating_part.hpp"
#include "simulated_cluster.hpp"
#include "many_values.hpp"

#include <distributed/kept_values.hpp>

using namespace flowgraph_test;
using namespace std::chrono_literals;

namespace {

const fg::connect_options pushing_off = {.pushed_up_to = 0};

// A large value of task 1, read at task 2.
struct large_value {
  static constexpr std::size_t elements = 100'000;
  fg::graph g;
  fg::out<float> x = g.placeholder<float>("x", {fg::any}), read;

  large_value() {
    fg::out<float> made;
    {
      const auto on = g.on_device("/job:worker/task:1");
      made = -x;
    }
    const auto on = g.on_device("/job:worker/task:2");
    read = -made;
  }
  static fg::tensor<float> fed(float value) {
    fg::tensor<float> made({elements});
    for (float& f : made.writable()) f = value;
    return made;
  }
};

std::size_t kept(simulated_cluster& c) { return c[0].kept() + c[1].kept() + c[2].kept(); }

}  // namespace

TEST_CASE("kept values: small ones are pushed and nobody asks, and with pushing off what a turn needs is asked for at once") {
  for (const bool pushes : {true, false}) {
    CAPTURE(pushes);
    simulated_cluster cluster(3);
    many_values m(1, 2);
    fg::session s{m.g, cluster.connect(0, pushes ? fg::connect_options() : pushing_off)};
    auto step = s.prepare(fg::feed(m.x), fg::fetch(m.sum));
    step(1.f);
    const auto sent = cluster.net.between("b", "c").frames, asked = cluster.net.between("c", "b").frames;
    constexpr int steps = 5;
    for (int i = 0; i < steps; ++i) CHECK(step(2.f).scalar() == -2.f * 299 * 150);
    CHECK(cluster.net.between("b", "c").frames - sent == steps * many_values::count);
    const auto questions = cluster.net.between("c", "b").frames - asked;
    CHECK(questions >= (pushes ? 0 : steps));
    CHECK(questions <= (pushes ? 0 : 5 * steps));
  }
}

TEST_CASE("kept values: a large one waits at the task that has made it until the one that reads it is there") {
  simulated_cluster cluster(3);
  large_value l;
  fg::session s{l.g, cluster.connect()};
  const auto bytes = [&] { return cluster.net.between("b", "c").bytes; };
  for (int round = 0; round < 3; ++round) {
    CAPTURE(round);
    const auto before = bytes();
    std::uint64_t behind = 0;
    std::size_t kept_behind = 0, parts = kept(cluster);
    // The reader receives the request of the step late.
    cluster.net.set_delay("a", "c", 1s, 1s);
    cluster.net.at(cluster.net.now() + 900ms, [&] {
      behind = bytes() - before;
      kept_behind = cluster[1].kept();
    });
    const float x = static_cast<float>(round);
    CHECK(s.run(fg::fetch(l.read), {{l.x, large_value::fed(x)}})[7] == x);
    cluster.net.set_delay("a", "c", 50us, 500us);
    CHECK(behind < 1000);     // only the announcement
    CHECK(kept_behind == 2);  // the part and the value: the sender's run has ended
    CHECK(bytes() - before > 4 * large_value::elements);
    if (round > 0) CHECK(kept(cluster) == parts);
  }
}

TEST_CASE("kept values: once a value was large the next is asked for when its reader is there, without waiting for news of it") {
  simulated_cluster cluster(3);
  large_value l;
  fg::session s{l.g, cluster.connect()};
  s.run(fg::fetch(l.read), {{l.x, large_value::fed(1)}});
  // The sender receives the request of the step late: the question arrives before the value.
  cluster.net.set_delay("a", "b", 5ms, 5ms);
  const auto sent = cluster.net.between("b", "c").frames, asked = cluster.net.between("c", "b").frames;
  CHECK(s.run(fg::fetch(l.read), {{l.x, large_value::fed(2)}})[0] == 2);
  CHECK(cluster.net.between("b", "c").frames - sent == 1);
  CHECK(cluster.net.between("c", "b").frames - asked == 1);
  // A small value after it is sent, requested or not, and the next value is not requested.
  CHECK(s.run(fg::fetch(l.read), {{l.x, fg::tensor<float>({1}, {3})}})[0] == 3);
  const auto asked_before = cluster.net.between("c", "b").frames;
  CHECK(s.run(fg::fetch(l.read), {{l.x, fg::tensor<float>({1}, {4})}})[0] == 4);
  CHECK(cluster.net.between("c", "b").frames == asked_before);
}

TEST_CASE(
    "kept values: loops over tasks, with dead values and many iterations at a time, are those of one process for any limit") {
  const auto build = [](fg::graph& g, const fg::out<float>& x, bool spread) {
    const auto [rounds, value] = fg::while_loop(
        std::tuple{g.constant(0), x}, [&](fg::out<int> i, fg::out<float>) { return i < 40; },
        [&](fg::out<int> i, fg::out<float> v) {
          fg::out<float> there;
          {
            const auto on = g.on_device(spread ? "/job:worker/task:1" : "");
            there = v * 1.5f;
          }
          const auto on = g.on_device(spread ? "/job:worker/task:2" : "");
          return std::tuple(i + 1, there - v * 0.25f);
        });
    return fg::out<float>(value);
  };
  const fg::tensor<float> fed({3}, {1, 2, 3});
  fg::graph near;
  const auto near_x = near.placeholder<float>("x", {3});
  const auto near_y = build(near, near_x, false);
  fg::session alone{near};
  const auto expected = alone.run(fg::fetch(near_y), {{near_x, fed}});
  for (const std::uint64_t limit : {std::uint64_t{0}, std::uint64_t{4}, std::uint64_t{65536}})
    for (std::uint64_t seed = 1; seed <= (flowgraph_test::is_sanitized ? 1 : 5); ++seed) {
      CAPTURE(limit);
      CAPTURE(seed);
      simulated_cluster cluster(3, seed);
      fg::graph g;
      const auto x = g.placeholder<float>("x", {3});
      const auto y = build(g, x, true);
      fg::session s{g, cluster.connect(0, {.pushed_up_to = limit})};
      for (int i = 0; i < 3; ++i) {
        const auto made = s.run(fg::fetch(y), {{x, fed}});
        CHECK(std::equal(made.begin(), made.end(), expected.begin(), expected.end()));
      }
      cluster.net.run_for(1s);
      CHECK(kept(cluster) == 3);  // the parts
    }
}

TEST_CASE("kept values: a step that ends early leaves none at any task, whoever was behind") {
  for (const char* behind : {"b", "c"})
    for (const bool was_large : {false, true}) {
      CAPTURE(behind);
      CAPTURE(was_large);
      simulated_cluster cluster(3);
      large_value l;
      fg::session s{l.g, cluster.connect()};
      s.run(fg::fetch(l.read), {{l.x, was_large ? large_value::fed(1) : fg::tensor<float>({1}, {1})}});
      cluster.net.run_for(1s);
      const std::size_t parts = kept(cluster);
      std::size_t in_between = 0;
      cluster.net.set_delay("a", behind, 2s, 2s);
      cluster.net.at(cluster.net.now() + 900ms, [&] { in_between = kept(cluster); });
      CHECK_FALSE(s.try_run(fg::fetch(l.read), {{l.x, large_value::fed(2)}}, fg::run_options::within(1s)));
      CHECK(in_between > parts);
      cluster.net.set_delay("a", behind, 50us, 500us);
      cluster.net.run_for(3s);
      CHECK(kept(cluster) == parts);
      CHECK(s.run(fg::fetch(l.read), {{l.x, large_value::fed(3)}})[0] == 3);
    }
}

TEST_CASE("kept values: a link that is lost while a value waits ends the step in time, and the next one works") {
  for (const bool by_sender : {true, false}) {
    CAPTURE(by_sender);
    simulated_cluster cluster(3);
    large_value l;
    fg::session s{l.g, cluster.connect()};
    s.run(fg::fetch(l.read), {{l.x, large_value::fed(1)}});
    cluster.net.run_for(1s);
    const std::size_t parts = kept(cluster);
    cluster.net.set_delay("a", by_sender ? "b" : "c", 1s, 1s);
    cluster.net.at(cluster.net.now() + 500ms, [&] { cluster.net.break_links("b", "c"); });
    const auto before = cluster.net.now();
    const auto made = s.try_run(fg::fetch(l.read), {{l.x, large_value::fed(2)}});
    CHECK(cluster.net.now() - before < 5s);
    if (made) CHECK((*made)[0] == 2);
    else CHECK(made.error().code() == fg::error_code::unavailable);
    cluster.net.set_delay("a", by_sender ? "b" : "c", 50us, 500us);
    cluster.net.run_for(4s);
    CHECK(s.run(fg::fetch(l.read), {{l.x, large_value::fed(3)}})[0] == 3);
    cluster.net.run_for(1s);
    CHECK(kept(cluster) == parts);
  }
}

TEST_CASE("kept values: a question finds its value, whichever comes first, and steps that are dropped leave neither") {
  wire::kept_values all;
  const auto value = [](std::uint64_t step, std::uint32_t edge, std::uint64_t iteration = 0) {
    fg::frame f;
    f.kind = fg::frame_kind::value;
    f.number = step;
    f.edge = edge;
    f.iteration = iteration;
    f.tensors.push_back(fg::tensor<float>(fg::shape{}, {static_cast<float>(iteration)}).erased());
    return f;
  };
  wire::kept_values::wanted found;
  fg::frame first = value(1, 0), second = value(1, 0, 1), third = value(2, 5);
  CHECK_FALSE(all.is_asked_for(7, first));
  CHECK_FALSE(all.ask({1, 0, 0, 1}, true, found));
  CHECK(all.is_asked_for(7, second));
  CHECK(second.tensors.size() == 1);  // it belongs to the caller
  CHECK(all.ask({1, 0, 0, 0}, true, found));
  CHECK(found.task == 7);
  CHECK(found.value.tensors.size() == 1);
  CHECK(all.size() == 0);
  CHECK_FALSE(all.ask({1, 0, 0, 0}, false, found));
  CHECK(all.size() == 0);
  CHECK_FALSE(all.ask({1, 3, 0, 0}, true, found));
  CHECK_FALSE(all.ask({1, 3, 0, 0}, true, found));
  CHECK_FALSE(all.is_asked_for(7, third));
  CHECK(all.size() == 2);
  CHECK(all.last_of(9) == 2);
  CHECK(all.has_any(1, 1));
  all.drop(1, 2, false);
  CHECK(all.size() == 1);
  CHECK_FALSE(all.has_any(0, 1));
  all.drop(2, 2);
  CHECK(all.size() == 0);
}

TEST_CASE("kept values: questions survive their way as bytes, and a text that makes no sense is refused") {
  const std::vector<wire::value_place> asked{{9, 1, 2, 3}, {9, 4, 0, 0}};
  fg::frame f = wire::questions_for(asked);
  const auto read = [&] {
    std::vector<wire::value_place> made;
    wire::question_reader from(f);
    for (wire::value_place at; from.next(at);) made.push_back(at);
    CHECK(from.is_sound() == !made.empty());
    return made;
  };
  CHECK(read() == asked);
  f.body += 'x';
  CHECK(read().empty());
  f.body.resize(f.body.size() - 2);
  CHECK(read().empty());
  f.body.assign(8, '\xff');
  CHECK(read().empty());
  f.body.clear();
  CHECK(read().empty());
}

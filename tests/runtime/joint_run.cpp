#include <flowgraph/runtime/joint_run.hpp>

#include <flowgraph/ops/exchange.hpp>
#include <flowgraph/ops/random/random.hpp>

#include "../harness/accelerator/kernels.hpp"
#include "../harness/engine_ops.hpp"

using namespace engine;
using namespace std::chrono_literals;

namespace {

// Two graphs; what the left one sends as "there" and the right one as "back".
struct two_graphs {
  fg::graph left, right;
  fg::session a{left}, b{right};

  template <class Op> static Op named(std::string name) {
    Op op;
    op.tensor_name = std::move(name);
    return op;
  }
  static fg::target send(fg::out<float> x, std::string name) { return fg::apply(named<fg::send_op>(std::move(name)), x); }
  static fg::out<float> receive(fg::graph& g, std::string name, fg::site s = {}) {
    return fg::apply_in<float>(g, named<fg::receive_op>(std::move(name)), s);
  }
};

}  // namespace

TEST_CASE("joint run: values go there and back, on one thread and on several") {
  two_graphs t;
  const auto x = t.left.placeholder<float>("x", {});
  const auto there = two_graphs::send(add(x, x), "there");
  const auto y = multiply(two_graphs::receive(t.left, "back"), x);
  const auto came = two_graphs::receive(t.right, "there");
  const auto back = two_graphs::send(add(came, came), "back");
  fg::thread_pool pool(3);
  fg::session pooled{t.left, {.pool = &pool}};
  for (fg::session* s : {&t.a, &pooled})
    for (float v = 1; v < 4; ++v) {
      const auto made = fg::run_together(
          {{.in = s, .feeds = {{x, v}}, .fetches = {y}, .targets = {there}}, {.in = &t.b, .fetches = {came}, .targets = {back}}});
      CHECK(made[0][0].as<float>().scalar() == 4 * v * v);
      CHECK(made[1][0].as<float>().scalar() == 2 * v);
    }
}

TEST_CASE("joint run: what stands on accelerators sends and receives by way of the host") {
  for (std::uint64_t seed = 1; seed < 10; ++seed) {
    accelerator::accelerators all(seed, 2);
    fg::graph left, right;
    const auto x = left.placeholder<float>("x", {});
    fg::target there = nullptr, back = nullptr;
    fg::out<float> y;
    {
      const auto on = left.on_device("/device:accel:0");
      there = two_graphs::send(add(x, x), "there");
      y = multiply(two_graphs::receive(left, "back"), x);
    }
    {
      const auto on = right.on_device("/device:accel:1");
      const auto came = two_graphs::receive(right, "there");
      back = two_graphs::send(add(came, came), "back");
    }
    all.learn(left);
    all.learn(right);
    {
      fg::session a{left, {.devices = all.devices()}}, b{right, {.devices = all.devices()}};
      for (float v = 1; v < 4; ++v) {
        const auto made =
            fg::run_together({{.in = &a, .feeds = {{x, v}}, .fetches = {y}, .targets = {there}}, {.in = &b, .targets = {back}}});
        CHECK(made[0][0].as<float>().scalar() == 4 * v * v);
      }
    }
    for (std::size_t d = 0; d < 2; ++d) CHECK(all.memory_of(d).in_use() == 0);
  }
}

TEST_CASE("joint run: a branch that is not taken is dead in the other graph too") {
  two_graphs t;
  const auto x = t.left.placeholder<float>("x", {});
  const auto sides = fg::switch_(x, less(x, t.left.constant(0.f)));
  const auto no = two_graphs::send(sides.if_false, "no"), yes = two_graphs::send(sides.if_true, "yes");
  const auto one = two_graphs::receive(t.right, "no"), other = two_graphs::receive(t.right, "yes");
  const auto y = fg::merge({add(one, one), other}).value;
  for (const float v : {3.f, -3.f}) {
    const auto made = fg::run_together({{.in = &t.a, .feeds = {{x, v}}, .targets = {no, yes}}, {.in = &t.b, .fetches = {y}}});
    CHECK(made[1][0].as<float>().scalar() == (v > 0 ? 6 : -3));
  }
}

TEST_CASE("joint run: what nobody sends, and what two send, is refused before anything runs") {
  two_graphs t;
  std::atomic<int> runs = 0;
  const auto y = two_graphs::receive(t.right, "there", {.name = "waits"});
  const auto counts = counted(t.right.constant(1.f), runs);
  const auto why = fg::try_run_together(std::vector<fg::joint_graph>{{.in = &t.b, .fetches = {y, counts}}}).error();
  check_error(why, error_code::invalid_argument, "waits", "_Recv");
  CHECK(runs == 0);
  const auto first = two_graphs::send(t.left.constant(1.f), "there"), second = two_graphs::send(t.left.constant(2.f), "there");
  CHECK_FALSE(
      fg::try_run_together(std::vector<fg::joint_graph>{{.in = &t.a, .targets = {first, second}}, {.in = &t.b, .fetches = {y}}}));
}

TEST_CASE("joint run: a feed through an empty handle or one of another graph is refused") {
  two_graphs t;
  const auto x = t.left.placeholder<float>("x", {});
  const auto y = add(x, x);
  for (const fg::any_out bad : {fg::any_out(), fg::any_out(t.right.placeholder<float>("z", {}))}) {
    const auto made = fg::try_run_together(
        std::vector<fg::joint_graph>{{.in = &t.a, .feeds = {{bad, fg::tensor<float>(3.f).erased()}}, .fetches = {y}}});
    REQUIRE(!made);
    CHECK(made.error().code() == error_code::invalid_argument);
  }
}

TEST_CASE("joint run: an error of one part ends the others, and both sessions go on") {
  two_graphs t;
  std::atomic<bool> fails = true;
  const auto x = t.left.placeholder<float>("x", {});
  const auto there = two_graphs::send(
      probe(x, [&](fg::cpu ctx) { fails ? ctx.fail(error_code::data_loss, "the kernel refuses") : void(); }, {.name = "refuses"}),
      "there");
  const auto y = two_graphs::receive(t.right, "there");
  for (int i = 0; i < 4; ++i) {
    fails = i % 2 == 0;
    const auto made = fg::try_run_together(
        std::vector<fg::joint_graph>{{.in = &t.a, .feeds = {{x, 5.f}}, .targets = {there}}, {.in = &t.b, .fetches = {y}}});
    if (fails) check_error(made.error(), error_code::data_loss, "refuses", "Probe");
    else CHECK((*made)[1][0].as<float>().scalar() == 5);
  }
  CHECK(t.a.run(fg::fetch(add(x, x)), {{x, 2.f}}).scalar() == 4);
}

namespace {

// Draws a number; the other graph takes it. The graph of one step.
struct drawing_step {
  fg::graph left, right;
  fg::target there;
  fg::out<float> came;

  drawing_step() {
    there = two_graphs::send(fg::random_uniform<float>(left, fg::shape{}, {.seed = 7}, {"noise"}), "there");
    came = two_graphs::receive(right, "there");
  }
  float run(fg::container& shared) {
    fg::session a{left, {.resources = &shared}}, b{right, {.resources = &shared}};
    return run(a, b);
  }
  float run(fg::session& a, fg::session& b) {
    return fg::run_together({{.in = &a, .targets = {there}}, {.in = &b, .fetches = {came}}})[1][0].as<float>().scalar();
  }
};

}  // namespace

TEST_CASE("joint run: nodes of one name draw on in the graphs of another step, where the steps share a container") {
  drawing_step whole, first, second;
  fg::session a{whole.left}, b{whole.right};
  std::vector<float> expected;
  for (int i = 0; i < 4; ++i) expected.push_back(whole.run(a, b));
  CHECK(expected[0] != expected[1]);
  fg::container shared, apart;
  for (int i = 0; i < 4; i += 2) {
    CHECK(first.run(shared) == expected[static_cast<std::size_t>(i)]);
    CHECK(second.run(shared) == expected[static_cast<std::size_t>(i) + 1]);
  }
  CHECK(first.run(apart) == expected[0]);
  // What has been drawn is saved with the container, and goes on in another.
  fg::container later;
  const auto saved = apart.save();
  REQUIRE(saved.has_value());
  REQUIRE_FALSE(later.load(*saved));
  CHECK(second.run(later) == expected[1]);
  auto broken = *saved;
  REQUIRE(broken.size() == 1);
  broken[0].bytes = "1 x";
  CHECK(later.load(broken).code() == fg::error_code::data_loss);
  CHECK(first.run(later) == expected[2]);
  later.clear();
  CHECK(first.run(later) == expected[0]);
}

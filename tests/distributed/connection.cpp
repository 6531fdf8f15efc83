#include <flowgraph/distributed/connection.hpp>

#include "simulated_cluster.hpp"

#include <flowgraph/ops/data_flow/fifo_queue.hpp>
#include <flowgraph/ops/random/random.hpp>
#include <flowgraph/runtime/cut.hpp>
#include <flowgraph/runtime/joint_run.hpp>

#include <algorithm>

using namespace flowgraph_test;
using namespace std::chrono_literals;

namespace {

template <class T> std::vector<T> elements(const fg::tensor<T>& t) { return {t.data(), t.data() + t.size()}; }

// An op that only this program has.
struct private_op {
  static constexpr std::string_view name = "Private";
  static constexpr fg::op_facts facts{.not_differentiable = true};
  fg::shape shape(const fg::shape& x) const { return x; }
  void operator()(fg::cpu, fg::view<const float> x, fg::view<float> y) const { std::copy(x.begin(), x.end(), y.begin()); }
};

// Multiplies on one task the sum that another task computes, as often as a third task determines. Without tasks, the graph
// requires no device.
struct loop_graph {
  fg::graph g;
  fg::out<float> x = g.placeholder<float>("x", {2});
  fg::out<float> y, dx;
  explicit loop_graph(std::uint32_t tasks) {
    const auto on = [&](std::uint32_t t) { return g.on_device(tasks ? on_worker(t % tasks) : ""); };
    const auto limit = g.constant(4);
    auto [i, last] = fg::while_loop(
        std::tuple{g.constant(0), x}, [&](auto n, auto) { return n < limit; },
        [&](auto n, auto v) {
          const auto first = on(1);
          const auto sum = v + x;
          const auto second = on(2);
          const auto product = sum * v;
          return std::tuple{n + 1, product};
        });
    y = last;
    dx = fg::gradients(y, x);
  }
};

}  // namespace

TEST_CASE("connection: a session on another task computes as one here does, to the bit") {
  simulated_cluster cluster(1);
  fg::graph g;
  const auto x = g.placeholder<float>("x", {2, 2});
  const auto y = fg::matmul(x, x) + x;
  fg::session here{g}, there{g, cluster.connect()};
  const fg::tensor<float> value({2, 2}, {1, 2, 3, 4});
  const auto a = here.run(fg::fetch(y), {{x, value}});
  CHECK(elements(there.run(fg::fetch(y), {{x, value}})) == elements(a));
  auto step = there.prepare(fg::feed(x), fg::fetch(y));
  for (int i = 0; i < 3; ++i) CHECK(elements(step(value)) == elements(a));
}

TEST_CASE("connection: the graph grows while the session runs") {
  simulated_cluster cluster(2);
  fg::graph g;
  auto y = g.constant(1.f);
  fg::session s{g, cluster.connect()};
  for (int i = 0; i < 4; ++i) {
    const auto on = g.on_device(on_worker(static_cast<std::uint32_t>(i % 2)));
    y = y + y;
    CHECK(s.run(fg::fetch(y)).scalar() == static_cast<float>(2 << i));
  }
}

TEST_CASE("connection: variables stay at their tasks, and sessions share them unless one is isolated") {
  simulated_cluster cluster(3);
  fg::graph g;
  fg::variable<float> v;
  {
    const auto on = g.on_device(on_worker(2));
    v = g.variable("v", fg::tensor<float>(fg::shape{}, {5}));
  }
  const auto on = g.on_device(on_worker(1));
  const auto more = fg::assign_add(v, g.constant(2.f));
  fg::session first{g, cluster.connect(0)}, second{g, cluster.connect(1)}, alone{g, cluster.connect(0, {.isolated = true})};
  first.initialize();
  CHECK(first.run(fg::fetch(more)).scalar() == 7);
  CHECK(second.run(fg::fetch(more)).scalar() == 9);
  CHECK(first.run(fg::fetch(v)).scalar() == 9);
  CHECK_FALSE(alone.try_run(fg::fetch(v)).has_value());
  alone.initialize();
  CHECK(alone.run(fg::fetch(v)).scalar() == 5);
}

TEST_CASE("connection: a loop over three tasks, and its gradient, are equal to the bit to those of one process") {
  for (const std::uint32_t tasks : {1u, 2u, 3u}) {
    simulated_cluster cluster(tasks, tasks);
    loop_graph l(tasks);
    fg::session there{l.g, cluster.connect()};
    const fg::tensor<float> value({2}, {0.7f, -0.3f});
    const auto [y, dx] = there.run(fg::fetch(l.y, l.dx), {{l.x, value}});
    loop_graph plain(0);
    fg::session here{plain.g};
    const auto [py, pdx] = here.run(fg::fetch(plain.y, plain.dx), {{plain.x, value}});
    CHECK(elements(y) == elements(py));
    CHECK(elements(dx) == elements(pdx));
  }
}

TEST_CASE("connection: random numbers are those of one process, in every run") {
  simulated_cluster cluster(2);
  fg::graph g, local;
  const auto make = [](fg::graph& to, bool is_placed) {
    std::optional<fg::graph::scope> on;
    if (is_placed) on.emplace(to.on_device(on_worker(1)));
    return fg::random_uniform<float>(to, {4}, {.seed = 3});
  };
  const auto far = make(g, true), near = make(local, false);
  fg::session there{g, cluster.connect()}, here{local};
  for (int i = 0; i < 3; ++i) CHECK(elements(there.run(fg::fetch(far))) == elements(here.run(fg::fetch(near))));
}

TEST_CASE("connection: an error of a task names node, task and the line of the program") {
  simulated_cluster cluster(2);
  fg::graph g;
  const auto a = g.placeholder<float>("a", fg::shape::unknown()), b = g.placeholder<float>("b", fg::shape::unknown());
  const auto on = g.on_device(on_worker(1));
  const auto line = std::source_location::current().line() + 1;
  const auto y = fg::matmul(a, b, {.name = "product"});
  fg::session s{g, cluster.connect()};
  const auto run = [&](fg::shape shape) {
    return s.try_run(fg::fetch(y), {{a, fg::tensor<float>({2, 3})}, {b, fg::tensor<float>(shape)}});
  };
  const auto failed = run({2, 2});
  REQUIRE_FALSE(failed.has_value());
  CHECK(failed.error().node() == "product");
  CHECK(failed.error().where().line() == line);
  CHECK(std::string_view(failed.error().where().file_name()).ends_with("connection.cpp"));
  CHECK(std::string_view(failed.error().what()).find("/job:worker/task:1") != std::string_view::npos);
  CHECK(run({3, 2}).has_value());  // the session is usable
}

TEST_CASE("connection: a device or an op that the cluster has not is an error that says so") {
  simulated_cluster cluster(2);
  fg::graph g;
  fg::session s{g, cluster.connect()};
  fg::out<float> y;
  {
    const auto on = g.on_device("/job:worker/task:7");
    y = g.constant(1.f) + 1.f;
  }
  const auto nowhere = s.try_run(fg::fetch(y));
  REQUIRE_FALSE(nowhere.has_value());
  CHECK(std::string_view(nowhere.error().what()).find("/job:worker/task:1/device:cpu:0") != std::string_view::npos);

  fg::graph h;
  fg::session t{h, cluster.connect()};
  const auto unknown = t.try_run(fg::fetch(fg::apply(private_op{}, h.constant(1.f))));
  REQUIRE_FALSE(unknown.has_value());
  CHECK(std::string_view(unknown.error().what()).find("'Private' is not registered") != std::string_view::npos);
}

TEST_CASE("connection: there is nobody, or somebody with another token") {
  simulated_cluster cluster(1);
  fg::graph g;
  const auto y = g.constant(1.f) + 1.f;
  fg::session nobody{g, fg::connect(cluster.net.host("client"), "z:1")};
  CHECK(nobody.try_run(fg::fetch(y)).error().code() == fg::error_code::unavailable);
  fg::session stranger{g, cluster.connect(0, {.token = "wrong"})};
  const fg::error why = stranger.try_run(fg::fetch(y)).error();
  CHECK(std::string_view(why.what()).find("token") != std::string_view::npos);
}

TEST_CASE("connection: a run that waits ends at its deadline, and leaves the queue as it was") {
  simulated_cluster cluster(2);
  fg::graph g;
  const auto x = g.placeholder<float>("x", {});
  const auto on = g.on_device(on_worker(1));
  fg::fifo_queue<float> q(g, {.capacity = 4});
  const auto put = q.enqueue(x);
  const auto taken = q.dequeue();
  fg::session s{g, cluster.connect()};
  const auto late = s.try_run(fg::fetch(taken), {}, fg::run_options::within(2s));
  REQUIRE_FALSE(late.has_value());
  CHECK(late.error().code() == fg::error_code::deadline_exceeded);
  cluster.net.run_for(1s);
  s.run(put, {{x, 3.f}});
  CHECK(s.run(fg::fetch(taken)).scalar() == 3);
}

TEST_CASE("connection: a step that is given up withdraws what it waits for at a queue elsewhere") {
  for (const std::string gone : {"client", "c", "a"}) {
    CAPTURE(gone);
    simulated_cluster cluster(3);
    fg::graph g;
    fg::out<float> taken, with;
    fg::target put[2];
    {
      const auto on = g.on_device(on_worker(1));
      fg::fifo_queue<float> q(g, {.capacity = 4});
      put[0] = q.enqueue(g.constant(3.f));
      put[1] = q.enqueue(g.constant(4.f));
      taken = q.dequeue();
    }
    {
      const auto on = g.on_device(on_worker(2));
      with = -taken;
    }
    auto s = std::make_unique<fg::session>(g, cluster.connect());
    fg::session other{g, fg::connect(cluster.net.host("other"), "b:1")};
    cluster.net.at(cluster.net.now() + 500ms, [&] { gone == "client" ? cluster.net.kill(gone) : cluster.net.pause(gone); });
    CHECK_FALSE(s->try_run(fg::fetch(with), {}, fg::run_options::within(5s)));
    cluster.net.run_for(4s);
    if (gone != "client") cluster.net.resume(gone);
    cluster.net.run_for(4s);
    other.run(put[0]);
    other.run(put[1]);
    CHECK(other.run(fg::fetch(taken)).scalar() == 3);
    CHECK(other.run(fg::fetch(taken)).scalar() == 4);
  }
}

TEST_CASE("connection: variables of several tasks are given values from outside, all of which are checked first") {
  simulated_cluster cluster(2);
  fg::graph g;
  fg::variable<float> all[2];
  for (std::uint32_t t = 0; t < 2; ++t) {
    const auto on = g.on_device(on_worker(t));
    all[t] = g.variable(t ? "w" : "v", fg::tensor<float>({2}, {0, 0}));
  }
  fg::session s{g, cluster.connect()};
  s.assign({{all[0], fg::tensor<float>({2}, {1, 2})}, {all[1], fg::tensor<float>({2}, {3, 4})}});
  const auto values = [&](std::uint32_t t) { return elements(s.run(fg::fetch(all[t]))); };
  CHECK(values(0) == std::vector<float>{1, 2});
  CHECK(values(1) == std::vector<float>{3, 4});
  const fg::fed wrong[]{{all[0], fg::tensor<float>({2}, {5, 6})}, {all[1], fg::tensor<float>({3}, {5, 6, 7})}};
  const auto refused = s.try_assign(wrong);
  REQUIRE_FALSE(refused.has_value());
  CHECK(std::string_view(refused.error().what()).find("'w") != std::string_view::npos);
  CHECK(values(0) == std::vector<float>{1, 2});
  cluster.net.kill("b");
  CHECK(s.try_assign(wrong).error().code() == fg::error_code::invalid_argument);
  const fg::fed far[]{{all[1], fg::tensor<float>({2}, {5, 6})}};
  CHECK(s.try_assign(far).error().code() == fg::error_code::unavailable);
}

TEST_CASE(
    "connection: what the master plans is explained as a plan of devices in one process is, with reasons, parts and transfers") {
  simulated_cluster cluster(2);
  fg::graph g;
  const auto x = g.placeholder<float>("x", {2});
  fg::out<float> first, last, nowhere;
  {
    const auto on = g.on_device(on_worker(1));
    const auto v = g.variable("v", fg::tensor<float>({2}, {1, 2}));
    first = v + x;
  }
  fg::session there{g, cluster.connect()};
  there.initialize();
  there.run(fg::fetch(first), {{x, fg::tensor<float>({2}, {1, 2})}});
  last = first * x;  // the graph grows
  {
    const auto on = g.on_device("/job:worker/task:7");
    nowhere = last + 1.f;
  }
  fg::device_list devices;
  for (std::uint32_t t = 0; t < 2; ++t) devices.push_back(std::make_unique<fg::device>(on_worker(t) + "/device:cpu:0"));
  fg::session here{g, {.devices = devices, .cut = fg::per_device}};
  fg::explanation far = there.explain(fg::fetch(last), {x}), near = here.explain(fg::fetch(last), {x});
  CHECK_FALSE(far.queued.empty());
  far.queued = near.queued;
  CHECK(fg::to_text(far) == fg::to_text(near));
  REQUIRE(far.parts.size() == 2);
  CHECK(far.parts[1].device == "/job:worker/task:1/device:cpu:0");
  const auto* sum = std::ranges::find(far.nodes, std::string(first.source->name), &fg::explained_node::name).base();
  CHECK(sum->device == "/job:worker/task:1/device:cpu:0");
  CHECK(sum->reason == "constraint");
  CHECK(far.exchanges.size() == near.exchanges.size());
  CHECK(far.exchanges.size() == 1);

  const fg::edge_or_name wrong[]{nowhere};
  const fg::fed_shape fed[]{x};
  const auto refused = there.try_explain(wrong, {}, fed);
  REQUIRE_FALSE(refused.has_value());
  CHECK(std::string_view(refused.error().what()).find("no device /job:worker/task:7") != std::string_view::npos);
  cluster.net.kill("a");
  const fg::edge_or_name right[]{last};
  CHECK(there.try_explain(right, {}, fed).error().code() == fg::error_code::unavailable);
}

TEST_CASE("connection: what a session elsewhere cannot do yet, it says by name") {
  simulated_cluster cluster(1);
  fg::graph g;
  const auto v = g.variable("v", fg::tensor<float>(fg::shape{}, {5}));
  fg::session s{g, cluster.connect()};
  const fg::any_out fetches[]{v};
  fg::session here{g};
  const fg::joint_graph parts[]{{.in = &here, .fetches = {v}}, {.in = &s, .fetches = {v}}};
  for (const fg::error& why : {s.try_make_set("weights", fetches).error(), fg::try_run_together(parts).error()}) {
    const std::string_view text = why.what();
    CAPTURE(text);
    CHECK(why.code() == fg::error_code::unimplemented);
    CHECK(text.find("at a:1: ") != std::string_view::npos);
  }
  CHECK(std::string_view(s.try_make_set("weights", fetches).error().what()).find("'weights'") != std::string_view::npos);
}

TEST_CASE("connection: values that cannot be sent are refused by the name of their node, and the session goes on") {
  simulated_cluster cluster(1);
  fg::graph g;
  const fg::fifo_queue<float> q(g, {.capacity = 4});
  const auto size = q.size();
  const auto v = g.variable("v", fg::tensor<float>(fg::shape{}, {5}));
  fg::session s{g, cluster.connect(0, {.isolated = true})};
  s.initialize();
  const fg::out<fg::variant> list = g.placeholder<fg::variant>("list", {});
  const fg::any_out lists[]{list}, handles[]{q.handle()}, sizes[]{size};
  const fg::fed feeds[]{{q.handle(), fg::any_tensor::allocate(fg::dtype::resource, fg::shape{}).value()}};
  for (const fg::run_request& request :
       {fg::run_request{{}, lists}, fg::run_request{{}, handles}, fg::run_request{feeds, sizes}}) {
    const fg::error why = s.try_run(request).error();
    CHECK(why.code() == fg::error_code::unimplemented);
    CHECK(why.node() == (request.fetches.data() == lists ? "list" : q.handle().source->name));
    CHECK(s.run(fg::fetch(v)).scalar() == 5);
  }
  CHECK(s.run(fg::fetch(size)).scalar() == 0);
}

TEST_CASE("connection: a deadline or a stop ends the wait for a connection or a plan, and the next run goes on with it") {
  simulated_cluster cluster(1);
  fg::graph g;
  const auto x = g.placeholder<float>("x", {});
  const auto v = g.variable("v", fg::tensor<float>(fg::shape{}, {5}));
  const auto y = x + v;
  auto s = std::make_unique<fg::session>(g, cluster.connect(0, {.isolated = true}));
  const auto pause = [&] {
    cluster.net.pause("a");
    cluster.net.at(cluster.net.now() + 1s, [&] { cluster.net.resume("a"); });
  };
  const auto code_of = [&](const fg::out<float>& of, const fg::run_options& options) {
    const auto begun = cluster.net.now();
    const auto made = s->try_run(fg::fetch(of), {{x, 1.f}}, options);
    CHECK(cluster.net.now() - begun < 900ms);
    return made ? fg::error_code::ok : made.error().code();
  };
  SUBCASE("a new session") {
    pause();
    CHECK(code_of(y, fg::run_options::within(500ms)) == fg::error_code::deadline_exceeded);
    CHECK(s->try_pause(fg::run_options::within(100ms)));
    s->initialize();
  }
  SUBCASE("new edges") {
    s->initialize();
    pause();
    CHECK(code_of(y, fg::run_options::within(400ms)) == fg::error_code::deadline_exceeded);
    CHECK(code_of(y, fg::run_options::within(300ms)) == fg::error_code::deadline_exceeded);
  }
  SUBCASE("new edges and nodes") {
    s->initialize();
    pause();
    CHECK(code_of(y, fg::run_options::within(500ms)) == fg::error_code::deadline_exceeded);
    CHECK(code_of(y * 2.f, fg::run_options::within(100ms)) == fg::error_code::deadline_exceeded);
    CHECK(s->run(fg::fetch(y + 1.f), {{x, 1.f}}).scalar() == 7);
  }
  SUBCASE("a stop") {
    s->initialize();
    pause();
    std::stop_source stop;
    cluster.net.at(cluster.net.now() + 500ms, [&] { stop.request_stop(); });
    CHECK(code_of(y, {.stop = stop.get_token()}) == fg::error_code::cancelled);
  }
  SUBCASE("a prepared run, whose master was lost") {
    auto step = s->prepare(fg::feed(x), fg::fetch(y));
    cluster.kill(0);
    cluster.net.run_for(1s);
    cluster.restart(0);
    CHECK_FALSE(s->try_run(fg::fetch(v)));
    s->initialize();
    pause();
    const auto late = step.try_run(fg::run_options::within(500ms), fg::tensor<float>(1.f));
    REQUIRE_FALSE(late);
    CHECK(late.error().code() == fg::error_code::deadline_exceeded);
    CHECK(s->run(fg::fetch(v)).scalar() == 5);
    CHECK(step(fg::tensor<float>(1.f)).scalar() == 6);
  }
  CHECK(s->run(fg::fetch(y), {{x, 1.f}}).scalar() == 6);
  s.reset();
  cluster.net.run_for(1s);
  CHECK(cluster[0].kept() == 0);
}

TEST_CASE("connection: nothing is left of a session that has ended") {
  simulated_cluster cluster(3);
  {
    loop_graph l(3);
    fg::session s{l.g, cluster.connect()};
    s.run(fg::fetch(l.y), {{l.x, fg::tensor<float>({2}, {1, 2})}});
    CHECK(cluster[0].sessions() == 1);
    CHECK(cluster[1].kept() > 0);
  }
  cluster.net.run_for(1s);
  CHECK(cluster[0].sessions() == 0);
  for (std::uint32_t t = 0; t < 3; ++t) CHECK(cluster[t].kept() == 0);
}

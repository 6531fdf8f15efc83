#include <flowgraph/runtime/session.hpp>

#include "../harness/engine_ops.hpp"
#include "../core/latch.hpp"
#include "../core/threads_of_this_process.hpp"

#include <flowgraph/core/large_blocks.hpp>
#include <flowgraph/ops/data_flow/fifo_queue.hpp>
#include <flowgraph/runtime/session_state.hpp>

#include <thread>

using namespace engine;

namespace {

// y = 2 * x
struct doubling {
  fg::graph g;
  fg::out<float> x = g.placeholder<float>("x", {});
  fg::out<float> y = add(x, x, {.name = "y"});
};

// A number over `bytes` of the kernel's scratch.
struct roomy_op {
  static constexpr std::string_view name = "Roomy";
  static constexpr fg::op_facts facts{.not_differentiable = true};
  fg::shape shape(const fg::shape&) const { return {}; }
  std::size_t scratch(const fg::shape& x) const { return static_cast<std::size_t>(x.size()) * 1000; }
  void operator()(fg::cpu, fg::view<const float>, fg::view<float> y) const { y[0] = 1; }
};
// As many ones as x says: only the kernel knows.
struct many_op {
  static constexpr std::string_view name = "Many";
  static constexpr fg::op_facts facts{.not_differentiable = true};
  fg::shape shape(const fg::shape&) const { return {fg::any}; }
  void operator()(fg::cpu, fg::view<const float> x, fg::unsized<float> y) const {
    for (float& e : y.resize({static_cast<std::int64_t>(x.size()) * 1000})) e = 1;
  }
};

}  // namespace

TEST_CASE("session: a run feeds one edge and fetches another") {
  doubling d;
  fg::session s{d.g};
  CHECK(s.run(fg::fetch(d.y), {{d.x, 3.f}}).scalar() == 6.f);
  auto [y] = s.run(fg::fetch(d.y), {{d.x, 4.f}});
  CHECK(y.scalar() == 8.f);
}

TEST_CASE("session: it keeps the plans asked for last, and those that are in use") {
  constexpr std::size_t most = fg::detail::session_state::most_plans;
  fg::graph g;
  std::vector<fg::any_out> all;
  for (std::size_t i = 0; i < most + 20; ++i) all.push_back(g.constant(static_cast<float>(i)));
  fg::detail::session_state s(g, {});
  const auto plan_for = [&](std::size_t i) {
    fg::detail::plan_request request{};
    request.fetches = {&all[i], 1};
    return s.plan_for(request).value();
  };
  const auto held = plan_for(0);
  const std::weak_ptr<fg::detail::planned> used = plan_for(1), oldest = plan_for(2);
  for (std::size_t i = 3; i < all.size(); ++i) {
    plan_for(i);
    plan_for(1);
    CHECK(s.plans.size() <= most);
  }
  CHECK(plan_for(0) == held);
  CHECK_FALSE(used.expired());
  CHECK(oldest.expired());
  const fg::any_out dropped[]{all[2]};
  CHECK(s.run({{}, dropped}, {}).value()[0].as<float>().scalar() == 2.f);
}

TEST_CASE("session: feeding an edge cuts off what is above it") {
  fg::graph g;
  std::atomic<int> above = 0, below = 0;
  auto x = g.placeholder<float>("x", {});
  auto middle = counted(x, above);
  auto y = counted(add(middle, middle), below);
  fg::session s{g};
  CHECK(s.run(fg::fetch(y), {{middle, 5.f}}).scalar() == 10.f);
  CHECK(above == 0);
  CHECK(below == 1);
}

TEST_CASE("session: feeding one output of a node leaves its others") {
  fg::graph g;
  auto x = g.placeholder<float>("x", {});
  auto p = g.placeholder<bool>("p", {});
  const auto b = fg::switch_(x, p);
  auto y = add(b.if_false, b.if_true);
  fg::session s{g};
  CHECK(s.run(fg::fetch(y), {{x, 1.f}, {p, true}, {b.if_false, 10.f}}).scalar() == 11.f);
}

TEST_CASE("session: the edge of a constant can be fed") {
  fg::graph g;
  auto c = g.constant(2.f);
  auto y = add(c, c);
  fg::session s{g};
  CHECK(s.run(fg::fetch(y), {{c, 5.f}}).scalar() == 10.f);
  CHECK(s.run(fg::fetch(y)).scalar() == 4.f);
}

TEST_CASE("session: a fed edge can be fetched, whether or not anything reads it") {
  doubling d;
  fg::session s{d.g};
  auto [x, y] = s.run(fg::fetch(d.x, d.y), {{d.x, 3.f}});
  CHECK(x.scalar() == 3.f);
  CHECK(y.scalar() == 6.f);
  CHECK(s.run(fg::fetch(d.x), {{d.x, 4.f}}).scalar() == 4.f);
  CHECK(s.run(fg::fetch(d.y), {{d.y, 7.f}}).scalar() == 7.f);
}

TEST_CASE("session: an edge fetched twice comes twice") {
  doubling d;
  fg::session s{d.g};
  auto [a, b, c] = s.run(fg::fetch(d.y, d.x, d.y), {{d.x, 3.f}});
  CHECK(a.scalar() == 6.f);
  CHECK(b.scalar() == 3.f);
  CHECK(c.scalar() == 6.f);
  a.writable()[0] = 1.f;
  CHECK(c.scalar() == 6.f);
}

TEST_CASE("session: constants are fetched without anything running") {
  fg::graph g;
  auto c = g.constant(fg::tensor<float>({2}, {1.f, 2.f}));
  fg::session s{g};
  auto [a, b] = s.run(fg::fetch(c, c));
  CHECK(to_vector(a) == std::vector<float>{1.f, 2.f});
  a.writable()[0] = 5.f;
  CHECK(to_vector(s.run(fg::fetch(c))) == std::vector<float>{1.f, 2.f});
}

TEST_CASE("session: a feed that nothing needs is ignored") {
  doubling d;
  auto other = d.g.placeholder<float>("other", {});
  fg::session s{d.g};
  CHECK(s.run(fg::fetch(d.y), {{d.x, 3.f}, {other, 1.f}}).scalar() == 6.f);
}

TEST_CASE("session: what is fed is not changed by nodes that work in place") {
  doubling d;
  auto z = chain(d.y, 5);
  fg::session s{d.g};
  const fg::tensor<float> mine({}, {3.f});
  CHECK(s.run(fg::fetch(z), {{d.x, mine}}).scalar() == 36.f);
  CHECK(mine.scalar() == 3.f);
}

TEST_CASE("session: targets run, and nothing that neither fetches nor targets need") {
  fg::graph g;
  std::atomic<int> a = 0, b = 0, c = 0;
  auto x = g.placeholder<float>("x", {});
  auto first = counted(x, a), second = counted(x, b);
  counted(x, c);
  fg::session s{g};
  s.run(first, {{x, 1.f}});
  CHECK(a == 1);
  CHECK(b == 0);
  CHECK(s.run(fg::fetch(second), first, {{x, 2.f}}).scalar() == 2.f);
  CHECK(a == 2);
  CHECK(b == 1);
  CHECK(c == 0);
}

TEST_CASE("session: a node runs once a run, whoever needs it") {
  fg::graph g;
  std::atomic<int> runs = 0;
  auto x = g.placeholder<float>("x", {});
  auto shared = counted(x, runs);
  auto y = add(add(shared, shared), shared);
  fg::session s{g};
  s.run(fg::fetch(y, shared, y), shared, {{x, 1.f}});
  CHECK(runs == 1);
}

TEST_CASE("session: control dependencies run first and give nothing") {
  fg::graph g;
  std::vector<int> order;
  auto x = g.placeholder<float>("x", {});
  auto first = probe(x, [&](fg::cpu) { order.push_back(1); });
  auto waits = [&] {
    auto after = g.after(first);
    return probe(x, [&](fg::cpu) { order.push_back(2); });
  }();
  for (const bool dynamic : {false, true}) {
    order.clear();
    fg::session s{g, {.dynamic = dynamic}};
    s.run(waits, {{x, 1.f}});
    CHECK(order == std::vector<int>{1, 2});
  }
}

TEST_CASE("session: an empty request runs nothing") {
  doubling d;
  fg::session s{d.g};
  auto made = s.try_run(fg::run_request{});
  REQUIRE(made.has_value());
  CHECK(made->empty());
}

TEST_CASE("session: runs by name") {
  fg::graph g;
  std::atomic<int> runs = 0;
  auto in = g.in_scope("tower");
  auto x = g.placeholder<float>("x", {});
  auto p = g.placeholder<bool>("p", {});
  fg::switch_(x, p, {.name = "s"});
  counted(x, runs, {.name = "t"});
  fg::session s{g};
  const fg::any_tensor two = fg::tensor<float>(2.f).erased(), yes = fg::tensor<bool>(true).erased();
  auto made = s.try_run(fg::named_run{{{"tower/x:0", two}, {"tower/p", yes}}, {"tower/s:1", "tower/x"}, {"tower/t"}});
  REQUIRE(made.has_value());
  CHECK((*made)[0].as<float>().scalar() == 2.f);
  CHECK((*made)[1].as<float>().scalar() == 2.f);
  CHECK(runs == 1);
}

TEST_CASE("session: it sees nodes that are appended after it was made") {
  doubling d;
  fg::session s{d.g};
  s.run(fg::fetch(d.y), {{d.x, 1.f}});
  auto z = add(d.y, d.y);
  CHECK(s.run(fg::fetch(z), {{d.x, 1.f}}).scalar() == 4.f);
}

TEST_CASE("session: the graph grows while other threads run it") {
  doubling d;
  fg::session s{d.g};
  std::atomic<bool> stop = false;
  std::atomic<int> wrong = 0;
  std::vector<std::thread> runners;
  for (int t = 0; t < 2; ++t)
    runners.emplace_back([&] {
      auto step = s.prepare(fg::feed(d.x), fg::fetch(d.y));
      while (!stop) {
        auto made = s.try_run(fg::fetch(d.y), {{d.x, 2.f}});
        if (!made || made->scalar() != 4.f) ++wrong;
        auto again = step.try_run({}, fg::tensor<float>(3.f));
        if (!again || again->scalar() != 6.f) ++wrong;
      }
    });
  fg::out<float> z = d.y;
  for (int i = 0; i < 500; ++i) {
    z = add(z, d.x);
    if (i % 50 == 0) CHECK(s.run(fg::fetch(z), {{d.x, 1.f}}).scalar() == static_cast<float>(i + 3));
  }
  stop = true;
  for (auto& t : runners) t.join();
  CHECK(wrong == 0);
}

TEST_CASE("session: results outlive session and graph") {
  fg::tensor<float> kept;
  fg::tensor<float> value;
  {
    doubling d;
    auto v = d.g.variable("v", fg::tensor<float>(7.f));
    fg::session s{d.g};
    s.initialize();
    kept = s.run(fg::fetch(d.y), {{d.x, 3.f}});
    value = s.run(fg::fetch(v));
  }
  CHECK(kept.scalar() == 6.f);
  CHECK(value.scalar() == 7.f);
}

TEST_CASE("session: it can be moved and assigned") {
  doubling d, other;
  fg::session s{d.g};
  fg::session moved{std::move(s)};
  CHECK(moved.run(fg::fetch(d.y), {{d.x, 3.f}}).scalar() == 6.f);
  CHECK(moved.graph() == d.g);
  moved = fg::session{other.g};
  CHECK(moved.run(fg::fetch(other.y), {{other.x, 4.f}}).scalar() == 8.f);
}

TEST_CASE("session: one that has been moved from answers with an error") {
  doubling d;
  fg::session s{d.g};
  const fg::session moved{std::move(s)};
  const auto refused = [](const auto& found) {
    REQUIRE_FALSE(found);
    CHECK(found.error().code() == fg::error_code::failed_precondition);
    CHECK(found.error().message() == "the session has been moved from");
  };
  refused(s.try_run(fg::fetch(d.y), {{d.x, 3.f}}));
  refused(s.try_run(fg::fetch<float>("y:0"), {}));
  refused(s.try_run(fg::named_run{}));
  refused(s.try_initialize());
  refused(s.try_assign({}));
  refused(s.try_prepare(fg::feed(d.x), fg::fetch(d.y)));
  refused(s.try_prepare(std::span<const fg::any_out>(), {}, {}));
  refused(s.try_explain({}, {}, {}));
  refused(s.try_begin_partial({}, {}));
  refused(s.try_make_set("set", {}));
  refused(s.try_pause());
  refused(s.try_save_state());
  refused(s.try_load_state({}));
  CHECK(s.close());
  CHECK(s.free_idle_memory() == 0);
}

TEST_CASE("session: sessions of one graph have state of their own") {
  fg::graph g;
  auto v = g.variable("v", fg::tensor<float>(1.f));
  auto next = fg::assign_add(v, g.constant(1.f));
  fg::session a{g}, b{g};
  a.initialize();
  b.initialize();
  a.run(next);
  CHECK(a.run(fg::fetch(v)).scalar() == 2.f);
  CHECK(b.run(fg::fetch(v)).scalar() == 1.f);
}

TEST_CASE("session: two sessions share the state in one container") {
  fg::container weights;
  fg::graph training;
  auto v = training.variable("v", fg::tensor<float>(1.f));
  auto next = fg::assign_add(v, training.constant(1.f));
  fg::graph inference = training.clone();
  const fg::out<float> same{inference.find("v"), 0};
  fg::session a{training, {.resources = &weights}};
  fg::session b{inference, {.resources = &weights}};
  CHECK(&a.resources() == &weights);
  a.initialize();
  a.run(next);
  CHECK(b.run(fg::fetch(same)).scalar() == 2.f);
  a.run(next);
  CHECK(b.run(fg::fetch(same)).scalar() == 3.f);
}

TEST_CASE("session: clearing the container forgets the variables and nothing else") {
  fg::graph g;
  auto v = g.variable("v", fg::tensor<float>(1.f));
  auto y = add(v, v, {.name = "y"});
  fg::session s{g};
  s.initialize();
  auto step = s.prepare(fg::feed(), fg::fetch(y));
  const fg::tensor<float> kept = s.run(fg::fetch(v));
  CHECK(step().scalar() == 2.f);
  s.resources().clear();
  CHECK(s.resources().names().empty());
  CHECK(s.try_run(fg::fetch(v)).error().code() == error_code::failed_precondition);
  CHECK(step.try_run({}).error().code() == error_code::failed_precondition);
  CHECK(kept.scalar() == 1.f);
  s.initialize();
  CHECK(s.run(fg::fetch(y)).scalar() == 2.f);
  CHECK(step().scalar() == 2.f);
}

TEST_CASE("session: a run keeps the variables it uses when the container is cleared meanwhile") {
  fg::graph g;
  auto v = g.variable("v", fg::tensor<float>(1.f));
  test::latch waiting{1}, cleared{1};
  auto gate = [&] {
    auto after = g.after(v);
    return probe(g.constant(1.f), [&](fg::cpu) {
      waiting.count_down();
      cleared.wait();
    });
  }();
  auto changed = [&] {
    auto after = g.after(gate);
    return fg::assign_add(v, g.constant(1.f));
  }();
  fg::session s{g};
  s.initialize();
  std::thread clears([&] {
    waiting.wait();
    s.resources().clear();
    cleared.count_down();
  });
  auto made = s.try_run(fg::fetch(changed));
  clears.join();
  REQUIRE(made.has_value());
  CHECK(made->scalar() == 2.f);
  CHECK(s.try_run(fg::fetch(v)).error().code() == error_code::failed_precondition);
}

TEST_CASE("session: the caller's memory gets everything back") {
  counting_memory memory;
  {
    fg::graph g;
    auto x = g.placeholder<float>("x", {fg::any});
    auto v = g.variable("v", fg::tensor<float>({4}, {1.f, 2.f, 3.f, 4.f}));
    auto y = chain(add(x, v), 4);
    auto train = fg::assign_add(v, x);
    fg::tensor<float> kept;
    {
      fg::session s{g, {.memory = &memory}};
      s.initialize();
      const fg::tensor<float> ones({4}, {1.f, 1.f, 1.f, 1.f});
      auto step = s.prepare(fg::feed(x), fg::fetch(y), train);
      for (int i = 0; i < 3; ++i) {
        s.run(fg::fetch(y), train, {{x, ones}});
        step(ones);
      }
      CHECK_FALSE(s.try_run(fg::fetch(y)).has_value());
      kept = s.run(fg::fetch(y), {{x, ones}});
      CHECK(memory.in_use() > 0);
    }
    CHECK(memory.in_use() > 0);  // `kept`, which may outlive the session
    CHECK(memory.in_use() < 256);
  }
  CHECK(memory.in_use() == 0);
}

TEST_CASE("session: a memory limit ends a run in an error and leaves the session usable") {
  counting_memory memory;
  {
    fg::graph g;
    auto x = g.placeholder<float>("x", {fg::any});
    auto y = add(x, x, {.name = "y"});
    fg::tensor<float> kept;
    {
      fg::session s{g, {.memory = &memory, .memory_limit = 64 * 1024}};
      auto step = s.prepare(fg::feed(x), fg::fetch(y));
      const fg::tensor<float> small = zeros(1000), large = zeros(100 * 1000);
      for (int i = 0; i < 3; ++i) {
        CHECK(s.try_run(fg::fetch(y), {{x, small}}).has_value());
        CHECK(step.try_run({}, small).has_value());
        check_error(s.try_run(fg::fetch(y), {{x, large}}).error(), error_code::resource_exhausted, "y", "TestAdd",
                    {"100000", "float", "; session_options::memory_limit is 65536, of which "});
        CHECK(step.try_run({}, large).error().code() == error_code::resource_exhausted);
      }
      CHECK(memory.in_use() <= 64 * 1024);
      kept = s.run(fg::fetch(y), {{x, small}});
    }
    CHECK(kept[999] == 0.f);
  }
  CHECK(memory.in_use() == 0);
}

TEST_CASE("session: the limit counts what the caller still holds") {
  fg::graph g;
  auto x = g.placeholder<float>("x", {fg::any});
  auto y = add(x, x);
  fg::session s{g, {.memory_limit = 64 * 1024}};
  const fg::tensor<float> half = zeros(8 * 1024);  // 32 KiB
  std::vector<fg::tensor<float>> held;
  held.push_back(s.run(fg::fetch(y), {{x, half}}));
  CHECK(s.try_run(fg::fetch(y), {{x, half}}).error().code() == error_code::resource_exhausted);
  held.clear();
  CHECK(s.try_run(fg::fetch(y), {{x, half}}).has_value());
}

TEST_CASE("session: a step whose working memory is over the limit says how much it needs and what the limit is") {
  fg::graph g;
  auto x = g.placeholder<float>("x", {64 * 1024});
  auto y = add(add(x, x), multiply(x, x));
  fg::session s{g, {.memory_limit = 64 * 1024}};
  const auto step = s.try_prepare(fg::feed(x), fg::fetch(y));
  REQUIRE(!step.has_value());
  CHECK(step.error().code() == error_code::resource_exhausted);
  CHECK(step.error().message().find("bytes of working memory; session_options::memory_limit is 65536, of which ") !=
        std::string::npos);
}

TEST_CASE("session: the limit is named, too, where a kernel's own memory is over it") {
  fg::graph g;
  auto x = g.placeholder<float>("x", {fg::any});
  auto scratch = fg::apply(roomy_op{}, x, fg::site{"scratch"});
  auto many = fg::apply(many_op{}, x, fg::site{"many"});
  fg::session limited{g, {.memory_limit = 64 * 1024}};
  check_error(limited.try_run(fg::fetch(scratch), {{x, zeros(100)}}).error(), error_code::resource_exhausted, "scratch", "Roomy",
              {"100000 bytes", "; session_options::memory_limit is 65536, of which "});
  check_error(limited.try_run(fg::fetch(many), {{x, zeros(100)}}).error(), error_code::resource_exhausted, "many", "Many",
              {"100000 elements of float", "; session_options::memory_limit is 65536, of which "});
  CHECK(fg::session{g}.try_run(fg::fetch(scratch, many), {{x, zeros(100)}}).has_value());
}

TEST_CASE("session: it makes no thread of its own") {
  const std::size_t before = test::threads_of_this_process();
  doubling d;
  auto z = expensive_probe(d.y, [&](fg::cpu) { CHECK(test::threads_of_this_process() == before); });
  fg::session s{d.g};
  s.run(fg::fetch(z), {{d.x, 3.f}});
  auto step = s.prepare(fg::feed(d.x), fg::fetch(z));
  step(3.f);
  CHECK(test::threads_of_this_process() == before);
}

TEST_CASE("session: expensive kernels overlap on a pool that is given, and the caller's thread works too") {
  fg::thread_pool pool(2);
  const std::size_t before = test::threads_of_this_process();
  fg::graph g;
  auto x = g.placeholder<float>("x", {fg::any});
  test::latch met{2};
  std::mutex mutex;
  std::vector<std::thread::id> ids;
  auto meet = [&](fg::cpu) {
    {
      std::lock_guard lock(mutex);
      ids.push_back(std::this_thread::get_id());
    }
    met.arrive_and_wait();  // both are running
  };
  auto y = add(expensive_probe(x, meet), expensive_probe(x, meet));
  fg::session s{g, {.pool = &pool}};
  auto made = s.run(fg::fetch(y), {{x, zeros(4096)}});
  CHECK(made.size() == 4096);
  CHECK(test::threads_of_this_process() == before);
  REQUIRE(ids.size() == 2);
  CHECK(ids[0] != ids[1]);
  CHECK((ids[0] == std::this_thread::get_id() || ids[1] == std::this_thread::get_id()));
}

TEST_CASE("session: threads run one session at the same time") {
  fg::graph g;
  auto x = g.placeholder<float>("x", {});
  test::latch met{3};
  auto y = add(probe(x, [&](fg::cpu) { met.arrive_and_wait(); }), x);
  fg::session s{g};
  std::vector<float> made(3);
  std::vector<std::thread> runners;
  for (std::size_t i = 0; i < 3; ++i)
    runners.emplace_back([&, i] { made[i] = s.run(fg::fetch(y), {{x, static_cast<float>(i)}}).scalar(); });
  for (auto& t : runners) t.join();
  CHECK(made == std::vector<float>{0.f, 2.f, 4.f});
}

namespace {

// A step, prepared or not, that waits for an element of an empty queue.
struct waiting_session {
  fg::graph g;
  fg::fifo_queue<float> q{g, {.capacity = 4, .shapes = {{}}}};
  fg::out<float> x = g.placeholder<float>("x", {});
  fg::target put = q.enqueue(x);
  test::latch has_begun{1};
  fg::out<float> begins = probe(g.constant(0.f), [this](fg::cpu) { has_begun.count_down(); });
  fg::out<float> taken = [this] {
    const auto then = g.after(begins);
    return q.dequeue();
  }();
  fg::session s;

  explicit waiting_session(const fg::session_options& options) : s(g, options) {}
  fg::error wait_for_element(bool is_prepared) {
    if (!is_prepared) return s.try_run(fg::fetch(taken)).error();
    return s.prepare(fg::feed(), fg::fetch(taken)).try_run({}).error();
  }
};

}  // namespace

TEST_CASE("session: closing ends runs that wait at once, or waits for them until its deadline") {
  using namespace std::chrono_literals;
  for (const bool is_prepared : {false, true})
    for (const bool is_cut : {false, true})
      for (const bool has_deadline : {false, true}) {
        const fg::device_list cpus = fg::cpu_devices(2);
        fg::container shared;
        waiting_session w({.resources = &shared, .devices = cpus, .cut = is_cut ? fg::per_device : fg::cutting{}});
        fg::error why;
        std::thread waits([&] { why = w.wait_for_element(is_prepared); });
        w.has_begun.wait();
        const auto began = std::chrono::steady_clock::now();
        CHECK_FALSE(w.s.close(has_deadline ? fg::close_options::within(20ms) : fg::close_options{}));
        if (has_deadline) CHECK(std::chrono::steady_clock::now() - began >= 20ms);
        CHECK(w.s.close({.wait = true}));
        waits.join();
        CHECK(why.code() == error_code::cancelled);
        CHECK(w.s.close());
        CHECK(w.s.try_run(w.put, {{w.x, 1.f}}).error().code() == error_code::cancelled);
        CHECK(w.s.try_prepare(fg::feed(w.x), fg::fetch(w.x)).error().code() == error_code::cancelled);
      }
}

TEST_CASE("session: closing that waits lets a run come to its end, and refuses others meanwhile") {
  using namespace std::chrono_literals;
  for (const bool is_prepared : {false, true}) {
    fg::container shared;
    waiting_session w({.resources = &shared});
    fg::session giver{w.g, {.resources = &shared}};
    fg::error why(error_code::internal, "nothing yet");
    std::thread waits([&] { why = w.wait_for_element(is_prepared); });
    w.has_begun.wait();
    bool have_ended = false;
    std::thread closes([&] { have_ended = w.s.close(fg::close_options::within(60s)); });
    while (w.s.try_run(fg::fetch(w.x), {{w.x, 1.f}})) std::this_thread::sleep_for(1ms);  // refused from when it is closed
    giver.run(w.put, {{w.x, 2.f}});
    waits.join();
    closes.join();
    CHECK(have_ended);
    CHECK_FALSE(why);
  }
}

TEST_CASE("session: closing waits for a step that computes, too") {
  doubling d;
  test::latch began{1}, may_end{1};
  auto z = probe(d.y, [&](fg::cpu) {
    began.count_down();
    may_end.wait();
  });
  fg::session s{d.g};
  auto step = s.prepare(fg::feed(d.x), fg::fetch(z));
  float made = 0;
  std::thread computes([&] { made = step(3.f).scalar(); });
  began.wait();
  CHECK_FALSE(s.close());
  CHECK_FALSE(s.close(fg::close_options::within(std::chrono::milliseconds(1))));
  may_end.count_down();
  CHECK(s.close({.wait = true}));
  computes.join();
  CHECK(made == 6);
}

namespace {

// A chain of calls whose outputs have these sizes, in blocks of a session's large blocks.
struct large_chain {
  static constexpr std::size_t unit = fg::large_blocks::smallest / sizeof(float);
  fg::graph g;
  fg::out<float> x = g.placeholder<float>("x", {fg::any});
  fg::out<float> y = multiply(add(add(x, x), multiply(x, x)), x);
};

}  // namespace

TEST_CASE("session: large blocks of a run are left to the next run, until the caller requests them") {
  large_chain c;
  fg::tensor<float> result;
  {
    fg::session s{c.g};
    CHECK(s.free_idle_memory() == 0);
    const fg::tensor<float> fed = zeros(4 * large_chain::unit);
    s.run(fg::fetch(c.y), {{c.x, fed}});
    const std::size_t idle = s.free_idle_memory();
    CHECK((idle > 0) == fg::large_blocks::is_useful);
    CHECK(s.free_idle_memory() == 0);
    for (int i = 0; i < 3; ++i) {
      const auto y = s.run(fg::fetch(c.y), {{c.x, fed}});
      CHECK(y[7] == 0.f);
    }
    CHECK(s.free_idle_memory() <= idle + idle / 4);
    s.run(fg::fetch(c.y), {{c.x, zeros(large_chain::unit / 2)}});
    CHECK(s.free_idle_memory() == 0);  // small blocks are not kept
    result = s.run(fg::fetch(c.y), {{c.x, fed}});
  }
  CHECK(result[4 * large_chain::unit - 1] == 0.f);  // it outlives the session
}

TEST_CASE("session: memory of the caller is freed after each run") {
  large_chain c;
  counting_memory memory;
  fg::session s{c.g, {.memory = &memory}};
  s.run(fg::fetch(c.y), {{c.x, zeros(4 * large_chain::unit)}});
  CHECK(memory.in_use() < fg::large_blocks::smallest);
  CHECK(s.free_idle_memory() == 0);
}

TEST_CASE("session: idle blocks count for the limit, and are freed before a run or a step is refused") {
  large_chain c;
  constexpr std::size_t bytes = 4 * fg::large_blocks::smallest;
  fg::session s{c.g, {.memory_limit = 3 * bytes}};
  const fg::tensor<float> fed = zeros(4 * large_chain::unit);
  for (int i = 0; i < 3; ++i) {
    CHECK(s.try_run(fg::fetch(c.y), {{c.x, fed}}).has_value());
    // The step fits only if the blocks of the run are freed.
    auto step = s.try_prepare(fg::feed(c.x), fg::fetch(c.y));
    REQUIRE(step.has_value());
    CHECK(step->try_run({}, fed).has_value());
  }
}

TEST_CASE("session: a step whose memory and results are over the limit is refused by prepare, and any other step runs") {
  fg::graph g;
  auto x = g.placeholder<float>("x", {1000});
  auto inner = multiply(add(x, x), multiply(x, x));
  auto y = add(inner, x), z = multiply(inner, x);
  const fg::tensor<float> fed = zeros(1000);
  int refused = 0, run = 0;
  for (std::size_t limit = 1000; limit <= 24'000; limit += 500) {
    fg::session s{g, {.memory_limit = limit}};
    auto step = s.try_prepare(fg::feed(x), fg::fetch(y, z));
    if (!step) {
      CHECK(step.error().code() == error_code::resource_exhausted);
      CHECK(step.error().message().find(fg::message{"session_options::memory_limit is ", limit}.string()) != std::string::npos);
      CHECK(run == 0);  // a larger limit refuses nothing that a smaller one permits
      ++refused;
    } else {
      for (int i = 0; i < 3; ++i) CHECK(step->try_run({}, fed).has_value());
      ++run;
    }
  }
  CHECK(refused > 0);
  CHECK(run > 0);
}

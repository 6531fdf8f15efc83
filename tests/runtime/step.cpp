#include <flowgraph/runtime/step.hpp>

#include <flowgraph/core/threads.hpp>
#include <flowgraph/ops/control_flow/cond.hpp>

#include "../harness/engine_ops.hpp"

#include <functional>
#include <thread>

using namespace engine;

namespace {

// The first n elements of x, n told by a tensor: the size of the output is known when the kernel has run.
struct first_elements_op {
  static constexpr std::string_view name = "FirstElements";
  static constexpr fg::op_facts facts{.not_differentiable = true};
  fg::shape shape(const fg::shape&, const fg::shape&) const { return fg::shape{fg::any}; }
  void operator()(fg::cpu, fg::view<const float> x, fg::view<const float> n, fg::unsized<float> y) const {
    const auto made = y.resize({static_cast<std::int64_t>(n.scalar())});
    std::copy_n(x.begin(), made.size(), made.begin());
  }
};

// Calls a function in the run.
struct calling_op {
  static constexpr std::string_view name = "Calling";
  static constexpr fg::op_facts facts{.not_differentiable = true, .stateful = true};
  inline static std::function<void()> call;
  fg::shape shape(const fg::shape& x) const { return x; }
  void operator()(fg::cpu, fg::view<const float> x, fg::view<float> y) const {
    if (call) std::exchange(call, {})();
    std::copy(x.begin(), x.end(), y.begin());
  }
};

// Twice x, by way of scratch memory.
struct scratch_op {
  static constexpr std::string_view name = "Scratch";
  static constexpr fg::op_facts facts{.not_differentiable = true};
  fg::shape shape(const fg::shape& x) const { return x; }
  std::size_t scratch(const fg::shape& x) const { return static_cast<std::size_t>(x.size()) * 2 * sizeof(float); }
  void operator()(fg::cpu ctx, fg::view<const float> x, fg::view<float> y) const {
    float* pad = ctx.scratch<float>();
    for (std::size_t i = 0; i < 2 * x.size(); ++i) pad[i] = -1.f;
    for (std::size_t i = 0; i < x.size(); ++i) pad[2 * i] = y[i] = 2 * x[i];
    for (std::size_t i = 0; i < x.size(); ++i) y[i] = pad[2 * i];
  }
};

// How often it has run in this session.
struct draw_op {
  static constexpr std::string_view name = "Draw";
  static constexpr fg::op_facts facts{.not_differentiable = true, .counts_runs = true};
  fg::shape shape(const fg::shape& x) const { return x; }
  void operator()(fg::cpu ctx, fg::view<const float>, fg::view<float> y) const {
    for (float& e : y) e = static_cast<float>(ctx.ordinal());
  }
};

struct vector_model {
  fg::graph g;
  fg::out<float> x = g.placeholder<float>("x", {fg::any});
};

const float* elements_of(fg::session& s, std::string_view variable) {
  const fg::resource held = s.resources().find("", variable);
  return static_cast<const float*>(std::as_const(held.as<fg::variable_state>()->value()).data());
}

// An element of x, whose shape is known whichever it is.
struct guarded_op {
  static constexpr std::string_view name = "Guarded";
  static constexpr fg::op_facts facts{.not_differentiable = true};
  fg::shape shape(fg::shape_context& c, const fg::shape& x, const fg::shape&) const {
    const fg::any_tensor* which = c.constant(1);
    return which && which->as<float>().scalar() >= static_cast<float>(x[0]) ? c.fail("expected an element of x") : fg::shape{};
  }
  void operator()(fg::cpu, fg::view<const float> x, fg::view<const float> which, fg::view<float> y) const {
    y.scalar() = x[static_cast<std::size_t>(which.scalar())];
  }
};

}  // namespace

TEST_CASE("step: it gives what a run gives") {
  vector_model m;
  auto y = chain(multiply(m.x, m.g.constant(0.3f)), 7);
  fg::session s{m.g};
  auto step = s.prepare(fg::feed(m.x), fg::fetch(y, m.x, y));
  for (float i = 1; i < 4; ++i) {
    const fg::tensor<float> x({3}, {i, 2 * i, 0.1f});
    auto [a, fed, b] = step(x);
    const auto expected = to_vector(s.run(fg::fetch(y), {{m.x, x}}));
    CHECK(to_vector(a) == expected);
    CHECK(to_vector(b) == expected);
    CHECK(to_vector(fed) == to_vector(x));
  }
}

TEST_CASE("step: without feeds, and with a target alone") {
  fg::graph g;
  auto v = g.variable("v", fg::tensor<float>(1.f));
  auto next = fg::assign_add(v, g.constant(1.f));
  fg::session s{g};
  s.initialize();
  auto read = s.prepare(fg::feed(), fg::fetch(v));
  auto run = s.prepare(fg::feed(), next);
  run();
  CHECK(run.try_run({}).has_value());
  CHECK(read().scalar() == 3.f);
}

TEST_CASE("step: constants, feeds and their aliases can be fetched") {
  vector_model m;
  auto c = m.g.constant(5.f);
  auto same = fg::identity(fg::identity(m.x));
  auto sum = add(m.x, c);
  auto alias = fg::identity(sum);
  fg::session s{m.g};
  auto step = s.prepare(fg::feed(m.x), fg::fetch(c, same, alias, sum));
  for (float i = 1; i < 3; ++i) {
    auto [a, b, d, e] = step(fg::tensor<float>({2}, {i, -i}));
    CHECK(a.scalar() == 5.f);
    CHECK(to_vector(b) == std::vector<float>{i, -i});
    CHECK(to_vector(d) == std::vector<float>{i + 5, 5 - i});
    CHECK(to_vector(e) == to_vector(d));
  }
}

TEST_CASE("step: a result that the caller keeps is not written again") {
  vector_model m;
  auto y = add(m.x, m.x);
  fg::session s{m.g};
  auto step = s.prepare(fg::feed(m.x), fg::fetch(y));
  auto run = [&](float i) -> fg::tensor<float> { return step(fg::tensor<float>({1}, {i})); };

  const fg::tensor<float> first = run(1);
  const fg::tensor<float> second = run(2);
  CHECK(first.data() != second.data());
  {
    const fg::tensor<float> third = run(3);
    CHECK(third[0] == 6.f);
    CHECK(first[0] == 2.f);
    CHECK(second[0] == 4.f);
  }
}

TEST_CASE("step: the buffer of a result is used again once the caller lets go, and a second one only while he holds the first") {
  vector_model m;
  auto y = add(m.x, m.x);
  counting_memory memory;
  fg::session s{m.g, {.memory = &memory}};
  auto step = s.prepare(fg::feed(m.x), fg::fetch(y));
  const fg::tensor<float> x({1}, {1.f});
  const float* const a = step(x).data();
  CHECK(step(x).data() == a);
  const std::size_t before = memory.allocations();
  {
    const fg::tensor<float> held = step(x);
    const float* const b = step(x).data();
    CHECK(memory.allocations() == before + 1);
    CHECK(held.data() != b);
    CHECK(step(x).data() == b);
  }
  step(x);
  step(x);
  CHECK(memory.allocations() == before + 1);
}

TEST_CASE("step: other shapes plan once more, and the plans of recent shapes are kept") {
  vector_model m;
  auto y = chain(m.x, 3);
  counting_memory memory;
  fg::session s{m.g, {.memory = &memory}};
  auto step = s.prepare(fg::feed(m.x), fg::fetch(y));
  auto run = [&](std::size_t n) {
    const std::vector<float> ones(n, 1.f);
    CHECK(to_vector(step(fg::tensor<float>({n}, ones))) == std::vector<float>(n, 4.f));
  };
  for (const std::size_t n : {2u, 300u, 0u, 17u}) run(n);
  const std::size_t planned = memory.allocations();
  for (int round = 0; round < 3; ++round)
    for (const std::size_t n : {17u, 2u, 300u, 0u}) run(n);
  CHECK(memory.allocations() == planned);
  for (std::size_t n = 1; n < 40; ++n) run(n);  // more than are kept
  run(300);
}

TEST_CASE("step: variables are updated in place") {
  fg::graph g;
  auto x = g.placeholder<float>("x", {4});
  auto v = g.variable("v", fg::tensor<float>({4}, {1.f, 1.f, 1.f, 1.f}));
  auto y = multiply(v, x);
  auto train = fg::assign_add(v, y);
  fg::session s{g};
  s.initialize();
  auto step = s.prepare(fg::feed(x), fg::fetch(y), train);
  const fg::tensor<float> ones({4}, {1.f, 1.f, 1.f, 1.f});
  step(ones);
  const float* const place = elements_of(s, "v");
  float expected = 2;
  for (int i = 0; i < 5; ++i, expected *= 2) CHECK(step(ones)[3] == expected);
  CHECK(elements_of(s, "v") == place);
  const fg::tensor<float> held = s.run(fg::fetch(v));
  CHECK(held[0] == 64.f);
  step(ones);  // a reader holds the value: it must not change
  CHECK(held[0] == 64.f);
  CHECK(s.run(fg::fetch(v))[0] == 128.f);
}

TEST_CASE("step: a value assigned from a feed does not change with the feed's memory") {
  fg::graph g;
  auto x = g.placeholder<float>("x", {2});
  auto v = g.variable("v", zeros(2));
  auto direct = fg::assign(v, x);
  auto w = g.variable("w", zeros(2));
  auto computed = fg::assign(w, add(x, x));
  fg::session s{g};
  s.initialize();
  auto step = s.prepare(fg::feed(x), fg::fetch(), direct, computed);
  {
    fg::tensor<float> mine({2}, {1.f, 2.f});
    step(mine);
    mine.writable()[0] = 100.f;
  }
  CHECK(to_vector(s.run(fg::fetch(v))) == std::vector<float>{1.f, 2.f});
  const fg::tensor<float> kept = s.run(fg::fetch(w));
  step(fg::tensor<float>({2}, {5.f, 6.f}));
  CHECK(to_vector(kept) == std::vector<float>{2.f, 4.f});
  CHECK(to_vector(s.run(fg::fetch(v))) == std::vector<float>{5.f, 6.f});
  CHECK(to_vector(s.run(fg::fetch(w))) == std::vector<float>{10.f, 12.f});
}

TEST_CASE("step: an op that is the first to read two variables reads both") {
  fg::graph g;
  auto a = g.variable("a", fg::tensor<float>(2.f)), b = g.variable("b", fg::tensor<float>(3.f));
  auto product = multiply(fg::out<float>(a), fg::out<float>(b));
  fg::session s{g};
  s.initialize();
  auto step = s.prepare(fg::feed(), fg::fetch(product));
  for (int round = 0; round < 2; ++round) CHECK(step().scalar() == 6.f);
}

TEST_CASE("step: a value that an op's shape rule refuses is refused when it is fed") {
  fg::graph g;
  auto x = g.placeholder<float>("x", {2}), which = g.placeholder<float>("which", {});
  auto y = fg::apply(guarded_op{}, x, which, {"y"});
  fg::session s{g};
  auto step = s.prepare(fg::feed(x, which), fg::fetch(y));
  const fg::tensor<float> two({2}, {1.f, 2.f});
  CHECK(step(two, 1.f).scalar() == 2.f);
  const auto refused = step.try_run({}, two, 2.f);
  REQUIRE_FALSE(refused.has_value());
  check_error(refused.error(), error_code::invalid_argument, "y", "Guarded", {"an element of x"});
  CHECK(step(two, 0.f).scalar() == 1.f);
}

TEST_CASE("step: it keeps working when the session's handle is gone") {
  fg::graph g;
  auto x = g.placeholder<float>("x", {});
  auto v = g.variable("v", fg::tensor<float>(3.f));
  auto y = add(v, x);
  auto s = std::make_unique<fg::session>(g);
  s->initialize();
  auto step = s->prepare(fg::feed(x), fg::fetch(y));
  s.reset();
  g = fg::graph();
  CHECK(step(4.f).scalar() == 7.f);
}

TEST_CASE("step: a chain needs one buffer, a sum of two ends three") {
  fg::graph g;
  auto x = g.placeholder<float>("x", {1000});
  fg::session s{g};
  auto line = s.prepare(fg::feed(x), fg::fetch(chain(x, 100)));
  CHECK(line.plan().buffers == 1);
  CHECK(line.plan().nodes == 100);
  CHECK(line.plan().dynamic_nodes == 0);
  // The results of probes, which do not work in place, meet in the last node.
  auto pass = [](fg::cpu) {};
  auto wide = s.prepare(fg::feed(x), fg::fetch(probe(add(probe(x, pass), probe(x, pass)), pass)));
  CHECK(wide.plan().buffers == 3);
}

TEST_CASE("step: tensors whose lives do not overlap share memory, the others do not") {
  fg::graph g;
  auto x = g.placeholder<float>("x", {1000});
  auto pass = [](fg::cpu) {};
  fg::out<float> y = x;
  for (int i = 0; i < 20; ++i) y = probe(y, pass);
  auto early = probe(x, pass);
  fg::out<float> late = early;
  for (int i = 0; i < 20; ++i) late = probe(late, pass);
  auto both = add(add(early, late), y);
  fg::session s{g};
  auto step = s.prepare(fg::feed(x), fg::fetch(both));
  CHECK(step.plan().arena_bytes <= 5 * 4096);
  std::vector<float> values(1000);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);
  const fg::tensor<float> made = step(fg::tensor<float>({1000}, values));
  for (std::size_t i = 0; i < values.size(); ++i) REQUIRE(made[i] == 3 * values[i]);
}

TEST_CASE("step: scratch memory is the kernel's own") {
  fg::graph g;
  auto x = g.placeholder<float>("x", {100});
  auto y = fg::apply(scratch_op{}, fg::apply(scratch_op{}, x));
  auto z = add(y, fg::apply(scratch_op{}, y));
  fg::session s{g};
  auto step = s.prepare(fg::feed(x), fg::fetch(z));
  std::vector<float> values(100);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);
  const fg::tensor<float> in({100}, values);
  for (int round = 0; round < 2; ++round) {
    const fg::tensor<float> planned = step(in), walked = s.run(fg::fetch(z), {{x, in}});
    for (std::size_t i = 0; i < values.size(); ++i) {
      REQUIRE(planned[i] == 12 * values[i]);
      REQUIRE(walked[i] == 12 * values[i]);
    }
  }
}

TEST_CASE("step: shapes that only the run tells") {
  fg::graph g;
  auto x = g.placeholder<float>("x", {6});
  auto n = g.placeholder<float>("n", {});
  auto some = fg::apply(first_elements_op{}, x, n);
  auto y = add(add(some, some), fg::identity(some));
  auto fixed = add(x, x);
  fg::session s{g};
  auto step = s.prepare(fg::feed(x, n), fg::fetch(y, fixed));
  const fg::tensor<float> in({6}, {1.f, 2.f, 3.f, 4.f, 5.f, 6.f});
  for (const float size : {2.f, 6.f, 0.f, 3.f}) {
    auto [a, b] = step(in, size);
    REQUIRE(a.size() == static_cast<std::size_t>(size));
    for (std::size_t i = 0; i < a.size(); ++i) CHECK(a[i] == 3 * in[i]);
    CHECK(b[5] == 12.f);
  }
  CHECK(step.plan().dynamic_nodes == 3);  // what only passes a value on is none
}

TEST_CASE("step: what depends on constants alone is computed once, unless it is stateful") {
  fg::graph g;
  std::atomic<int> pure = 0, stateful = 0;
  auto x = g.placeholder<float>("x", {});
  auto c = g.constant(2.f);
  auto folded = fg::apply(pure_probe_op{&pure}, add(c, c));
  auto y = add(add(x, folded), counted(c, stateful));
  fg::session s{g};
  auto step = s.prepare(fg::feed(x), fg::fetch(y));
  for (int i = 0; i < 3; ++i) CHECK(step(1.f).scalar() == 7.f);
  CHECK(pure == 1);
  CHECK(stateful == 3);
}

TEST_CASE("step: random nodes count on, whoever runs them") {
  fg::graph g;
  auto x = g.placeholder<float>("x", {});
  auto y = fg::apply(draw_op{}, x);
  fg::session s{g};
  auto step = s.prepare(fg::feed(x), fg::fetch(y));
  auto other = s.prepare(fg::feed(x), fg::fetch(y));
  CHECK(step(0.f).scalar() == 0.f);
  CHECK(step(0.f).scalar() == 1.f);
  CHECK(s.run(fg::fetch(y), {{x, 0.f}}).scalar() == 2.f);
  CHECK(other(0.f).scalar() == 3.f);
  CHECK(step(0.f).scalar() == 4.f);
  fg::session fresh{g};
  CHECK(fresh.run(fg::fetch(y), {{x, 0.f}}).scalar() == 0.f);
}

TEST_CASE("step: control flow and asynchronous kernels run by the ready queue") {
  fg::graph g;
  answering_threads threads;
  auto x = g.placeholder<float>("x", {});
  auto n = g.placeholder<float>("n", {});
  auto y = async_probe(counting_loop(x, n, x), threads.after(std::chrono::microseconds(50)));
  fg::session s{g};
  auto step = s.prepare(fg::feed(x, n), fg::fetch(y, x));
  for (const float limit : {0.f, 7.f, 100.f}) {
    auto [a, b] = step(2.f, limit);
    CHECK(a.scalar() == std::max(2.f, limit + std::fmod(limit, 2.f)));
    CHECK(b.scalar() == 2.f);
  }
  CHECK(step.plan().nodes == 0);
}

TEST_CASE("step: a dynamic session prepares steps for the ready queue") {
  vector_model m;
  auto y = chain(m.x, 5);
  fg::session s{m.g, {.dynamic = true}};
  auto step = s.prepare(fg::feed(m.x), fg::fetch(y));
  CHECK(step(fg::tensor<float>({2}, {1.f, 2.f}))[1] == 12.f);
  CHECK(step.plan().nodes == 0);
}

TEST_CASE("step: it can be moved") {
  vector_model m;
  auto y = add(m.x, m.x);
  fg::session s{m.g};
  auto step = s.prepare(fg::feed(m.x), fg::fetch(y));
  step(fg::tensor<float>({1}, {1.f}));
  auto moved = std::move(step);
  CHECK(moved(fg::tensor<float>({1}, {2.f}))[0] == 4.f);
}

TEST_CASE("step: a call while another call runs it is refused, and does not disturb that call") {
  fg::graph g;
  const auto x = g.placeholder<float>("x", {});
  fg::session s{g};
  auto step = s.prepare(fg::feed(x), fg::fetch(fg::apply(calling_op{}, x)));
  step(1.f);
  fg::error nested, of_other_thread;
  calling_op::call = [&] {
    nested = step.try_run({}, 3.f).error();
    std::thread([&] { of_other_thread = step.try_run({}, 4.f).error(); }).join();
  };
  CHECK(step(2.f).scalar() == 2.f);
  CHECK(nested.code() == error_code::failed_precondition);
  CHECK(nested.message().starts_with("the step is running already"));
  CHECK(of_other_thread.message() == nested.message());
  CHECK(step(5.f).scalar() == 5.f);
}

TEST_CASE("step: one that has been moved from answers with an error") {
  fg::graph g;
  const auto x = g.placeholder<float>("x", {});
  fg::session s{g};
  auto step = s.prepare(fg::feed(x), fg::fetch(add(x, x)));
  auto untyped = s.try_prepare(std::array{fg::any_out(x)}, std::array{fg::any_out(x)}, {}).value();
  auto moved = std::move(step);
  const auto also = std::move(untyped);
  CHECK(moved(2.f).scalar() == 4.f);
  const auto refused = [](const fg::error& why) {
    CHECK(why.code() == error_code::failed_precondition);
    CHECK(why.message() == "the step has been moved from");
  };
  refused(step.try_run({}, 2.f).error());
  std::vector<fg::any_tensor> made(1);
  refused(untyped.try_run(std::array{fg::tensor<float>(2.f).erased()}, made).error());
  CHECK(step.plan().nodes == 0);
}

TEST_CASE("step: a feed of the wrong shape is refused and the step stays usable") {
  fg::graph g;
  auto x = g.placeholder<float>("x", {fg::any, 2});
  const unsigned line = __LINE__ - 1;
  auto y = add(x, x);
  fg::session s{g};
  auto step = s.prepare(fg::feed(x), fg::fetch(y));
  for (int i = 0; i < 2; ++i) {
    auto made = step.try_run({}, zeros(3));
    check_error(made.error(), error_code::invalid_argument, "x", "Placeholder", {"[?,2]", "[3]"});
    check_place(made.error(), line, __FILE__);
    CHECK(step(fg::tensor<float>({1, 2}, {1.f, 2.f}))[1] == 4.f);
  }
}

TEST_CASE("step: what is missing or failing is named when it is prepared or run") {
  fg::graph g;
  auto x = g.placeholder<float>("x", {2});
  auto other = g.placeholder<float>("other", {2});
  auto bad = failing(x, {.name = "bad"});
  const unsigned line = __LINE__ - 1;
  fg::session s{g};
  const fg::any_out feeds[]{x};
  const fg::any_out lacking[]{add(x, other)};
  check_error(s.try_prepare(feeds, lacking, {}).error(), error_code::invalid_argument, "other", "Placeholder",
              {"'other'", "float", "[2]"});

  std::atomic<int> after = 0;
  auto step = s.prepare(fg::feed(x), fg::fetch(counted(bad, after)));
  for (int i = 0; i < 2; ++i) {
    auto made = step.try_run({}, zeros(2));
    check_error(made.error(), error_code::data_loss, "bad", "Probe", {"the kernel refuses"});
    check_place(made.error(), line, __FILE__);
  }
  CHECK(after == 0);
}

TEST_CASE("step: an uninitialised variable is named, read or fetched") {
  fg::graph g;
  auto v = g.variable("v", fg::tensor<float>(1.f));
  auto y = add(v, v, {.name = "y"});
  fg::session s{g};
  auto reads = s.prepare(fg::feed(), fg::fetch(y));
  auto fetches = s.prepare(fg::feed(), fg::fetch(v));
  check_error(reads.try_run({}).error(), error_code::failed_precondition, "y", "TestAdd", {"uninitialized", "'v'"});
  check_error(fetches.try_run({}).error(), error_code::failed_precondition, "v", "VariableV2", {"uninitialized", "'v'"});
  s.initialize();
  CHECK(reads().scalar() == 2.f);
  CHECK(fetches().scalar() == 1.f);
}

TEST_CASE("step: a stop token and a deadline end it between two nodes, and it runs again") {
  fg::graph g;
  std::atomic<int> after = 0;
  flowgraph::stop_source source;
  bool stops = true;
  auto x = g.placeholder<float>("x", {});
  auto y = counted(probe(x,
                         [&](fg::cpu ctx) {
                           if (!stops) return;
                           source.request_stop();
                           CHECK(ctx.stop_requested());
                         }),
                   after);
  fg::session s{g};
  auto step = s.prepare(fg::feed(x), fg::fetch(y));
  CHECK(step.try_run({.stop = source.get_token()}, 1.f).error().code() == error_code::cancelled);
  CHECK(after == 0);
  stops = false;
  CHECK(step.try_run(fg::run_options::within(std::chrono::nanoseconds(-1)), 1.f).error().code() == error_code::deadline_exceeded);
  CHECK(after == 0);
  CHECK(step.try_run(fg::run_options::within(std::chrono::hours(1)), 1.f).has_value());
  CHECK(after == 1);
}

TEST_CASE("step: without types it takes as many tensors as it was prepared for") {
  vector_model m;
  auto y = multiply(m.x, m.x);
  fg::session s{m.g};
  const fg::any_out feeds[]{m.x}, fetches[]{y};
  fg::any_step step = s.try_prepare(feeds, fetches, {}).value();
  const fg::any_tensor x[]{fg::tensor<float>({2}, {2, 3}).erased(), fg::tensor<float>(1.f).erased()};
  fg::any_tensor made[2];
  REQUIRE(step.try_run(std::span(x, 1), std::span(made, 1)).has_value());
  CHECK(made[0].as<float>()[1] == 9);
  CHECK(step.try_run(std::span(x, 1), std::span(made, 1), fg::run_options{}).has_value());
  for (const auto& [in, out] : {std::pair{0, 1}, {2, 1}, {1, 0}, {1, 2}}) {
    auto refused = step.try_run(std::span(x, static_cast<std::size_t>(in)), std::span(made, static_cast<std::size_t>(out)));
    REQUIRE(!refused);
    CHECK(refused.error().code() == error_code::invalid_argument);
  }
  const fg::any_tensor wrong[]{fg::tensor<std::int32_t>({2}, {2, 3}).erased()};
  CHECK(!step.try_run(wrong, std::span(made, 1)));
  const fg::step_report report = step.plan();
  CHECK(report.nodes > 0);
}

TEST_CASE("step: the results may replace the feeds") {
  fg::graph g;
  const auto a = g.placeholder<float>("a", {}), b = g.placeholder<float>("b", {});
  const fg::any_out feeds[]{a, b}, fetches[]{add(a, b), a};
  for (const bool is_dynamic : {false, true}) {
    fg::session s{g, {.dynamic = is_dynamic}};
    fg::any_step step = s.try_prepare(feeds, fetches, {}).value();
    std::vector<fg::any_tensor> both{fg::tensor<float>(3.f).erased(), fg::tensor<float>(4.f).erased()};
    for (const auto& [sum, first] : {std::pair{7.f, 3.f}, {10.f, 7.f}, {17.f, 10.f}}) {
      REQUIRE(step.try_run(both, both).has_value());
      CHECK(both[0].as<float>().scalar() == sum);
      CHECK(both[1].as<float>().scalar() == first);
    }
  }
}

TEST_CASE("step: the results do not change if one of them cannot be fetched") {
  fg::graph g;
  const auto which = g.placeholder<bool>("which", {});
  const auto x = g.placeholder<float>("x", {});
  fg::out<float> inside;
  const fg::out<float> chosen = fg::cond(
      which, [&] { return inside = add(x, x); }, [&] { return multiply(x, x); });
  const fg::any_out feeds[]{which, x}, fetches[]{chosen, inside};
  for (const bool is_dynamic : {false, true}) {
    fg::session s{g, {.dynamic = is_dynamic}};
    fg::any_step step = s.try_prepare(feeds, fetches, {}).value();
    std::vector<fg::any_tensor> made(2);
    for (const bool taken : {true, false, true, false}) {
      const fg::any_tensor in[]{fg::tensor<bool>(taken).erased(), fg::tensor<float>(5.f).erased()};
      CHECK(step.try_run(in, made).has_value() == taken);
      CHECK(made[0].as<float>().scalar() == 10);
      CHECK(made[1].as<float>().scalar() == 10);
    }
  }
}

TEST_CASE("step: a variable that has changed its shape fails one run of an earlier step, and none of a later step") {
  fg::graph g;
  const auto v = g.placeholder<float>("v", {fg::any});
  const auto w = g.variable("w", zeros(2));
  const auto twice = add(w, w);
  const fg::target changes = fg::apply(fg::assign_op{.validate_shape = false}, w, v).source;
  fg::session s{g};
  s.initialize();
  auto before = s.prepare(fg::feed(), fg::fetch(twice));
  CHECK(before().shape() == fg::shape{2});
  s.run(changes, {{v, fg::tensor<float>({3}, {1, 2, 3})}});
  auto after = s.prepare(fg::feed(), fg::fetch(twice));
  CHECK(before.try_run({}).error().code() == error_code::failed_precondition);
  for (auto* step : {&before, &after}) {
    const auto made = step->try_run({});
    REQUIRE(made.has_value());
    CHECK(made->shape() == fg::shape{3});
    CHECK((*made)[2] == 6);
  }
}

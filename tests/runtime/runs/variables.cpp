// Who reads and writes a variable when: docs/decisions/variables.md.

#include <flowgraph/ops/state/variable.hpp>

#include "../../harness/engine_ops.hpp"
#include "../../harness/ways.hpp"

using namespace engine;

namespace {

struct initialized_ways {
  ways all;

  template <class F> void each(const fg::graph& g, F&& f) {
    all.each(g, [&](fg::session& s) {
      s.initialize();
      f(s);
    });
  }
};

// An op that reads a variable by reference, in whose shape its rule is interested.
struct by_channel {
  static constexpr std::string_view name = "ByChannel";
  static constexpr fg::op_facts facts{.not_differentiable = true, .stateful = true};

  fg::shape shape(fg::shape_context& c, const fg::shape& x, const fg::shape& memory) const {
    return memory.rank == 1 && fg::fits(x, {fg::any, memory[0]}) ? x : c.fail("expected one column per element of memory");
  }
  void operator()(fg::cpu, fg::view<const float> x, fg::reference<float> memory, fg::view<float> y) const {
    const auto last = memory.update();
    for (std::size_t i = 0; i < last.size(); ++i) y[i] = last[i] += x[i];
  }
};

}  // namespace

TEST_CASE("variables: a shape rule sees the shape of a variable that comes by reference") {
  fg::graph g;
  auto x = g.placeholder<float>("x", {fg::any, 2});
  auto memory = g.variable("memory", fg::tensor<float>({2}, {1, 2}));
  auto y = fg::apply(by_channel{}, x, memory);
  fg::session s{g};
  const fg::tensor<float> in({1, 2}, {1, 1});
  const auto early = s.try_run(fg::fetch(y), {{x, in}});
  REQUIRE(!early.has_value());
  CHECK(early.error().code() == fg::error_code::failed_precondition);
  s.initialize();
  CHECK(s.run(fg::fetch(y), {{x, in}})[1] == 3.f);
  CHECK(s.prepare(fg::feed(x), fg::fetch(y))(in)[1] == 4.f);
}

TEST_CASE("variables: reads and writes of one run go in the order of their creation, however they are asked for") {
  initialized_ways w;
  fg::graph g;
  auto v = g.variable("v", fg::tensor<float>(1.f));
  auto zero = g.constant(0.f), ten = g.constant(10.f);
  auto before = add(v, zero);
  auto added = fg::assign_add(v, ten);
  auto between = add(v, zero);
  auto set = fg::assign(v, ten);
  auto again = fg::assign_add(v, ten);
  auto after = add(v, zero);
  w.each(g, [&](fg::session& s) {
    float start = 1.f;
    for (int round = 0; round < 3; ++round) {
      const fg::any_out fetches[]{after, before, between};
      const fg::target targets[]{again, set, added};
      auto made = s.try_run(fg::run_request{{}, fetches, targets});
      REQUIRE(made.has_value());
      CHECK((*made)[1].as<float>().scalar() == start);
      CHECK((*made)[2].as<float>().scalar() == start + 10.f);
      CHECK((*made)[0].as<float>().scalar() == 20.f);
      start = 20.f;
    }
    auto [a, b, c] = s.run(fg::fetch(after, between, before), again);  // the writes in between were not asked for
    CHECK(c.scalar() == 20.f);
    CHECK(b.scalar() == 20.f);
    CHECK(a.scalar() == 30.f);
  });
}

TEST_CASE("variables: writers that do not commute give the same in every run") {
  initialized_ways w;
  fg::graph g;
  auto x = g.placeholder<float>("x", {fg::any});
  auto v = g.variable("v", fg::tensor<float>({1}, {1.f}));
  auto pass = [](fg::cpu) {};
  // The inputs of the first are the last to be ready.
  auto slow = expensive_probe(expensive_probe(x, pass), pass);
  auto first = fg::assign(v, probe(fg::apply(add_op{}, slow, slow), pass));
  auto second = fg::assign_add(v, x);
  auto third = fg::assign(v, multiply(v, x));
  auto read = add(v, x);
  w.each(g, [&](fg::session& s) {
    for (int round = 0; round < 20; ++round) {
      const fg::any_out fetches[]{read};
      const fg::target targets[]{third, second, first};
      const fg::fed feeds[]{{x, fg::tensor<float>({1}, {2.f})}};
      auto made = s.try_run(fg::run_request{feeds, fetches, targets});
      REQUIRE(made.has_value());
      CHECK((*made)[0].as<float>()[0] == 14.f);  // ((2 + 2) + 2) * 2 + 2
    }
  });
}

TEST_CASE("variables: a fetched variable has the value it has when the run ends") {
  initialized_ways w;
  fg::graph g;
  auto v = g.variable("v", fg::tensor<float>(1.f));
  auto next = fg::assign_add(v, g.constant(1.f));
  w.each(g, [&](fg::session& s) {
    auto [value, same] = s.run(fg::fetch(v, next), next);
    CHECK(value.scalar() == 2.f);
    CHECK(same.scalar() == 2.f);
    auto step = s.prepare(fg::feed(), fg::fetch(v), next);
    CHECK(step().scalar() == 3.f);
  });
}

TEST_CASE("variables: a value read before a write keeps its elements, through an Identity too") {
  initialized_ways w;
  fg::graph g;
  auto x = g.placeholder<float>("x", {3});
  auto v = g.variable("v", fg::tensor<float>({3}, {1.f, 2.f, 3.f}));
  auto kept = fg::identity(v);
  auto grown = fg::assign_add(v, x);
  auto late = [&] {
    auto after = g.after(grown);
    return add(kept, x);
  }();
  w.each(g, [&](fg::session& s) {
    auto step = s.prepare(fg::feed(x), fg::fetch(kept, late, v), grown);
    const fg::tensor<float> ones({3}, {1.f, 1.f, 1.f});
    std::vector<float> value{1.f, 2.f, 3.f};
    for (int round = 0; round < 4; ++round) {
      std::vector<float> next;
      for (const float e : value) next.push_back(e + 1);
      auto check = [&](const auto& made) {
        auto [a, b, c] = made;
        CHECK(to_vector(a) == value);
        CHECK(to_vector(b) == next);
        CHECK(to_vector(c) == next);
      };
      if (round % 2) check(step(ones));
      else check(s.run(fg::fetch(kept, late, v), grown, {{x, ones}}));
      value = next;
    }
  });
}

TEST_CASE("variables: the same variable is read and written by one node") {
  initialized_ways w;
  fg::graph g;
  auto v = g.variable("v", fg::tensor<float>({2}, {1.f, 3.f}));
  auto doubled = fg::assign_add(v, v);
  auto y = add(doubled, v);
  w.each(g, [&](fg::session& s) {
    auto step = s.prepare(fg::feed(), fg::fetch(y));
    CHECK(to_vector(s.run(fg::fetch(y))) == std::vector<float>{4.f, 12.f});
    CHECK(to_vector(step()) == std::vector<float>{8.f, 24.f});
    CHECK(to_vector(step()) == std::vector<float>{16.f, 48.f});
  });
}

TEST_CASE("variables: a variable whose shape changes is followed by steps that were prepared before") {
  fg::graph g;
  auto x = g.placeholder<float>("x", {fg::any});
  const auto v = fg::apply_in<float>(g, fg::variable_v2_op{fg::shape::unknown(), {}, {}}, {.name = "v"});
  auto set = fg::apply(fg::assign_op{.validate_shape = false}, v, x);
  auto y = add(v, v);
  fg::session s{g};
  auto assign = s.prepare(fg::feed(x), set);
  auto read = s.prepare(fg::feed(), fg::fetch(y));
  for (const std::size_t n : {1u, 4u, 0u, 2u}) {
    assign(fg::tensor<float>(fg::shape{n}, std::vector<float>(n, 2.f)));
    CHECK(to_vector(read()) == std::vector<float>(n, 4.f));
    CHECK(to_vector(s.run(fg::fetch(y))) == std::vector<float>(n, 4.f));
  }
}

TEST_CASE("variables: concurrent runs lose no update, and no reader sees half of one") {
  constexpr std::size_t size = 257;
  constexpr int writers = 3, updates = 300;
  fg::graph g;
  auto v = g.variable("v", fg::tensor<float>(fg::shape{size}));
  const fg::tensor<float> ones(fg::shape{size}, std::vector<float>(size, 1.f));
  auto next = fg::assign_add(v, g.constant(ones));
  fg::session s{g};
  s.initialize();
  std::atomic<int> torn = 0, left = writers;
  std::vector<std::thread> threads;
  for (int t = 0; t < writers; ++t)
    threads.emplace_back([&, prepared = t == 0] {
      auto step = s.prepare(fg::feed(), next);
      for (int i = 0; i < updates; ++i) prepared ? step() : s.run(next);
      --left;
    });
  threads.emplace_back([&] {
    auto step = s.prepare(fg::feed(), fg::fetch(v));
    for (float last = 0; left > 0;) {
      for (const fg::tensor<float>& seen : {fg::tensor<float>(s.run(fg::fetch(v))), fg::tensor<float>(step())}) {
        for (const float e : seen)
          if (e != seen[0]) ++torn;
        if (seen[0] < last) ++torn;
        last = seen[0];
      }
    }
  });
  for (auto& t : threads) t.join();
  CHECK(torn == 0);
  CHECK(s.run(fg::fetch(v))[0] == static_cast<float>(writers * updates));
}

TEST_CASE("variables: initialisation sets them all, each once, in the order of their creation") {
  fg::graph g;
  std::atomic<int> runs = 0;
  auto first = g.variable("first", fg::initial_value(counted(g.constant(1.f), runs)));
  auto second = g.variable("second", fg::initial_value(add(first, first)));
  auto third = g.variable("third", fg::initial_value(add(second, first)));
  fg::session s{g};
  for (int round = 1; round < 3; ++round) {
    CHECK(s.try_initialize().has_value());
    CHECK(runs == round);
    auto [a, b, c] = s.run(fg::fetch(first, second, third));
    CHECK(a.scalar() == 1.f);
    CHECK(b.scalar() == 2.f);
    CHECK(c.scalar() == 3.f);
    s.run(fg::assign_add(first, g.constant(5.f)));
  }
  CHECK(s.resources().names() == std::vector<std::string>{"first", "second", "third"});
}

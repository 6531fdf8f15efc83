#include <flowgraph/runtime/schedule/body_layout.hpp>

#include <flowgraph/ops/array/reshape.hpp>
#include <flowgraph/ops/control_flow/control_flow.hpp>

#include <bit>
#include <set>

#include "../../harness/engine_ops.hpp"

using namespace engine;

namespace {

// Their inputs, in another shape.
struct as_row_op {
  static constexpr std::string_view name = "AsRow";
  static constexpr fg::op_facts facts{.not_differentiable = true, .alias = true};
  using signature = void(fg::view<const float>, fg::view<float>);
  fg::shape shape(const fg::shape& x) const { return x.is_known() ? fg::shape{1, x.size()} : fg::shape::unknown(); }
};
struct as_list_op {
  static constexpr std::string_view name = "AsList";
  static constexpr fg::op_facts facts{.not_differentiable = true, .alias = true};
  using signature = void(fg::view<const float>, fg::view<float>);
  fg::shape shape(const fg::shape& x) const { return x.is_known() ? fg::shape{x.size()} : fg::shape::unknown(); }
};
// Its input: the output refers to the memory of the input.
struct same_memory_op {
  static constexpr std::string_view name = "SameMemory";
  static constexpr fg::op_facts facts{.not_differentiable = true};
  fg::shape shape(const fg::shape&) const { return fg::shape::unknown(); }
  void operator()(fg::cpu ctx, fg::view<const float>, fg::unsized<float> y) const { y.share(ctx.input(0)); }
};
// The reversed input, by way of large scratch. It notes where its scratch was.
struct reversed_op {
  static constexpr std::string_view name = "Reversed";
  static constexpr fg::op_facts facts{.not_differentiable = true};
  static constexpr std::size_t copies = 1000;
  std::set<const void*>* seen = nullptr;
  fg::shape shape(const fg::shape& x) const { return x; }
  std::size_t scratch(const fg::shape& x) const { return static_cast<std::size_t>(x.size()) * sizeof(float) * copies; }
  void operator()(fg::cpu ctx, fg::view<const float> x, fg::view<float> y) const {
    auto* const kept = ctx.scratch<float>();
    seen->insert(kept);
    for (std::size_t i = 0; i < copies; ++i) std::copy(x.begin(), x.end(), kept + i * x.size());
    std::reverse_copy(kept, kept + x.size(), y.begin());
  }
};
// Its input, by way of little scratch, and in a shape that only the kernel determines.
struct late_op {
  static constexpr std::string_view name = "Late";
  static constexpr fg::op_facts facts{.not_differentiable = true};
  fg::shape shape(const fg::shape&) const { return fg::shape::unknown(); }
  std::size_t scratch(const fg::shape&) const { return sizeof(float); }
  void operator()(fg::cpu ctx, fg::view<const float> x, fg::unsized<float> y) const {
    *ctx.scratch<float>() = x[0];
    const auto made = y.resize(x.shape());
    std::copy(x.begin(), x.end(), made.begin());
    made[0] = *ctx.scratch<float>();
  }
};

struct bodies {
  fg::graph g;
  fg::out<float> x = g.placeholder<float>("x", {3});
  fg::out<float> n = g.placeholder<float>("n", {});
  fg::out<float> zero = g.constant(0.f), one = g.constant(1.f);

  // Runs `body` n times.
  values times(const std::function<values(const values&)>& body, values from, const loop_options& o = {}) {
    from.insert(from.begin(), fg::identity(zero));
    values made = loop(
        from, [&](const values& v) { return less(v[0], invariant(n, o)); },
        [&](const values& v) {
          values next = body(values(v.begin() + 1, v.end()));
          next.insert(next.begin(), add(v[0], invariant(one, o)));
          return next;
        },
        o);
    return {made.begin() + 1, made.end()};
  }

  // Compares a prepared step with the ready queue, bit by bit. Returns the number of nodes whose shapes only the run determines.
  std::size_t compare(fg::out<float> y) {
    fg::session laid{g}, queued{g, {.dynamic = true}};
    auto step = laid.prepare(fg::feed(x, n), fg::fetch(y));
    CHECK(step.plan().queued.empty());
    for (const float count : {3.f, 0.f, 1.f, 8.f})
      for (const float first : {1.f, -2.5f}) {
        CAPTURE(count);
        const fg::tensor<float> at({3}, {first, 7, 0.125f});
        const auto expected = queued.run(fg::fetch(y), {{x, at}, {n, count}});
        const auto found = step(at, count);
        REQUIRE(found.shape() == expected.shape());
        for (std::size_t i = 0; i < found.size(); ++i)
          CHECK(std::bit_cast<std::uint32_t>(found[i]) == std::bit_cast<std::uint32_t>(expected[i]));
      }
    return step.plan().dynamic_nodes;
  }
  fg::out<float> as_branch(fg::out<float> v, const std::function<fg::out<float>(fg::out<float>)>& low,
                           const std::function<fg::out<float>(fg::out<float>)>& high, fg::out<float> limit) {
    const auto side = fg::switch_(v, less(v, limit));
    return fg::merge({high(side.if_false), low(side.if_true)}).value;
  }
};

}  // namespace

TEST_CASE("body_layout: a loop whose shapes are known is called without checks") {
  bodies b;
  const values made = b.times([&](const values& v) { return values{add(multiply(v[0], v[0]), v[0])}; }, {b.x});
  CHECK(b.compare(add(made[0], b.x)) == 1);  // the fetched value owns its memory
}

TEST_CASE("body_layout: a shape that enters the loop as a constant is known") {
  bodies b;
  const auto column = fg::apply(fg::enter_op{"loop", true}, b.g.constant(fg::tensor<std::int32_t>({2}, {3, 1})));
  const values made = b.times(
      [&](const values& v) {
        const auto tall = fg::reshape(v[0], column);
        return values{fg::reshape(add(tall, tall), b.g.constant(fg::tensor<std::int32_t>({1}, {3})))};
      },
      {b.x});
  CHECK(b.compare(add(made[0], b.x)) == 1);
}

TEST_CASE("body_layout: variables that trade places, that stay, that share a value") {
  bodies b;
  const values made = b.times(
      [&](const values& v) {
        const auto both = add(v[0], v[1]);
        return values{v[1], v[0], v[2], both, both, add(v[3], v[4])};
      },
      {b.x, add(b.x, b.one), multiply(b.x, b.x), b.x, b.x, b.x});
  fg::out<float> all = made[0];
  for (std::size_t k = 1; k < made.size(); ++k) all = add(multiply(all, b.g.constant(3.f)), made[k]);
  CHECK(b.compare(all) == 1);
}

TEST_CASE("body_layout: a value is not overwritten in place while another node still reads it") {
  bodies b;
  const values made = b.times(
      [&](const values& v) {
        const auto sum = add(v[0], v[1]);
        const auto once = raised(sum);
        const auto twice = raised(once);
        const auto seen = multiply(once, sum);  // after `twice`, in the order of the nodes
        return values{add(twice, seen), raised(v[0])};
      },
      {b.x, b.x});
  CHECK(b.compare(add(made[0], made[1])) == 1);
}

TEST_CASE("body_layout: another shape of a value keeps its memory alive") {
  bodies b;
  const values made = b.times(
      [&](const values& v) {
        const auto row = fg::apply(as_row_op{}, add(v[0], invariant(b.one)));
        const auto other = raised(raised(multiply(v[0], v[0])));
        return values{add(fg::apply(as_list_op{}, row), other)};
      },
      {b.x});
  CHECK(b.compare(made[0]) == 0);
}

TEST_CASE("body_layout: an inner loop has a part of the arena around it, and its results are read after it") {
  bodies b;
  const loop_options inner{.name = "inner"};
  const values made = b.times(
      [&](const values& v) {
        const auto in = add(v[0], v[1]);
        const values deeper = loop(
            {nothing(v[0]), in, v[1]}, [&](const values& u) { return less(u[0], invariant(invariant(b.n), inner)); },
            [&](const values& u) {
              return values{add(u[0], invariant(invariant(b.one), inner)), raised(u[2]), u[1]};
            },
            inner);
        const auto other = raised(multiply(in, in));
        return values{add(deeper[1], other), raised(deeper[2])};
      },
      {b.x, multiply(b.x, b.x)});
  CHECK(b.compare(add(made[0], made[1])) == 1);
}

TEST_CASE("body_layout: a value that a loop passes on to an inner variable of changing shape stays alive") {
  bodies b;
  const loop_options middle{.name = "middle"}, inner{.name = "inner"};
  const values made = b.times(
      [&](const values& v) {
        const auto sum = add(v[0], invariant(b.one));
        const values through = loop(
            {nothing(v[0]), v[0]}, [&](const values& u) { return less(u[0], invariant(invariant(b.one), middle)); },
            [&](const values& u) {
              const auto begin = invariant(sum, middle);
              const values deeper = loop(
                  {nothing(u[1]), begin},
                  [&](const values& w) { return less(w[0], invariant(invariant(invariant(b.zero), middle), inner)); },
                  [&](const values& w) {
                    const auto one = invariant(invariant(invariant(b.one), middle), inner);
                    return values{add(w[0], one), fg::apply(late_op{}, w[1])};
                  },
                  inner);
              return values{add(u[0], invariant(invariant(b.one), middle)), deeper[1]};
            },
            middle);
        const auto other = raised(multiply(v[0], v[0]));
        return values{multiply(other, v[0]), through[1]};
      },
      {b.x, b.x});
  CHECK(b.compare(add(made[0], made[1])) > 0);
}

TEST_CASE("body_layout: a branch in a loop, whose sides stay alive as long as its result") {
  bodies b;
  const values made = b.times(
      [&](const values& v) {
        const auto sum = add(v[0], invariant(b.one));
        const auto chosen = b.as_branch(
            sum, [&](fg::out<float> u) { return raised(multiply(u, u)); }, [](fg::out<float> u) { return u; },
            invariant(b.g.constant(2.f)));
        const auto other = raised(raised(multiply(v[0], v[0])));
        return values{add(chosen, other)};
      },
      {b.x});
  CHECK(b.compare(made[0]) <= 2);
}

TEST_CASE("body_layout: scratch in the arena is not that of calls with checks") {
  bodies b;
  std::set<const void*> seen;
  const values made = b.times(
      [&](const values& v) {
        const auto large = fg::apply(reversed_op{&seen}, add(v[0], invariant(b.one)));
        return values{large, fg::apply(late_op{}, v[1])};
      },
      {b.x, b.x});
  const auto y = add(made[0], made[1]);
  CHECK(b.compare(y) > 0);
  fg::session s{b.g};
  auto step = s.prepare(fg::feed(b.x, b.n), fg::fetch(y));
  seen.clear();
  for (int round = 0; round < 3; ++round) step(filled(3, 2), 4.f);
  CHECK(seen.size() == 1);
}

TEST_CASE("body_layout: a value that an output refers to is not overwritten by the next iteration") {
  bodies b;
  const values made = b.times(
      [&](const values& v) {
        const auto sum = add(v[0], invariant(b.one));
        return values{multiply(sum, v[0]), fg::apply(same_memory_op{}, sum), add(v[2], multiply(v[1], v[0]))};
      },
      {b.x, b.x, b.x});
  CHECK(b.compare(add(made[1], made[2])) > 0);
}

TEST_CASE("body_layout: a variable that has another shape than it declares ends the run, and the next run is right") {
  bodies b;
  auto v = b.g.variable("v", fg::tensor<float>(fg::shape{3}));
  const values made =
      b.times([&](const values& u) { return values{add(u[0], invariant(fg::identity(fg::out<float>(v))))}; }, {b.x});
  const auto y = add(made[0], b.x);
  const auto longer = b.g.placeholder<float>("longer", fg::shape::unknown());
  const auto assigned = fg::apply(fg::assign_op{.validate_shape = false}, v, longer);
  fg::session s{b.g};
  s.initialize();
  auto step = s.prepare(fg::feed(b.x, b.n), fg::fetch(y));
  const fg::tensor<float> x({3}, {1, 2, 3});
  CHECK(to_vector(step(x, 2.f)) == std::vector<float>{2, 4, 6});
  s.run(fg::fetch(), fg::target(assigned), {{longer, filled(4, 1)}});
  const auto refused = step.try_run({}, x, 2.f);
  REQUIRE(!refused);
  CHECK(refused.error().message().find("[3]") != std::string_view::npos);
  CHECK(refused.error().message().find("[4]") != std::string_view::npos);
  s.run(fg::fetch(), fg::target(assigned), {{longer, filled(3, 1)}});
  CHECK(to_vector(step(x, 2.f)) == std::vector<float>{4, 6, 8});
}

TEST_CASE("body_layout: a run that fails inside a loop leaves the arena as it was") {
  bodies b;
  int left = 0;
  const values made = b.times(
      [&](const values& v) {
        const auto seen = probe(v[1], [&](fg::cpu ctx) {
          if (--left == 0) ctx.fail(fg::error(fg::error_code::internal, "now"));
        });
        return values{seen, v[0]};
      },
      {b.x, multiply(b.x, b.x)});
  fg::session s{b.g};
  auto step = s.prepare(fg::feed(b.x, b.n), fg::fetch(add(made[0], multiply(made[1], b.g.constant(3.f)))));
  const fg::tensor<float> x({3}, {1, 2, 3});
  const auto expected = to_vector(step(x, 5.f));
  for (int at = 1; at < 5; ++at) {
    left = at;
    CHECK(!step.try_run({}, x, 5.f));
    left = 0;
    CHECK(to_vector(step(x, 5.f)) == expected);
  }
}

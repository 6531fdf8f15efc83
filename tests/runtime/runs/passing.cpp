// Schedules share what nodes only pass on: no copy, and the values of the moment at which it was passed.

#include <flowgraph/ops/array/identity_variants.hpp>
#include <flowgraph/ops/array/reshape.hpp>
#include <flowgraph/ops/debug/diagnostics.hpp>

#include "../../harness/engine_ops.hpp"

#include <limits>

using namespace engine;

namespace {

template <class... T> values pass(T... x) {
  const fg::any_out_list passed = fg::identity_n(fg::any_out_list{x...});
  values made;
  for (const fg::any_out& p : passed) made.push_back(fg::out<float>(p.source, p.port));
  return made;
}
// Runs `f` until it is warm; how often later calls ask for memory.
template <class F> std::size_t taken_when_warm(counting_memory& memory, F&& f) {
  for (int i = 0; i < 5; ++i) f();
  const std::size_t before = memory.allocations();
  for (int i = 0; i < 1000; ++i) f();
  return memory.allocations() - before;
}

}  // namespace

TEST_CASE("passing: an intermediate value, a feed, a constant and one value twice are shared, not copied") {
  fg::graph g;
  auto x = g.placeholder<float>("x", {1000});
  auto five = g.constant(5.f);
  const values p = pass(add(x, x), x, five, x);
  auto y = add(multiply(p[0], p[2]), multiply(p[1], p[3]));
  counting_memory memory;
  fg::session s{g, {.memory = &memory}};
  auto step = s.prepare(fg::feed(x), fg::fetch(y, p[0], p[1], p[2]));
  for (const float k : {2.f, 3.f}) {
    const auto in = filled(1000, k);
    const auto [made, doubled, fed, constant] = step(in);
    CHECK(made[999] == 10 * k + k * k);
    CHECK(doubled[999] == 2 * k);
    CHECK(fed.data() == in.data());
    CHECK(constant.scalar() == 5.f);
  }
  const auto in = filled(1000, 1);
  CHECK(taken_when_warm(memory, [&] { step(in); }) == 0);
  CHECK(step.plan().nodes == 4);  // no call is made for what passes
  CHECK(step.plan().copies.empty());
  CHECK(step.plan().dynamic_nodes == 0);
  const auto [again, doubled, fed, constant] = s.run(fg::fetch(y, p[0], p[1], p[2]), {{x, in}});
  CHECK(again[0] == 11.f);
}

TEST_CASE("passing: an edge behind it that is fed is the feed") {
  fg::graph g;
  auto x = g.placeholder<float>("x", {2});
  const values p = pass(x, add(x, x));
  auto y = add(p[0], p[1]);
  fg::session s{g};
  auto step = s.prepare(fg::feed(x, p[1]), fg::fetch(y));
  CHECK(step(filled(2, 1), filled(2, 10))[1] == 11.f);
}

TEST_CASE("passing: later kernels do not write over what is still to be read under another name") {
  fg::graph g;
  auto x = g.placeholder<float>("x", {64});
  auto a = add(x, x);
  const values p = pass(a, a);
  auto b = multiply(a, x);  // could write over `a`
  auto c = add(p[0], b);    // and so could this one
  auto d = multiply(p[1], c);
  fg::session s{g};
  auto step = s.prepare(fg::feed(x), fg::fetch(d));
  for (const float k : {3.f, 4.f}) CHECK(step(filled(64, k))[63] == 2 * k * (2 * k + 2 * k * k));
}

TEST_CASE("passing: the value of a variable is that of the moment, and writers find it to themselves") {
  for (const bool is_one : {true, false}) {
    CAPTURE(is_one);
    fg::graph g;
    auto x = g.placeholder<float>("x", {2000});
    auto w = g.variable("w", filled(2000, 1));
    auto before = is_one ? fg::identity(fg::out<float>(w)) : pass(fg::out<float>(w))[0];
    auto again = fg::reshape(fg::identity(before), {2, 1000});
    auto used = multiply(before, x);
    auto flat = fg::reshape(again, {2000});
    auto changed = fg::assign_add(w, add(flat, x));
    auto after = is_one ? fg::identity(fg::out<float>(changed)) : pass(fg::out<float>(changed))[0];
    counting_memory memory;
    fg::session s{g, {.memory = &memory}};
    s.initialize();
    auto step = s.prepare(fg::feed(x), fg::fetch(used, after), changed.source);
    float w_now = 1;
    for (int i = 0; i < 4; ++i) {
      const auto [product, now] = step(filled(2000, 2));
      CHECK(product[1999] == 2 * w_now);
      w_now = 2 * w_now + 2;
      CHECK(now[1999] == w_now);
    }
    auto quiet = s.prepare(fg::feed(x), fg::fetch(used), changed.source);
    CHECK(quiet.plan().dynamic_nodes == 0);
    const auto zero = filled(2000, 0);
    CHECK(taken_when_warm(memory, [&] { quiet(zero); }) == 0);
  }
}

TEST_CASE("passing: a fetched value of a variable stays what it was") {
  fg::graph g;
  auto w = g.variable("w", filled(8, 1));
  const values p = pass(fg::out<float>(w));
  auto shaped = fg::reshape(p[0], {2, 4});
  auto one = g.constant(filled(8, 1));
  auto changed = fg::assign_add(w, one);
  fg::session s{g};
  s.initialize();
  auto step = s.prepare(fg::feed(), fg::fetch(p[0], shaped), changed.source);
  const auto [a, b] = step();
  const auto [c, d] = step();
  CHECK(a[7] == 1.f);
  CHECK(b.shape() == fg::shape{2, 4});
  CHECK(b[7] == 1.f);
  CHECK(c[7] == 2.f);
  CHECK(d[7] == 2.f);
}

TEST_CASE("passing: an uninitialized variable is named") {
  fg::graph g;
  auto w = g.variable("w", filled(8, 1));
  auto y = add(fg::identity(fg::out<float>(w)), fg::out<float>(w));
  fg::session s{g};
  auto step = s.prepare(fg::feed(), fg::fetch(y));
  const auto refused = step.try_run({});
  REQUIRE(!refused.has_value());
  CHECK(refused.error().code() == error_code::failed_precondition);
  CHECK(refused.error().message().find("'w'") != std::string::npos);
}

TEST_CASE("passing: in a loop's body and on a branch, values are names of one place") {
  fg::graph g;
  auto x = g.placeholder<float>("x", {1000});
  auto n = g.placeholder<float>("n", {});
  auto zero = g.constant(0.f), one = g.constant(1.f);
  auto w = g.variable("w", filled(1000, 1));
  const values done = loop(
      {fg::identity(zero), add(x, x)}, [&](const values& v) { return less(pass(v[0])[0], invariant(n)); },
      [&](const values& v) {
        const values p = pass(v[0], v[1]);
        return values{add(p[0], invariant(one)), pass(add(p[1], invariant(one)))[0]};
      });
  const values q = pass(done[1], fg::out<float>(w));
  auto y = add(q[0], q[1]);
  counting_memory memory;
  fg::session s{g, {.memory = &memory}};
  s.initialize();
  auto step = s.prepare(fg::feed(x, n), fg::fetch(y));
  CHECK(step.plan().queued == "");
  const auto in = filled(1000, 2);
  CHECK(step(in, 5.f)[999] == 10.f);
  CHECK(step(in, 0.f)[999] == 5.f);
  CHECK(s.run(fg::fetch(y), {{x, in}, {n, 5.f}})[999] == 10.f);
  const fg::tensor<float> often(7.f);
  CHECK(taken_when_warm(memory, [&] { step(in, often); }) == 0);
}

TEST_CASE("passing: nodes that also look at their input share it too") {
  fg::graph g;
  auto x = g.placeholder<float>("x", {1000});
  auto sum = add(x, x);
  auto checked = fg::apply(fg::check_numerics_op{"bad"}, sum);
  auto y = multiply(fg::reshape(checked, {1000}), x);
  counting_memory memory;
  fg::session s{g, {.memory = &memory}};
  auto step = s.prepare(fg::feed(x), fg::fetch(y, checked));
  const auto in = filled(1000, 3);
  {
    const auto [product, same] = step(in);
    CHECK(product[999] == 18.f);
    CHECK(same[999] == 6.f);
  }
  CHECK(taken_when_warm(memory, [&] { step(in); }) == 0);
  CHECK(step.plan().dynamic_nodes == 0);
  CHECK(step.plan().copies.empty());
  const auto refused = step.try_run({}, filled(1000, std::numeric_limits<float>::infinity()));
  REQUIRE(!refused.has_value());
  CHECK(refused.error().message().find("bad") != std::string::npos);
}

TEST_CASE("passing: what is copied for a fetch is told") {
  fg::graph g;
  auto x = g.placeholder<float>("x", {4});
  auto extents = g.placeholder<std::int32_t>("extents", {2});
  auto y = fg::apply(fg::reshape_op{}, add(x, x), extents, {"shaped"});
  fg::session s{g};
  auto step = s.prepare(fg::feed(x, extents), fg::fetch(fg::out<float>(y)));
  CHECK(step.plan().copies.empty());
  CHECK(step(filled(4, 1), fg::tensor<std::int32_t>({2}, {2, 2})).shape() == fg::shape{2, 2});
  REQUIRE(step.plan().copies.size() == 1);
  CHECK(step.plan().copies[0].name == "shaped");
  CHECK(step.plan().copies[0].bytes == 16);
}

TEST_CASE("passing: a variable in another shape is read in that shape") {
  for (const bool in_set : {false, true}) {
    fg::graph g;
    auto x = g.placeholder<float>("x", {3, 2});
    auto w = g.variable("w", fg::tensor<float>({6}, {1, 2, 3, 4, 5, 6}));
    auto matrix = fg::reshape(w, {3, 2}), row = fg::reshape(matrix, {1, 6});
    auto product = multiply(x, matrix), scaled = multiply(row, row);
    auto twice = add(fg::out<float>(w), fg::out<float>(w));
    fg::session s{g};
    s.initialize();
    if (in_set) s.make_set("weights", w);
    auto step = s.prepare(fg::feed(x), fg::fetch(product, scaled, twice, matrix));
    for (int call = 0; call < 3; ++call) {
      const auto [p, squares, doubled, m] = step(fg::tensor<float>({3, 2}, {1, 1, 1, 1, 1, 2}));
      CHECK(p.shape() == fg::shape{3, 2});
      CHECK(p[5] == 12.f);
      CHECK(squares.shape() == fg::shape{1, 6});
      CHECK(squares[5] == 36.f);
      CHECK(doubled.shape() == fg::shape{6});
      CHECK(m.shape() == fg::shape{3, 2});
    }
  }
}

TEST_CASE("passing: a variable that takes another shape within a step is read as it is then") {
  fg::graph g;
  auto x = g.placeholder<float>("x", {1, 3});
  auto w = g.variable("w", fg::tensor<float>({2, 3}, {1, 2, 3, 4, 5, 6}));
  auto alone = fg::identity(w);
  const auto shorter = fg::apply(fg::assign_op{.validate_shape = false}, w, x);
  auto after = g.after(shorter);
  auto read = fg::identity(w);
  fg::session s{g};
  s.initialize();
  const fg::tensor<float> in({1, 3}, {7, 8, 9});
  auto step = s.prepare(fg::feed(x), fg::fetch(read));
  for (int call = 0; call < 2; ++call) {
    const auto now = step(in);
    CHECK(now.shape() == fg::shape{1, 3});
    CHECK(now[2] == 9.f);
  }
  CHECK(s.prepare(fg::feed_list<>{}, fg::fetch(alone))().shape() == fg::shape{1, 3});
}

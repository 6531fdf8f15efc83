#include <flowgraph/passes/dependencies.hpp>

#include <flowgraph/ops/array/identity.hpp>

#include "drafted.hpp"

using namespace engine;

namespace {

struct ordered {
  fg::graph g;
  fg::out<float> x = g.placeholder<float>("x", {});
  fg::tensor<float> three{3.f};

  // A node that waits for others.
  fg::out<float> sum(const char* name) { return fg::apply(add_op{}, x, x, {name}); }
  template <class... After> fg::out<float> late(const char* name, const After&... after) {
    auto order = g.after(after...);
    return sum(name);
  }
  passed over(std::vector<fg::any_out> fetches, std::vector<fg::target> targets = {}) const {
    return {fg::passes::dependencies, g, {x}, std::move(fetches), std::move(targets)};
  }
};

all_names names_of(std::span<draft_node* const> nodes) {
  all_names all;
  for (const draft_node* n : nodes) all.push_back(std::string(n->name));
  return all;
}

}  // namespace

TEST_CASE("dependencies: a NoOp in the middle goes, and the order stays") {
  ordered m;
  std::atomic<int> runs = 0;
  const auto a = counted(m.x, runs, {"a"}), b = counted(m.x, runs, {"b"});
  const fg::target both = fg::group(std::vector<fg::target>{a, b}, {"both"});
  const auto y = m.late("y", both);
  const passed p = m.over({y});
  CHECK(p.changed == 1);
  CHECK(p.names() == all_names{"x", "a", "b", "y"});
  CHECK(names_of(p.at("y").controls) == all_names{"a", "b"});
  CHECK(p.at("a").is_waited_for);
  // As a target it stays.
  CHECK(m.over({y}, {both}).names() == all_names{"x", "a", "b", "both", "y"});
  check_same_with_passes(m.g, {y}, {{m.x, m.three}}, {both});
}

TEST_CASE("dependencies: no more edges than before") {
  ordered m;
  std::atomic<int> runs = 0;
  const auto a = counted(m.x, runs), b = counted(m.x, runs), c = counted(m.x, runs);
  const fg::target all = fg::group(std::vector<fg::target>{a, b, c}, {"all"});
  const auto y = m.late("y", all), z = m.late("z", all);
  CHECK(m.over({y}).names().size() == 5);
  const passed p = m.over({y, z});
  CHECK(names_of(p.at("z").controls) == all_names{"all"});
}

TEST_CASE("dependencies: an identity that waits hands its order on to its readers") {
  ordered m;
  std::atomic<int> runs = 0;
  const auto a = counted(m.x, runs, {"a"});
  const auto held = [&] {
    auto order = m.g.after(a);
    return fg::identity(m.x, {"held"});
  }();
  const auto y = add(held, held, {"y"});
  const passed p = m.over({y});
  CHECK(p.names() == all_names{"x", "a", "y"});
  CHECK(p.name_of_input("y", 1) == "x");
  CHECK(names_of(p.at("y").controls) == all_names{"a"});
  check_same_with_passes(m.g, {y}, {{m.x, m.three}});
  CHECK(runs == 18);
}

TEST_CASE("dependencies: what is ordered by other edges needs no control edge") {
  ordered m;
  const auto a = m.sum("a"), b = add(a, a, {"b"});
  const auto y = [&] {
    auto order = m.g.after(a, m.g.constant(1.f), b);
    return fg::apply(add_op{}, b, m.x, {"y"});
  }();
  const passed p = m.over({y});
  CHECK(p.at("y").controls.empty());
  check_same_with_passes(m.g, {y}, {{m.x, m.three}});
}

TEST_CASE("dependencies: a node that others wait for and nobody reads is not run if it has no effect") {
  ordered m;
  const auto unread = add(m.x, m.x, {"unread"});
  const auto y = m.late("y", add(unread, m.x, {"waited"}));
  CHECK(m.over({y}).names() == all_names{"x", "y"});
  // What has one runs.
  std::atomic<int> runs = 0;
  const auto z = m.late("z", add(counted(m.x, runs, {"counted"}), m.x));
  const passed p = m.over({z});
  CHECK(p.names() == all_names{"x", "counted", "z"});
  CHECK(names_of(p.at("z").controls) == all_names{"counted"});
  fg::session s{m.g, {.passes = with_further_passes()}};
  s.run(fg::fetch(z), {{m.x, m.three}});
  CHECK(runs == 1);
}

TEST_CASE("dependencies: the order of writes and readings of a variable stays") {
  ordered m;
  auto v = m.g.variable("v", m.three);
  const auto before = fg::identity(fg::out<float>(v), {"before"});
  const auto write = [&] {
    auto order = m.g.after(before);
    return fg::assign_add(v, m.x, {"write"});
  }();
  const fg::target nothing = fg::group(std::vector<fg::target>{write}, {"nothing"});
  const auto after = [&] {
    auto order = m.g.after(nothing);
    return fg::identity(fg::out<float>(v), {"after"});
  }();
  const auto y = multiply(before, after, {"y"});
  const passed p = m.over({y});
  CHECK(names_of(p.at("after").controls) == all_names{"write"});
  CHECK(names_of(p.at("write").controls) == all_names{"before"});
  check_same_with_passes(m.g, {y, after}, {{m.x, m.three}});
}

TEST_CASE("dependencies: on a branch what waits for one side of a Switch keeps its anchor") {
  fg::graph g;
  const auto x = g.placeholder<float>("x", {});
  const auto asked = g.placeholder<bool>("asked", {});
  const auto sides = fg::switch_(x, fg::identity(asked, {"again"}));
  const auto pivot = fg::identity(sides.if_true, {"pivot"});
  const auto ten = [&] {
    auto order = g.after(pivot);
    return g.constant(10.f, {"ten"});
  }();
  const auto y = fg::merge({sides.if_false, ten}, {"y"}).value;
  const passed p(fg::passes::dependencies, g, {x, asked}, {y});
  CHECK(names_of(p.at("ten").controls) == all_names{"pivot"});
  for (const draft_node& n : p.made) CHECK(n.name != "again");
  CHECK(p.at("asked").is_weighed);
  for (const bool answer : {false, true}) check_same_with_passes(g, {y}, {{x, 3.f}, {asked, answer}});
}

TEST_CASE("dependencies: a constant that waits for nothing is one of the plan") {
  ordered m;
  const auto a = m.sum("a");
  const auto two = [&] {
    auto order = m.g.after(a);
    return m.g.constant(2.f, {"two"});
  }();
  const auto y = add(two, m.x, {"y"});
  const passed p = m.over({y, a});
  CHECK(p.at("two").kind == draft_node::form::constant);
  check_same_with_passes(m.g, {y, a}, {{m.x, m.three}});
}

TEST_CASE("dependencies: in the body of a loop") {
  fg::graph g;
  const auto x = g.placeholder<float>("x", {});
  const auto y = loop(
      {x, fg::identity(x)}, [&](const values& v) { return less(v[0], invariant(g.constant(20.f))); },
      [&](const values& v) {
        auto order = g.after(v[1]);
        const auto one = g.constant(1.f);
        const auto waits = [&] {
          auto later = g.after(one);
          return fg::identity(add(v[0], one));
        }();
        return values{waits, fg::identity(v[1])};
      });
  check_same_with_passes(g, {y[0], y[1]}, {{x, 9.f}});
}

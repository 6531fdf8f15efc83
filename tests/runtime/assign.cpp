#include <flowgraph/runtime/session.hpp>

#include <flowgraph/flowgraph.hpp>

#include <doctest/doctest.h>

namespace fg = flowgraph;

namespace {

struct assigned_model {
  fg::graph g;
  fg::variable<float> w = g.variable("w", fg::random_normal<float>({2, 2}));
  fg::variable<float> b = g.variable("b", fg::zeros<float>({2}));
  fg::variable<float> copy = g.variable("copy", fg::initial_value(fg::out<float>(w)));
  fg::variable<std::int64_t> steps = g.variable("steps", fg::tensor<std::int64_t>(0));
};

fg::tensor<float> four() { return {{2, 2}, {1, 2, 3, 4}}; }

std::vector<float> list(const fg::tensor<float>& t) { return {t.begin(), t.end()}; }

}  // namespace

TEST_CASE("a session assigns to variables from outside, without nodes, before or after they have values") {
  assigned_model m;
  fg::session s{m.g};
  const std::size_t size = m.g.size();
  s.assign({{m.w, four()},
            {m.b, fg::tensor<float>({2}, {5, 6})},
            {m.copy, fg::tensor<float>({2, 2}, {9, 9, 9, 9})},
            {m.steps, fg::tensor<std::int64_t>(7)}});
  auto [w, b, copy, steps] = s.run(fg::fetch(m.w, m.b, m.copy, m.steps));
  CHECK(list(w) == std::vector<float>{1, 2, 3, 4});
  CHECK(list(b) == std::vector<float>{5, 6});
  CHECK(list(copy) == std::vector<float>{9, 9, 9, 9});
  CHECK(steps.scalar() == 7);
  s.assign({{m.b, fg::tensor<float>({2}, {7, 8})}});
  CHECK(list(s.run(fg::fetch(m.b))) == std::vector<float>{7, 8});
  CHECK(m.g.size() == size);
  s.assign({});
}

TEST_CASE("what was assigned is the variable's own: neither changes the other") {
  assigned_model m;
  fg::session s{m.g};
  fg::tensor<float> given = four();
  s.assign({{m.w, given}});
  auto grown = fg::assign_add(m.w, m.g.constant(fg::tensor<float>({2, 2}, {1, 1, 1, 1})));
  s.run(grown);
  CHECK(list(given) == std::vector<float>{1, 2, 3, 4});
  s.assign({{m.w, given}});
  given.writable()[0] = 100;
  CHECK(list(s.run(fg::fetch(m.w))) == std::vector<float>{1, 2, 3, 4});
}

TEST_CASE("variables without an initializer of their own are assigned by the node that the graph has for it") {
  fg::graph g;
  const auto w = fg::apply_in<float>(g, fg::variable_v2_op{fg::shape{2}, {}, {}}, {"w"});
  fg::apply(fg::assign_op{}, w, g.constant(fg::tensor<float>({2}, {0, 0})));
  fg::session s{g};
  const fg::fed given[]{{w, fg::tensor<float>({2}, {1, 2})}};
  REQUIRE(s.try_assign(given).has_value());
  CHECK(list(s.run(fg::fetch(w))) == std::vector<float>{1, 2});
}

TEST_CASE("what does not fit is refused by name before anything has changed") {
  assigned_model m;
  fg::session s{m.g};
  s.initialize();
  const auto before = list(s.run(fg::fetch(m.b)));
  const auto refused = [&](fg::fed bad, const char* text) {
    const fg::fed all[]{{m.b, fg::tensor<float>({2}, {5, 6})}, bad};
    auto made = s.try_assign(all);
    REQUIRE_FALSE(made.has_value());
    CHECK(made.error().code() == fg::error_code::invalid_argument);
    CHECK(std::string(made.error().what()).find(text) != std::string::npos);
    CHECK(list(s.run(fg::fetch(m.b))) == before);
  };
  refused({m.w, fg::tensor<float>({3}, {1, 2, 3})}, "the tensor assigned to 'w' must have shape");
  refused({fg::any_out(m.w), fg::tensor<double>(1.).erased()}, "the tensor assigned to 'w' must be float, found double");
  refused({m.g.constant(1.f), fg::tensor<float>(1.f)}, "is not a variable to which a node of its graph assigns a value");
  refused({m.b, fg::tensor<float>({2}, {5, 6})}, "was named twice");
  refused({fg::any_out(), fg::tensor<float>(1.f).erased()}, "an empty handle");
  refused({"w", fg::tensor<float>({3}, {1, 2, 3})}, "the tensor assigned to 'w' must have shape");
  refused({"b:0", fg::tensor<float>({2}, {5, 6})}, "was named twice");
  assigned_model other;
  refused({other.w, four()}, "is not a variable to which a node of its graph assigns a value");
}

TEST_CASE("a list known at run time is assigned at once") {
  assigned_model m;
  fg::session s{m.g};
  s.initialize();
  std::vector<fg::fed> values{{m.b, fg::tensor<float>({2}, {5, 6})}};
  values.push_back({fg::any_out(m.w), four().erased()});
  s.assign(values);
  CHECK(list(s.run(fg::fetch(m.b))) == std::vector<float>{5, 6});
  CHECK(list(s.run(fg::fetch(m.w))) == list(four()));
}

TEST_CASE("a variable may be assigned to by its name, and an unknown name is an error that contains it") {
  assigned_model m;
  fg::session s{m.g};
  s.assign({{"w", four()}, {m.b, fg::tensor<float>({2}, {5, 6})}});
  CHECK(list(s.run(fg::fetch(m.w))) == list(four()));
  const fg::fed unknown[]{{"missing", four()}};
  const auto made = s.try_assign(unknown);
  REQUIRE_FALSE(made.has_value());
  CHECK(made.error().code() == fg::error_code::not_found);
  CHECK(std::string(made.error().what()).find("missing") != std::string::npos);
}

TEST_CASE("an assignment to a member of a set changes no other variable") {
  assigned_model m;
  fg::session s{m.g};
  s.initialize();
  s.assign({{m.b, fg::tensor<float>({2}, {1, 2})}});
  const auto set = s.make_set("weights", m.w);
  const fg::fed values[]{{m.b, fg::tensor<float>({2}, {5, 6})}, {m.w, four()}};
  const auto refused = s.try_assign(values);
  REQUIRE_FALSE(refused.has_value());
  CHECK(refused.error().code() == fg::error_code::failed_precondition);
  CHECK(refused.error().node() == "w");
  CHECK(list(s.run(fg::fetch(m.b))) == std::vector<float>{1, 2});
}

#include <flowgraph/ops/control_flow/ref_select.hpp>

#include "../evaluate.hpp"

#include <flowgraph/ops/control_flow/while_loop.hpp>
#include <flowgraph/ops/operators.hpp>
#include <flowgraph/ops/state/variable.hpp>

using namespace ops_test;

namespace {

// Two variables, and a reference to one of them.
struct chosen_variables {
  fg::graph g;
  fg::variable<float> v = g.variable("v", fg::tensor<float>(1.f)), w = g.variable("w", fg::tensor<float>(2.f));
  fg::out<std::int32_t> which = g.placeholder<std::int32_t>("which", {});
  fg::out<float> chosen = fg::apply(fg::ref_select_op{}, which, fg::out_list<float>{v, w});
};

fg::tensor<std::int32_t> index(std::int32_t i) { return fg::tensor<std::int32_t>(i); }

}  // namespace

TEST_CASE("RefSelect reads and changes the variable that the index names") {
  chosen_variables c;
  const auto value = c.chosen * 10.f;
  const auto set = fg::apply(fg::assign_op{}, c.chosen, c.g.constant(5.f));
  CHECK(c.chosen.shape() == fg::shape{});
  fg::session s{c.g};
  s.initialize();
  CHECK(s.run(fg::fetch(value), {{c.which, index(0)}}).scalar() == 10);
  CHECK(s.run(fg::fetch(value), {{c.which, index(1)}}).scalar() == 20);
  CHECK(s.run(fg::fetch(set), {{c.which, index(1)}}).scalar() == 5);
  CHECK(s.run(fg::fetch(c.v)).scalar() == 1);
  CHECK(s.run(fg::fetch(c.w)).scalar() == 5);
}

TEST_CASE("a prepared step with RefSelect chooses in each run") {
  chosen_variables c;
  const auto value = c.chosen * 10.f;
  fg::session s{c.g};
  s.initialize();
  auto step = s.prepare(fg::feed(c.which), fg::fetch(value));
  for (const std::int32_t i : {1, 0, 0, 1}) CHECK(step(index(i)).scalar() == (i ? 20 : 10));
}

TEST_CASE("RefSelect refuses an index that names nothing, and variables without a value") {
  chosen_variables c;
  const auto value = c.chosen * 10.f;
  fg::session s{c.g};
  const auto empty = s.try_run(fg::fetch(value), {{c.which, index(0)}});
  REQUIRE(!empty);
  CHECK(empty.error().code() == fg::error_code::failed_precondition);
  s.initialize();
  for (const std::int32_t i : {-1, 2}) {
    const auto found = s.try_run(fg::fetch(value), {{c.which, index(i)}});
    REQUIRE(!found);
    CHECK(found.error().code() == fg::error_code::invalid_argument);
    CHECK(says(found.error(), fg::message{"the index must be in [0, 2), found ", i}.string()));
  }
}

TEST_CASE("in a loop, a node passes on the reference of its iteration") {
  for (const bool dynamic : {false, true}) {
    CAPTURE(dynamic);
    fg::graph g;
    const auto v = g.variable("v", fg::tensor<float>(0.f)), w = g.variable("w", fg::tensor<float>(0.f));
    const auto [i, n] = fg::while_loop(
        std::tuple{g.constant(0), g.constant(0)}, [](auto k, auto) { return k < 2; },
        [&](auto k, auto m) {
          const auto chosen = fg::apply(fg::ref_select_op{}, k, fg::out_list<float>{v, w});
          const auto one = fg::apply(fg::assign_add_op{}, chosen, g.constant(1.f));
          const auto ten = fg::apply(fg::assign_add_op{}, one, g.constant(10.f));
          const auto after = g.after(ten.source);
          return std::tuple{k + 1, m + 1};
        });
    fg::session s{g, {.dynamic = dynamic}};
    s.initialize();
    CHECK(s.run(fg::fetch(n)).scalar() == 2);
    CHECK(s.run(fg::fetch(v)).scalar() == 11);
    CHECK(s.run(fg::fetch(w)).scalar() == 11);
  }
}

#include <flowgraph/ops/state/temporary.hpp>

#include "../../core/memory.hpp"

#include <flowgraph/ops/math/math.hpp>
#include <flowgraph/ops/operators.hpp>
#include <flowgraph/runtime/session.hpp>

#include <doctest/doctest.h>

namespace fg = flowgraph;

namespace {

struct sums {
  fg::graph g;
  fg::out<float> x = g.placeholder<float>("x", {2});
  fg::out<float> temporary(const char* name) {
    return fg::apply_in<float>(g, fg::temporary_variable_op{.declared = {2}, .var_name = name});
  }
  fg::out<float> destroy(const fg::out<float>& v, const char* name) {
    return fg::apply(fg::destroy_temporary_variable_op{name}, v);
  }
  fg::error_code code(const fg::out<float>& y) {
    const fg::tensor<float> v({2}, {1, 2});
    const auto made = fg::session{g}.try_run(fg::fetch(y), {{x, v}});
    return made ? fg::error_code::ok : made.error().code();
  }
};

}  // namespace

TEST_CASE("a temporary variable begins as zeros in every run, prepared or not") {
  sums t;
  auto sum = fg::apply(fg::assign_add_op{}, t.temporary("sum"), t.x);
  auto again = fg::apply(fg::assign_add_op{}, sum, t.x);
  auto y = t.destroy(again, "sum");
  fg::session s{t.g};
  auto step = s.prepare(fg::feed(t.x), fg::fetch(y));
  const fg::tensor<float> v({2}, {1, 2});
  for (int run = 0; run < 3; ++run) {
    CHECK(s.run(fg::fetch(y), {{t.x, v}})[1] == 4.f);
    CHECK(step(v)[1] == 4.f);
  }
  CHECK(s.resources().names().empty());
}

TEST_CASE("one name is one variable a run, and is destroyed once") {
  sums t;
  auto a = t.temporary("v"), b = t.temporary("v");
  CHECK(t.code(t.destroy(a, "v")) == fg::error_code::ok);
  CHECK(t.code(t.destroy(a, "v") + t.destroy(a, "v")) == fg::error_code::not_found);
  CHECK(t.code(t.destroy(a, "w")) == fg::error_code::not_found);
  CHECK(t.code(fg::apply(fg::assign_op{}, a, t.x) + fg::apply(fg::assign_op{}, b, t.x)) == fg::error_code::already_exists);
}

TEST_CASE("a prepared step keeps temporary variables for its next run, which finds zeros, and allocates nothing") {
  sums t;
  auto held = fg::apply(fg::assign_add_op{}, t.temporary("left alone"), t.x);
  auto y = t.destroy(fg::apply(fg::assign_add_op{}, t.temporary("a temporary variable"), t.x), "a temporary variable") + held;
  test::counting_memory memory;
  fg::session s{t.g, {.memory = &memory}};
  auto step = s.prepare(fg::feed(t.x), fg::fetch(y));
  CHECK(step.plan().queued.empty());
  std::size_t warm = 0;
  for (int i = 0; i < 100; ++i) {
    if (i == 8) warm = memory.allocations();
    const auto x = static_cast<float>(i);
    CHECK(step(fg::tensor<float>({2}, {x, x}))[1] == 2 * x);
  }
  CHECK(memory.allocations() == warm);
}

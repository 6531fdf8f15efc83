#include <flowgraph/ops/data_flow/stack.hpp>

#include <flowgraph/ops/array/identity.hpp>
#include <flowgraph/ops/operators.hpp>
#include <flowgraph/runtime/session.hpp>

#include <doctest/doctest.h>

namespace fg = flowgraph;
using fg::error_code;

namespace {

struct stacks {
  fg::graph g;
  fg::out<float> x = g.placeholder<float>("x", {2});
  fg::out<fg::resource> stack(std::int32_t max_size = -1) {
    fg::stack_v2_op made;
    made.element = fg::dtype::float32;
    return fg::apply(made, g.constant(max_size));
  }
  fg::out<float> push(const fg::out<fg::resource>& s, const fg::out<float>& value) {
    return fg::apply(fg::stack_push_v2_op{}, s, value);
  }
  template <class T = float> fg::out<T> pop(const fg::out<fg::resource>& s) {
    return fg::apply_as<T>({}, fg::stack_pop_v2_op{}, s);
  }
  template <class T> error_code code(const fg::out<T>& y) {
    const auto made = fg::session{g}.try_run(fg::fetch(y), {{x, fg::tensor<float>({2}, {1, 2})}});
    return made ? error_code::ok : made.error().code();
  }
};

}  // namespace

TEST_CASE("the last pushed is the first popped, in every run") {
  stacks t;
  auto s = t.stack();
  auto first = t.push(s, t.x);
  auto after_first = t.g.after(first);
  auto second = t.push(s, first * 10.f);
  auto after_second = t.g.after(second);
  auto top = t.pop(s);
  auto after_top = t.g.after(top);
  auto bottom = t.pop(s);
  fg::session session{t.g};
  auto step = session.prepare(fg::feed(t.x), fg::fetch(top, bottom));
  CHECK(step.plan().queued.empty());
  const fg::tensor<float> v({2}, {1, 2});
  for (int i = 0; i < 3; ++i) {
    const auto [a, b] = step(v);
    CHECK(a[1] == 20.f);
    CHECK(b[1] == 2.f);
  }
  auto after_bottom = t.g.after(bottom);
  CHECK(t.code(t.pop(s)) == error_code::invalid_argument);
}

TEST_CASE("a stack refuses what it has no room for, values of another type, and all once it is closed") {
  stacks t;
  auto s = t.stack(1);
  auto first = t.push(s, t.x);
  auto after = t.g.after(first);
  CHECK(t.code(t.push(s, t.x)) == error_code::invalid_argument);
  CHECK(t.code(t.pop<std::int32_t>(s)) == error_code::internal);
  CHECK(t.code(fg::apply(fg::stack_push_v2_op{}, s, t.g.constant(1))) == error_code::invalid_argument);
  auto closed = t.g.after(fg::apply(fg::stack_close_v2_op{}, s));
  CHECK(t.code(t.pop(s)) == error_code::invalid_argument);
  CHECK(t.code(t.push(t.stack(0), t.x)) == error_code::invalid_argument);
}

TEST_CASE("a stack behind a reference") {
  stacks t;
  fg::stack_op made;
  made.element = fg::dtype::float32;
  auto s = fg::apply_in<>(t.g, made);
  auto pushed = fg::apply(fg::stack_push_op{}, s, t.x);
  auto after = t.g.after(pushed);
  auto popped = fg::apply_as<float>({}, fg::stack_pop_op{}, s);
  CHECK(t.code(popped) == error_code::ok);
  auto after_pop = t.g.after(popped);
  CHECK(t.code(fg::apply_as<float>({}, fg::stack_pop_op{}, s)) == error_code::invalid_argument);
  auto after_close = t.g.after(fg::apply(fg::stack_close_op{}, s));
  CHECK(t.code(fg::apply(fg::stack_push_op{}, s, t.x)) == error_code::invalid_argument);
}

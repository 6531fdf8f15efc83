#include <flowgraph/ops/state/resource_variable.hpp>

#include <flowgraph/runtime/session.hpp>

#include <doctest/doctest.h>

namespace fg = flowgraph;

namespace {

struct handled {
  fg::graph g;
  fg::out<fg::resource> w = fg::apply_in<float>(g, fg::var_handle_op{.declared = {3}}, {.name = "w"});
  fg::out<float> x = g.placeholder<float>("x", fg::shape::unknown());
  fg::target set = fg::apply_as<float>(fg::site{}, fg::assign_variable_op{}, w, x);
  fg::out<float> value = fg::apply_as<float>(fg::site{}, fg::read_variable_op{}, w);
  fg::session s{g};

  fg::error fails(const fg::result<void>& r) const {
    REQUIRE_FALSE(r);
    return r.error();
  }
};

}  // namespace

TEST_CASE("a variable behind a handle is set, read, changed and asked") {
  handled h;
  auto there = fg::apply(fg::var_is_initialized_op{}, h.w);
  auto add = fg::apply_as<float>(fg::site{}, fg::assign_add_variable_op{}, h.w, h.x);
  auto sub = fg::apply_as<float>(fg::site{}, fg::assign_sub_variable_op{}, h.w, h.x);
  CHECK_FALSE(h.s.run(fg::fetch(there)).scalar());
  const fg::tensor<float> x({3}, {1, 2, 3});
  h.s.run(h.set, {{h.x, x}});
  CHECK(h.s.run(fg::fetch(there)).scalar());
  h.s.run(add, {{h.x, x}});
  h.s.run(add, {{h.x, x}});
  h.s.run(sub, {{h.x, x}});
  CHECK(h.s.run(fg::fetch(h.value))[2] == 6.f);
  CHECK(x[2] == 3.f);
}

TEST_CASE("reading one without a value, or changing it by another shape, names it") {
  handled h;
  auto add = fg::apply_as<float>(fg::site{}, fg::assign_add_variable_op{}, h.w, h.x);
  const fg::tensor<float> x({3}, {1, 2, 3});
  const auto unread = h.fails(h.s.try_run(fg::target(h.value)));
  CHECK(unread.code() == fg::error_code::failed_precondition);
  CHECK(unread.message().find("'w'") != std::string_view::npos);
  CHECK(h.fails(h.s.try_run(add, {{h.x, x}})).code() == fg::error_code::not_found);
  h.s.run(h.set, {{h.x, x}});
  CHECK(h.fails(h.s.try_run(add, {{h.x, 1.f}})).code() == fg::error_code::invalid_argument);
  h.s.run(h.set, {{h.x, 1.f}});  // any shape, unless validate_shape says otherwise
  CHECK(h.s.run(fg::fetch(h.value)).scalar() == 1.f);
}

TEST_CASE("a handle of another type is refused") {
  handled h;
  auto wrong = fg::apply_as<double>(fg::site{}, fg::read_variable_op{}, h.w);
  const auto why = h.fails(h.s.try_run(fg::target(wrong)));
  CHECK(why.code() == fg::error_code::invalid_argument);
  CHECK(why.message().find("has type float, expected double") != std::string_view::npos);
}

TEST_CASE("reads and writes through handles go in the order of creation") {
  handled h;
  auto add = fg::apply_as<float>(fg::site{}, fg::assign_add_variable_op{}, h.w, h.x);
  auto after = fg::apply_as<float>(fg::site{}, fg::read_variable_op{}, h.w);
  h.s.run(h.set, {{h.x, 1.f}});
  const auto [b, a] = h.s.run(fg::fetch(after, h.value), add, {{h.x, 10.f}});
  CHECK(a.scalar() == 1.f);
  CHECK(b.scalar() == 11.f);
}

TEST_CASE("rows are gathered and scattered") {
  handled h;
  auto i = h.g.placeholder<std::int32_t>("i", fg::shape::unknown());
  auto u = h.g.placeholder<float>("u", fg::shape::unknown());
  auto rows = fg::apply_as<float, std::int32_t>(fg::site{}, fg::resource_gather_op{}, h.w, i);
  auto batched = fg::apply_as<float, std::int32_t>(fg::site{}, fg::resource_gather_op{.batch_dims = 1}, h.w, i);
  auto add = fg::apply_as<float, std::int32_t>(fg::site{}, fg::resource_scatter_add_op{}, h.w, i, u);
  h.s.run(h.set, {{h.x, fg::tensor<float>({3, 2}, {1, 2, 3, 4, 5, 6})}});
  const fg::tensor<float> got = h.s.run(fg::fetch(rows), {{i, fg::tensor<std::int32_t>({1, 2}, {2, 0})}});
  CHECK(got.shape() == fg::shape{1, 2, 2});
  CHECK(got[1] == 6.f);
  CHECK(got[2] == 1.f);
  const fg::tensor<float> own = h.s.run(fg::fetch(batched), {{i, fg::tensor<std::int32_t>({3, 2}, {0, 1, 1, 1, 0, 0})}});
  CHECK(own.shape() == fg::shape{3, 2});
  CHECK(own[2] == 4.f);
  CHECK(own[5] == 5.f);
  h.s.run(add, {{i, fg::tensor<std::int32_t>({2}, {1, 1})}, {u, fg::tensor<float>({2, 2}, {1, 1, 1, 1})}});
  CHECK(h.s.run(fg::fetch(h.value))[3] == 6.f);
  CHECK(h.fails(h.s.try_run(fg::target(rows), {{i, 3}})).message().find("indices = 3 is not in [0, 3)") !=
        std::string_view::npos);
}

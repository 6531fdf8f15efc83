#include <flowgraph/ops/array/strided_slice.hpp>

#include "../evaluate.hpp"

#include <limits>

using namespace ops_test;
using spec = fg::slice_spec;

TEST_CASE("entries between brackets, as in Python") {
  const auto x = counting<float>({3, 4});
  const auto of = [&](std::initializer_list<spec> entries) {
    return evaluate([&](auto a) { return fg::strided_slice(a, entries); }, x);
  };
  CHECK(values(of({1})) == std::vector<float>{5, 6, 7, 8});
  CHECK(values(of({-1, spec::between(1, 3)})) == std::vector<float>{10, 11});
  CHECK(values(of({spec::all(-2), 0})) == std::vector<float>{9, 1});
  CHECK(values(of({spec::ellipsis(), spec::from(-1)})) == std::vector<float>{4, 8, 12});
  CHECK(values(of({spec::to(1), spec::to(1, -1)})) == std::vector<float>{4, 3});
  CHECK(of({spec::new_axis(), spec::ellipsis(), 2, spec::new_axis()}).shape() == fg::shape{1, 3, 1});
  CHECK(of({spec::between(2, 1)}).shape() == fg::shape{0, 4});
  CHECK(of({2, 3}).scalar() == 12.f);
}

TEST_CASE("the shape is known as far as the entries tell") {
  fg::graph g;
  auto x = g.placeholder<float>("x", {fg::any, 4, 6});
  auto i = g.placeholder<std::int32_t>("i", {3});
  CHECK(fg::strided_slice(x, {spec::all(), 0, spec::from(1, 2)}).shape() == fg::shape{fg::any, 3});
  auto ones = fg::detail::shape_constant(x, {1, 1, 2}, {});
  CHECK(fg::strided_slice(x, i, i, ones, {.begin_mask = 4, .end_mask = 4, .shrink_axis_mask = 1}).shape() ==
        fg::shape{fg::any, 3});
  CHECK(fg::strided_slice(x, i, i, i).shape() == fg::shape{fg::any, fg::any, fg::any});
}

TEST_CASE("what cannot be a slice is refused, in a prepared step too") {
  fg::graph g;
  auto x = g.placeholder<float>("x", {3});
  auto i = g.placeholder<std::int32_t>("i", {1});
  auto one = fg::detail::shape_constant(x, {1}, {});
  auto y = fg::strided_slice(x, i, i, one, {.shrink_axis_mask = 1});
  fg::session s{g};
  const fg::tensor<float> v({3}, {1, 2, 3});
  auto step = s.prepare(fg::feed(x, i), fg::fetch(y));
  CHECK(step(v, vector<std::int32_t>({-1})).scalar() == 3.f);
  for (const std::int32_t wild : {3, -4, 2147483647, -2147483647 - 1}) {
    const auto made = s.try_run(fg::fetch(y), {{x, v}, {i, vector<std::int32_t>({wild})}});
    REQUIRE_FALSE(made);
    CHECK(made.error().code() == fg::error_code::invalid_argument);
    CHECK(says(made.error(), "must lie in [-3, 3)"));
    CHECK_THROWS_AS(step(v, vector<std::int32_t>({wild})), fg::error);
  }
}

TEST_CASE("a slice of a tensor is replaced, broadcast") {
  const auto x = counting<float>({2, 3});
  const auto update = [](auto a, auto v) {
    const auto at = [&](std::int32_t i) { return fg::detail::shape_constant(a, {i, 2 - i}, {}); };
    return fg::apply(fg::site{}, fg::tensor_strided_slice_update_op{}, a, at(0), fg::detail::shape_constant(a, {2, 0}, {}),
                     fg::detail::shape_constant(a, {1, -1}, {}), v);
  };
  CHECK(values(evaluate(update, x, fg::tensor<float>({2, 2}, {7, 8, 9, 10}))) == std::vector<float>{1, 8, 7, 4, 10, 9});
  CHECK(values(evaluate(update, x, fg::tensor<float>(0.f))) == std::vector<float>{1, 0, 0, 4, 0, 0});
  CHECK(values(evaluate(update, x, fg::tensor<float>({2, 1}, {7, 8}))) == std::vector<float>{1, 7, 7, 4, 8, 8});
}

TEST_CASE("the step beyond the only element may be any number") {
  fg::graph g;
  auto x = g.placeholder<float>("x", {2, 3});
  constexpr std::int64_t far = std::numeric_limits<std::int64_t>::max();
  const auto at = [&](std::int64_t a, std::int64_t b) { return g.constant(fg::tensor<std::int64_t>({2}, {a, b})); };
  auto y = fg::apply(fg::strided_slice_op{}, x, at(1, 0), at(2, 3), at(far, 1));
  fg::session s{g};
  CHECK(values(s.run(fg::fetch(y), {{x, counting<float>({2, 3})}})) == std::vector<float>{4, 5, 6});
}

TEST_CASE("an index far outside is refused, and an empty tensor may have any extents") {
  constexpr std::int64_t far = std::numeric_limits<std::int64_t>::max();
  fg::graph g;
  const auto at = [&](std::int64_t a, std::int64_t b) { return g.constant(fg::tensor<std::int64_t>({2}, {a, b})); };
  const auto dy = g.placeholder<float>("dy", fg::shape::unknown());
  const auto extents = g.placeholder<std::int64_t>("extents", {2});
  const fg::strided_slice_grad_op picking{{.shrink_axis_mask = 1}};
  const auto dx = fg::apply({}, picking, extents, at(2 - far, 0), at(0, 3), at(1, 1), dy);
  fg::session s{g};
  const auto refused = s.try_run(fg::fetch(dx), {{dy, counting<float>({3})}, {extents, fg::tensor<std::int64_t>({2}, {2, 3})}});
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code() == fg::error_code::invalid_argument);

  const auto x = g.placeholder<float>("x", fg::shape::unknown());
  const auto y = fg::apply(fg::strided_slice_op{}, x, at(0, 0), at(1, far), at(1, far / 2));
  CHECK(s.run(fg::fetch(y), {{x, fg::tensor<float>({0, far, 3})}}).shape() == fg::shape{0, 3, 3});
}

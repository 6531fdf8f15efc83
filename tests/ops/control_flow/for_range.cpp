#include <flowgraph/ops/control_flow/for_range.hpp>

#include <flowgraph/ops/array/concat.hpp>
#include <flowgraph/ops/math/cast.hpp>

#include "../evaluate.hpp"

using namespace ops_test;

TEST_CASE("for_range: one state or a tuple of them, over numbers from handles or not") {
  fg::graph g;
  auto first = g.placeholder<std::int32_t>("first", {}), last = g.placeholder<std::int32_t>("last", {});
  auto sum = fg::for_range(first, last, g.constant(0), [](auto i, auto s) { return s + i; });
  auto from_two = fg::for_range(2, last, g.constant(0), [](auto i, auto s) { return s + i; });
  auto to_nine = fg::for_range(first, 9, g.constant(0), [](auto i, auto s) { return s + i; });
  auto [a, b] = fg::for_range(first, last, std::tuple{g.constant(0.0), g.constant(std::int64_t(1))}, [](auto i, auto x, auto y) {
    return std::tuple{x + fg::cast<double>(y), y * (fg::cast<std::int64_t>(i) + std::int64_t(1))};
  });
  CHECK(sum.shape() == fg::shape{});
  fg::session s{g};
  const auto [x, y, z, u, v] = s.run(fg::fetch(sum, from_two, to_nine, a, b), {{first, 1}, {last, 5}});
  CHECK(x.scalar() == 10);
  CHECK(y.scalar() == 9);
  CHECK(z.scalar() == 36);
  CHECK(u.scalar() == 1 + 2 + 6 + 24);
  CHECK(v.scalar() == 120);
  CHECK(s.run(fg::fetch(sum), {{first, 5}, {last, 1}}).scalar() == 0);
}

TEST_CASE("for_range: a list as the state, and one whose shape changes") {
  fg::graph g;
  auto n = g.placeholder<std::int64_t>("n", {});
  auto rotated = fg::for_range(std::int64_t(0), n, fg::out_list<float>{g.constant(1.f), g.constant(2.f), g.constant(3.f)},
                               [](auto, const fg::out_list<float>& l) {
                                 return fg::out_list<float>{l[1], l[2], l[0]};
                               });
  auto x = g.constant(vector<float>({1, 2}));
  auto grown = fg::for_range(std::int64_t(0), n, x,
                             [&](auto, auto v) {
                               return fg::concat({v, x}, 0);
                             },
                             {.shapes = {fg::shape{fg::any}}});
  fg::session s{g};
  const auto [a, b] = s.run(fg::fetch(rotated[0], grown), {{n, std::int64_t(4)}});
  CHECK(a.scalar() == 2.f);
  CHECK(b.size() == 10);
}

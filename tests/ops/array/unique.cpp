#include <flowgraph/ops/array/unique.hpp>

#include <flowgraph/ops/array/constant.hpp>
#include <flowgraph/runtime/session.hpp>

#include <doctest/doctest.h>

namespace fg = flowgraph;

namespace {

template <class T> std::pair<std::vector<T>, std::vector<std::int32_t>> unique_of(std::vector<T> x) {
  fg::graph g;
  const auto [values, index] = fg::unique(g.constant(fg::tensor<T>({x.size()}, std::span<const T>(x))));
  fg::session s{g};
  const auto [v, i] = s.run(fg::fetch(values, index));
  return {{v.begin(), v.end()}, {i.begin(), i.end()}};
}

}  // namespace

TEST_CASE("unique keeps the order of first appearance") {
  using indices = std::vector<std::int32_t>;
  CHECK(unique_of<std::int64_t>({7, 3, 7, 7, 1, 3}) == std::pair(std::vector<std::int64_t>{7, 3, 1}, indices{0, 1, 0, 0, 2, 1}));
  CHECK(unique_of<std::string>({"b", "a", "b"}) == std::pair(std::vector<std::string>{"b", "a"}, indices{0, 1, 0}));
  CHECK(unique_of<float>({0.f, -0.f, 1.f}) == std::pair(std::vector<float>{0.f, 1.f}, indices{0, 0, 1}));
  CHECK(unique_of<std::int32_t>({}) == std::pair(std::vector<std::int32_t>{}, indices{}));
}

TEST_CASE("unique of many") {
  std::vector<std::int32_t> x;
  for (std::int32_t i = 0; i < 10000; ++i) x.push_back(i * 64 % 4099);
  const auto [values, index] = unique_of(x);
  CHECK(values.size() == 4099);
  for (std::size_t i = 0; i < x.size(); ++i) REQUIRE(values[static_cast<std::size_t>(index[i])] == x[i]);
}

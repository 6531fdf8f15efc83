#include <flowgraph/ops/random/shuffle.hpp>

#include "../evaluate.hpp"

#include <algorithm>

using namespace ops_test;

// The orders are those of TensorFlow.
TEST_CASE("rows come in TensorFlow's order, another in each run") {
  fg::graph g;
  fg::tensor<std::int64_t> numbers({10}), rows({5, 2});
  for (std::size_t i = 0; i < 10; ++i) numbers.writable()[i] = rows.writable()[i] = static_cast<std::int64_t>(i);
  auto y = fg::apply(fg::random_shuffle_op{{1, 2}}, g.constant(numbers));
  auto z = fg::apply(fg::random_shuffle_op{{1, 2}}, g.constant(rows));
  fg::session s{g};
  const auto [first, shuffled] = s.run(fg::fetch(y, z));
  const auto second = s.run(fg::fetch(y));
  const std::vector<std::int64_t> one{9, 0, 8, 6, 1, 3, 7, 2}, other{8, 7, 4, 3, 2, 1, 9, 5};
  CHECK(std::equal(one.begin(), one.end(), first.begin()));
  CHECK(std::equal(other.begin(), other.end(), second.begin()));
  CHECK(values(shuffled) == std::vector<std::int64_t>{8, 9, 0, 1, 4, 5, 2, 3, shuffled[8], shuffled[9]});
}

TEST_CASE("texts are shuffled as well") {
  fg::graph g;
  auto y = fg::random_shuffle(g.constant(fg::tensor<std::string>({3}, {"a long text that is not kept in place", "b", "c"})), 5);
  fg::session s{g};
  auto found = values(s.run(fg::fetch(y)));
  std::sort(found.begin(), found.end());
  CHECK(found == std::vector<std::string>{"a long text that is not kept in place", "b", "c"});
}

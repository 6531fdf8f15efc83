#include <flowgraph/ops/input/slices.hpp>

#include "../../harness/engine_ops.hpp"

namespace fg = flowgraph;
using fg::error_code;

namespace {

std::vector<std::int64_t> numbers_of_slices(const fg::slice_options& o) {
  fg::graph g;
  const auto some = fg::slices(o, g.constant(fg::tensor<std::int64_t>({7}, {0, 1, 2, 3, 4, 5, 6})));
  fg::session s{g};
  for (std::int64_t epoch = 0; epoch < some.filling.times; ++epoch) s.run(some.filling.enqueue);
  s.run(some.filling.close);
  std::vector<std::int64_t> found;
  while (const auto slice = s.try_run(fg::fetch(some.components))) found.insert(found.end(), slice->begin(), slice->end());
  return found;
}

}  // namespace

TEST_CASE("slices of tensors go side by side, alone or several at once") {
  fg::graph g;
  const auto x = g.constant(fg::tensor<float>({3, 2}, {1, 2, 3, 4, 5, 6}));
  const auto n = g.constant(fg::tensor<std::int64_t>({3}, {10, 20, 30}));
  const auto one = fg::slices({.epochs = 1}, x, n);
  const auto two = fg::slices({.size = 2, .epochs = 1}, x, n);
  const auto& [x1, n1] = one.components;
  const auto& [x2, n2] = two.components;
  CHECK(x1.shape() == fg::shape{2});
  CHECK(x2.shape() == fg::shape{2, 2});
  fg::session s{g};
  s.run(one.filling.enqueue);
  s.run(two.filling.enqueue);
  s.run(fg::fetch(x1, n1));
  const auto [fx, fn] = s.run(fg::fetch(x1, n1));
  CHECK(fx[1] == 4);
  CHECK(fn.scalar() == 20);
  const auto [bx, bn] = s.run(fg::fetch(x2, n2));
  CHECK(bx(1, 0) == 3);
  CHECK(bn[1] == 20);
  s.run(two.filling.close);
  CHECK(s.try_run(fg::fetch(x2)).error().code() == error_code::out_of_range);
}

TEST_CASE("slices come once in an epoch, in their order or in another, whole or as a shard") {
  using list = std::vector<std::int64_t>;
  CHECK(numbers_of_slices({.epochs = 2}) == list{0, 1, 2, 3, 4, 5, 6, 0, 1, 2, 3, 4, 5, 6});
  CHECK(numbers_of_slices({.size = 5, .epochs = 1}) == list{0, 1, 2, 3, 4});
  CHECK(numbers_of_slices({.size = 5, .epochs = 1, .allow_smaller = true}) == list{0, 1, 2, 3, 4, 5, 6});
  CHECK(numbers_of_slices({.epochs = 1, .shard = 1, .shards = 3}) == list{1, 4});
  list first = numbers_of_slices({.epochs = 2, .shuffles = true, .seed = 1});
  REQUIRE(first.size() == 14);
  CHECK(first == numbers_of_slices({.epochs = 2, .shuffles = true, .seed = 1}));
  list second(first.begin() + 7, first.end());
  first.resize(7);
  CHECK(first != second);
  for (list* epoch : {&first, &second}) {
    CHECK_FALSE(std::is_sorted(epoch->begin(), epoch->end()));
    std::sort(epoch->begin(), epoch->end());
    CHECK(*epoch == list{0, 1, 2, 3, 4, 5, 6});
  }
}

TEST_CASE("slices of tensors that differ in length end in an error that names the node") {
  fg::graph g;
  const auto some = fg::slices({.size = 3, .epochs = 1}, g.constant(fg::tensor<float>({3}, {1, 2, 3})),
                               g.constant(fg::tensor<float>({2}, {1, 2})));
  fg::session s{g};
  s.run(some.filling.enqueue);
  CHECK(s.try_run(fg::fetch(std::get<1>(some.components))).error().code() == error_code::invalid_argument);
}

TEST_CASE("every n-th row, and every n-th value") {
  fg::graph g;
  const auto rows = fg::every_nth(g.constant(fg::tensor<float>({5, 2}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9})), 2, 1);
  CHECK(rows.shape() == fg::shape{2, 2});
  fg::session s{g};
  const auto found = s.run(fg::fetch(rows));
  CHECK(std::vector<float>(found.begin(), found.end()) == std::vector<float>{2, 3, 6, 7});
  const std::vector<int> values{0, 1, 2, 3, 4};
  CHECK(fg::every_nth(values, 2) == std::vector<int>{0, 2, 4});
  CHECK(fg::every_nth(values, 3, 2) == std::vector<int>{2});
  CHECK(fg::every_nth(values, 0).empty());
  CHECK(fg::every_nth(values, 2, -1).empty());
}

TEST_CASE("no slices, and a share that cannot be, are refused") {
  fg::graph g;
  const auto none = g.constant(fg::tensor<float>({0, 3}));
  CHECK_THROWS_WITH_AS(fg::slices({.size = 2}, none), doctest::Contains("nothing to repeat without end"), fg::error);
  CHECK_THROWS_AS(fg::slices({.epochs = 1, .shard = 3, .shards = 2}, none), fg::error);
  CHECK(fg::slices({.size = 2, .epochs = 1}, none).filling.times == 1);
}

#include <flowgraph/ops/input/batch.hpp>

#include "../../harness/engine_ops.hpp"

namespace fg = flowgraph;
using fg::error_code;

TEST_CASE("batches of several components, whose elements come alone or many at once") {
  fg::graph g;
  const auto x = g.placeholder<float>("x", {2});
  const auto n = g.placeholder<std::int64_t>("n", {});
  const auto one = fg::batches({.size = 2}, x, n);
  const auto xs = g.placeholder<float>("xs", {fg::any, 2});
  const auto many = fg::batches({.size = 3, .capacity = 100, .of_batches = true, .allow_smaller = true}, xs);
  fg::session s{g};
  for (std::int64_t i = 0; i < 2; ++i) {
    const auto v = static_cast<float>(i);
    s.run(one.filling.enqueue, {{x, fg::tensor<float>({2}, {v, -v})}, {n, i}});
  }
  const auto& [bx, bn] = one.components;
  CHECK(bx.shape() == fg::shape{2, 2});
  const auto [fx, fn] = s.run(fg::fetch(bx, bn));
  CHECK(fx(1, 1) == -1);
  CHECK(fn[1] == 1);

  s.run(many.filling.enqueue, {{xs, fg::tensor<float>({4, 2}, {1, 2, 3, 4, 5, 6, 7, 8})}});
  s.run(many.filling.close);
  CHECK(s.run(fg::fetch(many.components)).shape() == fg::shape{3, 2});
  CHECK(s.run(fg::fetch(many.components)).shape() == fg::shape{1, 2});
  CHECK(s.try_run(fg::fetch(many.components)).error().code() == error_code::out_of_range);
}

TEST_CASE("names come in their order, each once in an epoch") {
  fg::graph g;
  const auto names = fg::file_names(g, {"a", "b"}, {.epochs = 2});
  CHECK(names.filling.times == 2);
  fg::session s{g};
  s.run(names.filling.enqueue);
  CHECK(s.run(fg::fetch(names.components)).scalar() == "a");
  CHECK(s.run(fg::fetch(names.components)).scalar() == "b");
}

TEST_CASE("a share of the names that cannot be is refused") {
  fg::graph g;
  for (const auto& [shard, shards] : {std::pair(2, 2), {-1, 2}, {0, 0}})
    CHECK_THROWS_WITH_AS(fg::file_names(g, {"a", "b"}, {.epochs = 1, .shard = shard, .shards = shards}),
                         doctest::Contains("a shard from 0 to shards - 1"), fg::error);
  CHECK_THROWS_WITH_AS(fg::file_names(g, {"a", "b"}, {.shard = 5, .shards = 8}),
                       doctest::Contains("nothing to repeat without end: shard 5 of 2 is empty"), fg::error);
  CHECK_THROWS_AS(fg::file_names(g, {}), fg::error);
  const auto none = fg::file_names(g, {"a", "b"}, {.epochs = 1, .shard = 5, .shards = 8});  // ends at once
  fg::session s{g};
  s.run(none.filling.enqueue);
  s.run(none.filling.close);
  CHECK(s.try_run(fg::fetch(none.components)).error().code() == error_code::out_of_range);
}

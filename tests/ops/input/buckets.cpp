#include <flowgraph/ops/input/buckets.hpp>

#include "../../harness/engine_ops.hpp"

namespace fg = flowgraph;
using fg::error_code;

TEST_CASE("elements are batched with those of about their length") {
  fg::graph g;
  const auto x = g.placeholder<float>("x", {fg::any});
  const auto ready =
      fg::bucketed_batches({.boundaries = {2, 4}, .size = 2, .allow_smaller = true}, fg::size_of<std::int64_t>(x), x);
  CHECK(ready.components.shape() == fg::shape{fg::any, fg::any});
  REQUIRE(ready.gathering.also.size() == 2);
  const std::vector<fg::target> ways{ready.gathering.enqueue, ready.gathering.also[0], ready.gathering.also[1]};
  fg::session s{g};
  for (const std::size_t length : {1u, 3u, 7u, 2u, 4u, 5u}) {
    fg::tensor<float> element({length});
    for (float& e : element.writable()) e = static_cast<float>(length);
    s.run(ready.filling.enqueue, {{x, element}});
  }
  using list = std::vector<float>;
  const auto gathered = [&](std::size_t way) {
    s.run(ways[way]);
    const auto batch = s.run(fg::fetch(ready.components));
    return list(batch.begin(), batch.end());
  };
  CHECK(gathered(1) == list{3, 3, 3, 2, 2, 0});  // 2 is not below the boundary 2
  CHECK(gathered(2) == list{7, 7, 7, 7, 7, 7, 7, 4, 4, 4, 4, 0, 0, 0});
  CHECK(s.try_run(ways[0], {}, {.may_wait = false}).error().code() == error_code::unavailable);
  s.run(ready.filling.close);
  CHECK(gathered(0) == list{1});
  CHECK(gathered(2) == list{5, 5, 5, 5, 5});
  for (const fg::target& way : ways) CHECK(s.try_run(way).error().code() == error_code::out_of_range);
}

TEST_CASE("a bucket without boundaries takes all, and components stay together") {
  fg::graph g;
  const auto x = g.placeholder<float>("x", {fg::any, 2});
  const auto n = g.placeholder<std::int64_t>("n", {});
  const auto ready = fg::bucketed_batches({.size = 2, .capacity = 2}, n, x, n);
  const auto& [bx, bn] = ready.components;
  CHECK(bx.shape() == fg::shape{2, fg::any, 2});
  CHECK(ready.gathering.also.empty());
  fg::session s{g};
  for (const std::int64_t i : {1, 3}) s.run(ready.filling.enqueue, {{x, fg::tensor<float>({i, 2})}, {n, i}});
  CHECK(s.try_run(ready.filling.enqueue, {{x, fg::tensor<float>({1, 2})}, {n, std::int64_t{1}}}, {.may_wait = false})
            .error()
            .code() == error_code::unavailable);
  s.run(ready.gathering.enqueue);
  const auto [fx, fn] = s.run(fg::fetch(bx, bn));
  CHECK(fx.shape() == fg::shape{2, 3, 2});
  CHECK(fn[1] == 3);
}

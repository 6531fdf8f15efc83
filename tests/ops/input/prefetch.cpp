#include <flowgraph/ops/input/prefetch.hpp>

#include "../../harness/engine_ops.hpp"

namespace fg = flowgraph;
using fg::error_code;

TEST_CASE("prefetched values are those that went in, in their order, and are not copied") {
  fg::graph g;
  const auto x = g.placeholder<float>("x", {2});
  const auto n = g.placeholder<std::int64_t>("n", {fg::any});
  const auto ready = fg::prefetched({.capacity = 2}, x, n);
  const auto& [px, pn] = ready.components;
  CHECK(px.shape() == fg::shape{2});
  CHECK(pn.shape() == fg::shape{fg::any});
  fg::session s{g};
  const fg::tensor<float> first({2}, {1, 2});
  const auto put = [&](const fg::tensor<float>& v, std::size_t size) {
    return s.try_run(ready.filling.enqueue, {{x, v}, {n, fg::tensor<std::int64_t>({size})}}, {.may_wait = false});
  };
  CHECK(put(first, 3));
  CHECK(put(fg::tensor<float>({2}, {3, 4}), 1));
  CHECK(put(first, 1).error().code() == error_code::unavailable);
  const auto [fx, fn] = s.run(fg::fetch(px, pn));
  CHECK(fx.data() == first.data());
  CHECK(fn.size() == 3);
  s.run(ready.filling.close);
  CHECK(s.run(fg::fetch(px))[1] == 4);
  CHECK(s.try_run(fg::fetch(px)).error().code() == error_code::out_of_range);
}

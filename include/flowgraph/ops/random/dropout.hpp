#pragma once
// Dropout: random zeros that prevent a network from depending on single units.

#include <flowgraph/graph/graph_state.hpp>
#include <flowgraph/ops/math/cast.hpp>
#include <flowgraph/ops/math/comparison.hpp>
#include <flowgraph/ops/array/identity.hpp>
#include <flowgraph/ops/random/random.hpp>
#include <flowgraph/ops/array/reshape.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

// Sets each element of x to 0 with probability `rate`, and divides the others by 1 - rate, so that the mean is unchanged. `rate`
// must be in [0, 1).
template <class T> out<T> dropout(const out<T>& x, float rate, std::optional<std::int64_t> seed = {}, site s = {}) {
  if (rate == 0.f) return identity(x, s);
  const std::string base(s.name.empty() ? "dropout" : s.name);
  std::string full;
  auto part = [&](const char* name) {
    full = base + '/' + name;
    return site{full, s.location};
  };
  if (!detail::has_graph(x, "dropout", {base, s.location})) return {};
  const graph g = graph_of(*x.source);
  if (!(rate >= 0.f && rate < 1.f)) {
    const error why = detail::invalid_argument({"the rate must be in [0, 1), found ", std::to_string(rate)});
    return {detail::refused_node(g.state(), why.at(base, "dropout", s.location)), 0};
  }
  const std::string draw_name = message{base, "/random_uniform"};
  const out<std::int32_t> dims = x.shape().is_known() ? detail::dims_in(g, x.shape(), draw_name, {{}, s.location})
                                                      : shape_of(x, part("random_uniform/shape"));
  const out<T> draw = random_uniform<T>(g, dims, uniform_options<T>{.seed = seed}, {draw_name, s.location});
  const out<T> bound = detail::constant_beside(x, tensor<T>(T(rate)), part("rate"));
  const out<T> scale = detail::constant_beside(x, tensor<T>(T(1.f / (1.f - rate))), part("scale"));
  const out<bool> stays = apply(greater_equal_op{}, draw, bound, part("GreaterEqual"));
  const out<T> kept = cast<T>(stays, part("Cast"));
  return apply(mul_op{}, apply(mul_op{}, x, scale, part("mul")), kept, {base, s.location});
}

}  // namespace flowgraph

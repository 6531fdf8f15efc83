#pragma once
// AddN under another name, for sums whose inputs become available one after the other.

#include <flowgraph/ops/math/math.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

// Adds tensors of the same shape. The inputs determine the shape of the sum; the attribute `shape` is only kept for files.
struct accumulate_n_v2_op {
  static constexpr std::string_view name = "AccumulateNV2";
  using types = numbers;
  static constexpr op_facts facts{.in_place = true};
  std::int64_t n = 1;
  flowgraph::shape sum_shape = flowgraph::shape::unknown();
  static constexpr auto attrs =
      flowgraph::attrs(required("N", &accumulate_n_v2_op::n), required("shape", &accumulate_n_v2_op::sum_shape));

  flowgraph::shape shape(shape_context& c, std::span<const flowgraph::shape> inputs) const {
    return add_n_op{n}.shape(c, inputs);
  }
  template <class T> void operator()(cpu ctx, view_list<const T> inputs, view<T> sum) const;
  template <class T> out_list<T> gradient(const out_list<T>& inputs, out<T>, out<T> dy) const {
    return out_list<T>(inputs.size(), dy);
  }
};

using accumulate_n_ops = type_list<accumulate_n_v2_op>;

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/math/detail/accumulate_n.hpp>
#endif

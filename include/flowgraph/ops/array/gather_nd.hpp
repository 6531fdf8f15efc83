#pragma once
// Ops that select slices by index vectors, y[i...] = params[indices[i..., 0], indices[i..., 1], ...], and ops that add slices to
// a tensor of zeros at index vectors. Each op is the gradient of the other.

#include <flowgraph/ops/array/gather.hpp>
#include <flowgraph/ops/array/reshape.hpp>
#include <flowgraph/ops/math/cast.hpp>

#include <array>

namespace flowgraph::inline FLOWGRAPH_ABI {

// The treatment of an index vector that is out of range: the op reports an error (the default), or ignores the vector. An
// ignored vector reads zeros and writes nothing.
enum class bad_indices_policy : std::uint8_t { unset, by_default, error, ignore };
constexpr std::array<std::string_view, 4> attribute_names(bad_indices_policy) { return {"", "DEFAULT", "ERROR", "IGNORE"}; }

// Selects slices of params, each named by a vector of its leading indices.
struct gather_nd_op {
  static constexpr std::string_view name = "GatherNd";
  using types = type_attrs<type_attr<"Tparams", all_types>, type_attr<"Tindices", joined<type_list<std::int16_t>, index_types>>>;
  static constexpr std::size_t moved_types = 1;
  bad_indices_policy bad_indices = bad_indices_policy::unset;
  static constexpr auto attrs = flowgraph::attrs(attr("bad_indices_policy", &gather_nd_op::bad_indices));

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& params, const flowgraph::shape& indices) const;
  template <class T, class I> void operator()(cpu ctx, view<const T> params, index_view<I> indices, view<T> y) const;
  template <class T, class I> gradients_of<T, 2> gradient(out<T> params, out<I> indices, out<T>, out<T> dy) const;
};

// Adds updates to a tensor of zeros, at the slices that index vectors name.
struct scatter_nd_op {
  static constexpr std::string_view name = "ScatterNd";
  using types = type_attrs<type_attr<"T", all_types>, type_attr<"Tindices", index_types>>;
  static constexpr auto host_inputs = flowgraph::host_inputs(2);
  bad_indices_policy bad_indices = bad_indices_policy::unset;
  static constexpr auto attrs = flowgraph::attrs(attr("bad_indices_policy", &scatter_nd_op::bad_indices));

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& indices, const flowgraph::shape& updates,
                         const flowgraph::shape& extents) const;
  template <class T, class I>
  void operator()(cpu ctx, index_view<I> indices, view<const T> updates, index_view<I> extents, view<T> y) const;
  template <class T, class I> gradients_of<T, 3> gradient(out<I> indices, out<T>, out<I>, out<T>, out<T> dy) const {
    return {{none, apply(gather_nd_op{bad_indices}, dy, indices), none}};
  }
};

namespace detail {

// Returns the gradient of params: dy, added to zeros at the positions that were read. It is sparse if the index vectors have one
// element.
template <class T, class I>
any_grad gather_nd_gradient(const out<T>& dy, const out<T>& params, const out<I>& indices, bad_indices_policy policy) {
  const shape& s = indices.shape();
  const bool ignores = policy == bad_indices_policy::ignore;
  if (s.rank == 2 && s[1] == 1 && !ignores) return gathered_slices(dy, params, squeeze(indices, {-1}));
  if constexpr (std::is_same_v<I, std::int16_t>)
    return apply(scatter_nd_op{policy}, cast<std::int32_t>(indices), dy, shape_of<std::int32_t>(params));
  else return apply(scatter_nd_op{policy}, indices, dy, shape_of<I>(params));
}

}  // namespace detail

template <class T, class I> gradients_of<T, 2> gather_nd_op::gradient(out<T> params, out<I> indices, out<T>, out<T> dy) const {
  return {{detail::gather_nd_gradient(dy, params, indices, bad_indices), none}};
}

template <class T, class I> out<T> gather_nd(const out<T>& params, const out<I>& indices, site s = {}) {
  return apply(gather_nd_op{}, params, indices, s);
}

template <class T, class I> out<T> scatter_nd(const out<I>& indices, const out<T>& updates, const out<I>& extents, site s = {}) {
  return apply(scatter_nd_op{}, indices, updates, extents, s);
}

using gather_nd_ops = type_list<gather_nd_op, scatter_nd_op>;

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/array/detail/gather_nd.hpp>
#endif

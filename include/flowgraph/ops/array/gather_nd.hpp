#pragma once
// Slices picked by index vectors: y[i...] = params[indices[i..., 0], indices[i..., 1], ...].

#include <flowgraph/ops/array/gather.hpp>
#include <flowgraph/ops/array/reshape.hpp>

#include <array>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

// What becomes of an index vector that leads out of the tensor: an error, also where nothing is said; or a slice of zeros where
// it is read, and nothing where it is written.
enum class bad_indices_policy : std::uint8_t { unset, by_default, error, ignore };
constexpr std::array<std::string_view, 4> attribute_names(bad_indices_policy) { return {"", "DEFAULT", "ERROR", "IGNORE"}; }

// Picks slices of params, each named by a vector of its first indices.
struct gather_nd_op {
  static constexpr std::string_view name = "GatherNd";
  using types = type_attrs<type_attr<"Tparams", all_types>, type_attr<"Tindices", joined<type_list<std::int16_t>, index_types>>>;
  static constexpr std::size_t moved_types = 1;
  bad_indices_policy bad_indices = bad_indices_policy::unset;
  static constexpr auto attrs = flowgraph::attrs(attr("bad_indices_policy", &gather_nd_op::bad_indices));

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& params, const flowgraph::shape& indices) const;
  template <class T, class I> void operator()(cpu ctx, view<const T> params, view<const I> indices, view<T> y) const;
  template <class T, class I> gradients_of<T, 2> gradient(out<T> params, out<I> indices, out<T>, out<T> dy) const;
};

template <class T, class I> out<T> gather_nd(const out<T>& params, const out<I>& indices, site s = {}) {
  return apply(gather_nd_op{}, params, indices, s);
}

using gather_nd_ops = type_list<gather_nd_op>;

}
}  // namespace flowgraph

#include <flowgraph/ops/array/detail/gather_nd_gradient.hpp>

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/array/detail/gather_nd.hpp>
#endif

#pragma once
// Ops that move elements between spatial axes and the batch or depth axis.

#include <flowgraph/ops/array/constant.hpp>
#include <flowgraph/ops/nn/window.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

// Moves blocks of spatial axes, which follow the first axis, to the batch axis: y[(block, n), i...] = x[n, i * block_shape +
// block...]. x is padded with zeros first.
struct space_to_batch_nd_op {
  static constexpr std::string_view name = "SpaceToBatchND";
  using types =
      type_attrs<type_attr<"T", real_numbers>, type_attr<"Tblock_shape", index_types>, type_attr<"Tpaddings", index_types>>;
  static constexpr auto host_inputs = flowgraph::host_inputs(1, 2);
  static constexpr std::size_t moved_types = 1;

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& x, const flowgraph::shape& block_shape,
                         const flowgraph::shape& paddings) const;
  template <class T, class B, class P>
  void operator()(cpu ctx, view<const T> x, index_view<B> block_shape, index_view<P> paddings, view<T> y) const;
  template <class T, class B, class P>
  gradients_of<T, 3> gradient(out<T>, out<B> blocks, out<P> paddings, out<T>, out<T> dy) const {
    return {{batch_to_space_nd(dy, blocks, paddings), none, none}};
  }
};

// Moves blocks from the batch axis back to the spatial axes, and removes `crops` from the border: the inverse of SpaceToBatchND.
struct batch_to_space_nd_op {
  static constexpr std::string_view name = "BatchToSpaceND";
  using types =
      type_attrs<type_attr<"T", real_numbers>, type_attr<"Tblock_shape", index_types>, type_attr<"Tcrops", index_types>>;
  static constexpr auto host_inputs = flowgraph::host_inputs(1, 2);
  static constexpr std::size_t moved_types = 1;

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& x, const flowgraph::shape& block_shape,
                         const flowgraph::shape& crops) const;
  template <class T, class B, class P>
  void operator()(cpu ctx, view<const T> x, index_view<B> block_shape, index_view<P> crops, view<T> y) const;
  template <class T, class B, class P> gradients_of<T, 3> gradient(out<T>, out<B> blocks, out<P> crops, out<T>, out<T> dy) const {
    return {{space_to_batch_nd(dy, blocks, crops), none, none}};
  }
};

// SpaceToBatchND for images, with square blocks.
struct space_to_batch_op {
  static constexpr std::string_view name = "SpaceToBatch";
  using types = type_attrs<type_attr<"T", real_numbers>, type_attr<"Tpaddings", index_types>>;
  static constexpr auto host_inputs = flowgraph::host_inputs(1);
  static constexpr std::size_t moved_types = 1;
  std::int64_t block_size = 0;
  static constexpr auto attrs = flowgraph::attrs(required("block_size", &space_to_batch_op::block_size));

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& x, const flowgraph::shape& paddings) const;
  template <class T, class P> void operator()(cpu ctx, view<const T> x, index_view<P> paddings, view<T> y) const;
  template <class T, class P> gradients_of<T, 2> gradient(out<T>, out<P> paddings, out<T>, out<T> dy) const {
    return {{batch_to_space(dy, paddings, block_size), none}};
  }
};

// Moves blocks from the batch axis back to height and width, and removes `crops` from the border: the inverse of SpaceToBatch.
struct batch_to_space_op {
  static constexpr std::string_view name = "BatchToSpace";
  using types = type_attrs<type_attr<"T", real_numbers>, type_attr<"Tidx", index_types>>;
  static constexpr auto host_inputs = flowgraph::host_inputs(1);
  static constexpr std::size_t moved_types = 1;
  std::int64_t block_size = 0;
  static constexpr auto attrs = flowgraph::attrs(required("block_size", &batch_to_space_op::block_size));

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& x, const flowgraph::shape& crops) const;
  template <class T, class P> void operator()(cpu ctx, view<const T> x, index_view<P> crops, view<T> y) const;
  template <class T, class P> gradients_of<T, 2> gradient(out<T>, out<P> crops, out<T>, out<T> dy) const {
    return {{space_to_batch(dy, crops, block_size), none}};
  }
};

// Moves square blocks of an image to its channels. The data format NCHW_VECT_C is not supported.
struct space_to_depth_op {
  static constexpr std::string_view name = "SpaceToDepth";
  using types = all_types;
  static constexpr std::size_t moved_types = 1;
  std::int64_t block_size = 0;
  flowgraph::data_format data_format = flowgraph::data_format::nhwc;
  static constexpr auto attrs = flowgraph::attrs(required("block_size", &space_to_depth_op::block_size),
                                                 attr("data_format", &space_to_depth_op::data_format));

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& x) const;
  template <class T> void operator()(cpu ctx, view<const T> x, view<T> y) const;
  template <class T> out<T> gradient(out<T>, out<T>, out<T> dy) const { return depth_to_space(dy, block_size, data_format); }
};

// Moves the channels of an image to square blocks of a larger image: the inverse of SpaceToDepth.
struct depth_to_space_op {
  static constexpr std::string_view name = "DepthToSpace";
  using types = all_types;
  static constexpr std::size_t moved_types = 1;
  std::int64_t block_size = 0;
  flowgraph::data_format data_format = flowgraph::data_format::nhwc;
  static constexpr auto attrs = flowgraph::attrs(required("block_size", &depth_to_space_op::block_size),
                                                 attr("data_format", &depth_to_space_op::data_format));

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& x) const;
  template <class T> void operator()(cpu ctx, view<const T> x, view<T> y) const;
  template <class T> out<T> gradient(out<T>, out<T>, out<T> dy) const { return space_to_depth(dy, block_size, data_format); }
};

template <class T, class B, class P>
out<T> space_to_batch_nd(const out<T>& x, const out<B>& block_shape, const out<P>& paddings, site s = {}) {
  return apply(space_to_batch_nd_op{}, x, block_shape, paddings, s);
}
template <class T, class B, class P>
out<T> batch_to_space_nd(const out<T>& x, const out<B>& block_shape, const out<P>& crops, site s = {}) {
  return apply(batch_to_space_nd_op{}, x, block_shape, crops, s);
}
template <class T, class P> out<T> space_to_batch(const out<T>& x, const out<P>& paddings, std::int64_t block_size, site s = {}) {
  return apply(space_to_batch_op{block_size}, x, paddings, s);
}
template <class T, class P> out<T> batch_to_space(const out<T>& x, const out<P>& crops, std::int64_t block_size, site s = {}) {
  return apply(batch_to_space_op{block_size}, x, crops, s);
}
template <class T>
out<T> space_to_depth(const out<T>& x, std::int64_t block_size, data_format format = data_format::nhwc, site s = {}) {
  return apply(space_to_depth_op{block_size, format}, x, s);
}
template <class T>
out<T> depth_to_space(const out<T>& x, std::int64_t block_size, data_format format = data_format::nhwc, site s = {}) {
  return apply(depth_to_space_op{block_size, format}, x, s);
}

using space_ops = type_list<space_to_batch_nd_op, batch_to_space_nd_op, space_to_batch_op, batch_to_space_op, space_to_depth_op,
                            depth_to_space_op>;

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/array/detail/space.hpp>
#endif

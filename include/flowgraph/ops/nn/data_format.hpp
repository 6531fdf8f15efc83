#pragma once
// Conversion of axes and of vectors between data formats. The letters of a format name the axes: in "NHWC" the channels are last.

#include <flowgraph/graph/apply.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// Returns for each axis of `to` its position in `from`. If the two formats do not consist of the same 4 or 5 letters, the result
// has unknown rank.
shape format_permutation(std::string_view from, std::string_view to);

struct format_attributes {
  std::string src_format = "NHWC", dst_format = "NCHW";
};
inline constexpr auto format_attrs =
    attrs(attr("src_format", &format_attributes::src_format), attr("dst_format", &format_attributes::dst_format));
shape mapped_shape(shape_context& c, const format_attributes& a, const shape& x);
shape permuted_shape(shape_context& c, const format_attributes& a, const shape& x);

}  // namespace detail

// Converts axes from one data format to another. Each element is the number of an axis in the first format; a negative number
// counts from the end. The element becomes the number of the corresponding axis in the second format.
struct data_format_dim_map_op : detail::format_attributes {
  static constexpr std::string_view name = "DataFormatDimMap";
  using types = index_types;
  static constexpr op_facts facts{.not_differentiable = true, .in_place = true};
  static constexpr auto attrs = detail::format_attrs;

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& x) const { return detail::mapped_shape(c, *this, x); }
  template <class T> void operator()(cpu ctx, view<const T> x, view<T> y) const;
};

// Reorders a vector from one data format to another. Its elements, or its rows of two elements, belong to the axes in the order
// of the first format. They are returned in the order of the second format. The elements for batch and channels may be missing.
struct data_format_vec_permute_op : detail::format_attributes {
  static constexpr std::string_view name = "DataFormatVecPermute";
  using types = index_types;
  static constexpr op_facts facts{.not_differentiable = true};
  static constexpr auto attrs = detail::format_attrs;

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& x) const { return detail::permuted_shape(c, *this, x); }
  template <class T> void operator()(cpu ctx, view<const T> x, view<T> y) const;
};

using data_format_ops = type_list<data_format_dim_map_op, data_format_vec_permute_op>;

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/nn/detail/data_format.hpp>
#endif

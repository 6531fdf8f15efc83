#pragma once
// Interactions of the pairs of features of each sample, for factorization machines.
//
//     auto rows = fg::embedding_lookup(table, keys);                     // [features, 1 + k]: a weight and k factors
//     auto y = fg::pair_interactions(rows, values, splits, 1);           // [samples, 1 + k]
//
// Features splits[i] to splits[i + 1] belong to sample i, as in a ragged tensor.

#include <flowgraph/ops/array/reshape.hpp>
#include <flowgraph/ops/operators.hpp>
#include <flowgraph/ops/reduction/reduction.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

using interaction_types = type_list<float, double>;

flowgraph::shape pair_interactions_shape(shape_context& c, const flowgraph::shape& rows, const flowgraph::shape& values,
                                         const flowgraph::shape& splits, std::int64_t linear);
flowgraph::shape field_interactions_shape(shape_context& c, const flowgraph::shape& rows, const flowgraph::shape& values,
                                          const flowgraph::shape& fields, const flowgraph::shape& splits, std::int64_t linear,
                                          std::int64_t count);
flowgraph::shape interaction_gradient_shape(shape_context& c, const flowgraph::shape& y, const flowgraph::shape& dy,
                                            const flowgraph::shape& rows);

}  // namespace detail

// The gradient of PairInteractions with respect to the rows. If `weighted` is false, the rows of the gradient are not multiplied
// by the values.
struct pair_interactions_grad_op {
  static constexpr std::string_view name = "PairInteractionsGrad";
  using types = type_attrs<type_attr<"T", detail::interaction_types>, type_attr<"Tsplits", index_types>>;
  static constexpr op_facts facts{.not_differentiable = true, .work = work_figure(5).elements_of_input(0)};
  std::int64_t linear = 0;
  bool weighted = true;
  static constexpr auto attrs = flowgraph::attrs(attr("linear", &pair_interactions_grad_op::linear),
                                                 attr("weighted", &pair_interactions_grad_op::weighted));

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& rows, const flowgraph::shape& values,
                         const flowgraph::shape& splits, const flowgraph::shape& dy) const {
    return detail::interaction_gradient_shape(c, detail::pair_interactions_shape(c, rows, values, splits, linear), dy, rows);
  }
  template <class T, class I>
  void operator()(cpu ctx, view<const T> rows, view<const T> values, index_view<I> splits, view<const T> dy, view<T> drows) const;
};

// Sums the interactions of all pairs of features of each sample, for each column. A feature is a row multiplied by its value: the
// result is the sum of x_i * x_j over the pairs i < j. The first `linear` columns are only summed.
struct pair_interactions_op {
  static constexpr std::string_view name = "PairInteractions";
  using types = type_attrs<type_attr<"T", detail::interaction_types>, type_attr<"Tsplits", index_types>>;
  static constexpr op_facts facts{.work = work_figure(4).elements_of_input(0)};
  std::int64_t linear = 0;
  static constexpr auto attrs = flowgraph::attrs(attr("linear", &pair_interactions_op::linear));

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& rows, const flowgraph::shape& values,
                         const flowgraph::shape& splits) const {
    return detail::pair_interactions_shape(c, rows, values, splits, linear);
  }
  template <class T, class I>
  void operator()(cpu ctx, view<const T> rows, view<const T> values, index_view<I> splits, view<T> y) const;
  template <class T, class I> gradients_of<T, 3> gradient(out<T> rows, out<T> values, out<I> splits, out<T>, out<T> dy) const {
    const auto by = [&](bool weighted) { return apply(pair_interactions_grad_op{linear, weighted}, rows, values, splits, dy); };
    return {{by(true), sum(rows * by(false), {1}), none}};
  }
};

// The gradient of FieldPairInteractions with respect to the rows. If `weighted` is false, the rows of the gradient are not
// multiplied by the values.
struct field_pair_interactions_grad_op {
  static constexpr std::string_view name = "FieldPairInteractionsGrad";
  using types =
      type_attrs<type_attr<"T", detail::interaction_types>, type_attr<"Tfields", index_types>, type_attr<"Tsplits", index_types>>;
  static constexpr op_facts facts{.not_differentiable = true, .expensive = true};
  std::int64_t num_fields = 1, linear = 0;
  bool weighted = true;
  static constexpr auto attrs = flowgraph::attrs(required("num_fields", &field_pair_interactions_grad_op::num_fields),
                                                 attr("linear", &field_pair_interactions_grad_op::linear),
                                                 attr("weighted", &field_pair_interactions_grad_op::weighted));

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& rows, const flowgraph::shape& values,
                         const flowgraph::shape& fields, const flowgraph::shape& splits, const flowgraph::shape& dy) const {
    return detail::interaction_gradient_shape(
        c, detail::field_interactions_shape(c, rows, values, fields, splits, linear, num_fields), dy, rows);
  }
  template <class T, class F, class I>
  void operator()(cpu ctx, view<const T> rows, view<const T> values, index_view<F> fields, index_view<I> splits, view<const T> dy,
                  view<T> drows) const;
};

// Sums the interactions of all pairs of features of each sample, by field. After `linear` columns, a row contains a vector for
// each field. In a pair i, j, the vector of i for the field of j is multiplied by the vector of j for the field of i. The last
// column of the result is the sum of these products over the pairs; the first `linear` columns are only summed.
struct field_pair_interactions_op {
  static constexpr std::string_view name = "FieldPairInteractions";
  using types = field_pair_interactions_grad_op::types;
  static constexpr op_facts facts{.expensive = true};
  std::int64_t num_fields = 1, linear = 0;
  static constexpr auto attrs = flowgraph::attrs(required("num_fields", &field_pair_interactions_op::num_fields),
                                                 attr("linear", &field_pair_interactions_op::linear));

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& rows, const flowgraph::shape& values,
                         const flowgraph::shape& fields, const flowgraph::shape& splits) const {
    return detail::field_interactions_shape(c, rows, values, fields, splits, linear, num_fields);
  }
  template <class T, class F, class I>
  void operator()(cpu ctx, view<const T> rows, view<const T> values, index_view<F> fields, index_view<I> splits, view<T> y) const;
  template <class T, class F, class I>
  gradients_of<T, 4> gradient(out<T> rows, out<T> values, out<F> fields, out<I> splits, out<T>, out<T> dy) const {
    const auto by = [&](bool weighted) {
      return apply(site{}, field_pair_interactions_grad_op{num_fields, linear, weighted}, rows, values, fields, splits, dy);
    };
    return {{by(true), sum(rows * by(false), {1}), none, none}};
  }
};

// Returns, for each sample and column, the sum of x_i * x_j over the pairs i < j of features, where x_i is row i multiplied by
// value i. The first `linear` columns contain the sum of x_i.
template <class T, class I>
out<T> pair_interactions(const out<T>& rows, const std::type_identity_t<out<T>>& values, const out<I>& splits,
                         std::int64_t linear = 0, site s = {}) {
  return apply(pair_interactions_op{linear}, rows, values, splits, s);
}

// Returns, for each sample, the sum of the products of the pairs of features by field: value i * value j * (vector of row i for the
// field of j) * (vector of row j for the field of i). A row contains `linear` columns, and then a vector for each of `num_fields`
// fields. The result has `linear` columns with sums before the column of the products.
template <class T, class F, class I>
out<T> field_pair_interactions(const out<T>& rows, const std::type_identity_t<out<T>>& values, const out<F>& fields,
                               const out<I>& splits, std::int64_t num_fields, std::int64_t linear = 0, site s = {}) {
  return apply(s, field_pair_interactions_op{num_fields, linear}, rows, values, fields, splits);
}

using pair_interaction_ops =
    type_list<pair_interactions_op, pair_interactions_grad_op, field_pair_interactions_op, field_pair_interactions_grad_op>;

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/sparse/detail/pair_interactions.hpp>
#endif

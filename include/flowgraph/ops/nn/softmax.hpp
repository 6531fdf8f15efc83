#pragma once
// Softmax along the last axis, and the losses that use it.

#include <flowgraph/graph/apply.hpp>
#include <flowgraph/ops/array/reshape.hpp>
#include <flowgraph/ops/array/slice.hpp>
#include <flowgraph/ops/math/math.hpp>
#include <flowgraph/ops/operators.hpp>
#include <flowgraph/ops/reduction/reduction.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

// Converts each row of logits to probabilities: exp(x) / sum of exp(x), without overflow.
struct softmax_op {
  static constexpr std::string_view name = "Softmax";
  using types = floating;
  static constexpr op_facts facts{.in_place = true, .work = work_figure(15).elements_of_output(0)};

  constexpr flowgraph::shape shape(shape_context& c, const flowgraph::shape& x) const {
    return x.rank == 0 ? c.fail("expected at least one axis") : x;
  }
  template <class T> void operator()(cpu ctx, view<const T> x, view<T> y) const;
  template <class T> out<T> gradient(out<T>, out<T> y, out<T> dy) const { return (dy - sum(dy * y, -1, true)) * y; }
};

// Logarithm of Softmax, computed without exponentials of large numbers.
struct log_softmax_op {
  static constexpr std::string_view name = "LogSoftmax";
  using types = floating;
  static constexpr op_facts facts{.in_place = true, .work = work_figure(15).elements_of_output(0)};

  constexpr flowgraph::shape shape(shape_context& c, const flowgraph::shape& x) const {
    return x.rank == 0 ? c.fail("expected at least one axis") : x;
  }
  template <class T> void operator()(cpu ctx, view<const T> x, view<T> y) const;
  template <class T> out<T> gradient(out<T>, out<T> y, out<T> dy) const { return dy - sum(dy, -1, true) * exp(y); }
};

// Cross entropy between rows of probabilities and the softmax of rows of logits. Returns for each row the loss -sum(labels * log
// softmax) and its gradient softmax - labels. One of the inputs may have a single row or column, which is broadcast.
struct softmax_cross_entropy_with_logits_op {
  static constexpr std::string_view name = "SoftmaxCrossEntropyWithLogits";
  using types = floating;

  constexpr std::array<flowgraph::shape, 2> shape(shape_context& c, const flowgraph::shape& logits,
                                                  const flowgraph::shape& labels) const {
    flowgraph::shape both = flowgraph::shape::unknown();
    if (!fits(logits, {any, any}) || !fits(labels, {any, any})) c.fail("expected two matrices");
    else if (!broadcast(logits, labels, both)) c.fail("logits and labels must have one shape");
    both = merged(both, {any, any});
    return {flowgraph::shape{both[0]}, both};
  }
  template <class T> void operator()(cpu ctx, view<const T> logits, view<const T> labels, view<T> loss, view<T> backprop) const;
  template <class T>
  gradients_of<T, 2> gradient(out<T> logits, out<T> labels, out<T>, out<T> backprop, out<T> dloss, out<T> dbackprop) const {
    return cross_entropy_gradients(logits, labels, backprop, dloss, dbackprop);
  }
};

// Cross entropy between the correct class and softmax, for each row of logits, and its gradient. Labels are the indices of the
// correct classes.
struct sparse_softmax_cross_entropy_with_logits_op {
  static constexpr std::string_view name = "SparseSoftmaxCrossEntropyWithLogits";
  using types = type_attrs<type_attr<"T", floating>, type_attr<"Tlabels", index_types>>;

  constexpr std::array<flowgraph::shape, 2> shape(shape_context& c, const flowgraph::shape& logits,
                                                  const flowgraph::shape& labels) const {
    if (!fits(logits, {any, any}) || !fits(labels, {any})) c.fail("expected a matrix of logits and a vector of labels");
    const flowgraph::shape x = merged(c.failed() ? flowgraph::shape::unknown() : logits, {any, any});
    if (!c.failed() && !fits(labels, {x[0]})) c.fail("expected as many labels as rows of logits");
    if (x[1] == 0) c.fail("expected at least one class");
    return {flowgraph::shape{x[0]}, x};
  }
  template <class T, class I>
  void operator()(cpu ctx, view<const T> logits, index_view<I> labels, view<T> loss, view<T> backprop) const;
  template <class T, class I>
  gradients_of<T, 2> gradient(out<T> logits, out<I>, out<T>, out<T> backprop, out<T> dloss, out<T> dbackprop) const {
    return {{logits_gradient(logits, backprop, dloss, dbackprop), none}};
  }
};

template <class T> out<T> softmax(out<T> logits, site s = {}) { return apply(softmax_op{}, logits, s); }
template <class T> out<T> log_softmax(out<T> logits, site s = {}) { return apply(log_softmax_op{}, logits, s); }

// The function returns only the loss of each row. The logits have the shape [..., classes]. The labels have the shape [...,
// classes], or [...] if they are sparse.
template <class T> out<T> softmax_cross_entropy(out<T> logits, std::type_identity_t<out<T>> labels, site s = {});
template <class T, class I> out<T> sparse_softmax_cross_entropy(out<T> logits, const out<I>& labels, site s = {});

using softmax_ops =
    type_list<softmax_op, log_softmax_op, softmax_cross_entropy_with_logits_op, sparse_softmax_cross_entropy_with_logits_op>;

template <class T> out<T> softmax_cross_entropy(out<T> logits, std::type_identity_t<out<T>> labels, site s) {
  const int rank = logits.shape().rank;
  if (rank < 0 || rank == 2) return std::get<0>(apply(softmax_cross_entropy_with_logits_op{}, logits, labels, s));
  const auto classes = slice(shape_of(logits), {rank - 1}, {1});
  const auto rows = concat({detail::shape_constant(logits, {-1}, {}), classes}, 0);
  const out<T> loss = std::get<0>(apply(softmax_cross_entropy_with_logits_op{}, reshape(logits, rows), reshape(labels, rows), s));
  return reshape(loss, slice(shape_of(logits), {0}, {rank - 1}));
}

template <class T, class I> out<T> sparse_softmax_cross_entropy(out<T> logits, const out<I>& labels, site s) {
  const int rank = logits.shape().rank;
  if (rank < 0 || rank == 2) return std::get<0>(apply(sparse_softmax_cross_entropy_with_logits_op{}, logits, labels, s));
  const auto classes = slice(shape_of(logits), {rank - 1}, {1});
  const auto rows = concat({detail::shape_constant(logits, {-1}, {}), classes}, 0);
  const out<T> loss =
      std::get<0>(apply(sparse_softmax_cross_entropy_with_logits_op{}, reshape(logits, rows), reshape(labels, {-1}), s));
  return reshape_like(loss, labels);
}

namespace detail {

// Returns whether a handle is zeros because no gradient arrived at an output.
bool is_made_of_zeros(const any_out& handle);

}  // namespace detail

// Returns the gradient of the logits. The gradient of the loss is multiplied by the op's second output, row by row; the gradient
// of that output is multiplied by the derivative of the softmax.
template <class T>
out<T> logits_gradient(const out<T>& logits, const out<T>& backprop, const out<T>& dloss, const out<T>& dbackprop) {
  const out<T> first = expand_dims(dloss, -1) * backprop;
  if (detail::is_made_of_zeros(dbackprop)) return first;
  const out<T> p = softmax(logits);
  return first + (dbackprop - sum(dbackprop * p, -1, true)) * p;
}

template <class T>
gradients_of<T, 2> cross_entropy_gradients(const out<T>& logits, const out<T>& labels, const out<T>& backprop,
                                           const out<T>& dloss, const out<T>& dbackprop) {
  const out<T> dlogits = logits_gradient(logits, backprop, dloss, dbackprop);
  const out<T> to_labels = -(expand_dims(dloss, -1) * log_softmax(logits));
  const out<T> dlabels = detail::is_made_of_zeros(dbackprop) ? to_labels : to_labels - dbackprop;
  return detail::unbroadcast(logits, labels, dlogits, dlabels);
}

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/nn/detail/softmax.hpp>
#endif

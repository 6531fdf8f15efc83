#pragma once
// Derivatives of more than one number: Jacobians, products with the Hessian, and functions that convert between many variables and
// one vector.
//
//     auto j = fg::jacobian(y, x);                                   // has the extents of y, then those of x
//     auto m = fg::jacobian_matrix(residuals, {w, b});               // a row per element, a column per parameter
//     auto rows = fg::batch_jacobian(y, x);                          // if row b of y depends only on row b of x
//     auto hv = fg::hessian_vector_product(loss, w, v);              // does not compute the Hessian
//     auto p = fg::flatten({w, b});                                  // one vector; unflatten splits it into parts like w and b
//
// A Jacobian requires one backward pass per element of y. The passes run in a loop inside the graph, so the number of elements may
// be unknown until run time, and the function may be called in the body of a loop. This header is not part of flowgraph.hpp.

#include <flowgraph/graph/gradients.hpp>
#include <flowgraph/graph/graph_state.hpp>
#include <flowgraph/ops/accumulate.hpp>
#include <flowgraph/ops/array/concat.hpp>
#include <flowgraph/ops/array/reshape.hpp>
#include <flowgraph/ops/array/transpose.hpp>
#include <flowgraph/ops/control_flow/map.hpp>
#include <flowgraph/ops/reduction/reduction.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

struct jacobian_options {
  std::int64_t parallel_iterations = 10;  // the largest number of backward passes that run at the same time
  bool allow_none = false;                // true: if y does not depend on x, the result is zeros, not an error
  std::source_location location = std::source_location::current();
};

// Returns all elements of the handles as one vector: one handle after the other, each in row-major order. A list may contain
// handles, variables or gradients.
template <detail::typed_handles List> auto flatten(const List& parts, site s = {}) {
  using T = typename List::value_type::element_type;
  out_list<T> vectors;
  for (const out<T>& x : detail::list_of(parts))
    vectors.push_back(x.shape().rank == 1 ? x : reshape(x, shape{-1}, {{}, s.location}));
  return concat(vectors, 0, s);
}
template <class T> out<T> flatten(std::initializer_list<out<T>> parts, site s = {}) { return flatten(out_list<T>(parts), s); }
// Splits a vector that `flatten` returned into its parts, in the shapes of `like`.
template <class T> out_list<T> unflatten(const out<T>& vector, const out_list<T>& like, site s = {}) {
  if (like.size() == 1) return {reshape_like(vector, like[0], s)};
  const site here{{}, s.location};
  out_list<T> outputs;
  out_list<std::int64_t> extents;
  std::vector<std::int64_t> known;
  for (const out<T>& x : like) {
    if (x.shape().is_known()) known.push_back(x.shape().size());
    else extents.push_back(size_of<std::int64_t>(x, here));
  }
  if (!extents.empty()) {
    extents.clear();
    for (const out<T>& x : like) extents.push_back(size_of<std::int64_t>(x, here));
  }
  const out_list<T> parts = extents.empty()
                                ? split(vector, known, 0, s)
                                : apply(split_v_op{static_cast<std::int64_t>(like.size())}, vector, pack(extents, 0, here),
                                        detail::constant_beside(vector, tensor<std::int32_t>(0), here), s);
  for (std::size_t i = 0; i < like.size(); ++i) outputs.push_back(reshape_like(parts[i], like[i], here));
  return outputs;
}
template <class T, detail::typed_handles List>
  requires(!std::is_same_v<List, out_list<T>>) out_list<T> unflatten(const out<T>& vector, const List& like, site s = {}) {
  return unflatten(vector, detail::list_of(like), s);
}
template <class T> out_list<T> unflatten(const out<T>& vector, std::initializer_list<out<T>> like, site s = {}) {
  return unflatten(vector, out_list<T>(like), s);
}

namespace detail {

// The user's call, for error messages: the name of the function, its y or loss, and the line of the call.
struct derivative_call {
  std::string_view function;
  any_out loss;
  std::source_location location;

  gradient_options options(bool allow_none) const { return {.allow_none = allow_none, .caller = function, .named_loss = loss}; }
  // Reports an error at the user's line, and returns the handle that replaces the result.
  FLOWGRAPH_COLD any_out refuse(const message& why, const any_out& other) const {
    const any_out all[]{loss, other};
    graph_state* const g = graph_of_inputs(all, function, site{{}, location});
    if (!g) return {};
    return {refused_node(*g, error(error_code::invalid_argument, why).at(function, function, location)), 0};
  }
};

// Returns whether handles are missing or empty. If so, reports an error and sets `result` to the handle that replaces the result.
FLOWGRAPH_COLD inline bool lacks_handles(const derivative_call& call, std::span<const any_out> x, any_out& result) {
  for (const any_out& each : x)
    if (!each.source) return result = call.refuse({"one of the handles to differentiate by is empty"}, each), true;
  if (x.empty()) return result = call.refuse({"there are no handles to differentiate '", call.loss.name(), "' by"}, {}), true;
  if (!call.loss.source) return result = call.refuse({"the handle to differentiate is empty"}, x[0]), true;
  return false;
}

// Returns whether y and x are known to have different numbers of rows. If so, reports an error and sets `result` to the handle that
// replaces the result.
FLOWGRAPH_COLD inline bool lacks_rows(const derivative_call& call, const any_out& x, any_out& result) {
  const shape &of_y = call.loss.shape(), &of_x = x.shape();
  const bool no_rows = of_y.rank == 0 || of_x.rank == 0;
  if (!no_rows && (of_y.rank < 0 || of_x.rank < 0 || of_y[0] < 0 || of_x[0] < 0 || of_y[0] == of_x[0])) return false;
  result = call.refuse({"row b of y depends on row b of x, so both need the same number of rows; found y '", call.loss.name(),
                        "' of shape ", of_y, ", x '", x.name(), "' of shape ", of_x},
                       x);
  return true;
}

// Returns f(0), f(1), ..., f(count - 1), stacked.
template <class F> auto stacked(const out<std::int32_t>& count, F&& f, const jacobian_options& o) {
  const site here{{}, o.location};
  while_options loop;
  loop.name = "jacobian";
  loop.parallel_iterations = o.parallel_iterations;
  loop.location = o.location;
  const auto zero = constant_beside(count, tensor<std::int32_t>(0), here),
             one = constant_beside(count, tensor<std::int32_t>(1), here);
  return map_fn(f, range(zero, count, one, here), loop);
}

// Returns the gradient of the sum of all elements of y with respect to x, in the shape of x. For a list, returns the gradients of
// all x as one vector.
template <class T> out<T> slope_of(const out<T>& y, const out<T>& x, const derivative_call& call, bool allow_none) {
  const site here{{}, call.location};
  const grad<T> slope = gradients(y, x, call.options(allow_none), here);
  return slope.is_none() ? zeros_like(x, here) : out<T>(slope);
}
template <class T> out<T> slope_of(const out<T>& y, const out_list<T>& x, const derivative_call& call, bool allow_none) {
  const site here{{}, call.location};
  out_list<T> slopes;
  const auto result = gradients(y, x, call.options(allow_none), here);
  for (std::size_t k = 0; k < x.size(); ++k) slopes.push_back(result[k].is_none() ? zeros_like(x[k], here) : out<T>(result[k]));
  return flatten(slopes, here);
}

// Returns the values in a shape that consists of the extents of y, followed by the extents of x from axis `skip`.
template <class T> out<T> in_both_shapes(const out<T>& values, const out<T>& y, const out<T>& x, int skip, const site& s) {
  shape whole = y.shape();
  if (whole.is_known() && x.shape().is_known() && whole.rank + x.shape().rank - skip <= shape::max_rank) {
    for (int i = skip; i < x.shape().rank; ++i) whole.push_back(x.shape()[i]);
    return reshape(values, whole, s);
  }
  const out<std::int32_t> rest = skip == 0 ? shape_of(x, s) : slice(shape_of(x, s), {skip}, {-1}, s);
  return reshape(values, concat({shape_of(y, s), rest}, 0, s), s);
}

}  // namespace detail

// Returns the Jacobian of y with respect to x: element [i..., j...] is d y[i...] / d x[j...]. y and x may have any rank.
template <class T> out<T> jacobian(const out<T>& y, const std::type_identity_t<out<T>>& x, jacobian_options o = {}) {
  const site here{{}, o.location};
  const detail::derivative_call call{"jacobian", y, o.location};
  const any_out by[]{x};
  if (any_out output; detail::lacks_handles(call, by, output)) return {output.source, output.port};
  if (y.shape().rank == 0) return detail::slope_of(y, x, call, o.allow_none);
  const out<T> elements = y.shape().rank == 1 ? y : reshape(y, shape{-1}, here);
  const out<T> rows = detail::stacked(
      size_of(y, here),
      [&](const out<std::int32_t>& i) { return detail::slope_of(gather(elements, i, 0, here), x, call, o.allow_none); }, o);
  return detail::in_both_shapes(rows, y, x, 0, here);
}

// Returns the Jacobian of y with respect to several handles as a matrix. It has a row for each element of y and a column for each
// element of flatten(x). The function requires one backward pass per element of y.
template <class T> out<T> jacobian_matrix(const out<T>& y, const std::type_identity_t<out_list<T>>& x, jacobian_options o = {}) {
  const site here{{}, o.location};
  const detail::derivative_call call{"jacobian_matrix", y, o.location};
  const any_out_list by(x.begin(), x.end());
  if (any_out output; detail::lacks_handles(call, by, output)) return {output.source, output.port};
  const out<T> elements = y.shape().rank == 1 ? y : reshape(y, shape{-1}, here);
  return detail::stacked(
      size_of(y, here),
      [&](const out<std::int32_t>& i) { return detail::slope_of(gather(elements, i, 0, here), x, call, o.allow_none); }, o);
}

template <class T, detail::typed_handles List>
  requires(!std::is_same_v<List, out_list<T>>) out<T> jacobian_matrix(const out<T>& y, const List& x, jacobian_options o = {}) {
  return jacobian_matrix(y, detail::list_of(x), o);
}

// Returns the Jacobian of each row: element [b, i..., j...] is d y[b, i...] / d x[b, j...]. Row b of y must depend only on row b of
// x; then one backward pass per element of a row is enough. Other dependencies are not detected: the gradients of all rows of y
// with respect to x[b, j...] are added.
template <class T> out<T> batch_jacobian(const out<T>& y, const std::type_identity_t<out<T>>& x, jacobian_options o = {}) {
  const site here{{}, o.location}, named{"batch_jacobian", o.location};
  const detail::derivative_call call{"batch_jacobian", y, o.location};
  const any_out by[]{x};
  if (any_out output; detail::lacks_handles(call, by, output) || detail::lacks_rows(call, x, output))
    return {output.source, output.port};
  const out<std::int32_t> extents = shape_of(y, here);
  const out<std::int32_t> rows = slice(extents, {0}, {1}, here), columns = prod(slice(extents, {1}, {-1}, here), {0}, true, here);
  const out<T> elements = reshape(y, concat({rows, columns}, 0, here), here);
  const out<T> by_column = detail::stacked(
      reshape(columns, shape{}, here),
      [&](const out<std::int32_t>& i) { return detail::slope_of(gather(elements, i, 1, here), x, call, o.allow_none); }, o);
  const out<std::int32_t> width = prod(slice(shape_of(x, here), {1}, {-1}, here), {0}, true, here);
  // If y and x have different numbers of rows in a run, this reshape fails.
  const out<T> by_row = transpose(reshape(by_column, concat({columns, rows, width}, 0, here), named), {1, 0, 2}, here);
  return detail::in_both_shapes(by_row, y, x, 1, here);
}

// Returns the product of v and the Hessian of the loss with respect to all x, as a list of parts in the shapes of x. The function
// requires two backward passes, independently of the number of parameters. If the loss is linear in x, the result is zeros.
template <class T>
out_list<T> hessian_vector_product(const out<T>& loss, const std::type_identity_t<out_list<T>>& x,
                                   const std::type_identity_t<out_list<T>>& v, site s = {}) {
  const site here{{}, s.location};
  const detail::derivative_call call{"hessian_vector_product", loss, s.location};
  const std::vector<any_out> by(x.begin(), x.end());
  const auto instead = [&](const any_out& result) { return out_list<T>(x.size(), out<T>(result.source, result.port)); };
  if (any_out result; detail::lacks_handles(call, by, result)) return instead(result);
  if (x.size() != v.size())
    return instead(call.refuse({"each handle needs a vector; found ", x.size(), " handles, ", v.size(), " vectors"}, {}));
  for (const out<T>& part : v)
    if (!part.source) return instead(call.refuse({"one of the vectors is an empty handle"}, {}));
  for (std::size_t k = 0; k < x.size(); ++k)
    if (x[k].shape().is_known() && v[k].shape().is_known() && x[k].shape() != v[k].shape())
      return instead(call.refuse({"each vector has the shape of its handle; found '", x[k].name(), "' of shape ", x[k].shape(),
                                  ", vector '", v[k].name(), "' of shape ", v[k].shape()},
                                 {}));
  std::vector<any_out> slopes;
  std::vector<any_grad> starts;
  for (const grad<T>& slope : gradients(loss, x, call.options(false), here)) slopes.push_back(out<T>(slope));
  for (const out<T>& part : v) starts.push_back(part);
  const detail::inherited_location located(loss.source ? loss.source->graph : nullptr, s.location);
  const auto parts = detail::contributions_or_raise(
      slopes, by, {.starts = starts, .allow_none = true, .caller = call.function, .named_loss = loss}, here);
  out_list<T> result;
  for (std::size_t k = 0; k < x.size(); ++k) {
    const grad<T> product{detail::accumulate<T>(parts[k])};
    result.push_back(product.is_none() ? zeros_like(x[k], here) : out<T>(product));
  }
  return result;
}
template <class T>
out<T> hessian_vector_product(const out<T>& loss, const std::type_identity_t<out<T>>& x, const std::type_identity_t<out<T>>& v,
                              site s = {}) {
  return hessian_vector_product(loss, out_list<T>{x}, out_list<T>{v}, s)[0];
}

}  // namespace flowgraph

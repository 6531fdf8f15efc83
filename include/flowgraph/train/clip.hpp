#pragma once
// Limits gradients, dense or sparse, before an optimizer applies them:
//
//     auto parts = method.gradients(loss);
//     auto train = method.apply(fg::clip_by_global_norm(parts, 5.f));

#include <flowgraph/ops/math/clip.hpp>
#include <flowgraph/train/optimizer.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// Applies f to a dense gradient, or to the values of its slices. An absent gradient stays absent.
template <class T, class F> grad<T> with_values(const grad<T>& g, F f) {
  if (g.is_none()) return g;
  if (!g.is_slices()) return {f(out<T>(g))};
  any_grad gradient = g;
  gradient.slices.values = f(g.slices().values);
  return gradient;
}

template <class T> void append_values(out_list<T>& list, const grad<T>& g) {
  if (!g.is_none()) list.push_back(g.is_slices() ? g.slices().values : out<T>(g));
}
template <class T> out<T> norm_of_all(const out_list<T>& values) {
  out_list<T> squares;
  for (const out<T>& v : values) squares.push_back(sum(square(v)));
  return sqrt(add_n(squares));
}
// Returns the factor by which gradients are multiplied, or NaN if their norm is not finite.
template <class T> out<T> global_scale(const std::type_identity_t<operand<T>>& limit, const out<T>& norm) {
  const out<T> bound = handle_of(limit, operand<T>(norm), "clip_norm");
  return bound / maximum(norm, bound) + (norm - norm);
}

}  // namespace detail

// Limits each element of a gradient to [low, high]. For slices, each value is limited separately, as in TensorFlow: rows with the
// same index are not summed first.
template <class T>
grad<T> clip_by_value(const grad<T>& g, std::type_identity_t<operand<T>> low, std::type_identity_t<operand<T>> high) {
  return detail::with_values(g, [&](const out<T>& x) { return clip_by_value(x, low, high); });
}
// Scales a gradient down if its Euclidean norm exceeds `norm`. The norm of slices is the norm of their values.
template <class T> grad<T> clip_by_norm(const grad<T>& g, std::type_identity_t<operand<T>> norm) {
  return detail::with_values(g, [&](const out<T>& x) { return clip_by_norm(x, norm); });
}
// Scales a gradient down if its norm divided by its number of elements exceeds `norm`. The norm of slices is the norm of their
// values.
template <class T> grad<T> clip_by_average_norm(const grad<T>& g, std::type_identity_t<operand<T>> norm) {
  return detail::with_values(g, [&](const out<T>& x) { return clip_by_average_norm(x, norm); });
}

// Returns the norm of the vector that contains the elements of all gradients. At least one gradient must be present.
template <class T> out<T> global_norm(const std::vector<grad<T>>& gradients) {
  out_list<T> values;
  for (const grad<T>& g : gradients) detail::append_values(values, g);
  return detail::norm_of_all(values);
}
template <class T> out<T> global_norm(const trained_list<T>& list) {
  out_list<T> values;
  for (const trained<T>& t : list) detail::append_values(values, t.gradient);
  return detail::norm_of_all(values);
}

// Scales all gradients by limit / norm if the norm exceeds the limit; their direction does not change. The norm is the
// global_norm of the gradients, or the value `norm` that you pass. If the norm is not finite, all gradients become NaN.
template <class T>
std::vector<grad<T>> clip_by_global_norm(std::vector<grad<T>> gradients, std::type_identity_t<operand<T>> limit,
                                         const std::type_identity_t<out<T>>& norm) {
  const out<T> scale = detail::global_scale(limit, norm);
  for (grad<T>& g : gradients) g = detail::with_values(g, [&](const out<T>& x) { return x * scale; });
  return gradients;
}
template <class T>
std::vector<grad<T>> clip_by_global_norm(const std::vector<grad<T>>& gradients, std::type_identity_t<operand<T>> limit) {
  return clip_by_global_norm(gradients, limit, global_norm(gradients));
}
template <class T>
trained_list<T> clip_by_global_norm(trained_list<T> list, std::type_identity_t<operand<T>> limit,
                                    const std::type_identity_t<out<T>>& norm) {
  const out<T> scale = detail::global_scale(limit, norm);
  for (trained<T>& t : list) t.gradient = detail::with_values(t.gradient, [&](const out<T>& x) { return x * scale; });
  return list;
}
template <class T> trained_list<T> clip_by_global_norm(const trained_list<T>& list, std::type_identity_t<operand<T>> limit) {
  return clip_by_global_norm(list, limit, global_norm(list));
}

}  // namespace flowgraph

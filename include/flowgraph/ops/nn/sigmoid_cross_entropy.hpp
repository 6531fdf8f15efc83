#pragma once
// The loss for classes that do not exclude each other: each class has its own probability.
//
//     auto loss = fg::mean(fg::sigmoid_cross_entropy(logits, labels));

#include <flowgraph/ops/array/fill.hpp>
#include <flowgraph/ops/math/comparison.hpp>
#include <flowgraph/ops/nn/activation.hpp>
#include <flowgraph/ops/operators.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// Reports an error and returns false if the shapes are known to differ. With broadcasting, the loss would combine the wrong
// pairs.
bool are_pairs(std::string_view function, const any_out& first, const any_out& second, const site& s);

}  // namespace detail

// Returns the cross entropy between labels and sigmoid(logits) for each element, without overflow. Labels are probabilities, and
// must have the shape of the logits.
template <class T> out<T> sigmoid_cross_entropy(out<T> logits, std::type_identity_t<out<T>> labels, site s = {}) {
  if (!detail::are_pairs("sigmoid_cross_entropy", logits, labels, s)) return {};
  const site here{{}, s.location};
  const out<T> zeros = zeros_like(logits, here);
  const out<bool> is_positive = greater_equal(logits, zeros, here);
  const out<T> positive = select(is_positive, logits, zeros, here), negative = select(is_positive, -logits, logits, here);
  const std::string_view name = s.name.empty() ? "logistic_loss" : s.name;
  return apply(add_v2_op{}, positive - logits * labels, log1p(exp(negative, here), here), {name, s.location});
}

}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/ops/nn/impl/sigmoid_cross_entropy.hpp>
#endif

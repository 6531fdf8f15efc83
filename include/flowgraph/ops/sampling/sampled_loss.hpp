#pragma once
// Losses of many classes that compute the logits of only the true classes and of a few sampled ones, for training. To predict,
// compute the logits of all classes: matmul(inputs, weights, {.transpose_b = true}) + biases.
//
//     auto loss = fg::mean(fg::sampled_softmax_loss(weights, biases, labels, hidden, {.num_sampled = 64, .num_classes = words}));

#include <flowgraph/ops/array/embedding.hpp>
#include <flowgraph/ops/array/identity.hpp>
#include <flowgraph/ops/linear_algebra/matmul.hpp>
#include <flowgraph/ops/math/cast.hpp>
#include <flowgraph/ops/nn/sigmoid_cross_entropy.hpp>
#include <flowgraph/ops/nn/softmax.hpp>
#include <flowgraph/ops/sampling/accidental_hits.hpp>
#include <flowgraph/ops/sampling/candidate_sampler.hpp>
#include <flowgraph/ops/sparse/to_dense.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

// Options of sampled_softmax_loss and nce_loss.
struct sampled_loss_options {
  std::int64_t num_sampled = 1;                           // the number of classes that log_uniform_candidate_sampler samples
  std::int64_t num_classes = 1;                           // the number of classes
  candidates sampled = {};                                // sampled classes; empty: those of log_uniform_candidate_sampler
  std::optional<bool> remove_accidental_hits = {};        // whether sampled classes that are true ones of an example have no
                                                          // effect on it; empty: only with softmax
  partition_strategy strategy = partition_strategy::mod;  // the distribution of the rows to several parts of the weights
  std::optional<std::int64_t> seed = {};                  // the seed of the sampler; empty: derived from the graph's seed
};

namespace detail {

// Logits of true and of sampled classes, and the labels for them: each true class has the same part of 1.
template <class T> struct sampled_logits {
  out<T> logits, labels;
};

// Returns a matrix like `logits` that contains the lowest number for a sampled class that is a true class of the row, and 0
// for the others.
template <class T>
out<T> weights_of_hits(const out<std::int64_t>& labels, const out<std::int64_t>& sampled, const out<T>& logits) {
  const accidental_hits hits = compute_accidental_hits(labels, sampled);
  const out<std::int64_t> places = concat({expand_dims(cast<std::int64_t>(hits.rows), 1), expand_dims(hits.places, 1)}, 1);
  return apply(sparse_to_dense_op{.validate_indices = false}, places, cast<std::int64_t>(shape_of(logits)), cast<T>(hits.weights),
               scalar_beside(logits, T(0)));
}

template <class T>
sampled_logits<T> sample_logits(const out_list<T>& weights, const out_list<T>& biases, const out<std::int64_t>& labels,
                                const out<T>& inputs, const sampled_loss_options& o, bool removes_hits) {
  const shape known = labels.shape();
  const std::int64_t num_true = known.rank == 2 && known[1] > 0 ? known[1] : 1;
  candidates drawn = o.sampled;
  if (!drawn.sampled.source)
    drawn = log_uniform_candidate_sampler(
        labels, {.num_sampled = o.num_sampled, .range_max = o.num_classes, .num_true = num_true, .seed = o.seed});
  const out<std::int64_t> flat = flattened_vector(labels), all = concat({flat, drawn.sampled}, 0);
  const out<T> rows = embedding_lookup(weights, all, o.strategy), offsets = embedding_lookup(biases, all, o.strategy);
  const out<std::int32_t> count = shape_of(flat), columns = slice(shape_of(rows), {1}, {1});
  const out<std::int32_t> zero = zeros_like(count), rest = zero - scalar_beside(labels, std::int32_t{1});
  const out<T> of_true = slice(rows, concat({zero, zero}, 0), concat({count, rest}, 0));
  const out<T> of_sampled = slice(rows, concat({count, zero}, 0), concat({rest, rest}, 0));

  const out<std::int32_t> groups = constant_beside(labels, tensor<std::int32_t>({2}, {-1, static_cast<std::int32_t>(num_true)}));
  const out<T> products = expand_dims(inputs, 1) * reshape(of_true, concat({groups, columns}, 0));
  out<T> true_logits = sum(products, 2) + reshape(slice(offsets, zero, count), groups);
  out<T> logits = matmul(inputs, of_sampled, {.transpose_b = true}) + slice(offsets, count, rest);
  if (removes_hits) logits = logits + weights_of_hits(labels, drawn.sampled, logits);
  true_logits = true_logits - log(cast<T>(stop_gradient(drawn.true_expected)));
  logits = logits - log(cast<T>(stop_gradient(drawn.sampled_expected)));
  const T part = T(static_cast<float>(1.0 / static_cast<double>(num_true)));
  return {concat({true_logits, logits}, 1),
          concat({ones_like(true_logits) * scalar_beside(labels, part), zeros_like(logits)}, 1)};
}

}  // namespace detail

// Returns the loss of each row of `inputs` for softmax over its true classes and the sampled ones, as tf.nn.sampled_softmax_loss
// does. `weights` has one row per class, and may be cut into parts; `biases` has one element per class. `labels` has the shape
// [batch, num_true], where num_true is known. The loss is an estimate for training: it is lower than the loss of all classes.
template <class T>
out<T> sampled_softmax_loss(const out_list<T>& weights, const out_list<T>& biases, const out<std::int64_t>& labels,
                            const std::type_identity_t<out<T>>& inputs, const sampled_loss_options& options, site s = {}) {
  const detail::inherited_location here(labels.source ? labels.source->graph : nullptr, s.location);
  const auto result =
      detail::sample_logits(weights, biases, labels, inputs, options, options.remove_accidental_hits.value_or(true));
  return softmax_cross_entropy(result.logits, stop_gradient(result.labels), s);
}
template <class T>
out<T> sampled_softmax_loss(const out<T>& weights, const std::type_identity_t<out<T>>& biases, const out<std::int64_t>& labels,
                            const std::type_identity_t<out<T>>& inputs, const sampled_loss_options& options, site s = {}) {
  return sampled_softmax_loss(out_list<T>{weights}, out_list<T>{biases}, labels, inputs, options, s);
}

// Returns the noise-contrastive loss of each row of `inputs`, as tf.nn.nce_loss does: the sum of the losses of separate decisions
// between true classes and sampled ones. The arguments are those of sampled_softmax_loss.
template <class T>
out<T> nce_loss(const out_list<T>& weights, const out_list<T>& biases, const out<std::int64_t>& labels,
                const std::type_identity_t<out<T>>& inputs, const sampled_loss_options& options, site s = {}) {
  const detail::inherited_location here(labels.source ? labels.source->graph : nullptr, s.location);
  const auto result =
      detail::sample_logits(weights, biases, labels, inputs, options, options.remove_accidental_hits.value_or(false));
  return sum(sigmoid_cross_entropy(result.logits, result.labels), 1, false, s);
}
template <class T>
out<T> nce_loss(const out<T>& weights, const std::type_identity_t<out<T>>& biases, const out<std::int64_t>& labels,
                const std::type_identity_t<out<T>>& inputs, const sampled_loss_options& options, site s = {}) {
  return nce_loss(out_list<T>{weights}, out_list<T>{biases}, labels, inputs, options, s);
}

}  // namespace flowgraph

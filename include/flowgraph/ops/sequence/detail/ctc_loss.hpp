#pragma once

#include <flowgraph/ops/sequence/ctc_loss.hpp>
#include <flowgraph/ops/sequence/detail/log_sum.hpp>

#include <algorithm>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// The memory of a call: the first label of each sequence, and the tables of each block of sequences.
struct ctc_memory {
  static constexpr std::int64_t most_blocks = 16;
  std::int64_t time = 0, batch = 0, classes = 0, states = 0;  // states: the most labels of a path, with the blanks around them

  ctc_memory(const shape& inputs, const shape& indices);
  std::int64_t blocks() const { return std::min(batch, most_blocks); }
  std::size_t of_labels() const { return static_cast<std::size_t>(batch + 1) * sizeof(std::int64_t); }
  // One block: the forward table, two rows of the backward table and of emissions, scales of the frames, a sum per class, labels.
  std::size_t of_block() const {
    return static_cast<std::size_t>(time * states + 4 * states + time + classes + states) * sizeof(double);
  }
  std::size_t bytes() const { return of_labels() + static_cast<std::size_t>(blocks()) * of_block(); }
};

struct ctc_labels {
  const std::int32_t* values;
  std::int64_t count;
};
// Checks all inputs, and writes the first label of each sequence to scratch memory. Fails and returns false if one is wrong.
bool find_ctc_labels(cpu ctx, const ctc_loss_op& op, const ctc_memory& m, view<const std::int64_t> indices,
                     view<const std::int32_t> values, view<const std::int32_t> lengths);
// Writes the labels with blanks around them, and returns their number.
std::int64_t extend_labels(const ctc_labels& from, std::int64_t blank, bool collapse, std::int64_t* to);

// The tables of one sequence.
class ctc_tables {
public:
  ctc_tables(const ctc_memory& m, std::byte* at, std::int64_t blank, bool merge) : blank_(blank), merges_(merge) {
    alpha_ = reinterpret_cast<double*>(at);
    beta_ = alpha_ + m.time * m.states;
    emission_ = beta_ + 2 * m.states;
    scale = emission_ + 2 * m.states;
    sum = scale + m.time;
    path = reinterpret_cast<std::int64_t*>(sum + m.classes);
    std::fill_n(sum, m.classes, 0.);
  }

  // Computes the forward table; emit(t, class) is the logarithm of a probability. Returns the logarithm of that of all labels.
  template <class Emit> double forward(std::int64_t frames, std::int64_t size, const Emit& emit);
  // Calls use(t, probabilities of the states) for each frame, from the last one.
  template <class Emit, class Use>
  void backward(std::int64_t frames, std::int64_t size, double total, const Emit& emit, const Use& use);

  double *scale, *sum;  // for each frame, the logarithm of the sum of its exponentials; for each class, zero
  std::int64_t* path;   // the labels, with blanks around them

private:
  // The states that are reached in frame t, and from which the last state can still be reached.
  std::int64_t first(std::int64_t t) const { return std::max<std::int64_t>(0, size_ - 2 * (frames_ - t)); }
  std::int64_t last(std::int64_t t) const { return std::min(size_, 2 * (t + 1)); }
  bool may_stay(std::int64_t u) const { return merges_ || path[u] == blank_; }
  // Returns whether a path can jump from state u to u + 2.
  bool may_skip(std::int64_t u) const { return path[u + 2] != blank_ && !(merges_ && path[u] == path[u + 2]); }

  std::int64_t blank_, frames_ = 0, size_ = 0;
  bool merges_;
  double *alpha_, *beta_, *emission_;
};

template <class Emit> double ctc_tables::forward(std::int64_t frames, std::int64_t size, const Emit& emit) {
  frames_ = frames, size_ = size;
  std::fill_n(alpha_, frames * size, log_zero<double>);
  for (std::int64_t u = 0; u < std::min<std::int64_t>(2, size); ++u) alpha_[u] = emit(0, path[u]);
  for (std::int64_t t = 1; t < frames; ++t) {
    const double* const before = alpha_ + (t - 1) * size;
    for (std::int64_t u = first(t); u < last(t); ++u) {
      double total = may_stay(u) ? before[u] : log_zero<double>;
      if (u > 0) total = log_sum(total, before[u - 1]);
      if (u > 1 && may_skip(u - 2)) total = log_sum(total, before[u - 2]);
      alpha_[t * size + u] = total + emit(t, path[u]);
    }
  }
  const double* const end = alpha_ + (frames - 1) * size;
  return size > 1 ? log_sum(end[size - 1], end[size - 2]) : end[0];
}

template <class Emit, class Use>
void ctc_tables::backward(std::int64_t frames, std::int64_t size, double total, const Emit& emit, const Use& use) {
  double *now = beta_, *later = beta_ + size, *emitted = emission_, *emitted_later = emission_ + size;
  for (std::int64_t t = frames - 1; t >= 0; --t) {
    std::fill_n(now, size, log_zero<double>);
    if (t == frames - 1)
      for (std::int64_t u = std::max<std::int64_t>(0, size - 2); u < size; ++u) now[u] = 0;
    for (std::int64_t u = first(t); u < last(t) && t < frames - 1; ++u) {
      double sum_of_next = may_stay(u) ? later[u] + emitted_later[u] : log_zero<double>;
      if (u + 1 < size) sum_of_next = log_sum(sum_of_next, later[u + 1] + emitted_later[u + 1]);
      if (u + 2 < size && may_skip(u)) sum_of_next = log_sum(sum_of_next, later[u + 2] + emitted_later[u + 2]);
      now[u] = sum_of_next;
    }
    for (std::int64_t u = 0; u < size; ++u) emitted[u] = emit(t, path[u]);
    for (std::int64_t u = 0; u < size; ++u) {
      const double both = alpha_[t * size + u] + now[u] - total;
      sum[path[u]] += both == both ? std::exp(both) : both;
    }
    use(t);
    std::swap(now, later);
    std::swap(emitted, emitted_later);
  }
}

// Computes the softmax of a row of logits. Returns the logarithm of the sum of their exponentials.
template <class T> double softmax_of_frame(const T* x, std::int64_t n, T* y) {
  const T largest = *std::max_element(x, x + n);
  T total = 0;
  for (std::int64_t i = 0; i < n; ++i) total += y[i] = std::exp(x[i] - largest);
  for (std::int64_t i = 0; i < n; ++i) y[i] /= total;
  return static_cast<double>(largest) + std::log(static_cast<double>(total));
}

// Returns the loss of sequence b, and writes the gradient of its frames.
template <class T>
T ctc_loss_of(const ctc_memory& m, ctc_tables& tables, std::int64_t size, std::int64_t frames, std::int64_t b, const T* inputs,
              T* gradient) {
  const auto row = [&](std::int64_t t) { return (t * m.batch + b) * m.classes; };
  for (std::int64_t t = 0; t < frames; ++t) tables.scale[t] = softmax_of_frame(inputs + row(t), m.classes, gradient + row(t));
  // A probability that is 0 in T counts as 0.
  const auto emit = [&](std::int64_t t, std::int64_t c) {
    return gradient[row(t) + c] == 0 ? log_zero<double> : static_cast<double>(inputs[row(t) + c]) - tables.scale[t];
  };
  const double total = tables.forward(frames, size, emit);
  if (total == log_zero<double>) return static_cast<T>(-total);
  tables.backward(frames, size, total, emit, [&](std::int64_t t) {
    for (std::int64_t u = 0; u < size; ++u) {
      double& sum = tables.sum[tables.path[u]];
      T& slope = gradient[row(t) + tables.path[u]];
      slope = static_cast<T>(static_cast<double>(slope) - sum);
      sum = 0;
    }
  });
  return static_cast<T>(-total);
}

}  // namespace detail

template <class T>
void ctc_loss_op::operator()(cpu ctx, view<const T> inputs, view<const std::int64_t> labels_indices,
                             view<const std::int32_t> labels_values, view<const std::int32_t> sequence_length, view<T> loss,
                             view<T> gradient) const {
  const detail::ctc_memory m(inputs.shape(), labels_indices.shape());
  if (!detail::find_ctc_labels(ctx, *this, m, labels_indices, labels_values, sequence_length)) return;
  std::fill_n(loss.data(), loss.size(), T());
  std::fill_n(gradient.data(), gradient.size(), T());
  const auto* const first = ctx.scratch<std::int64_t>();
  const std::int64_t blocks = m.blocks(), blank = m.classes - 1;
  ctx.parallel_for(blocks, [&](std::int64_t block) {
    std::byte* const own = ctx.scratch() + m.of_labels() + static_cast<std::size_t>(block) * m.of_block();
    for (std::int64_t b = block; b < m.batch; b += blocks) {
      const detail::ctc_labels labels{labels_values.data() + first[b], first[b + 1] - first[b]};
      const std::int64_t frames = sequence_length[static_cast<std::size_t>(b)];
      if (frames == 0 || labels.count > frames) continue;
      detail::ctc_tables tables(m, own, blank, ctc_merge_repeated);
      const std::int64_t size = detail::extend_labels(labels, blank, preprocess_collapse_repeated, tables.path);
      loss[static_cast<std::size_t>(b)] = detail::ctc_loss_of(m, tables, size, frames, b, inputs.data(), gradient.data());
    }
  });
}

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/ops/sequence/impl/ctc_loss.hpp>
#endif

#pragma once
// Frames and labels of sequences, and the probability of labels by definition: summed over all paths.

#include <flowgraph/ops/sparse/sparse_tensor.hpp>

#include "../evaluate.hpp"

#include <cmath>

namespace ctc_test {

// Logits in [-2, 2], the same for each seed.
template <class T> fg::tensor<T> drawn_logits(const fg::shape& shape, std::uint32_t seed) {
  fg::tensor<T> t(shape);
  std::uint32_t state = seed * 747796405u + 1u;
  for (T& e : t.writable()) {
    state = state * 1664525u + 1013904223u;
    e = static_cast<T>(static_cast<double>(state >> 8) / (1 << 22) - 2);
  }
  return t;
}

// The labels that a path is read as: blanks separate labels. With `merge`, a label of consecutive frames counts once.
inline std::vector<std::int64_t> read_path(const std::vector<std::int64_t>& path, std::int64_t blank, bool merge) {
  std::vector<std::int64_t> read;
  for (std::size_t t = 0; t < path.size(); ++t)
    if (path[t] != blank && !(merge && t > 0 && path[t] == path[t - 1])) read.push_back(path[t]);
  return read;
}

// Calls visit(path, its probability) for all paths of sequence b.
template <class T, class Visit>
void for_each_path(const fg::tensor<T>& logits, std::int64_t b, std::int64_t frames, const Visit& visit) {
  const std::int64_t classes = logits.dim(2);
  std::vector<std::int64_t> path(static_cast<std::size_t>(frames));
  for (;;) {
    double probability = 1;
    for (std::int64_t t = 0; t < frames; ++t) {
      double total = 0;
      for (std::int64_t c = 0; c < classes; ++c) total += std::exp(static_cast<double>(logits(t, b, c)));
      probability *= std::exp(static_cast<double>(logits(t, b, path[static_cast<std::size_t>(t)]))) / total;
    }
    visit(path, probability);
    std::size_t t = 0;
    while (t < path.size() && ++path[t] == classes) path[t++] = 0;
    if (t == path.size()) return;
  }
}

template <class T>
double loss_by_definition(const fg::tensor<T>& logits, std::int64_t b, std::int64_t frames,
                          const std::vector<std::int64_t>& labels, bool merge = true) {
  double total = 0;
  for_each_path(logits, b, frames, [&](const std::vector<std::int64_t>& path, double probability) {
    if (read_path(path, logits.dim(2) - 1, merge) == labels) total += probability;
  });
  return -std::log(total);
}

}  // namespace ctc_test

#pragma once
// The limit of a factorization machine: a loop over a plain array of rows, without hashing, batches, threads or a graph. Each sample
// is computed and updated by Adagrad before the next one.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace bench {

// A row consists of k factors and a weight, and of their sums of squares.
template <int k> class array_loop {
public:
  explicit array_loop(std::size_t rows) : table_(rows * 2 * columns) {
    for (std::size_t row = 0; row < rows; ++row)
      for (std::size_t c = 0; c < columns; ++c) {
        table_[row * 2 * columns + c] = 0.01f * static_cast<float>((row + c) % 7) - 0.03f;
        table_[(row * 2 + 1) * columns + c] = 0.1f;
      }
  }

  // Returns the sum of the slopes.
  double train(const std::int64_t* keys, const float* labels, std::size_t samples, std::size_t fields, float rate) {
    double sum = 0;
    for (std::size_t i = 0; i < samples; ++i) {
      const std::int64_t* const mine = keys + i * fields;
      float total[columns] = {}, squares = 0;
      for (std::size_t f = 0; f < fields; ++f) {
        const float* const v = row(mine[f]);
        for (std::size_t c = 0; c < columns; ++c) total[c] += v[c];
        for (std::size_t c = 0; c < k; ++c) squares += v[c] * v[c];
      }
      float logit = total[k] - squares / 2;
      for (std::size_t c = 0; c < k; ++c) logit += total[c] * total[c] / 2;
      const float slope = 1 / (1 + std::exp(-logit)) - labels[i];
      for (std::size_t f = 0; f < fields; ++f) update(row(mine[f]), total, slope, rate);
      sum += static_cast<double>(slope);
    }
    return sum;
  }

private:
  static constexpr std::size_t columns = k + 1;

  float* row(std::int64_t key) { return table_.data() + static_cast<std::size_t>(key) * 2 * columns; }
  static void update(float* v, const float* total, float slope, float rate) {
    float* const sums = v + columns;
    for (std::size_t c = 0; c < columns; ++c) {
      const float g = c == k ? slope : slope * (total[c] - v[c]);
      sums[c] += g * g;
      v[c] -= rate * g / std::sqrt(sums[c]);
    }
  }

  std::vector<float> table_;
};

}  // namespace bench

#pragma once
// The values of the works: element i of tensor t is a hash of i and t, so that every language computes the same ones.

#include <flowgraph/core/tensor.hpp>

#include <cstdint>
#include <utility>
#include <vector>

namespace bench {

namespace fg = flowgraph;

inline std::uint32_t bits(std::uint32_t tensor, std::uint32_t i) {
  std::uint32_t u = i * 0x9E3779B1u + tensor * 0x85EBCA77u;
  u ^= u >> 16;
  u *= 0x85EBCA6Bu;
  u ^= u >> 13;
  u *= 0xC2B2AE35u;
  return u ^ (u >> 16);
}

// Floats in [-scale, scale).
inline fg::tensor<float> fill(std::uint32_t tensor, const fg::shape& shape, double scale = 1.0) {
  fg::tensor<float> t(shape);
  std::uint32_t i = 0;
  for (float& e : t.writable()) e = static_cast<float>(((bits(tensor, i++) >> 8) * 0x1p-23 - 1.0) * scale);
  return t;
}

// Integers in [0, bound).
inline fg::tensor<std::int64_t> ints(std::uint32_t tensor, const fg::shape& shape, std::uint32_t bound) {
  fg::tensor<std::int64_t> t(shape);
  std::uint32_t i = 0;
  for (std::int64_t& e : t.writable()) e = bits(tensor, i++) % bound;
  return t;
}

// A random graph of nodes with two inputs each: what node k >= 1 reads, and the nodes that nobody reads. Node 0 is fed.
struct dag {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> inputs;  // [k - 1]
  std::vector<std::uint32_t> leaves;
};

inline dag random_dag(std::uint32_t nodes) {
  dag made;
  std::vector<bool> read(nodes + 1);
  for (std::uint32_t k = 1; k <= nodes; ++k) {
    const std::uint32_t a = bits(500, 2 * k) % k, b = bits(500, 2 * k + 1) % k;
    made.inputs.push_back({a, b});
    read[a] = read[b] = true;
  }
  for (std::uint32_t k = 1; k <= nodes; ++k)
    if (!read[k]) made.leaves.push_back(k);
  return made;
}

}  // namespace bench

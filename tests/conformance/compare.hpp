#pragma once
// Whether two tensors are equal, as recorded cases mean it.

#include "cases.hpp"

#include <flowgraph/core/tensor.hpp>

#include <string>

namespace conformance {

struct tolerance {
  bool wide = false;        // ten times as much for float32 and complex64
  bool up_to_sign = false;  // singular vectors and eigenvectors
};

// Nothing, or in what they differ: element type, shape, or how many elements, and the worst of them.
std::string difference(const flowgraph::any_tensor& found, const flowgraph::any_tensor& expected, comparison how,
                       const tolerance& t);

// Element type, shape and every bit of every element; handles of resources are not compared.
bool is_same_to_the_bit(const flowgraph::any_tensor& a, const flowgraph::any_tensor& b);

}  // namespace conformance

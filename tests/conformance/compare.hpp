#pragma once
// The comparison of two tensors, as recorded cases define it.

#include "cases.hpp"

#include <flowgraph/core/tensor.hpp>

#include <string>

namespace conformance {

struct tolerance {
  bool wide = false;        // ten times the tolerance for float32 and complex64
  bool up_to_sign = false;  // singular vectors and eigenvectors
};

// Returns an empty text if the tensors are equal. Otherwise describes the difference: the element type, the shape, or the number
// of different elements and the worst of them.
std::string difference(const flowgraph::any_tensor& found, const flowgraph::any_tensor& expected, comparison how,
                       const tolerance& t);

// Compares element type, shape and every bit of every element, except handles of resources.
bool is_same_to_the_bit(const flowgraph::any_tensor& a, const flowgraph::any_tensor& b);

}  // namespace conformance

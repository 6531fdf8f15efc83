#pragma once
// Measures the difference between two tensors.
//
//     if (auto d = fg::difference(found, expected, {.relative = 1e-5})) std::puts(d->text().c_str());

#include <flowgraph/core/tensor.hpp>

#include <optional>
#include <string>

namespace flowgraph::inline FLOWGRAPH_ABI {

// The allowed difference of elements: |a - b| <= absolute + relative * max(|a|, |b|). If `absolute` and `relative` are 0,
// elements are compared bit by bit, and -0 differs from 0.
struct tolerance {
  double absolute = 0, relative = 0;  // allowed difference; default: none
  // Returns whether elements must be equal bit by bit.
  bool is_none() const { return absolute == 0 && relative == 0; }
};

// The difference between two tensors.
struct tensor_difference {
  enum class form : std::uint8_t { type, shape, elements };

  form kind = form::elements;               // the kind of difference
  std::size_t differing = 0, elements = 0;  // number of elements beyond the tolerance, and number of all elements
  std::size_t at = 0;                       // index of the element with the largest difference
  double most = 0;                          // largest difference; infinite for strings, and if one of the elements is not finite
  std::string first, second;                // the two elements, or the two types and shapes

  // Returns a text such as "3 of 10 elements differ, the most by 0.5, at element 7: 1 and 1.5".
  std::string text() const;
};

// Returns the difference, or an empty optional if the tensors are equal. Without a tolerance, elements are compared bit by bit,
// so two NaNs are equal only if they have the same bits. With a tolerance, all NaNs are equal.
std::optional<tensor_difference> difference(const any_tensor& a, const any_tensor& b, const tolerance& allowed = {});

namespace detail {

// Returns an element as text.
std::string element_text(const any_tensor& t, std::size_t at);

}  // namespace detail

}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/observe/impl/difference.hpp>
#endif

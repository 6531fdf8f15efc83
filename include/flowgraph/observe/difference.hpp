#pragma once
// How far two tensors are apart.
//
//     if (auto d = fg::difference(found, expected, {.relative = 1e-5})) std::puts(d->text().c_str());

#include <flowgraph/core/tensor.hpp>

#include <optional>
#include <string>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

// By how much elements may differ: |a - b| <= absolute + relative * max(|a|, |b|). Zeros: to the bit, so that -0 is not 0.
struct tolerance {
  double absolute = 0, relative = 0;
  bool is_none() const { return absolute == 0 && relative == 0; }
};

struct tensor_difference {
  enum class form : std::uint8_t { type, shape, elements };

  form is = form::elements;
  std::size_t differing = 0, elements = 0;  // elements beyond the tolerance, and all
  std::size_t at = 0;                       // of those, the element that is farthest apart
  double most = 0;                          // how far; infinite where one of both is not finite, or for strings
  std::string first, second;                // those two elements, or the two types with their shapes

  // "3 of 10 elements differ, the most by 0.5, at element 7: 1 and 1.5".
  std::string text() const;
};

// Empty where there is none. Without a tolerance elements are compared by their bits, and the same NaN is equal; with one, a NaN is equal
// to any NaN.
std::optional<tensor_difference> difference(const any_tensor& a, const any_tensor& b, const tolerance& allowed = {});

namespace detail {

// An element as text.
std::string element_text(const any_tensor& t, std::size_t at);

}  // namespace detail

}
}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/observe/impl/difference.hpp>
#endif

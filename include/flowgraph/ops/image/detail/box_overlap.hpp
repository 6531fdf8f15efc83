#pragma once
// The overlap of two boxes.

#include <flowgraph/config.hpp>

#include <algorithm>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

struct box_edges {
  float top, left, bottom, right;

  template <class T>
  explicit box_edges(const T* box)
      : top(std::min(static_cast<float>(box[0]), static_cast<float>(box[2]))),
        left(std::min(static_cast<float>(box[1]), static_cast<float>(box[3]))),
        bottom(std::max(static_cast<float>(box[0]), static_cast<float>(box[2]))),
        right(std::max(static_cast<float>(box[1]), static_cast<float>(box[3]))) {}
  float area() const { return (bottom - top) * (right - left); }
};

// Returns the area of the intersection divided by the area of the union.
template <class T> float box_overlap(const T* first, const T* second) {
  const box_edges a(first), b(second);
  if (a.area() <= 0 || b.area() <= 0) return 0;
  const float rows = std::max(std::min(a.bottom, b.bottom) - std::max(a.top, b.top), 0.0f);
  const float columns = std::max(std::min(a.right, b.right) - std::max(a.left, b.left), 0.0f);
  const float common = rows * columns;
  return common / (a.area() + b.area() - common);
}

}  // namespace flowgraph::detail

#include <flowgraph/show_names.hpp>

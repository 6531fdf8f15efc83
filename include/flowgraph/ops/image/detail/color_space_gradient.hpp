#pragma once
// The gradient of RGBToHSV. If two colors are equal, the earlier of red, green and blue is the largest.

#include <flowgraph/ops/image/color_space.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

// A color, and numbers that are 1 if it is the largest or the smallest of its pixel and 0 otherwise.
template <class T> struct color_terms {
  out<T> value, largest, smallest;
};

template <class T> out<T> indicator(const out<bool>& a, const out<bool>& b) { return cast<T>(logical_and(a, b)); }

// The gradient of one color; `next` and `previous` follow and precede it in the order red, green, blue. `inverse` is 1 divided by
// the difference of the largest and the smallest color of the pixel.
template <class T>
out<T> color_gradient(const color_terms<T>& color, const color_terms<T>& next, const color_terms<T>& previous,
                      const out<T>& inverse, const out_list<T>& d) {
  const auto positive = [](const color_terms<T>& c) { return c.largest * cast<T>(greater(c.value, T(0))); };
  const out<T> ones = cast<T>(equal(color.value, color.value)), is_positive = cast<T>(greater(color.value, T(0)));
  const out<T> others = next.smallest * next.value + previous.smallest * previous.value;
  const out<T> biggest = next.largest * next.value + previous.largest * previous.value;
  const out<T> of_saturation =
      is_positive * (color.largest * div_no_nan(others, color.value * color.value) - color.smallest * div_no_nan(ones, biggest));
  const out<T> difference = (previous.value - next.value) * inverse * inverse;
  const out<T> of_hue = positive(color) * difference +
                        positive(previous) * (color.smallest * difference + next.smallest * inverse) +
                        positive(next) * (color.smallest * difference - previous.smallest * inverse);
  return d[2] * color.largest + d[1] * of_saturation + d[0] * of_hue * T(1 / 6.0f);
}

template <class T> out<T> hsv_gradient(const out<T>& x, const out<T>& y, const out<T>& dy) {
  const out_list<T> c = split(x, 3, -1), d = split(dy, 3, -1);
  const color_terms<T> red{c[0], indicator<T>(greater_equal(c[0], c[2]), greater_equal(c[0], c[1])),
                           indicator<T>(less(c[0], c[2]), less(c[0], c[1]))};
  const color_terms<T> green{c[1], indicator<T>(greater(c[1], c[0]), greater_equal(c[1], c[2])),
                             indicator<T>(less_equal(c[1], c[0]), less(c[1], c[2]))};
  const color_terms<T> blue{c[2], indicator<T>(greater(c[2], c[0]), greater(c[2], c[1])),
                            indicator<T>(less_equal(c[2], c[0]), less_equal(c[2], c[1]))};
  const out<T> value = split(y, 3, -1)[2], range = value - minimum(minimum(c[0], c[1]), c[2]);
  const out<T> inverse = div_no_nan(cast<T>(equal(range, range)), range);
  return concat({color_gradient(red, green, blue, inverse, d), color_gradient(green, blue, red, inverse, d),
                 color_gradient(blue, red, green, inverse, d)},
                -1);
}

}  // namespace flowgraph::detail

#pragma once

#include <flowgraph/ops/shared/detail/elementwise.hpp>
#include <flowgraph/ops/math/trigonometry.hpp>

#include <cmath>
#include <complex>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {
namespace functor {

// One at a time: the standard library's, of float, double and complex numbers.
struct sin {
  static constexpr bool by_number = true;
  template <class P> static P packet(P x) { return std::sin(x); }
};
struct cos {
  static constexpr bool by_number = true;
  template <class P> static P packet(P x) { return std::cos(x); }
};
struct tan {
  static constexpr bool by_number = true;
  template <class P> static P packet(P x) { return std::tan(x); }
};
struct asin {
  static constexpr bool by_number = true;
  template <class P> static P packet(P x) { return std::asin(x); }
};
struct acos {
  static constexpr bool by_number = true;
  template <class P> static P packet(P x) { return std::acos(x); }
};
struct atan {
  static constexpr bool by_number = true;
  template <class P> static P packet(P x) { return std::atan(x); }
};
struct sinh {
  static constexpr bool by_number = true;
  template <class P> static P packet(P x) { return std::sinh(x); }
};
struct cosh {
  static constexpr bool by_number = true;
  template <class P> static P packet(P x) { return std::cosh(x); }
};
struct asinh {
  static constexpr bool by_number = true;
  template <class P> static P packet(P x) { return std::asinh(x); }
};
struct acosh {
  static constexpr bool by_number = true;
  template <class P> static P packet(P x) { return std::acosh(x); }
};
struct atanh {
  static constexpr bool by_number = true;
  template <class P> static P packet(P x) { return std::atanh(x); }
};
struct atan2 {
  static constexpr bool by_number = true;
  template <class P> static P packet(P y, P x) { return std::atan2(y, x); }
};

}
}
}  // namespace flowgraph::functor

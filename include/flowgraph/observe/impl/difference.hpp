#pragma once

#include <flowgraph/observe/difference.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

inline std::string number_text(double value, int digits) {
  char text[48];
  std::snprintf(text, sizeof text, "%.*g", digits, value);
  return text;
}

// Distances of elements that are not the same; infinite if the distance is not a number.
template <class T> struct element_distance {
  const tolerance& allowed;

  bool is_same(const T& a, const T& b) const {
    if constexpr (is_plain(dtype_of<T>)) return std::memcmp(&a, &b, sizeof(T)) == 0;
    else return a == b;
  }
  static double size(const T& a) {
    if constexpr (in_list<T, complex_numbers>) return static_cast<double>(std::abs(a));
    else if constexpr (in_list<T, real_numbers>) return std::abs(static_cast<double>(a));
    else return 0;
  }
  static double between(const T& a, const T& b) {
    double apart = std::numeric_limits<double>::infinity();
    if constexpr (in_list<T, complex_numbers>) apart = static_cast<double>(std::abs(a - b));
    else if constexpr (in_list<T, real_numbers>) apart = std::abs(static_cast<double>(a) - static_cast<double>(b));
    return apart != apart ? std::numeric_limits<double>::infinity() : apart;
  }
  bool is_allowed(const T& a, const T& b, double apart) const {
    if (allowed.is_none()) return false;
    if (size(a) != size(a) && size(b) != size(b)) return true;
    if (apart == std::numeric_limits<double>::infinity()) return false;
    return apart <= allowed.absolute + allowed.relative * std::max(size(a), size(b));
  }
};

template <class T> tensor_difference differing_elements(const any_tensor& a, const any_tensor& b, const tolerance& allowed) {
  const element_distance<T> distance{allowed};
  const auto x = a.as<T>(), y = b.as<T>();
  tensor_difference d;
  d.elements = x.size();
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (distance.is_same(x[i], y[i])) continue;
    const double apart = distance.between(x[i], y[i]);
    if (distance.is_allowed(x[i], y[i], apart)) continue;
    if (d.differing++ == 0 || apart > d.most) d.most = apart, d.at = i;
  }
  return d;
}

FLOWGRAPH_INLINE std::string element_text(const any_tensor& t, std::size_t at) {
  return visit_type(
      t.type(),
      [&]<class T>() -> std::string {
        if constexpr (in_list<T, all_types>) {
          const T& e = t.as<T>()[at];
          if constexpr (std::is_same_v<T, std::string>) return '\'' + e.substr(0, 40) + (e.size() > 40 ? "...'" : "'");
          else if constexpr (std::is_same_v<T, bool>) return e ? "true" : "false";
          else if constexpr (in_list<T, complex_numbers>)
            return number_text(static_cast<double>(e.real()), 9) + '+' + number_text(static_cast<double>(e.imag()), 9) + 'i';
          else if constexpr (in_list<T, integers>) return message{e};
          else return number_text(static_cast<double>(e), std::is_same_v<T, double> ? 17 : 9);
        } else {
          return {};
        }
      },
      [] { return std::string(); });
}

}  // namespace detail

FLOWGRAPH_INLINE std::string tensor_difference::text() const {
  if (kind != form::elements) return first + " and " + second;
  std::string result = message{differing, " of ", elements, " elements differ"};
  if (most < std::numeric_limits<double>::infinity()) result += ", the most by " + detail::number_text(most, 6);
  return result + message{", at element ", at, ": ", first, " and ", second}.string();
}

FLOWGRAPH_INLINE std::optional<tensor_difference> difference(const any_tensor& a, const any_tensor& b, const tolerance& allowed) {
  const auto described = [](const any_tensor& t) { return std::string(name_of(t.type())) + to_string(t.shape()); };
  tensor_difference d;
  if (a.type() != b.type() || !(a.shape() == b.shape())) {
    d.kind = a.type() != b.type() ? tensor_difference::form::type : tensor_difference::form::shape;
    d.first = described(a);
    d.second = described(b);
    return d;
  }
  d = visit_type(
      a.type(),
      [&]<class T>() {
        if constexpr (in_list<T, all_types>) return detail::differing_elements<T>(a, b, allowed);
        else return tensor_difference();
      },
      [] { return tensor_difference(); });
  if (d.differing == 0) return std::nullopt;
  d.first = detail::element_text(a, d.at);
  d.second = detail::element_text(b, d.at);
  return d;
}

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>

#include "compare.hpp"

#include <cmath>
#include <complex>
#include <cstring>
#include <limits>
#include <sstream>

namespace conformance {

namespace {

namespace fg = flowgraph;

struct allowed {
  double relative, absolute;
};

template <class T>
constexpr bool is_real =
    std::is_same_v<T, fg::half> || std::is_same_v<T, fg::bfloat16> || std::is_same_v<T, float> || std::is_same_v<T, double>;
template <class T> constexpr bool is_complex = std::is_same_v<T, fg::complex64> || std::is_same_v<T, fg::complex128>;

template <class T> allowed allowed_for(bool wide) {
  if constexpr (std::is_same_v<T, fg::half>) return {1e-2, 1e-3};
  else if constexpr (std::is_same_v<T, fg::bfloat16>) return {2e-2, 1e-2};
  else if constexpr (std::is_same_v<T, double>) return {1e-10, 1e-12};
  else return {wide ? 1e-4 : 1e-5, 1e-6};
}

// Returns the distance relative to the allowed distance: above 1 the numbers differ.
template <class T> double distance(T a, T b, comparison how, const tolerance& t) {
  constexpr double far = std::numeric_limits<double>::infinity();
  if constexpr (is_complex<T>) {
    if (t.up_to_sign) return distance(std::abs(a), std::abs(b), how, t);  // the phase may differ
    return std::max(distance(a.real(), b.real(), how, t), distance(a.imag(), b.imag(), how, t));
  } else if constexpr (is_real<T>) {
    double x = static_cast<double>(static_cast<float>(a)), y = static_cast<double>(static_cast<float>(b));
    if constexpr (std::is_same_v<T, double>) x = a, y = b;
    if (t.up_to_sign) x = std::abs(x), y = std::abs(y);
    if (x == y || (std::isnan(x) && std::isnan(y))) return 0;
    if (how == comparison::exact) return far;
    allowed limit = allowed_for<T>(t.wide);
    if (t.up_to_sign) limit.absolute *= 10;  // the rounding errors are those of a vector of length 1
    const double part = std::abs(x - y) / (limit.absolute + limit.relative * std::abs(y));
    return std::isfinite(part) ? part : far;
  } else {
    return a == b ? 0 : far;
  }
}

template <class T> std::string text_of(const T& v) {
  std::ostringstream text;
  text.precision(std::numeric_limits<double>::max_digits10);
  if constexpr (std::is_same_v<T, std::string>) text << '"' << (v.size() > 60 ? v.substr(0, 60) + "..." : v) << '"';
  else if constexpr (is_complex<T>) text << v;
  else if constexpr (is_real<T> && !std::is_same_v<T, double>) text << static_cast<float>(v);
  else if constexpr (sizeof(T) == 1) text << static_cast<int>(v);
  else text << v;
  return text.str();
}

std::string place(std::size_t i, const fg::shape& s) {
  std::string text;
  for (int axis = s.rank - 1; axis >= 0; --axis) {
    const auto extent = static_cast<std::size_t>(s[axis]);
    text = std::to_string(i % extent) + (text.empty() ? "" : ",") + text;
    i /= extent;
  }
  return "[" + text + "]";
}

template <class T>
std::string element_difference(const fg::any_tensor& found, const fg::any_tensor& expected, comparison how, const tolerance& t) {
  const auto a = found.as<T>(), b = expected.as<T>();
  std::size_t beyond = 0, worst = 0;
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double d = distance<T>(a[i], b[i], how, t);
    if (d > 1) ++beyond;
    if (d > most) most = d, worst = i;
  }
  if (beyond == 0) return {};
  std::ostringstream text;
  text << beyond << " of " << a.size() << " elements differ";
  if (std::isfinite(most)) text << ", worst " << most << " x the tolerance";
  text << "; at " << place(worst, found.shape()) << " found " << text_of<T>(a[worst]) << ", expected " << text_of<T>(b[worst]);
  return text.str();
}

}  // namespace

std::string difference(const fg::any_tensor& found, const fg::any_tensor& expected, comparison how, const tolerance& t) {
  if (found.type() != expected.type())
    return "element type " + std::string(name_of(found.type())) + ", expected " + std::string(name_of(expected.type()));
  if (found.shape() != expected.shape()) return "shape " + to_string(found.shape()) + ", expected " + to_string(expected.shape());
  if (how == comparison::shape || found.size() == 0) return {};
  return fg::visit_type(
      found.type(),
      [&]<class T>() -> std::string {
        if constexpr (fg::is_counted(fg::dtype_of<T>)) return {};
        else return element_difference<T>(found, expected, how, t);
      },
      [] { return std::string(); });
}

bool is_same_to_the_bit(const fg::any_tensor& a, const fg::any_tensor& b) {
  if (a.type() != b.type() || !(a.shape() == b.shape())) return false;
  if (fg::is_counted(a.type()) || a.size() == 0) return true;
  if (a.type() != fg::dtype::string) return std::memcmp(a.data(), b.data(), a.bytes()) == 0;
  const auto x = a.as<std::string>(), y = b.as<std::string>();
  return std::equal(x.begin(), x.end(), y.begin(), y.end());
}

}  // namespace conformance

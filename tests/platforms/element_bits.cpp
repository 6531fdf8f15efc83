// Prints a hash of the results of every functor that runs over packets, of both element types, and of some products: every level whose
// multiply-add is rounded once has the same bits. The signs and payloads of NaNs are left out: they differ by processor.

#include <flowgraph/ops/kernel/dispatch.hpp>

#include <cinttypes>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>
#include <vector>

namespace {

namespace kernel = flowgraph::kernel;
namespace functor = flowgraph::functor;

template <class T> std::uint64_t hash(const std::vector<T>& values) {
  std::uint64_t h = 0xcbf29ce484222325u;
  for (const T value : values) {
    const T shown = std::isnan(value) ? std::numeric_limits<T>::quiet_NaN() : value;
    unsigned char bytes[sizeof(T)];
    std::memcpy(bytes, &shown, sizeof shown);
    for (const unsigned char byte : bytes) h = (h ^ byte) * 0x100000001b3u;
  }
  return h;
}

// Numbers of all sizes, and every number that is treated in a special way.
template <class T> std::vector<T> numbers(std::uint32_t seed) {
  using limits = std::numeric_limits<T>;
  std::vector<T> x{T(0),
                   -T(0),
                   T(1),
                   T(-1),
                   limits::infinity(),
                   -limits::infinity(),
                   limits::quiet_NaN(),
                   limits::min(),
                   limits::denorm_min(),
                   limits::max(),
                   limits::lowest(),
                   T(0.5),
                   T(-2.5),
                   T(88.7)};
  const auto draw = [&] { return seed = seed * 1664525u + 1013904223u; };
  while (x.size() < 4001) {
    const T size = static_cast<T>(draw() >> 8) / T(16777216);
    const std::uint32_t form = draw();
    x.push_back(std::ldexp(form & 0x80000000u ? -size : size, static_cast<int>(form >> 16) % 24 - 16));
  }
  for (std::size_t i = seed % 7; i + 14 < x.size(); i += 97) std::swap(x[i % 14], x[i]);
  return x;
}

template <class F, class T> std::vector<T> results_of() {
  const std::vector<T> a = numbers<T>(1), b = numbers<T>(2);
  std::vector<T> y(a.size());
  const auto n = static_cast<std::int64_t>(a.size());
  if constexpr (functor::is_unary<F>) kernel::unary_loop<F, T>()(a.data(), y.data(), n);
  else if constexpr (functor::is_paired<F>) kernel::paired_loop<F, T>()(a.data(), b.data(), y.data(), n);
  else kernel::binary_loop<F, T>().both(a.data(), b.data(), y.data(), n);
  return y;
}
template <class T, class... F> void print_functors(const char* type, functor::functor_list<F...>) {
  int number = 0;
  (std::printf("%s functor %d %016" PRIx64 "\n", type, number++, hash(results_of<F, T>())), ...);
}

template <class T> std::vector<T> product(std::int64_t m, std::int64_t n, std::int64_t k, bool transpose) {
  const auto fill = [](std::int64_t size, std::uint32_t seed) {
    std::vector<T> x(static_cast<std::size_t>(size));
    for (T& value : x) value = static_cast<T>((seed = seed * 1664525u + 1013904223u) >> 8) / T(8388608) - T(1);
    return x;
  };
  const std::vector<T> a = fill(m * k, 1), b = fill(k * n, 2);
  std::vector<T> c(static_cast<std::size_t>(m * n));
  const kernel::product_shape shape{m, n, k, transpose ? m : k, transpose ? k : n, n, transpose, transpose, false};
  using level = kernel::own;
  std::vector<T> scratch(static_cast<std::size_t>(level::product_scratch<T>(shape)));
  level::product<T>(shape, a.data(), b.data(), c.data(), scratch.data());
  return c;
}
template <class T> void print_products(const char* type) {
  for (const std::int64_t m : {1, 7, 30})
    for (const std::int64_t n : {1, 19, 70})
      for (const std::int64_t k : {3, 300, 1000})
        for (const bool transpose : {false, true})
          std::printf("%s product %d %d %d %d %016" PRIx64 "\n", type, int(m), int(n), int(k), int(transpose),
                      hash(product<T>(m, n, k, transpose)));
}

}  // namespace

int main() {
  print_functors<float>("float", functor::packet_functors{});
  print_functors<double>("double", functor::packet_functors{});
  print_products<float>("float");
  print_products<double>("double");
}

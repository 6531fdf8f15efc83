#pragma once
// Numbers, shapes and tensors by seed: mostly small ones, and those at which programs break.

#include <flowgraph/core/tensor.hpp>

#include <limits>
#include <random>
#include <string>

namespace fuzz_targets {

namespace fg = flowgraph;

class random_values {
public:
  explicit random_values(std::uint64_t seed) : engine_(seed) {}

  std::size_t below(std::size_t n) { return static_cast<std::size_t>(engine_() % n); }
  bool one_in(std::size_t n) { return below(n) == 0; }
  template <class List> auto& of(List& list) { return list[below(std::size(list))]; }

  std::int64_t integer() {
    static constexpr std::int64_t edges[] = {-1,
                                             0,
                                             1,
                                             255,
                                             -129,
                                             65536,
                                             std::numeric_limits<std::int32_t>::max(),
                                             std::numeric_limits<std::int32_t>::min(),
                                             std::numeric_limits<std::int64_t>::max(),
                                             std::numeric_limits<std::int64_t>::min()};
    return one_in(8) ? of(edges) : static_cast<std::int64_t>(below(9)) - 3;
  }
  double real() {
    static constexpr double edges[] = {0.0,
                                       -0.0,
                                       std::numeric_limits<double>::infinity(),
                                       -std::numeric_limits<double>::infinity(),
                                       std::numeric_limits<double>::quiet_NaN(),
                                       1e30,
                                       -1e-30};
    return one_in(12) ? of(edges) : (static_cast<double>(below(2001)) - 1000) / 250;
  }
  fg::dtype type() {
    static constexpr fg::dtype all[] = {fg::dtype::float32, fg::dtype::float32,   fg::dtype::float64,    fg::dtype::int32,
                                        fg::dtype::int32,   fg::dtype::int64,     fg::dtype::boolean,    fg::dtype::string,
                                        fg::dtype::uint8,   fg::dtype::complex64, fg::dtype::complex128, fg::dtype::int8,
                                        fg::dtype::float16, fg::dtype::bfloat16,  fg::dtype::uint64,     fg::dtype::int16,
                                        fg::dtype::uint16,  fg::dtype::uint32,    fg::dtype::resource,   fg::dtype::variant};
    return of(all);
  }
  // Small ones; `s` with an extent changed, one more or one less.
  fg::shape shape_like(const fg::shape& s) {
    if (one_in(16)) return fg::shape::unknown();
    fg::shape made;
    const int rank = s.rank < 0 ? static_cast<int>(below(4)) : s.rank;
    const std::size_t at = below(static_cast<std::size_t>(rank) + 1);
    const bool drops = one_in(4), adds = !drops && one_in(4);
    for (int i = 0; i < rank; ++i) {
      const bool changed = i == static_cast<int>(at);
      if (changed && drops) continue;
      made.push_back(changed ? extent() : s.rank < 0 ? static_cast<std::int64_t>(below(4)) : s[i]);
    }
    if (adds && rank + 1 < fg::shape::max_rank) made.push_back(extent());
    return made;
  }
  // One that fits; its unknown extents become small.
  fg::shape known_shape(const fg::shape& s) {
    fg::shape made;
    const int rank = s.rank < 0 ? static_cast<int>(below(4)) : s.rank;
    for (int i = 0; i < rank; ++i) made.push_back(s.rank < 0 || s[i] < 0 ? static_cast<std::int64_t>(below(4)) : s[i]);
    return made;
  }

  // Empty where there would be too many elements, and for types without values of their own.
  fg::any_tensor tensor(fg::dtype type, const fg::shape& shape, std::pmr::memory_resource* memory) {
    if (!shape.is_known() || shape.rank < 0) return {};
    std::int64_t size = 1;
    for (const std::int64_t n : shape) {
      if (n < 0 || n > most_elements) return {};
      size *= n;
      if (size > most_elements) return {};
    }
    auto made = fg::any_tensor::allocate(type, shape, memory);
    if (!made) return {};
    return set(*made, made->size()) ? *std::move(made) : fg::any_tensor();
  }
  // Gives some elements of a tensor, which nobody else holds, other values.
  bool set(fg::any_tensor& t, std::size_t count) {
    return fg::visit_type(
        t.type(),
        [&]<class T>() {
          if constexpr (!fg::in_list<T, fg::all_types>) {
            return false;
          } else {
            const fg::view<T> all = t.as_writable<T>();
            for (std::size_t i = 0; i < count && all.size() > 0; ++i)
              all[count == all.size() ? i : below(all.size())] = value<T>();
            return true;
          }
        },
        [] { return false; });
  }

private:
  static constexpr std::int64_t most_elements = 1 << 14;

  std::int64_t extent() {
    static constexpr std::int64_t large[] = {-1, 1000, 1 << 20, std::int64_t{1} << 32, std::int64_t{1} << 62};
    return one_in(8) ? of(large) : static_cast<std::int64_t>(below(5));
  }
  template <class T> T value() {
    if constexpr (std::is_same_v<T, std::string>) return std::string(below(4), static_cast<char>('a' + below(4)));
    else if constexpr (std::is_same_v<T, bool>) return one_in(2);
    else if constexpr (std::is_integral_v<T>) return static_cast<T>(integer());
    else if constexpr (std::is_floating_point_v<T>) return static_cast<T>(real());
    else if constexpr (std::is_same_v<T, fg::complex64>) return {static_cast<float>(real()), static_cast<float>(real())};
    else if constexpr (std::is_same_v<T, fg::complex128>) return {real(), real()};
    else return T(static_cast<float>(real()));
  }

  std::mt19937_64 engine_;
};

}  // namespace fuzz_targets

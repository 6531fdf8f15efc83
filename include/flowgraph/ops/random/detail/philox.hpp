#pragma once
// Philox 4x32-10 (Salmon et al., 2011) and the distributions drawn from it, number for number as TensorFlow draws them.

#include <flowgraph/core/type.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

// A stream of blocks. Block i depends only on key, stream and i, so any part can be drawn without the parts before it.
class philox {
public:
  using block = std::array<std::uint32_t, 4>;

  constexpr philox(std::uint64_t key, std::uint64_t stream, std::uint64_t first = 0)
      : key_{low(key), high(key)}, counter_{low(first), high(first), low(stream), high(stream)} {}

  constexpr void skip(std::uint64_t blocks) {
    const std::uint64_t before = counter_[0] | std::uint64_t{counter_[1]} << 32, after = before + blocks;
    counter_[0] = low(after);
    counter_[1] = high(after);
    if (after < before && ++counter_[2] == 0) ++counter_[3];
  }
  constexpr block operator()() {
    block x = counter_;
    std::uint32_t k0 = key_[0], k1 = key_[1];
    for (int round = 0; round < 10; ++round) {
      const std::uint64_t a = std::uint64_t{0xD2511F53u} * x[0], b = std::uint64_t{0xCD9E8D57u} * x[2];
      x = {high(b) ^ x[1] ^ k0, low(b), high(a) ^ x[3] ^ k1, low(a)};
      k0 += 0x9E3779B9u;
      k1 += 0xBB67AE85u;
    }
    skip(1);
    return x;
  }

  constexpr std::uint64_t key() const { return key_[0] | std::uint64_t{key_[1]} << 32; }
  // The place of the next block, in two halves.
  constexpr std::uint64_t place_low() const { return counter_[0] | std::uint64_t{counter_[1]} << 32; }
  constexpr std::uint64_t place_high() const { return counter_[2] | std::uint64_t{counter_[3]} << 32; }

private:
  static constexpr std::uint32_t low(std::uint64_t x) { return static_cast<std::uint32_t>(x); }
  static constexpr std::uint32_t high(std::uint64_t x) { return static_cast<std::uint32_t>(x >> 32); }

  std::array<std::uint32_t, 2> key_;
  block counter_;
};

// ---- bits to numbers in [0, 1)

inline float unit_float(std::uint32_t x) { return std::bit_cast<float>(0x3f800000u | (x & 0x7fffffu)) - 1.f; }
inline double unit_double(std::uint32_t high, std::uint32_t low) {
  return std::bit_cast<double>(0x3ff0000000000000u | (std::uint64_t{high & 0xfffffu} << 32) | low) - 1.;
}

// Makes two independent normal numbers from two uniform ones.
template <class T> std::array<T, 2> box_muller(T u1, T u2) {
  const T radius = std::sqrt(T(-2) * std::log(std::max(u1, T(1.0e-7))));
  const T angle = static_cast<T>(2 * 3.14159265358979323846 * u2);
  return {std::sin(angle) * radius, std::cos(angle) * radius};
}

// ---- distributions: `per_block` numbers from a block of bits

template <class T> inline constexpr int numbers_per_block = sizeof(T) == 8 ? 2 : 4;

template <class T> struct unit_distribution {
  static void draw(const philox::block& x, T* y) {
    for (int i = 0; i < numbers_per_block<T>; ++i) {
      const auto k = static_cast<std::size_t>(i);
      if constexpr (std::is_same_v<T, double>) y[i] = unit_double(x[2 * k], x[2 * k + 1]);
      else if constexpr (std::is_same_v<T, float>) y[i] = unit_float(x[k]);
      else if constexpr (std::is_same_v<T, half>)
        y[i] = half(half::from_bits(static_cast<std::uint16_t>(0x3c00u | (x[k] & 0x3ffu))) - 1.f);
      else y[i] = bfloat16(bfloat16::from_bits(static_cast<std::uint16_t>(0x3f80u | (x[k] & 0x7fu))) - 1.f);
    }
  }
};

// Pairs of floats, or one pair of doubles, before they are narrowed.
template <class T> using normal_pair = std::array<std::conditional_t<std::is_same_v<T, double>, double, float>, 2>;

template <class T, class Next> normal_pair<T> draw_normal_pair(Next&& next) {
  if constexpr (std::is_same_v<T, double>) {
    const std::uint32_t a = next(), b = next(), c = next(), d = next();
    return box_muller(unit_double(a, b), unit_double(c, d));
  } else {
    const std::uint32_t a = next(), b = next();
    return box_muller(unit_float(a), unit_float(b));
  }
}

template <class T> struct normal_distribution {
  static void draw(const philox::block& x, T* y) {
    std::size_t at = 0;
    for (int i = 0; i < numbers_per_block<T>; i += 2) {
      const auto pair = draw_normal_pair<T>([&] { return x[at++]; });
      y[i] = T(pair[0]);
      y[i + 1] = T(pair[1]);
    }
  }
};

// The bits of a block, unchanged.
template <class T> struct bits_distribution {
  static void draw(const philox::block& x, T* y) {
    for (std::size_t i = 0; i < static_cast<std::size_t>(numbers_per_block<T>); ++i) {
      if constexpr (sizeof(T) == 8) y[i] = static_cast<T>(x[2 * i] | std::uint64_t{x[2 * i + 1]} << 32);
      else y[i] = static_cast<T>(x[i]);
    }
  }
};

template <class T> struct range_distribution {
  using bits = std::make_unsigned_t<T>;
  T first;
  bits size;

  void draw(const philox::block& x, T* y) const {
    for (std::size_t i = 0; i < static_cast<std::size_t>(numbers_per_block<T>); ++i) {
      bits drawn;
      if constexpr (sizeof(T) == 8) drawn = x[2 * i] | bits{x[2 * i + 1]} << 32;
      else drawn = x[i];
      y[i] = static_cast<T>(static_cast<bits>(first) + drawn % size);
    }
  }
};

// Draws normal numbers beyond `bound` again, so a group of numbers takes as many blocks as it needs.
template <class T> struct truncated_distribution {
  static constexpr int bound = 2;

  static void draw(philox& source, T* y) {
    philox::block x{};
    std::size_t used = x.size();
    auto next = [&] {
      if (used == x.size()) {
        x = source();
        used = 0;
      }
      return x[used++];
    };
    for (int i = 0; i < numbers_per_block<T>;) {
      for (const auto z : draw_normal_pair<T>(next)) {
        if (std::abs(z) >= bound || i == numbers_per_block<T>) continue;
        y[i++] = T(z);
      }
    }
  }
};

}  // namespace flowgraph::detail

#include <flowgraph/show_names.hpp>

#pragma once
// Random numbers from blocks of Philox 4x32-10, with the bits of ops/random/detail/philox.hpp. A thread computes the numbers of
// one block, or a group of numbers that needs several blocks.

#include <cuda/kernels/arguments.hpp>
#include <cuda/kernels/elements.hpp>

#include <flowgraph/ops/kernel/normal_number.hpp>

#include <cmath>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {
namespace cuda {

// A stream of words: block after block.
class philox_words {
public:
  FLOWGRAPH_FUNCTION explicit philox_words(const random_arguments& r) : key_(r.key), low_(r.low), high_(r.high) {
    if (r.counter) key_ = *r.key_at, low_ = r.counter[0], high_ = r.counter[1];
  }
  FLOWGRAPH_FUNCTION void skip(std::uint64_t blocks) {
    const std::uint64_t before = low_;
    low_ += blocks;
    if (low_ < before) ++high_;
  }
  FLOWGRAPH_FUNCTION std::uint32_t operator()() {
    if (used_ == 4) make_block();
    return block_[used_++];
  }
  FLOWGRAPH_FUNCTION std::uint64_t both() {
    const std::uint64_t low = (*this)();
    return low | std::uint64_t{(*this)()} << 32;
  }

private:
  FLOWGRAPH_FUNCTION void make_block() {
    auto x0 = static_cast<std::uint32_t>(low_), x1 = static_cast<std::uint32_t>(low_ >> 32);
    auto x2 = static_cast<std::uint32_t>(high_), x3 = static_cast<std::uint32_t>(high_ >> 32);
    auto k0 = static_cast<std::uint32_t>(key_), k1 = static_cast<std::uint32_t>(key_ >> 32);
    for (int round = 0; round < 10; ++round) {
      const std::uint64_t a = std::uint64_t{0xD2511F53u} * x0, c = std::uint64_t{0xCD9E8D57u} * x2;
      x0 = static_cast<std::uint32_t>(c >> 32) ^ x1 ^ k0;
      x2 = static_cast<std::uint32_t>(a >> 32) ^ x3 ^ k1;
      x1 = static_cast<std::uint32_t>(c);
      x3 = static_cast<std::uint32_t>(a);
      k0 += 0x9E3779B9u;
      k1 += 0xBB67AE85u;
    }
    block_[0] = x0, block_[1] = x1, block_[2] = x2, block_[3] = x3;
    used_ = 0;
    skip(1);
  }

  std::uint64_t key_, low_, high_;
  std::uint32_t block_[4] = {};
  int used_ = 4;
};

FLOWGRAPH_FUNCTION inline double unit_double(philox_words& words) {
  const std::uint64_t high = words(), low = words();
  return __builtin_bit_cast(double, 0x3ff0000000000000u | (high & 0xfffffu) << 32 | low) - 1.;
}

struct unit_numbers {
  template <class T> FLOWGRAPH_FUNCTION static T draw(philox_words& words, const random_arguments&) {
    if constexpr (std::is_same_v<T, double>) return unit_double(words);
    else if constexpr (std::is_same_v<T, float>) return kernel::one::normal_unit(words());
    else if constexpr (std::is_same_v<T, half>)
      return half(static_cast<float>(half::from_bits(static_cast<std::uint16_t>(0x3c00u | (words() & 0x3ffu)))) - 1.f);
    else return bfloat16(static_cast<float>(bfloat16::from_bits(static_cast<std::uint16_t>(0x3f80u | (words() & 0x7fu)))) - 1.f);
  }
};
struct bit_numbers {
  template <class T> FLOWGRAPH_FUNCTION static T draw(philox_words& words, const random_arguments&) {
    if constexpr (sizeof(T) == 8) return static_cast<T>(words.both());
    else return static_cast<T>(words());
  }
};
struct range_numbers {
  template <class T> FLOWGRAPH_FUNCTION static T draw(philox_words& words, const random_arguments& r) {
    using bits = std::make_unsigned_t<T>;
    const bits drawn = bit_numbers::draw<bits>(words, r);
    return static_cast<T>(static_cast<bits>(static_cast<bits>(r.first_value) + drawn % static_cast<bits>(r.values)));
  }
};

// Two independent normal numbers, computed from two uniform numbers.
template <class P> struct normal_pair {
  P values[2];

  FLOWGRAPH_FUNCTION explicit normal_pair(philox_words& words) {
    if constexpr (std::is_same_v<P, double>) {
      const double drawn = unit_double(words), u1 = drawn < 1.0e-7 ? 1.0e-7 : drawn;
      const double angle = 2 * 3.14159265358979323846 * unit_double(words), radius = std::sqrt(-2. * std::log(u1));
      values[0] = std::sin(angle) * radius;
      values[1] = std::cos(angle) * radius;
    } else {
      const kernel::one::normal_logarithms table;
      const float u1 = kernel::one::normal_unit(words()), u2 = kernel::one::normal_unit(words());
      const float radius = kernel::one::normal_radius(u1, table);
      kernel::one::normal_angle(u2, values[0], values[1]);
      values[0] *= radius;
      values[1] *= radius;
    }
  }
};

template <class T> inline constexpr int numbers_per_block = sizeof(T) == 8 ? 2 : 4;

// Calls f(first number, words) for the groups of this block. Each group has `blocks` blocks of Philox for its numbers.
template <class T, class Block, class F>
FLOWGRAPH_FUNCTION void each_group(Block& b, const random_arguments& r, std::uint64_t blocks, const F& f) {
  const std::int64_t first = b.index() * elements_per_block, groups = (r.size + numbers_per_block<T> - 1) / numbers_per_block<T>;
  b.each(part_of(groups, first), [&](std::int64_t i) {
    philox_words words(r);
    words.skip(static_cast<std::uint64_t>(first + i) * blocks);
    f((first + i) * numbers_per_block<T>, words);
  });
}
template <class T> FLOWGRAPH_FUNCTION void put_number(const random_arguments& r, std::int64_t i, T x) {
  if (i < r.size) static_cast<T*>(r.y)[i] = x;
}

template <class Numbers, class T> struct random_map {
  template <class Block> FLOWGRAPH_FUNCTION void operator()(Block& b, const random_arguments& r) const {
    each_group<T>(b, r, 1, [&](std::int64_t at, philox_words& words) {
      for (int k = 0; k < numbers_per_block<T>; ++k) put_number(r, at + k, Numbers::template draw<T>(words, r));
    });
  }
};

template <class T> struct random_normal_map {
  template <class Block> FLOWGRAPH_FUNCTION void operator()(Block& b, const random_arguments& r) const {
    each_group<T>(b, r, 1, [&](std::int64_t at, philox_words& words) {
      for (int k = 0; k < numbers_per_block<T>; k += 2) {
        const normal_pair<computed<T>> pair(words);
        put_number(r, at + k, T(pair.values[0]));
        put_number(r, at + k + 1, T(pair.values[1]));
      }
    });
  }
};

// A number beyond two standard deviations is replaced by the next number, so a group has 64 blocks for each of its numbers.
template <class T> struct random_truncated_map {
  template <class Block> FLOWGRAPH_FUNCTION void operator()(Block& b, const random_arguments& r) const {
    each_group<T>(b, r, numbers_per_block<T> * 64, [&](std::int64_t at, philox_words& words) {
      for (int k = 0; k < numbers_per_block<T>;) {
        const normal_pair<computed<T>> pair(words);
        for (const auto z : pair.values)
          if (z < 2 && z > -2 && k < numbers_per_block<T>) put_number(r, at + k++, T(z));
      }
    });
  }
};

}
}
}  // namespace flowgraph::cuda

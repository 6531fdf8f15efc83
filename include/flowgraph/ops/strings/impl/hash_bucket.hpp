#pragma once

#include <flowgraph/formats/sip_hash.hpp>
#include <flowgraph/ops/strings/hash_bucket.hpp>

#include <bit>
#include <utility>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// Returns a little-endian word on all machines.
template <class Word> Word word_at(std::string_view bytes, std::size_t at) {
  Word w = 0;
  for (std::size_t k = sizeof(Word); k-- > 0;) w = static_cast<Word>(w << 8) | static_cast<unsigned char>(bytes[at + k]);
  return w;
}

// ---- FarmHash's Fingerprint64, by its published definition

class farm_hash {
public:
  static std::uint64_t of(std::string_view s) {
    if (s.size() <= 16) return upto_16(s);
    if (s.size() <= 32) return upto_32(s);
    if (s.size() <= 64) return upto_64(s);
    return longer(s);
  }

private:
  using word = std::uint64_t;
  struct pair {
    word first, second;
  };
  static constexpr word k0 = 0xc3a5c85c97cb3127u, k1 = 0xb492b66fbe98f273u, k2 = 0x9ae16a3b2f90404fu;

  static word at(std::string_view s, std::size_t i) { return word_at<word>(s, i); }
  static word shift_mix(word v) { return v ^ (v >> 47); }
  static word mix(word u, word v, word by) {
    const word a = shift_mix((u ^ v) * by);
    return shift_mix((v ^ a) * by) * by;
  }

  static word upto_16(std::string_view s) {
    const std::size_t n = s.size();
    const word by = k2 + n * 2;
    if (n >= 8) {
      const word a = at(s, 0) + k2, b = at(s, n - 8);
      return mix(std::rotr(b, 37) * by + a, (std::rotr(a, 25) + b) * by, by);
    }
    if (n >= 4) return mix(n + (word{word_at<std::uint32_t>(s, 0)} << 3), word_at<std::uint32_t>(s, n - 4), by);
    if (n == 0) return k2;
    const auto byte = [&](std::size_t i) { return static_cast<std::uint32_t>(static_cast<unsigned char>(s[i])); };
    const std::uint32_t y = byte(0) + (byte(n >> 1) << 8), z = static_cast<std::uint32_t>(n) + (byte(n - 1) << 2);
    return shift_mix(y * k2 ^ z * k0) * k2;
  }

  static word upto_32(std::string_view s) {
    const std::size_t n = s.size();
    const word by = k2 + n * 2, a = at(s, 0) * k1, b = at(s, 8), c = at(s, n - 8) * by, d = at(s, n - 16) * k2;
    return mix(std::rotr(a + b, 43) + std::rotr(c, 30) + d, a + std::rotr(b + k2, 18) + c, by);
  }

  static word upto_64(std::string_view s) {
    const std::size_t n = s.size();
    const word by = k2 + n * 2, a = at(s, 0) * k2, b = at(s, 8), c = at(s, n - 8) * by, d = at(s, n - 16) * k2;
    const word y = std::rotr(a + b, 43) + std::rotr(c, 30) + d, z = mix(y, a + std::rotr(b + k2, 18) + c, by);
    const word e = at(s, 16) * by, f = at(s, 24), g = (y + at(s, n - 32)) * by, h = (z + at(s, n - 24)) * by;
    return mix(std::rotr(e + f, 43) + std::rotr(g, 30) + h, e + std::rotr(f + a, 18) + g, by);
  }

  static pair weak(std::string_view s, std::size_t i, word a, word b) {
    a += at(s, i);
    b = std::rotr(b + a + at(s, i + 24), 21);
    const word c = a;
    a += at(s, i + 8) + at(s, i + 16);
    b += std::rotr(a, 44);
    return {a + at(s, i + 24), b + c};
  }

  static word longer(std::string_view s) {
    const std::size_t end = (s.size() - 1) / 64 * 64, rest = (s.size() - 1) & 63;
    word x = 81, y = 81 * k1 + 113, z = shift_mix(y * k2 + 113) * k2;
    pair v{0, 0}, w{0, 0};
    x = x * k2 + at(s, 0);
    for (std::size_t i = 0; i < end; i += 64) {
      x = std::rotr(x + y + v.first + at(s, i + 8), 37) * k1;
      y = std::rotr(y + v.second + at(s, i + 48), 42) * k1;
      x ^= w.second;
      y += v.first + at(s, i + 40);
      z = std::rotr(z + w.first, 33) * k1;
      v = weak(s, i, v.second * k1, x + w.first);
      w = weak(s, i + 32, z + w.second, y + at(s, i + 16));
      std::swap(z, x);
    }
    const word by = k1 + ((z & 0xff) << 1);
    const std::size_t i = end + rest - 63;  // the last 64 bytes
    w.first += rest;
    v.first += w.first;
    w.first += v.first;
    x = std::rotr(x + y + v.first + at(s, i + 8), 37) * by;
    y = std::rotr(y + v.second + at(s, i + 48), 42) * by;
    x ^= w.second * 9;
    y += v.first * 9 + at(s, i + 40);
    z = std::rotr(z + w.first, 33) * by;
    v = weak(s, i, v.second * by, x + w.first);
    w = weak(s, i + 32, z + w.second, y + at(s, i + 16));
    std::swap(z, x);
    return mix(mix(v.first, w.first, by) + shift_mix(y) * k0 + z, mix(v.second, w.second, by) + x, by);
  }
};

FLOWGRAPH_INLINE std::uint64_t farm_fingerprint(std::string_view bytes) { return farm_hash::of(bytes); }

FLOWGRAPH_INLINE std::uint64_t sip_hash(std::string_view bytes, std::uint64_t key0, std::uint64_t key1) {
  return sip_hasher<2, 4>(key0, key1).finish(bytes);
}

FLOWGRAPH_INLINE std::uint64_t murmur_hash(std::string_view bytes) {
  constexpr std::uint64_t by = 0xc6a4a7935bd1e995u;
  std::uint64_t hash = 0xdecafcaffeu ^ (bytes.size() * by);
  std::size_t i = 0;
  for (; i + 8 <= bytes.size(); i += 8) {
    std::uint64_t word = word_at<std::uint64_t>(bytes, i) * by;
    word = (word ^ (word >> 47)) * by;
    hash = (hash ^ word) * by;
  }
  if (i < bytes.size()) {
    for (std::size_t k = i; k < bytes.size(); ++k) hash ^= std::uint64_t{static_cast<unsigned char>(bytes[k])} << (8 * (k - i));
    hash *= by;
  }
  hash = (hash ^ (hash >> 47)) * by;
  return hash ^ (hash >> 47);
}

FLOWGRAPH_INLINE void check_buckets(shape_context& c, std::int64_t num_buckets) {
  if (num_buckets < 1) c.fail(message{"num_buckets must be 1 or more, found ", num_buckets});
}

template <class Hash>
void fill_buckets(view<const std::string> input, view<std::int64_t> bucket, std::int64_t num_buckets, Hash&& hash) {
  for (std::size_t i = 0; i < input.size(); ++i)
    bucket[i] = static_cast<std::int64_t>(hash(std::string_view(input[i])) % static_cast<std::uint64_t>(num_buckets));
}

}  // namespace detail

FLOWGRAPH_INLINE flowgraph::shape string_to_hash_bucket_fast_op::shape(shape_context& c, const flowgraph::shape& input) const {
  detail::check_buckets(c, num_buckets);
  return input;
}
FLOWGRAPH_INLINE void string_to_hash_bucket_fast_op::operator()(cpu, view<const std::string> input,
                                                                view<std::int64_t> bucket) const {
  detail::fill_buckets(input, bucket, num_buckets, detail::farm_fingerprint);
}

FLOWGRAPH_INLINE flowgraph::shape string_to_hash_bucket_strong_op::shape(shape_context& c, const flowgraph::shape& input) const {
  detail::check_buckets(c, num_buckets);
  if (key.size() != 2) return c.fail(message{"key must have 2 numbers, found ", key.size()});
  return input;
}
FLOWGRAPH_INLINE void string_to_hash_bucket_strong_op::operator()(cpu, view<const std::string> input,
                                                                  view<std::int64_t> bucket) const {
  detail::fill_buckets(input, bucket, num_buckets, [&](std::string_view text) {
    return detail::sip_hash(text, static_cast<std::uint64_t>(key[0]), static_cast<std::uint64_t>(key[1]));
  });
}

FLOWGRAPH_INLINE flowgraph::shape string_to_hash_bucket_op::shape(shape_context& c, const flowgraph::shape& input) const {
  detail::check_buckets(c, num_buckets);
  return input;
}
FLOWGRAPH_INLINE void string_to_hash_bucket_op::operator()(cpu, view<const std::string> input, view<std::int64_t> bucket) const {
  detail::fill_buckets(input, bucket, num_buckets, detail::murmur_hash);
}

}  // namespace flowgraph

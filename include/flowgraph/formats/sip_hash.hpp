#pragma once
// SipHash (Aumasson and Bernstein, 2012), a hash with a secret key of two words. Without the key, it is not feasible to find two
// texts with the same hash, or to predict a hash. The template parameters are the rounds per word and the rounds at the end:
// SipHash-2-4 is the paper's version, and SipHash-1-3 takes half the time.

#include <flowgraph/config.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

template <int PerWord, int AtEnd> class sip_hasher {
public:
  sip_hasher(std::uint64_t key0, std::uint64_t key1) noexcept
      : a_(key0 ^ 0x736f6d6570736575u), b_(key1 ^ 0x646f72616e646f6du), c_(key0 ^ 0x6c7967656e657261u),
        d_(key1 ^ 0x7465646279746573u) {}

  // Adds the 8 bytes of a word, lowest byte first.
  void add(std::uint64_t word) noexcept {
    bytes_ += 8;
    take(word);
  }
  // Adds bytes, and fills the last word with zeros. Add the length as well.
  void add_padded(std::string_view bytes) noexcept {
    for (; bytes.size() >= 8; bytes.remove_prefix(8)) add(word_of(bytes));
    if (!bytes.empty()) add(end_of(bytes));
  }
  // Returns the hash of all bytes that were added, followed by `rest`. Nothing may be added afterwards.
  std::uint64_t finish(std::string_view rest = {}) noexcept {
    for (; rest.size() >= 8; rest.remove_prefix(8)) add(word_of(rest));
    return end((bytes_ + rest.size()) << 56 | end_of(rest));
  }
  // Like `finish`, with the 7 low bytes of a number, which are hashed in the last word.
  std::uint64_t finish_with(std::uint64_t number) noexcept {
    return end((bytes_ + 7) << 56 | (number & (~std::uint64_t{0} >> 8)));
  }

private:
  static std::uint64_t word_of(std::string_view bytes) noexcept {
    if constexpr (std::endian::native == std::endian::little) {
      std::uint64_t word;
      std::memcpy(&word, bytes.data(), sizeof word);
      return word;
    }
    return end_of(bytes.substr(0, 8));
  }
  static std::uint64_t end_of(std::string_view bytes) noexcept {
    std::uint64_t word = 0;
    for (std::size_t k = 0; k < bytes.size(); ++k) word |= std::uint64_t{static_cast<unsigned char>(bytes[k])} << (8 * k);
    return word;
  }
  std::uint64_t end(std::uint64_t last) noexcept {
    take(last);
    c_ ^= 0xff;
    for (int k = 0; k < AtEnd; ++k) round();
    return a_ ^ b_ ^ c_ ^ d_;
  }
  void take(std::uint64_t word) noexcept {
    d_ ^= word;
    for (int k = 0; k < PerWord; ++k) round();
    a_ ^= word;
  }
  void round() noexcept {
    a_ += b_;
    b_ = std::rotl(b_, 13) ^ a_;
    a_ = std::rotl(a_, 32);
    c_ += d_;
    d_ = std::rotl(d_, 16) ^ c_;
    a_ += d_;
    d_ = std::rotl(d_, 21) ^ a_;
    c_ += b_;
    b_ = std::rotl(b_, 17) ^ c_;
    c_ = std::rotl(c_, 32);
  }

  std::uint64_t a_, b_, c_, d_, bytes_ = 0;
};

}  // namespace flowgraph::detail

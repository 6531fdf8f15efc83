#include "keyed_hash.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace flowgraph::inline FLOWGRAPH_ABI::distributed {

namespace {

constexpr std::array<std::uint32_t, 64> rounds = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01,
    0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc,
    0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147,
    0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08,
    0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
    0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

}  // namespace

void sha256::take_block(const std::uint8_t* block) noexcept {
  std::array<std::uint32_t, 64> w;
  for (std::size_t i = 0; i < 16; ++i)
    w[i] = std::uint32_t{block[4 * i]} << 24 | std::uint32_t{block[4 * i + 1]} << 16 | std::uint32_t{block[4 * i + 2]} << 8 |
           std::uint32_t{block[4 * i + 3]};
  for (std::size_t i = 16; i < 64; ++i) {
    const std::uint32_t a = w[i - 15], b = w[i - 2];
    w[i] = w[i - 16] + (std::rotr(a, 7) ^ std::rotr(a, 18) ^ (a >> 3)) + w[i - 7] +
           (std::rotr(b, 17) ^ std::rotr(b, 19) ^ (b >> 10));
  }
  auto [a, b, c, d, e, f, g, h] = state_;
  for (std::size_t i = 0; i < 64; ++i) {
    const std::uint32_t x = h + (std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25)) + ((e & f) ^ (~e & g)) + rounds[i] + w[i];
    const std::uint32_t y = (std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
    h = g, g = f, f = e, e = d + x, d = c, c = b, b = a, a = x + y;
  }
  const std::array<std::uint32_t, 8> sums = {a, b, c, d, e, f, g, h};
  for (std::size_t i = 0; i < 8; ++i) state_[i] += sums[i];
}

void sha256::add(std::string_view bytes) noexcept {
  bytes_ += bytes.size();
  while (!bytes.empty()) {
    const std::size_t some = std::min(block_.size() - filled_, bytes.size());
    std::memcpy(block_.data() + filled_, bytes.data(), some);
    bytes.remove_prefix(some);
    filled_ += some;
    if (filled_ == block_.size()) {
      take_block(block_.data());
      filled_ = 0;
    }
  }
}

hash_bytes sha256::finish() noexcept {
  const std::uint64_t bits = 8 * bytes_;
  char end[72] = {static_cast<char>(0x80)};
  const std::size_t zeros = (filled_ < 56 ? 56 : 120) - filled_;  // the first of these bytes is the mark 0x80
  for (std::size_t i = 0; i < 8; ++i) end[zeros + i] = static_cast<char>(bits >> (56 - 8 * i));
  add({end, zeros + 8});
  hash_bytes out;
  for (std::size_t i = 0; i < 32; ++i) out[i] = static_cast<std::uint8_t>(state_[i / 4] >> (24 - 8 * (i % 4)));
  return out;
}

hash_bytes keyed_hash(std::string_view key, std::initializer_list<std::string_view> pieces) noexcept {
  char inner[64] = {}, outer[64] = {};
  if (key.size() > 64) {
    sha256 short_key;
    short_key.add(key);
    const hash_bytes h = short_key.finish();
    std::memcpy(inner, h.data(), h.size());
  } else {
    std::memcpy(inner, key.data(), key.size());
  }
  for (std::size_t i = 0; i < 64; ++i) {
    outer[i] = static_cast<char>(inner[i] ^ 0x5c);
    inner[i] = static_cast<char>(inner[i] ^ 0x36);
  }
  sha256 first, second;
  first.add({inner, 64});
  for (const std::string_view piece : pieces) first.add(piece);
  const hash_bytes middle = first.finish();
  second.add({outer, 64});
  second.add(as_text(middle));
  return second.finish();
}

bool is_same_hash(const hash_bytes& a, std::string_view b) noexcept {
  if (b.size() != a.size()) return false;
  unsigned different = 0;
  for (std::size_t i = 0; i < a.size(); ++i) different |= static_cast<unsigned>(a[i] ^ static_cast<std::uint8_t>(b[i]));
  return different == 0;
}

}  // namespace flowgraph::distributed

#pragma once
// Writes numbers and text as bytes, and reads them back. Numbers are little-endian on every machine. A reader never reads beyond
// its bytes, and never allocates memory only because a length says so. If bytes are missing or a length is too large, the reader is
// no longer ok(), and everything that it reads from then on is 0 or empty.

#include <flowgraph/distributed/recycled.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <type_traits>

namespace flowgraph::inline FLOWGRAPH_ABI::distributed {

template <class T> concept byte_number = std::is_arithmetic_v<T> || std::is_enum_v<T>;

template <std::size_t Bytes>
using unsigned_of = std::conditional_t<
    Bytes == 1, std::uint8_t,
    std::conditional_t<Bytes == 2, std::uint16_t, std::conditional_t<Bytes == 4, std::uint32_t, std::uint64_t>>>;

template <byte_number T> void put_number(std::byte* to, T value) noexcept {
  const auto bits = std::bit_cast<unsigned_of<sizeof(T)>>(value);
  if constexpr (std::endian::native == std::endian::little) {
    std::memcpy(to, &bits, sizeof bits);
    return;
  }
  for (std::size_t i = 0; i < sizeof(T); ++i) to[i] = static_cast<std::byte>(static_cast<std::uint64_t>(bits) >> (8 * i));
}
template <byte_number T> T get_number(const std::byte* from) noexcept {
  if constexpr (std::endian::native == std::endian::little && !std::is_same_v<T, bool>) {
    T value;
    std::memcpy(&value, from, sizeof value);
    return value;
  }
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < sizeof(T); ++i) bits |= static_cast<std::uint64_t>(from[i]) << (8 * i);
  if constexpr (std::is_same_v<T, bool>) return bits != 0;
  else return std::bit_cast<T>(static_cast<unsigned_of<sizeof(T)>>(bits));
}

// Appends to the caller's text, for example to the body of a frame.
class byte_writer {
public:
  explicit byte_writer(recycled_text& to) noexcept : to_(to) {}

  template <byte_number T> void number(T value) {
    std::byte bytes[sizeof(T)];
    put_number(bytes, value);
    to_.append(reinterpret_cast<const char*>(bytes), sizeof bytes);
  }
  // Writes the length of the text, then its characters.
  void text(std::string_view characters) {
    number(static_cast<std::uint64_t>(characters.size()));
    to_.append(characters);
  }
  // Writes characters without their length. The reader must know the length.
  void raw(std::string_view characters) { to_.append(characters); }

private:
  recycled_text& to_;
};

class byte_reader {
public:
  explicit byte_reader(std::string_view from) noexcept : from_(from) {}
  explicit byte_reader(std::span<const std::byte> from) noexcept
      : from_(reinterpret_cast<const char*>(from.data()), from.size()) {}

  template <byte_number T> T number() noexcept {
    const std::string_view bytes = raw(sizeof(T));
    return bytes.empty() ? T{} : get_number<T>(reinterpret_cast<const std::byte*>(bytes.data()));
  }
  // Reads the number of elements that follow, of which each takes at least `least` bytes. If the remaining bytes cannot contain so
  // many, the reader is no longer ok(). So the caller may allocate memory for the returned number of elements.
  std::size_t count(std::size_t least) noexcept {
    const auto many = number<std::uint64_t>();
    if (many <= (least == 0 ? from_.size() : from_.size() / least)) return static_cast<std::size_t>(many);
    fail();
    return 0;
  }
  // Reads a text, and returns a view of it in the bytes that the reader was constructed from.
  std::string_view text() noexcept { return raw(count(1)); }
  std::string_view raw(std::size_t bytes) noexcept {
    if (bytes > from_.size()) {
      fail();
      return {};
    }
    const std::string_view taken = from_.substr(0, bytes);
    from_.remove_prefix(bytes);
    return taken;
  }

  // Returns whether every read so far found its bytes.
  bool ok() const noexcept { return ok_; }
  // Returns whether every read so far found its bytes, and no bytes are left.
  bool is_done() const noexcept { return ok_ && from_.empty(); }
  std::size_t left() const noexcept { return from_.size(); }
  // Marks the reader as not ok(). Callers use it if the values that they read are invalid.
  void fail() noexcept {
    ok_ = false;
    from_ = {};
  }

private:
  std::string_view from_;
  bool ok_ = true;
};

}  // namespace flowgraph::distributed

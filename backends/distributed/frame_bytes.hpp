#pragma once
// Frames as bytes on a wire, and back.
//
//     head      64 bytes, below
//     tensors   of each: u8 element type, u8 rank, u16 0, u32 checksum of this line, u64 bytes of its payload, i64 per extent
//     body      bytes
//     payloads  elements as they lie in memory; of strings, a u64 length each, then their characters
//
// Head: u32 magic, u8 version, u8 kind, u8 flags, u8 0, u32 edge, u32 tensors, u64 number, u64 loop, u64 iteration, u64 sequence number,
// u32 bytes of the body, u32 bytes of the tensors' heads, u32 checksum of all that follows the head, u32 checksum of the 60 bytes before.
// Numbers are little-endian; a checksum is 0 where none was asked for. Lengths have checksums of their own: a changed one must not make a
// reader wait for what never comes. Frames of one link count up from 0: one that is lost, repeated or put in is noticed.

#include <flowgraph/distributed/frame_limits.hpp>
#include <flowgraph/distributed/transport.hpp>

#include <memory_resource>
#include <span>
#include <string>
#include <vector>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {
namespace distributed {

inline constexpr std::uint8_t wire_version = 1;
inline constexpr std::size_t head_bytes = 64;

// Bytes that are to be written, in order: small pieces in one buffer, large payloads where they lie, whose tensors are held until then.
class outgoing_bytes {
public:
  bool empty() const noexcept { return written_ == total_; }
  std::size_t left() const noexcept { return total_ - written_; }

  void append(const void* data, std::size_t bytes) {
    small_.append(static_cast<const char*>(data), bytes);
    total_ += bytes;
  }
  void append(std::string_view characters) { append(characters.data(), characters.size()); }
  // Zeros, which the caller fills in before it appends more.
  std::byte* extend(std::size_t bytes) {
    small_.append(bytes, '\0');
    total_ += bytes;
    return reinterpret_cast<std::byte*>(small_.data() + (small_.size() - bytes));
  }
  // Bytes of `owner`.
  void refer(any_tensor owner, const void* data, std::size_t bytes);

  // The next pieces, as many as fit in `pieces` and `most` bytes. Returns how many; they stand until more is appended or written.
  std::size_t gather(std::span<std::span<const std::byte>> pieces, std::size_t most) const;
  // The first bytes of what is left have been written. Nothing is held once all have.
  void written(std::size_t bytes);

private:
  struct large_piece {
    std::size_t at;  // stands behind so many small bytes
    const std::byte* data;
    std::size_t bytes;
  };

  std::string small_;
  std::vector<large_piece> large_;
  recycled_tensors held_;  // one a large piece
  std::size_t total_ = 0, written_ = 0;
  std::size_t small_at_ = 0, large_at_ = 0, in_large_ = 0;  // where writing stands
};

// Makes bytes of frames; one for each direction of a link.
class frame_writer {
public:
  explicit frame_writer(bool with_checksums) noexcept : with_checksums_(with_checksums) {}
  // An error where the frame cannot travel, as a tensor of resources cannot; nothing is appended then.
  error append(const frame& f, outgoing_bytes& to);

private:
  bool with_checksums_;
  std::uint64_t next_ = 0;
  recycled_text strings_;
};

// Makes frames of bytes that come in any pieces. Payloads may be read straight into their tensors.
class frame_parser {
public:
  // `memory` outlives every tensor that is read. Frames with checksums are expected, or frames without: others are refused.
  frame_parser(const frame_limits& limits, bool needs_checksums, std::pmr::memory_resource* memory)
      : limits_(limits), needs_checksums_(needs_checksums), memory_(memory) {}

  // Takes all of `bytes`. `to` is asked to check() each frame, before memory is taken for its body and its tensors, and receives it when it
  // is complete. After an error nothing more may come.
  error take(std::span<const std::byte> bytes, link_user& to);

  // Memory of a tensor that the next bytes belong to; empty where they belong elsewhere. Then that many have come there.
  std::span<std::byte> room() noexcept;
  error filled(std::size_t bytes, link_user& to);

  // How many have come whole.
  std::uint64_t frames() const noexcept { return next_; }
  // Whether bytes of a frame have come, but not all.
  bool is_within_frame() const noexcept { return stage_ != stage::head || !kept_.empty(); }

private:
  enum class stage : std::uint8_t { head, tensors, body, payload };
  const std::byte* whole(std::span<const std::byte>& bytes, std::size_t wanted);
  // False: `wrong_` says why. An error is made where there is one alone: this is done for every frame.
  bool step(std::span<const std::byte>& bytes, link_user& to);
  bool read_head(const std::byte* head);
  bool read_tensors(const std::byte* heads, link_user& to);
  bool begin_payloads();
  bool begin_payload();
  bool end_payload();
  bool complete(link_user& to);
  bool refuse(error why);
  void count(const void* data, std::size_t bytes) noexcept;

  frame_limits limits_;
  bool needs_checksums_;
  std::pmr::memory_resource* memory_;

  stage stage_ = stage::head;
  error wrong_;
  std::string kept_;  // the beginning of a head, of tensors' heads, or a payload of strings
  frame frame_;
  frame_head head_;
  std::vector<tensor_head> heads_;
  std::vector<std::size_t> sizes_;
  std::size_t heads_bytes_ = 0, tensors_ = 0, tensor_ = 0, done_ = 0;
  bool has_checksum_ = false;
  std::uint32_t sum_ = 0, expected_sum_ = 0;
  std::uint64_t next_ = 0;
};

// What a frame takes on the wire.
std::size_t bytes_of(const frame& f);

}
}
}  // namespace flowgraph::distributed

#pragma once
// Writes frames as bytes for a link, and reads them back.
//
//     head      64 bytes, below
//     tensors   per tensor: u8 element type, u8 rank, u16 0, u32 checksum of this line, u64 bytes of its payload, i64 per extent
//     body      bytes
//     payloads  elements as they are in memory; for strings, a u64 length per string, then all characters
//
// Head: u32 magic, u8 version, u8 kind, u8 flags, u8 0, u32 edge, u32 tensors, u64 number, u64 loop, u64 iteration, u64 sequence
// number, u32 bytes of the body, u32 bytes of the tensors' heads, u32 checksum of all bytes after the head, u32 checksum of the 60
// bytes before it. Numbers are little-endian. A checksum is 0 if checksums are off. The lengths are covered by checksums of their
// own: a reader must not wait for bytes that never come because a length was changed. The frames of a link are numbered from 0, so
// that a lost, repeated or inserted frame is noticed.

#include <flowgraph/distributed/frame_limits.hpp>
#include <flowgraph/distributed/transport.hpp>

#include <memory_resource>
#include <span>
#include <string>
#include <vector>

namespace flowgraph::inline FLOWGRAPH_ABI::distributed {

inline constexpr std::uint8_t frame_version = 1;
inline constexpr std::size_t head_bytes = 64;

// Bytes to write, in order: small pieces are in one buffer; large payloads stay in their tensors, which are kept alive until the
// bytes are written.
class outgoing_bytes {
public:
  bool empty() const noexcept { return written_ == total_; }
  std::size_t left() const noexcept { return total_ - written_; }

  void append(const void* data, std::size_t bytes) {
    small_.append(static_cast<const char*>(data), bytes);
    total_ += bytes;
  }
  void append(std::string_view characters) { append(characters.data(), characters.size()); }
  // Appends zeros, and returns their address. The caller fills them in before it appends more.
  std::byte* extend(std::size_t bytes) {
    small_.append(bytes, '\0');
    total_ += bytes;
    return reinterpret_cast<std::byte*>(small_.data() + (small_.size() - bytes));
  }
  // Appends bytes that belong to `owner`, without a copy.
  void refer(any_tensor owner, const void* data, std::size_t bytes);

  // Fills `pieces` with the next bytes to write, at most `most` bytes, and returns the number of pieces. The pieces are valid until
  // more bytes are appended or marked as written.
  std::size_t gather(std::span<std::span<const std::byte>> pieces, std::size_t most) const;
  // Marks the first bytes of the rest as written. When all bytes are written, no tensor is kept alive any more.
  void written(std::size_t bytes);

private:
  struct large_piece {
    std::size_t at;  // the number of small bytes before this piece
    const std::byte* data;
    std::size_t bytes;
  };

  std::string small_;
  std::vector<large_piece> large_;
  recycled_tensors held_;  // one per large piece
  std::size_t total_ = 0, written_ = 0;
  std::size_t small_at_ = 0, large_at_ = 0, in_large_ = 0;  // the position up to which bytes are written
};

// Converts frames to bytes. Each direction of a link has its own writer.
class frame_writer {
public:
  explicit frame_writer(bool with_checksums) noexcept : with_checksums_(with_checksums) {}
  // If the frame cannot travel, for example because it contains a tensor of resources, returns an error and appends nothing.
  error append(const frame& f, outgoing_bytes& to);

private:
  void each_payload(const frame& f, function_ref<void(const any_tensor&, const char*, std::size_t)> g) const;

  bool with_checksums_;
  std::uint64_t next_ = 0;
  recycled_text strings_;
};

// Converts bytes, which arrive in pieces of any size, to frames. Payloads may be read directly into their tensors.
class frame_parser {
public:
  // `memory` must outlive every tensor that is read. `needs_checksums`: whether frames must have checksums; frames of the other
  // kind are refused.
  frame_parser(const frame_limits& limits, bool needs_checksums, std::pmr::memory_resource* memory)
      : limits_(limits), needs_checksums_(needs_checksums), memory_(memory) {}

  // Sets the limits from the next frame on.
  void limit(const frame_limits& limits) noexcept { limits_ = limits; }

  // Takes all of `bytes`. Calls check() of `to` for each frame before memory is allocated for its body and its tensors, and
  // receive() when the frame is complete. After an error, take() must not be called again.
  error take(std::span<const std::byte> bytes, link_user& to);

  // Returns the memory of the tensor that the next bytes belong to, so that the caller can read them directly into it; an empty
  // span if the next bytes belong elsewhere. After that read, the caller passes the number of bytes to filled().
  std::span<std::byte> room() noexcept;
  error filled(std::size_t bytes, link_user& to);

  // Returns the number of complete frames so far.
  std::uint64_t frames() const noexcept { return next_; }
  // Returns whether a part of a frame has arrived, but not all of it.
  bool is_within_frame() const noexcept { return stage_ != stage::head || !kept_.empty(); }

private:
  enum class stage : std::uint8_t { head, tensors, body, payload };
  const std::byte* whole(std::span<const std::byte>& bytes, std::size_t wanted);
  // Returns false if all bytes have been taken or if there is an error, which is then in `wrong_`. An error object exists only in
  // that case, since this function runs for every frame.
  bool step(std::span<const std::byte>& bytes, link_user& to);
  bool read_section(std::span<const std::byte>& bytes, link_user& to);
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

// Returns the size of a frame in bytes on a link.
std::size_t bytes_of(const frame& f);

}  // namespace flowgraph::distributed

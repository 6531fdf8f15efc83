#pragma once

#include <flowgraph/formats/crc32c.hpp>
#include <flowgraph/formats/record_file.hpp>

#include <algorithm>
#include <bit>
#include <cstring>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

static_assert(std::endian::native == std::endian::little, "flowgraph: record files are little-endian");

// The frame of a record: its length and the checksum of the length precede the record; the checksum of the record follows it.
struct record_frame {
  static constexpr std::size_t head = 12, tail = 4;

  static std::uint32_t number(const char* at) {
    std::uint32_t value;
    std::memcpy(&value, at, sizeof value);
    return value;
  }
  static bool is_right(std::string_view bytes, const char* sum) { return unmask_crc32c(number(sum)) == crc32c(bytes); }
};

// The number of bytes that are allocated at a time for a record: a false length in a file costs no memory.
inline constexpr std::uint64_t record_step = std::uint64_t{1} << 20;

}  // namespace detail

FLOWGRAPH_INLINE result<record_reader> record_reader::open(std::string path, compression how) {
  auto from = byte_stream::open(std::move(path), how);
  if (!from) return from.error();
  return record_reader(*std::move(from));
}

FLOWGRAPH_INLINE error record_reader::damaged(std::string_view what) {
  return broken_ = error(error_code::data_loss, message{"'", path(), "': the record at offset ", offset_, " ", what});
}

FLOWGRAPH_INLINE result<bool> record_reader::next(std::string& record) {
  if (broken_) return broken_;
  char head[detail::record_frame::head];
  auto found = from_.read(std::as_writable_bytes(std::span(head)));
  if (!found) return broken_ = found.error();
  if (*found == 0) return false;
  if (*found < sizeof head) return damaged("is cut within its length");
  if (!detail::record_frame::is_right({head, 8}, head + 8)) return damaged("has a wrong checksum of its length");
  std::uint64_t length = 0;
  std::memcpy(&length, head, sizeof length);
  record.clear();
  for (std::uint64_t left = length; left > 0;) {
    const auto step = static_cast<std::size_t>(std::min(left, std::max<std::uint64_t>(detail::record_step, record.size())));
    const std::size_t at = record.size();
    record.resize(at + step);
    found = from_.read(std::as_writable_bytes(std::span(record).subspan(at)));
    if (!found) return broken_ = found.error();
    if (*found < step) return damaged("is cut");
    left -= step;
  }
  char tail[detail::record_frame::tail];
  found = from_.read(std::as_writable_bytes(std::span(tail)));
  if (!found) return broken_ = found.error();
  if (*found < sizeof tail) return damaged("is cut within its checksum");
  if (!detail::record_frame::is_right(record, tail)) return damaged("has a wrong checksum");
  offset_ = from_.offset();
  return true;
}

FLOWGRAPH_INLINE result<std::uint64_t> record_reader::skip(std::uint64_t count) {
  std::string record;
  for (std::uint64_t done = 0; done < count; ++done) {
    auto found = next(record);
    if (!found) return found.error();
    if (!*found) return done;
  }
  return count;
}

// ---- writing

FLOWGRAPH_INLINE result<record_writer> record_writer::create(std::string path, compression how) {
  std::optional<compressor> packing;
  if (how != compression::plain) {
    auto result = compressor::make(how);
    if (!result) return error(result.error().code(), message{"'", path, "': ", result.error().message()});
    packing.emplace(*std::move(result));
  }
  auto to = file_writer::open(std::move(path));
  if (!to) return to.error();
  return record_writer(*std::move(to), std::move(packing));
}

FLOWGRAPH_INLINE result<void> record_writer::put(std::string_view bytes) {
  if (!packing_) return to_.write(bytes);
  packed_.clear();
  if (auto outcome = packing_->write(bytes, packed_); !outcome) return outcome;
  return packed_.empty() ? result<void>() : to_.write(packed_);
}

FLOWGRAPH_INLINE result<void> record_writer::write(std::string_view record) {
  char head[detail::record_frame::head], tail[detail::record_frame::tail];
  const std::uint64_t length = record.size();
  std::memcpy(head, &length, sizeof length);
  const std::uint32_t sum_of_length = mask_crc32c(crc32c(std::string_view(head, 8))), sum = mask_crc32c(crc32c(record));
  std::memcpy(head + 8, &sum_of_length, sizeof sum_of_length);
  std::memcpy(tail, &sum, sizeof sum);
  for (const std::string_view part : {std::string_view(head, sizeof head), record, std::string_view(tail, sizeof tail)})
    if (auto written = put(part); !written) return written;
  ++count_;
  return {};
}
FLOWGRAPH_INLINE result<void> record_writer::flush() { return to_.flush(); }
FLOWGRAPH_INLINE result<void> record_writer::close() {
  if (packing_) {
    packed_.clear();
    if (auto ended = packing_->finish(packed_); !ended) return ended;
    if (auto written = to_.write(packed_); !written) return written;
  }
  return to_.close();
}

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>

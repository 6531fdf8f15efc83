#pragma once

#include <flowgraph/formats/byte_stream.hpp>

#include <algorithm>
#include <cstring>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

FLOWGRAPH_INLINE result<byte_stream> byte_stream::open(std::string path, compression how) {
  auto file = file_reader::open(path);
  if (!file) return file.error();
  std::optional<decompressor> unpacking;
  if (how != compression::plain) {
    auto result = decompressor::make(how);
    if (!result) return error(result.error().code(), message{"'", path, "': ", result.error().message()});
    unpacking.emplace(*std::move(result));
  }
  return byte_stream(*std::move(file), std::move(unpacking));
}

FLOWGRAPH_INLINE result<std::size_t> byte_stream::read_packed() {
  for (;;) {
    if (packed_left_.empty()) {
      packed_.resize(buffer_size);
      auto found = file_.read(packed_);
      if (!found) return found.error();
      if (*found == 0) {
        if (unpacking_->is_complete()) return std::size_t{0};
        return error(error_code::data_loss,
                     message{"'", path(), "': the file is cut within its compressed bytes, at ", file_.offset()});
      }
      packed_left_ = std::span<const std::byte>(packed_).first(*found);
    }
    auto result = unpacking_->read(packed_left_, plain_);
    if (!result)
      return error(result.error().code(), message{"'", path(), "': ", result.error().message(), ", before ", file_.offset()});
    if (*result > 0) return *result;
  }
}

FLOWGRAPH_INLINE result<bool> byte_stream::fill() {
  at_ = end_ = 0;
  auto found = unpacking_ ? read_packed() : file_.read(plain_);
  if (!found) return found.error();
  end_ = *found;
  return end_ > 0;
}

FLOWGRAPH_INLINE result<std::size_t> byte_stream::read(std::span<std::byte> to) {
  std::size_t result = 0;
  while (result < to.size()) {
    if (there() == 0) {
      auto more = fill();
      if (!more) return more.error();
      if (!*more) break;
    }
    const std::size_t n = std::min(there(), to.size() - result);
    std::memcpy(to.data() + result, plain_.data() + at_, n);
    at_ += n;
    result += n;
  }
  offset_ += result;
  return result;
}

FLOWGRAPH_INLINE result<bool> byte_stream::read_line(std::string& line) {
  line.clear();
  bool is_there = false;
  for (;;) {
    if (there() == 0) {
      auto more = fill();
      if (!more) return more.error();
      if (!*more) return is_there;
    }
    is_there = true;
    const std::byte* first = plain_.data() + at_;
    const void* found = std::memchr(first, '\n', there());
    const std::size_t n = found ? static_cast<std::size_t>(static_cast<const std::byte*>(found) - first) : there();
    line.append(reinterpret_cast<const char*>(first), n);
    at_ += n + (found ? 1 : 0);
    offset_ += n + (found ? 1 : 0);
    if (!found) continue;
    return true;
  }
}

FLOWGRAPH_INLINE result<bool> byte_stream::skip(std::uint64_t count) {
  while (count > 0) {
    if (there() == 0) {
      auto more = fill();
      if (!more) return more.error();
      if (!*more) return false;
    }
    const auto n = static_cast<std::size_t>(std::min<std::uint64_t>(there(), count));
    at_ += n;
    offset_ += n;
    count -= n;
  }
  return true;
}

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>

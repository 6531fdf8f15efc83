#pragma once
// Sorted tables of keys and values in a file, in the layout of LevelDB and TensorFlow: blocks of entries, in which keys share
// their prefixes, each with a checksum; an index of the blocks; a footer with the position of the index. Keys and values are kept
// in memory.

#include <flowgraph/core/error.hpp>
#include <flowgraph/formats/crc32c.hpp>
#include <flowgraph/formats/detail/wire.hpp>

#include <algorithm>
#include <vector>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

inline constexpr std::uint64_t table_magic = 0xdb4775248b80fb57u;
inline constexpr std::size_t table_footer_bytes = 48, table_trailer_bytes = 5, table_block_bytes = std::size_t{1} << 18;

// A block that is being filled.
class table_block {
public:
  void add(std::string_view key, std::string_view value) {
    std::size_t shared = 0;
    if (count_ % restart_interval == 0) {
      restarts_.push_back(static_cast<std::uint32_t>(bytes_.size()));
    } else {
      const std::size_t most = std::min(key.size(), last_.size());
      while (shared < most && key[shared] == last_[shared]) ++shared;
    }
    put_varint(bytes_, shared);
    put_varint(bytes_, key.size() - shared);
    put_varint(bytes_, value.size());
    bytes_ += key.substr(shared);
    bytes_ += value;
    last_ = key;
    ++count_;
  }
  bool empty() const { return count_ == 0; }
  std::size_t size() const { return bytes_.size(); }
  const std::string& last_key() const { return last_; }
  // Returns the block as it is in the file, with its trailer, and starts the next block.
  std::string finish() {
    if (restarts_.empty()) restarts_.push_back(0);
    for (const std::uint32_t at : restarts_) append_fixed(bytes_, at);
    append_fixed(bytes_, static_cast<std::uint32_t>(restarts_.size()));
    bytes_ += '\0';  // not compressed
    append_fixed(bytes_, mask_crc32c(crc32c(bytes_)));
    return std::exchange(*this, table_block()).bytes_;
  }

private:
  static constexpr std::size_t restart_interval = 16;

  std::string bytes_, last_;
  std::vector<std::uint32_t> restarts_;
  std::size_t count_ = 0;
};

// Writes the bytes of a table file, in order, with `write`. An error of `write` ends the function.
template <class Entries, class Write> error write_table(const Entries& entries, Write&& write) {
  table_block block, index;
  std::uint64_t offset = 0;
  std::string handle;
  const auto put = [&](table_block& b) -> error {
    const std::string bytes = b.finish();
    handle.clear();
    put_varint(handle, offset);
    put_varint(handle, bytes.size() - table_trailer_bytes);
    offset += bytes.size();
    return write(bytes);
  };
  const auto put_data = [&]() -> error {
    const std::string last = block.last_key();
    if (error why = put(block)) return why;
    index.add(last, handle);
    return {};
  };
  for (const auto& [key, value] : entries) {
    block.add(key, value);
    if (block.size() < table_block_bytes) continue;
    if (error why = put_data()) return why;
  }
  if (!block.empty())
    if (error why = put_data()) return why;
  if (error why = put(block)) return why;  // the block of LevelDB's metadata about the table; it is empty here
  std::string footer = handle;
  if (error why = put(index)) return why;
  footer += handle;
  footer.resize(table_footer_bytes - 8);
  append_fixed(footer, table_magic);
  return write(footer);
}

// Reads all entries of a table file, in their order, and compares every checksum.
class table_reader {
public:
  using entries = std::vector<std::pair<std::string, std::string>>;

  table_reader(const std::string& path, std::string_view file) : path_(path), file_(file) {}

  static bool is_table(std::string_view file) {
    return file.size() >= table_footer_bytes && load_fixed<std::uint64_t>(file.data() + file.size() - 8) == table_magic;
  }

  result<entries> read() {
    if (!is_table(file_)) return broken(file_.size(), "expected the end of a table, found other bytes: is the file cut?");
    std::string_view footer = file_.substr(file_.size() - table_footer_bytes);
    block_at about, at;
    if (!take(footer, about) || !take(footer, at)) return broken(file_.size() - table_footer_bytes, "the footer is broken");
    entries unused, blocks, all;
    if (error why = read_block(about, unused)) return why;
    if (error why = read_block(at, blocks)) return why;
    for (const auto& [key, handle] : blocks) {
      std::string_view rest = handle;
      if (!take(rest, at)) return broken(at.offset, "the index of blocks is broken");
      if (error why = read_block(at, all)) return why;
    }
    for (std::size_t i = 1; i < all.size(); ++i)
      if (!(all[i - 1].first < all[i].first)) return broken(0, "keys are not in order");
    return all;
  }

private:
  struct block_at {
    std::uint64_t offset = 0, size = 0;
  };
  static bool take(std::string_view& from, block_at& at) { return take_varint(from, at.offset) && take_varint(from, at.size); }

  FLOWGRAPH_COLD error broken(std::uint64_t offset, std::string_view why) const {
    return error(error_code::data_loss, message{"'", path_, "': at byte ", offset, ": ", why});
  }

  error read_block(block_at at, entries& to) {
    const std::uint64_t size = file_.size() - table_footer_bytes;
    if (at.offset > size || at.size > size - at.offset || size - at.offset - at.size < table_trailer_bytes || at.size < 4)
      return broken(at.offset, "a block lies beyond the file");
    // Blocks do not overlap, so their sizes add up to at most that of the file.
    read_ += at.size;
    if (read_ > file_.size()) return broken(at.offset, "blocks overlap");
    const std::string_view with_type = file_.substr(static_cast<std::size_t>(at.offset), static_cast<std::size_t>(at.size) + 1);
    if (unmask_crc32c(load_fixed<std::uint32_t>(with_type.data() + with_type.size())) != crc32c(with_type))
      return broken(at.offset, message{"the checksum of a block of ", at.size, " bytes is wrong"}.string());
    if (with_type.back() == 1)
      return error(error_code::unimplemented, message{"'", path_, "': blocks compressed by snappy are not read"});
    if (with_type.back() != 0) return broken(at.offset, "a block is compressed in an unknown way");
    return read_entries(at.offset, with_type.substr(0, with_type.size() - 1), to);
  }
  error read_entries(std::uint64_t offset, std::string_view block, entries& to) {
    const std::uint64_t restarts = load_fixed<std::uint32_t>(block.data() + block.size() - 4);
    if (restarts > (block.size() - 4) / 4) return broken(offset, "a block is broken");
    std::string_view rest = block.substr(0, block.size() - 4 - static_cast<std::size_t>(restarts) * 4);
    std::string key;
    while (!rest.empty()) {
      std::uint64_t shared = 0, own = 0, size = 0;
      if (!take_varint(rest, shared) || !take_varint(rest, own) || !take_varint(rest, size) || shared > key.size() ||
          own > rest.size() || size > rest.size() - own)
        return broken(offset, "an entry of a block is broken");
      key.resize(static_cast<std::size_t>(shared));
      key += rest.substr(0, static_cast<std::size_t>(own));
      // Keys that share their prefixes may be longer, in total, than the file.
      keys_ += key.size();
      if (key.size() > longest_key || keys_ > most_keys * file_.size()) return broken(offset, "keys are too long");
      to.emplace_back(key, rest.substr(static_cast<std::size_t>(own), static_cast<std::size_t>(size)));
      rest.remove_prefix(static_cast<std::size_t>(own + size));
    }
    return {};
  }

  static constexpr std::size_t longest_key = std::size_t{1} << 16, most_keys = 64;

  const std::string& path_;
  std::string_view file_;
  std::uint64_t read_ = 0, keys_ = 0;
};

}  // namespace flowgraph::detail

#include <flowgraph/show_names.hpp>

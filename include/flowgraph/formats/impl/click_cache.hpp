#pragma once

#include <flowgraph/formats/click_cache.hpp>
#include <flowgraph/formats/crc32c.hpp>
#include <flowgraph/formats/sip_hash.hpp>

#include <algorithm>
#include <bit>
#include <cstring>
#include <filesystem>
#include <limits>
#include <numeric>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

static_assert(std::endian::native == std::endian::little, "flowgraph: caches of clicks are little-endian");

struct click_block {
  static constexpr std::size_t head = 32;
  static constexpr std::uint32_t wide_keys = 1, has_values = 2, has_fields = 4;
  // A block is written as soon as it has this number of features or samples.
  static constexpr std::size_t features_aim = std::size_t{1} << 16, rows_aim = std::size_t{1} << 14;

  std::uint32_t rows = 0, form = 0;
  std::uint64_t features = 0, bytes = 0;
  std::uint32_t sum = 0;

  // Splits have 32 bits.
  static constexpr std::uint64_t most_features = 0xffffffff;

  // The size of the payload that the numbers require, or the largest number if they are impossible.
  std::uint64_t payload() const {
    constexpr std::uint64_t limit = std::uint64_t{1} << 40;
    if (features > limit || form > 7) return std::numeric_limits<std::uint64_t>::max();
    const std::uint64_t each = (form & wide_keys ? 8u : 4u) + (form & has_values ? 4u : 0u) + (form & has_fields ? 4u : 0u);
    return features * each + (std::uint64_t{rows} + 1) * 4 + std::uint64_t{rows} * 4;
  }
  // Returns whether the numbers agree with each other and with the file, and the block fits into the address space.
  bool is_possible(bool fields) const {
    return payload() == bytes && ((form & has_fields) != 0) == fields && features <= most_features &&
           bytes <= std::numeric_limits<std::size_t>::max() / 4;
  }
};

template <class T> void put_number(std::string& to, T value) { to.append(reinterpret_cast<const char*>(&value), sizeof value); }
template <class T> void put_numbers(std::string& to, const std::vector<T>& values) {
  to.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
}
template <class T> T number_at(const char* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}
template <class T> void take_numbers(const char*& at, std::size_t n, std::vector<T>& to) {
  to.resize(n);
  if (n > 0) std::memcpy(to.data(), at, n * sizeof(T));
  at += n * sizeof(T);
}

inline std::string bytes_of_head(const click_block& b) {
  std::string text;
  put_number(text, b.rows);
  put_number(text, b.form);
  put_number(text, b.features);
  put_number(text, b.bytes);
  put_number(text, b.sum);
  put_number(text, mask_crc32c(crc32c(text)));
  return text;
}
inline bool read_head(const char* at, click_block& b) {
  b = {number_at<std::uint32_t>(at), number_at<std::uint32_t>(at + 4), number_at<std::uint64_t>(at + 8),
       number_at<std::uint64_t>(at + 16), number_at<std::uint32_t>(at + 24)};
  return number_at<std::uint32_t>(at + 28) == mask_crc32c(crc32c(std::string_view(at, 28)));
}

inline click_block put_payload(const click_batch& samples, bool has_fields, std::string& bytes) {
  const auto& keys = samples.keys;
  const bool wide = std::any_of(keys.begin(), keys.end(), [](std::int64_t k) { return k < 0 || k > 0xffffffff; });
  const bool valued = std::any_of(samples.values.begin(), samples.values.end(), [](float v) { return v != 1; });
  bytes.clear();
  if (wide) put_numbers(bytes, keys);
  else
    for (const std::int64_t key : keys) put_number(bytes, static_cast<std::uint32_t>(key));
  for (const std::int64_t split : samples.splits) put_number(bytes, static_cast<std::uint32_t>(split));
  put_numbers(bytes, samples.labels);
  if (valued) put_numbers(bytes, samples.values);
  if (has_fields) put_numbers(bytes, samples.fields);
  const std::uint32_t form =
      (wide ? click_block::wide_keys : 0) | (valued ? click_block::has_values : 0) | (has_fields ? click_block::has_fields : 0);
  return {static_cast<std::uint32_t>(samples.rows()), form, keys.size(), bytes.size(), mask_crc32c(crc32c(bytes))};
}

// Returns a permutation of n numbers that depends only on the seed.
inline std::vector<std::uint32_t> order_by_seed(std::size_t n, std::uint64_t seed) {
  std::vector<std::uint32_t> order(n);
  std::iota(order.begin(), order.end(), std::uint32_t{0});
  for (std::size_t i = n; i > 1; --i) {
    sip_hasher<1, 3> hash(seed, i);
    std::swap(order[i - 1], order[static_cast<std::size_t>(hash.finish() % i)]);
  }
  return order;
}

// Identifies a text with the options by which it is read.
inline std::uint64_t source_of_clicks(const click_options& how, compression packing, std::uint64_t size, std::int64_t changed) {
  sip_hasher<1, 3> hash(0x73637372756f, how.hash_seed);
  hash.add(size);
  hash.add(static_cast<std::uint64_t>(changed));
  hash.add(how.buckets);
  hash.add(how.longest_line);
  hash.add(static_cast<std::uint64_t>(how.format) | (how.hash_keys ? 2u : 0u) | (how.skip_malformed ? 4u : 0u) |
           static_cast<std::uint64_t>(packing) << 3);
  return hash.finish();
}

inline constexpr std::string_view click_cache_begin = "FGCLICKS";
inline constexpr std::size_t click_cache_head = 32;

}  // namespace detail

// ---- writing

FLOWGRAPH_INLINE result<click_cache_writer> click_cache_writer::create(std::string path, bool has_fields, std::uint64_t source) {
  auto to = atomic_file::create(std::move(path), false);
  if (!to) return to.error();
  std::string head(detail::click_cache_begin);
  detail::put_number(head, std::uint32_t{1});
  detail::put_number(head, std::uint32_t{has_fields});
  detail::put_number(head, source);
  detail::put_number(head, mask_crc32c(crc32c(head)));
  detail::put_number(head, std::uint32_t{0});
  if (auto written = to->write(head); !written) return written.error();
  return click_cache_writer(*std::move(to), has_fields);
}

FLOWGRAPH_INLINE result<void> click_cache_writer::put_block() {
  if (block_.rows() == 0) return {};
  const detail::click_block result = detail::put_payload(block_, has_fields_, bytes_);
  rows_ += block_.rows();
  block_.clear();
  if (auto written = to_.write(detail::bytes_of_head(result)); !written) return written;
  return to_.write(bytes_);
}

namespace detail {

// Appends features [begin, end) of `from` as those of the next sample.
FLOWGRAPH_INLINE void append_features(const click_batch& from, std::int64_t begin, std::int64_t end, bool has_fields,
                                      click_batch& to) {
  const auto append = [&](const auto& elements, auto& all) {
    all.insert(all.end(), elements.data() + begin, elements.data() + end);
  };
  append(from.keys, to.keys);
  append(from.values, to.values);
  if (has_fields) append(from.fields, to.fields);
  to.splits.push_back(static_cast<std::int64_t>(to.keys.size()));
}

}  // namespace detail

FLOWGRAPH_INLINE result<void> click_cache_writer::write(const click_batch& samples) {
  if (has_fields_ != !samples.fields.empty() && !samples.keys.empty())
    return error(error_code::invalid_argument, has_fields_ ? "expected samples with fields" : "expected samples without fields");
  for (const std::int32_t field : samples.fields)
    if (field < 0) return detail::invalid_argument({"expected fields of at least 0, found ", field});
  for (std::size_t i = 0; i < samples.rows(); ++i) {
    const std::int64_t begin = samples.splits[i], end = samples.splits[i + 1];
    if (static_cast<std::uint64_t>(end - begin) > detail::click_block::most_features - detail::click_block::features_aim)
      return detail::invalid_argument({"a sample has ", end - begin, " features; a cache permits about 2^32"});
    block_.labels.push_back(samples.labels[i]);
    detail::append_features(samples, begin, end, has_fields_, block_);
    if (block_.keys.size() < detail::click_block::features_aim && block_.rows() < detail::click_block::rows_aim) continue;
    if (auto written = put_block(); !written) return written;
  }
  return {};
}

FLOWGRAPH_INLINE result<void> click_cache_writer::commit(std::uint64_t skipped) {
  if (auto written = put_block(); !written) return written;
  if (auto written = to_.write(detail::bytes_of_head({0, 0, rows_, skipped, 0})); !written) return written;
  return to_.commit();
}

// ---- reading

FLOWGRAPH_INLINE error click_cache_reader::damaged(std::uint64_t offset, std::string_view what) const {
  return error(error_code::data_loss, message{"'", path(), "': the cache is damaged at offset ", offset, ": ", what});
}

FLOWGRAPH_INLINE result<click_cache_reader> click_cache_reader::open(std::string path) {
  std::error_code why;
  const std::uint64_t size = std::filesystem::file_size(path, why);
  auto file = file_reader::open(std::move(path));
  if (!file) return file.error();
  if (why) return detail::invalid_argument({"'", file->path(), "': is not a file with a size"});
  click_cache_reader result(*std::move(file));
  char head[detail::click_cache_head];
  auto found = result.from_.read(std::as_writable_bytes(std::span(head)));
  if (!found) return found.error();
  if (*found < sizeof head || std::string_view(head, 8) != detail::click_cache_begin)
    return detail::invalid_argument({"'", result.path(), "': is not a cache of clicks"});
  if (const auto version = detail::number_at<std::uint32_t>(head + 8); version != 1)
    return error(error_code::unimplemented,
                 message{"'", result.path(), "': is a cache of clicks of version ", version, "; expected version 1"});
  if (detail::number_at<std::uint32_t>(head + 24) != mask_crc32c(crc32c(std::string_view(head, 24))))
    return result.damaged(0, "the head has a wrong checksum");
  result.has_fields_ = detail::number_at<std::uint32_t>(head + 12) != 0;
  result.source_ = detail::number_at<std::uint64_t>(head + 16);
  if (auto read = result.read_places(size); !read) return read.error();
  if (auto begun = result.rewind(); !begun) return begun.error();
  return result;
}

FLOWGRAPH_INLINE result<void> click_cache_reader::read_places(std::uint64_t size) {
  for (std::uint64_t at = detail::click_cache_head, rows = 0;;) {
    char head[detail::click_block::head];
    detail::click_block b;
    if (size < at + sizeof head) return damaged(at, "the file is cut");
    if (auto moved = from_.seek(at); !moved) return moved;
    if (auto read = from_.read_all(std::as_writable_bytes(std::span(head))); !read) return read;
    if (!detail::read_head(head, b)) return damaged(at, "the head of a block has a wrong checksum");
    if (b.rows == 0) {
      if (b.features != rows) return damaged(at, "blocks are missing");
      if (size != at + sizeof head) return damaged(at, "the file continues after its end");
      rows_ = rows;
      skipped_ = b.bytes;
      return {};
    }
    if (!b.is_possible(has_fields_)) return damaged(at, "the head of a block contradicts itself");
    if (b.bytes > size - at - sizeof head) return damaged(at, "the file is cut within a block");
    blocks_.push_back({at});
    rows += b.rows;
    features_ += b.features;
    at += sizeof head + b.bytes;
  }
}

FLOWGRAPH_INLINE result<void> click_cache_reader::read_block(std::uint64_t offset) {
  char head[detail::click_block::head];
  detail::click_block b;
  if (auto moved = from_.seek(offset); !moved) return moved;
  if (auto read = from_.read_all(std::as_writable_bytes(std::span(head))); !read) return read;
  if (!detail::read_head(head, b) || !b.is_possible(has_fields_)) return damaged(offset, "the head of a block has changed");
  std::error_code why;
  if (b.bytes > std::filesystem::file_size(path(), why) || why) return damaged(offset, "the file is cut within a block");
  bytes_.resize(static_cast<std::size_t>(b.bytes));
  if (auto read = from_.read_all(std::as_writable_bytes(std::span(bytes_))); !read) return read;
  if (b.sum != mask_crc32c(crc32c(bytes_))) return damaged(offset, "a block has a wrong checksum");
  const char* at = bytes_.data();
  const auto n = static_cast<std::size_t>(b.features);
  const auto take_wide = [&](std::size_t count, std::vector<std::int64_t>& to) {
    to.resize(count);
    for (std::size_t i = 0; i < count; ++i) to[i] = detail::number_at<std::uint32_t>(at + 4 * i);
    at += 4 * count;
  };
  if (b.form & detail::click_block::wide_keys) detail::take_numbers(at, n, block_.keys);
  else take_wide(n, block_.keys);
  take_wide(std::size_t{b.rows} + 1, block_.splits);
  detail::take_numbers(at, b.rows, block_.labels);
  if (b.form & detail::click_block::has_values) detail::take_numbers(at, n, block_.values);
  else block_.values.assign(n, 1.0f);
  detail::take_numbers(at, has_fields_ ? n : 0, block_.fields);
  const auto& splits = block_.splits;
  if (splits.front() != 0 || splits.back() != static_cast<std::int64_t>(n) || !std::is_sorted(splits.begin(), splits.end()))
    return damaged(offset, "the splits of a block are wrong");
  if (std::any_of(block_.fields.begin(), block_.fields.end(), [](std::int32_t f) { return f < 0; }))
    return damaged(offset, "a field is negative");
  return {};
}

FLOWGRAPH_INLINE void click_cache_reader::append(std::size_t row, click_batch& to) const {
  const std::int64_t begin = block_.splits[row], end = block_.splits[row + 1];
  to.labels.push_back(block_.labels[row]);
  detail::append_features(block_, begin, end, has_fields_, to);
}

FLOWGRAPH_INLINE result<void> click_cache_reader::next_block() {
  block_.clear();
  order_.clear();
  next_row_ = 0;
  const std::uint64_t offset = blocks_[next_block_].offset;
  if (auto read = read_block(offset); !read) {
    block_.clear();
    return read;
  }
  ++next_block_;
  if (seed_ != 0) order_ = detail::order_by_seed(block_.rows(), seed_ + offset);
  return {};
}

FLOWGRAPH_INLINE result<bool> click_cache_reader::next(click_batch& to, std::size_t rows) {
  to.clear();
  while (to.rows() < rows) {
    if (next_row_ == block_.rows()) {
      if (next_block_ == blocks_.size()) break;
      if (auto read = next_block(); !read) return read.error();
    }
    append(order_.empty() ? next_row_ : order_[next_row_], to);
    ++next_row_;
  }
  return to.rows() > 0;
}

FLOWGRAPH_INLINE click_position click_cache_reader::position() const noexcept {
  return {.at = next_block_, .row = next_row_, .seed = seed_};
}

FLOWGRAPH_INLINE result<void> click_cache_reader::resume(const click_position& where) {
  const auto refuse = [&] {
    return error(error_code::out_of_range, message{"'", path(), "': the cache does not contain row ", where.row, " of block ",
                                                   where.at, "; found ", blocks_.size(), " blocks"});
  };
  if (where.at > blocks_.size() || (where.at == 0 && where.row > 0)) return refuse();
  if (auto begun = rewind(where.seed); !begun || where.at == 0) return begun;
  next_block_ = static_cast<std::size_t>(where.at - 1);
  if (auto read = next_block(); !read) return read;
  if (where.row > block_.rows()) return refuse();
  next_row_ = static_cast<std::size_t>(where.row);
  return {};
}

FLOWGRAPH_INLINE result<void> click_cache_reader::rewind(std::uint64_t seed) {
  block_.clear();
  order_.clear();
  next_block_ = next_row_ = 0;
  seed_ = seed;
  std::sort(blocks_.begin(), blocks_.end(), [](const place& a, const place& b) { return a.offset < b.offset; });
  if (seed == 0) return {};
  const auto order = detail::order_by_seed(blocks_.size(), seed);
  std::vector<place> moved;
  for (const std::uint32_t i : order) moved.push_back(blocks_[i]);
  blocks_ = std::move(moved);
  return {};
}

namespace detail {

// Returns an error if the path exists and is not an empty file or a cache of clicks of any version: it must not be replaced.
inline error refusal_to_replace_cache(const std::string& path) {
  std::error_code why;
  const auto found = std::filesystem::status(path, why);
  if (found.type() == std::filesystem::file_type::not_found) return {};
  std::string begin(click_cache_begin.size(), '\0');
  if (found.type() == std::filesystem::file_type::regular) {
    auto from = file_reader::open(path);
    if (!from) return from.error();
    const auto read = from->read(std::as_writable_bytes(std::span(begin)));
    if (!read) return read.error();
    if (*read == 0 || begin == click_cache_begin) return {};
  }
  return error(error_code::already_exists, message{"'", path, "' exists and is not a cache of clicks"});
}

}  // namespace detail

FLOWGRAPH_INLINE result<click_cache_reader> open_clicks(const std::string& text, const click_options& how,
                                                        const click_cache_options& cache) {
  std::error_code why;
  const std::uint64_t size = std::filesystem::file_size(text, why);
  if (why) return detail::file_error(text, "cannot be read", why.value());
  const auto changed = std::filesystem::last_write_time(text, why).time_since_epoch().count();
  if (why) return detail::file_error(text, "cannot be read", why.value());
  const std::uint64_t source = detail::source_of_clicks(how, cache.packing, size, static_cast<std::int64_t>(changed));
  const std::string path = cache.path.empty() ? text + ".clicks" : cache.path;
  if (!cache.always_new)
    if (auto found = click_cache_reader::open(path); found && found->source() == source) return found;
  if (error refused = detail::refusal_to_replace_cache(path)) return refused;
  auto from = click_reader::open(text, how, cache.packing);
  if (!from) return from.error();
  auto to = click_cache_writer::create(path, how.format == click_format::libffm, source);
  if (!to) return to.error();
  for (click_batch batch;;) {
    auto more = from->next(batch, 4096);
    if (!more) return more.error();
    if (!*more) break;
    if (auto written = to->write(batch); !written) return written.error();
  }
  if (auto done = to->commit(from->skipped()); !done) return done.error();
  return click_cache_reader::open(path);
}

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>

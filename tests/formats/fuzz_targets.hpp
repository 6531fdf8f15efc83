#pragma once
// What must hold for any bytes of these formats: they may be refused, and nothing else. For the fuzzers in tests/fuzz, and for the inputs
// with a fixed seed that every test run makes.

#include <flowgraph/formats/detail/bmp_file.hpp>
#include <flowgraph/formats/detail/image_library.hpp>
#include <flowgraph/formats/detail/table_file.hpp>
#include <flowgraph/formats/click_cache.hpp>
#include <flowgraph/formats/event_reader.hpp>
#include <flowgraph/formats/example.hpp>
#include <flowgraph/formats/npy.hpp>
#include <flowgraph/formats/png_reader.hpp>
#include <flowgraph/formats/record_file.hpp>
#include <flowgraph/formats/safetensors.hpp>
#include <flowgraph/formats/saved_slices.hpp>
#include <flowgraph/formats/serialized_tensor.hpp>
#include <flowgraph/formats/tensor_bundle.hpp>

#include "folder.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <vector>

namespace fuzz_targets {

namespace fg = flowgraph;
using bytes = std::span<const std::byte>;

// Every element is looked at, so that a sanitizer sees it.
inline void look_at(const fg::any_tensor& t) {
  static volatile std::size_t seen = 0;
  std::size_t sum = 0;
  if (t.type() == fg::dtype::string)
    for (std::size_t i = 0; i < t.size(); ++i) sum += static_cast<const std::string*>(t.data())[i].size();
  else
    for (std::size_t i = 0; i < t.bytes(); ++i) sum += static_cast<const unsigned char*>(t.data())[i];
  seen = seen + sum;
}

inline void npy(bytes file) {
  if (const auto made = fg::parse_npy(file)) look_at(*made);
}

inline void npz(bytes file) {
  if (const auto made = fg::parse_npz(file))
    for (const auto& [name, value] : *made) look_at(value);
}

inline void safetensors(bytes file) {
  const auto made = fg::safetensors::over(file);
  if (!made) return;
  for (const auto& e : made->tensors())
    if (const auto value = made->read(e.name)) {
      look_at(*value);
      if (value->bytes() != e.size) std::abort();
    }
}

// ---- checkpoints

inline void put(const std::string& path, std::string_view text) {
  std::remove(path.c_str());  // a file that is written over waits for the disk
  auto to = fg::file_writer::open(path);
  if (!to || !to->write(text) || !to->close()) std::abort();
}

inline std::string_view text_of(bytes file) { return {reinterpret_cast<const char*>(file.data()), file.size()}; }

// A part of the input, whose size stands in front of it.
inline std::string_view take(std::string_view& from) {
  if (from.empty()) return {};
  const auto size = std::min<std::size_t>(static_cast<unsigned char>(from.front()), from.size() - 1);
  const std::string_view part = from.substr(1, size);
  from.remove_prefix(1 + size);
  return part;
}

// A table with right checksums around the input: as it stands, as the content of a block, or as keys and values. The first byte says which.
inline std::string table_of(std::string_view input) {
  if (input.empty()) return {};
  const int way = input.front() % 3;
  input.remove_prefix(1);
  if (way == 0) return std::string(input);
  std::string file;
  const auto write = [&](std::string_view part) {
    file += part;
    return fg::error();
  };
  std::map<std::string, std::string> entries;
  if (way == 1) {
    while (!input.empty()) {
      const std::string_view key = take(input);
      entries[std::string(key)] = take(input);
    }
    if (fg::detail::write_table(entries, write)) std::abort();
    return file;
  }
  const auto put_block = [&](std::string_view content) {
    std::string handle;
    fg::detail::put_varint(handle, file.size());
    fg::detail::put_varint(handle, content.size());
    const std::string block = std::string(content) + '\0';
    file += block;
    fg::detail::append_fixed(file, fg::mask_crc32c(fg::crc32c(block)));
    return handle;
  };
  const std::string data = put_block(input);
  const std::string_view none("\0\0\0\0\0\0\0\0", 8);
  std::string footer = put_block(none);
  fg::detail::table_block index;
  index.add("z", data);
  const std::string whole = index.finish();
  footer += put_block(std::string_view(whole).substr(0, whole.size() - 5));
  footer.resize(40);
  fg::detail::append_fixed(footer, fg::detail::table_magic);
  return file + footer;
}

// Of a file of the first kind.
inline void saved_slices(bytes input) {
  static const test_folder folder;
  const std::string path = folder / "slices";
  put(path, table_of(text_of(input)));
  const auto made = fg::saved_slices::open(std::span(&path, 1));
  if (!made) return;
  for (const auto& [name, e] : made->tensors())
    if (const auto value = made->read(name, fg::tensor_slice::all(e.extents.rank))) look_at(*value);
}

// Of a tensor bundle: the index is the input, and so is the data.
inline void tensor_bundle(bytes input) {
  static const test_folder folder;
  const std::string prefix = folder / "bundle";
  put(prefix + ".index", table_of(text_of(input)));
  put(fg::bundle_data_path(prefix, 0, 1), text_of(input));
  auto made = fg::tensor_bundle::open(prefix);
  if (!made) return;
  for (const auto& [name, e] : made->tensors())
    if (const auto value = made->read(name)) look_at(*value);
}

// ---- examples, tensors in buffers, records

inline void must_hold(bool holds) {
  if (!holds) std::abort();
}

// Lists have as many values as are counted.
inline void feature(const fg::feature_view& f) {
  std::int64_t found = 0;
  const auto next = [&](const auto&) { ++found; };
  const std::int64_t counted = fg::count_values(f);
  if (counted < 0 || f.is_broken) return;
  if (f.type == fg::dtype::float32) must_hold(fg::for_each_value<float>(f, next));
  if (f.type == fg::dtype::int64) must_hold(fg::for_each_value<std::int64_t>(f, next));
  if (f.type == fg::dtype::string)
    must_hold(fg::for_each_value<std::string_view>(f, [&](std::string_view value) {
      must_hold(f.list.data() <= value.data() && value.data() + value.size() <= f.list.data() + f.list.size());
      ++found;
    }));
  must_hold(found == counted);
}

inline void example(std::string_view text) {
  fg::for_each_feature(text, [](std::string_view, const fg::feature_view& f) { feature(f); });
  fg::for_each_feature_list(text, [](std::string_view, std::string_view list) {
    fg::for_each_step(list, [](const fg::feature_view& f) { feature(f); });
  });
}

// What can be read can be written, and says the same when it is read again.
inline void serialized_tensor(std::string_view text) {
  const auto read = fg::parse_tensor(text, std::pmr::new_delete_resource(), 1 << 20);
  if (!read) return;
  const std::string written = fg::serialize_tensor(*read);
  const auto again = fg::parse_tensor(written);
  must_hold(again && again->type() == read->type() && again->shape() == read->shape());
  must_hold(fg::serialize_tensor(*again) == written);
}

// What can be read of a summary lies in it, and can be merged.
inline void summary(std::string_view text) {
  const auto lies_within = [&](std::string_view part) {
    must_hold(part.empty() || (text.data() <= part.data() && part.data() + part.size() <= text.data() + text.size()));
  };
  const bool is_good = static_cast<bool>(fg::read_summary(text, [&](const fg::summary_value& v) {
    for (const std::string_view part : {v.tag, v.node, v.message, v.metadata.value_or("")}) lies_within(part);
    if (const auto* image = std::get_if<fg::image_view>(&v.value)) lies_within(image->file);
    if (const auto* audio = std::get_if<fg::audio_view>(&v.value)) lies_within(audio->file);
    if (v.metadata) (void)fg::summary_metadata::read(*v.metadata);
    if (const auto* tensor = std::get_if<fg::tensor_view>(&v.value))
      if (const auto value = tensor->read()) look_at(*value);
  }));
  fg::summary_writer copied;
  must_hold(static_cast<bool>(copied.merge(text)) == is_good);
}

inline void event(std::string_view text) {
  if (const auto read = fg::event::read(text)) summary(read->summary());
}

// A stranger's file may say that it is as large as it likes: whoever takes memory for it looks at that first.
inline void png(std::string_view file) {
  for (const int channels : {0, 1, 3}) {
    const auto size = fg::png_size_of(file, channels);
    if (!size || size->width > 256 || size->height > 256) continue;
    std::vector<std::uint8_t> pixels(static_cast<std::size_t>(size->width * size->height * size->channels));
    fg::read_png(file, channels, pixels).error();
  }
}

// BMP, JPEG and GIF files; the last two if the program links flowgraph::images. All memory that is taken is filled.
inline void image_file(std::string_view file) {
  namespace images = flowgraph_images_1;
  std::vector<std::uint8_t> pixels;
  const images::pixel_memory memory{
      &pixels, [](void* to, std::int64_t frames, std::int64_t height, std::int64_t width, int channels) -> std::uint8_t* {
        auto& taken = *static_cast<std::vector<std::uint8_t>*>(to);
        taken.assign(static_cast<std::size_t>(frames * height * width * channels), 0);
        return taken.data();
      }};
  if (const auto bmp = fg::detail::bmp_file::read(file); bmp && bmp->width * bmp->height < (1 << 18))
    bmp->decode(4, memory.take(memory.taker, 1, bmp->height, bmp->width, 4));
  if (images::library == nullptr) return;
  std::string why;
  for (const int way : {0, 1, 2, 3}) {
    const images::jpeg_reading reading{.file = file,
                                       .channels = way == 1 ? 1 : 0,
                                       .ratio = way == 2 ? 4 : 1,
                                       .recovers = way == 2,
                                       .acceptable_fraction = way == 1 ? 0.1f : 1.0f,
                                       .crops = way == 3,
                                       .y = 3,
                                       .x = 5,
                                       .height = 9,
                                       .width = 7,
                                       .most_numbers = 1 << 18};
    images::library->read_jpeg(reading, memory, why);
  }
  images::jpeg_shape shape;
  images::library->read_jpeg_shape(file, shape, why);
  for (const bool all : {true, false})
    images::library->read_gif({.file = file, .all_frames = all, .most_numbers = 1 << 18}, memory, why);
}

// A file of any bytes ends cleanly, or in an error.
inline void record_file(const std::string& path, std::string_view text) {
  for (const fg::compression how : {fg::compression::plain, fg::compression::gzip}) {
    if (how != fg::compression::plain && !fg::has_compression()) continue;
    {
      auto to = fg::file_writer::open(path).value();
      to.write(text).value();
      to.close().value();
    }
    auto from = fg::record_reader::open(path, how).value();
    std::string record;
    for (;;) {
      const auto more = from.next(record);
      if (!more || !*more) break;
    }
  }
}

// ---- clicks

inline void hold_clicks(const fg::click_batch& b, bool has_fields) {
  must_hold(b.splits.size() == b.labels.size() + 1 && b.splits.front() == 0);
  must_hold(b.splits.back() == static_cast<std::int64_t>(b.keys.size()) && b.values.size() == b.keys.size());
  must_hold(b.fields.size() == (has_fields ? b.keys.size() : 0));
  for (std::size_t i = 0; i < b.rows(); ++i) must_hold(b.splits[i] <= b.splits[i + 1]);
}

// The first byte is the options. A fault is within its line or just behind it, and leaves the samples alone.
inline void click_lines(std::string_view text) {
  if (text.empty()) return;
  const int way = text.front();
  text.remove_prefix(1);
  const fg::click_options how{.format = way & 1 ? fg::click_format::libffm : fg::click_format::libsvm,
                              .hash_keys = (way & 2) != 0,
                              .buckets = way & 4 ? 1000u : 0u};
  fg::click_batch made;
  while (!text.empty()) {
    const std::size_t size = std::min(text.find('\n'), text.size());
    // A copy of its own, so that a sanitizer sees each byte behind it.
    const std::vector<char> line(text.data(), text.data() + size);
    const std::size_t rows = made.rows(), features = made.keys.size();
    const fg::click_fault fault = fg::parse_clicks({line.data(), line.size()}, how, made);
    must_hold(!fault.what || (fault.column >= 1 && fault.column <= size + 1 && made.keys.size() == features));
    must_hold(made.rows() == rows + (fault.what ? 0 : 1));
    text.remove_prefix(std::min(size + 1, text.size()));
  }
  hold_clicks(made, (way & 1) != 0);
  for (const float v : made.values) must_hold(v - v == 0);
  for (const float v : made.labels) must_hold(v - v == 0);
}

// Repairs the checksums of a cache as far as its blocks can be followed, so that changes reach the checks behind them.
inline std::string with_right_sums(std::string file) {
  const auto repair = [&](std::size_t from, std::size_t size, std::size_t at) {
    const std::uint32_t sum = fg::mask_crc32c(fg::crc32c(std::string_view(file).substr(from, size)));
    std::memcpy(file.data() + at, &sum, sizeof sum);
  };
  if (file.size() < 32) return file;
  repair(0, 24, 24);
  for (std::size_t at = 32; file.size() - at >= 32;) {
    std::uint64_t promised = 0;
    std::memcpy(&promised, file.data() + at + 16, sizeof promised);
    const std::size_t left = file.size() - at - 32, payload = promised <= left ? static_cast<std::size_t>(promised) : 0;
    if (payload > 0) repair(at + 32, payload, at + 24);
    repair(at, 28, at + 28);
    at += 32 + payload;
  }
  return file;
}

inline void click_cache(const std::string& path, std::string_view input) {
  for (const bool repaired : {false, true}) {
    put(path, repaired ? with_right_sums(std::string(input)) : std::string(input));
    auto from = fg::click_cache_reader::open(path);
    if (!from) continue;
    fg::click_batch batch;
    std::uint64_t rows = 0;
    for (;;) {
      const auto more = from->next(batch, 3);
      if (!more || !*more) {
        must_hold(!more || rows == from->rows());
        break;
      }
      hold_clicks(batch, from->has_fields());
      must_hold((rows += batch.rows()) <= from->rows());
    }
  }
}

}  // namespace fuzz_targets

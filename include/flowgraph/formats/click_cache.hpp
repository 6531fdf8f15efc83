#pragma once
// A binary cache of a file of clicks, so that the text is parsed only once. Each later pass reads the cache block by block.
//
//     auto from = fg::open_clicks("train.txt", {.format = fg::click_format::libffm}).value();   // writes train.txt.clicks
//     fg::click_batch batch;
//     for (int epoch = 0; epoch < 5; ++epoch) {
//       from.rewind(seed + epoch).value();                                        // blocks, and the samples in them, in a new order
//       while (from.next(batch, 1024).value()) ...
//     }
//
// All numbers of the file are little-endian.
//
//     file    "FGCLICKS"  version: u32 = 1  has_fields: u32  source: u64  sum of these 24 bytes: u32  0: u32
//             block...  end
//     block   rows: u32  form: u32  features: u64  bytes: u64  sum of the payload: u32  sum of these 28 bytes: u32  payload
//     payload keys: features x (u32 or i64)  splits: (rows + 1) x u32  labels: rows x f32
//             values: features x f32, or nothing  fields: features x i32, or nothing
//     end     a block header with rows = 0, features = the number of samples of the file, bytes = the number of lines skipped
//
// Bits of `form`: 1 means that keys are i64, 2 that there are values (otherwise each value is 1), 4 that there are fields. A sum is
// a masked CRC-32C, as in TFRecord files.

#include <flowgraph/formats/click_text.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

// Writes a cache. The file appears only at `commit`.
class click_cache_writer {
public:
  // `source` identifies the text and its options; the reader returns it.
  static result<click_cache_writer> create(std::string path, bool has_fields, std::uint64_t source = 0);

  // Appends the samples of a batch.
  result<void> write(const click_batch& samples);
  // Writes the end of the file, and gives it its name. `skipped` is the number of malformed lines that were skipped.
  result<void> commit(std::uint64_t skipped = 0);

private:
  click_cache_writer(atomic_file to, bool has_fields) : to_(std::move(to)), has_fields_(has_fields) {}
  result<void> put_block();

  atomic_file to_;
  bool has_fields_;
  click_batch block_;
  std::string bytes_;
  std::uint64_t rows_ = 0;
};

// Reads a cache. The memory is bounded by the largest block, about 1 MB unless single lines are larger, and 16 bytes per block.
class click_cache_reader {
public:
  // Opens a cache, and checks the headers of all blocks. The payloads are checked when they are read.
  static result<click_cache_reader> open(std::string path);

  // Replaces the contents of `to` by the next samples: at least one and at most `rows`. Returns false at the end.
  result<bool> next(click_batch& to, std::size_t rows);
  // Continues with the first sample. If `seed` is not 0, the order of blocks and of the samples in each block depends on the seed.
  result<void> rewind(std::uint64_t seed = 0);
  // Returns the position behind the last sample that was read.
  click_position position() const noexcept;
  // Continues at a position of the same cache, in its order. If there is no such position, returns out_of_range.
  result<void> resume(const click_position& where);

  // Returns the number of samples.
  std::uint64_t rows() const noexcept { return rows_; }
  // Returns the number of features of all samples.
  std::uint64_t features() const noexcept { return features_; }
  // Returns the number of malformed lines that were skipped when the cache was written.
  std::uint64_t skipped() const noexcept { return skipped_; }
  // Returns whether the samples have fields.
  bool has_fields() const noexcept { return has_fields_; }
  // Returns the number that `click_cache_writer::create` received.
  std::uint64_t source() const noexcept { return source_; }
  // Returns the path of the file.
  const std::string& path() const noexcept { return from_.path(); }

private:
  struct place {
    std::uint64_t offset = 0;
  };
  explicit click_cache_reader(file_reader from) : from_(std::move(from)) {}
  error damaged(std::uint64_t offset, std::string_view what) const;
  result<void> read_places(std::uint64_t size);
  result<void> read_block(std::uint64_t offset);
  result<void> next_block();
  void append(std::size_t row, click_batch& to) const;

  file_reader from_;
  std::vector<place> blocks_;
  std::uint64_t rows_ = 0, features_ = 0, skipped_ = 0, source_ = 0, seed_ = 0;
  bool has_fields_ = false;
  click_batch block_;
  std::vector<std::uint32_t> order_;  // of the samples in the block; empty: as written
  std::string bytes_;
  std::size_t next_block_ = 0, next_row_ = 0;
};

struct click_cache_options {
  std::string path = {};                     // of the cache; empty: the path of the text with ".clicks" appended
  bool always_new = false;                   // write the cache even if there is one that fits
  compression packing = compression::plain;  // the compression of the text
};

// Opens the cache of a file of clicks. If there is no cache, or the text's size or time of change or the options have changed,
// reads the text and writes the cache first. A file with other contents is never replaced: returns already_exists.
result<click_cache_reader> open_clicks(const std::string& text, const click_options& how, const click_cache_options& cache = {});

}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/formats/impl/click_cache.hpp>
#endif

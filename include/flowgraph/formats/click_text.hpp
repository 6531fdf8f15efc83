#pragma once
// Reads files of clicks: text in the formats of libsvm and libffm, one sample per line.
//
//     1 17:0.5 204:1                                                            libsvm: label key:value ...
//     0 0:17:0.5 3:204:1                                                        libffm: label field:key:value ...
//
//     auto from = fg::click_reader::open("train.txt", {.format = fg::click_format::libffm}).value();
//     fg::click_batch batch;
//     while (from.next(batch, 1024).value()) ...                                // at most 1024 samples
//
// Labels and values are finite numbers. Blanks and tabs separate the features. Empty lines are ignored, and so is a "\r" at the
// end of a line. A malformed line ends the reading with an error that names the file, the line and the column, or is skipped and
// counted.

#include <flowgraph/formats/byte_stream.hpp>

#include <string_view>
#include <vector>

namespace flowgraph::inline FLOWGRAPH_ABI {

// The format of a file of clicks. The lines of libffm have a field before each key.
enum class click_format : std::uint8_t { libsvm, libffm };

struct click_options {
  click_format format = click_format::libsvm;  // the format of the lines
  // Keys are texts without blanks and colons, and the 64-bit hash of the text is the key. Otherwise keys are whole numbers.
  bool hash_keys = false;
  std::uint64_t hash_seed = 0;  // programs with the same seed get the same keys
  // 0: all keys are allowed. Otherwise a hash is reduced to the range [0, buckets), and a number outside of the range is malformed.
  std::uint64_t buckets = 0;
  bool skip_malformed = false;  // true: malformed lines are skipped and counted; false: a malformed line is an error
  // A longer line is malformed. The reader buffers at most one line.
  std::size_t longest_line = std::size_t{1} << 24;
};

// Samples. Features splits[i] to splits[i + 1] belong to sample i.
struct click_batch {
  std::vector<float> labels;
  std::vector<std::int64_t> splits{0};
  std::vector<std::int64_t> keys;
  std::vector<std::int32_t> fields;  // empty for libsvm
  std::vector<float> values;

  // Returns the number of samples.
  std::size_t rows() const noexcept { return labels.size(); }
  // Removes the samples, and keeps the memory.
  void clear();
};

// The place at which a reader continues, to be saved with a checkpoint. All numbers are 0 at the beginning.
struct click_position {
  std::uint64_t at = 0;       // text: the bytes that were read; cache: the blocks that were begun
  std::uint64_t row = 0;      // text: the lines that were read; cache: the samples of the last of these blocks that were read
  std::uint64_t skipped = 0;  // text: the malformed lines that were skipped
  std::uint64_t seed = 0;     // cache: the order

  bool operator==(const click_position&) const = default;
};

// The position and the reason of the first mistake in a line. `what` is null if the line is well-formed.
struct click_fault {
  const char* what = nullptr;
  std::size_t column = 0;  // in bytes, from 1
};

// Appends the sample of a line without a line break. If the line is malformed, leaves `to` unchanged. `line` must not be blank.
click_fault parse_clicks(std::string_view line, const click_options& how, click_batch& to);

namespace detail {

// Returns the text at a fault for a message, such as ", found 'x'".
std::string found_in_clicks(std::string_view line, const click_fault& fault);
// Returns whether a line contains only blanks.
bool is_blank_line(std::string_view line) noexcept;

}  // namespace detail

// Reads a file of clicks in order. Only one thread at a time may use the reader.
class click_reader {
public:
  // Opens a file. `packing` is its compression.
  static result<click_reader> open(std::string path, const click_options& how, compression packing = compression::plain);

  // Replaces the contents of `to` by the next samples: at least one and at most `rows` > 0. Returns false at the end of the file. After
  // an error, each further call returns the same error.
  result<bool> next(click_batch& to, std::size_t rows);

  // Returns the position behind the last line that was read.
  click_position position() const noexcept { return {from_.offset() - (end_ - at_), line_, skipped_, 0}; }
  // Continues at a position of the same file. To be called before `next`. If the file is shorter, returns out_of_range.
  result<void> resume(const click_position& where);

  // Returns the number of the last line that was read, from 1.
  std::uint64_t line() const noexcept { return line_; }
  // Returns the number of malformed lines that were skipped.
  std::uint64_t skipped() const noexcept { return skipped_; }
  // Returns the number of bytes of text that were read.
  std::uint64_t offset() const noexcept { return from_.offset(); }
  // Returns the path of the file.
  const std::string& path() const noexcept { return from_.path(); }

private:
  click_reader(byte_stream from, const click_options& how) : from_(std::move(from)), how_(how) {}
  // Makes the next line complete in the buffer, or passes it if it is too long. Returns false at the end of the file.
  result<bool> find_line(std::string_view& line);
  // Passes the bytes up to the next line break.
  result<void> pass_line();
  result<void> refuse(std::string_view line, const click_fault& fault);

  byte_stream from_;
  click_options how_;
  std::string buffer_;
  std::size_t at_ = 0, end_ = 0;  // the unread bytes of buffer_
  std::uint64_t line_ = 0, skipped_ = 0;
  bool ended_ = false, too_long_ = false;
  error broken_;
};

}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/formats/impl/click_text.hpp>
#endif

#pragma once
// Files of records in TensorFlow's TFRecord format: each record has a length and checksums of the length and of the data.
//
//     auto to = fg::record_writer::create("train.tfrecord");
//     to->write(sample.bytes()).value();
//     to->close().value();
//
//     auto from = fg::record_reader::open("train.tfrecord");
//     std::string record;
//     while (from->next(record).value()) ...
//
// If a file is truncated or damaged, the reader returns the records before the damage, and then an error that names the file and
// the offset.

#include <flowgraph/formats/byte_stream.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

// Reads a file of records in order. Only one thread at a time may use the reader.
class record_reader {
public:
  // Opens a file of records. `how` is its compression.
  static result<record_reader> open(std::string path, compression how = compression::plain);

  // Reads the next record. Returns false at the end of the file. After an error, each further call returns the same error.
  result<bool> next(std::string& record);
  // Skips the next `count` records, and returns the number of records skipped.
  result<std::uint64_t> skip(std::uint64_t count);

  // Returns the offset of the next record, in uncompressed bytes.
  std::uint64_t offset() const noexcept { return offset_; }
  // Returns the path of the file.
  const std::string& path() const noexcept { return from_.path(); }

private:
  explicit record_reader(byte_stream from) : from_(std::move(from)) {}
  error damaged(std::string_view what);

  byte_stream from_;
  std::uint64_t offset_ = 0;
  error broken_;
};

// Writes a file of records in order. Only one thread at a time may use the writer.
class record_writer {
public:
  // Creates a file, or replaces a file with this name.
  static result<record_writer> create(std::string path, compression how = compression::plain);

  // Writes a record.
  result<void> write(std::string_view record);
  // Passes all records to the system. Records of a compressed file may be delayed until `close`.
  result<void> flush();
  // Closes the file. Without this call, the last records may be missing.
  result<void> close();

  // Returns the number of records that were written.
  std::uint64_t count() const noexcept { return count_; }
  // Returns the path of the file.
  const std::string& path() const noexcept { return to_.path(); }

private:
  record_writer(file_writer to, std::optional<compressor> packing) : to_(std::move(to)), packing_(std::move(packing)) {}
  result<void> put(std::string_view bytes);

  file_writer to_;
  std::optional<compressor> packing_;
  std::string packed_;
  std::uint64_t count_ = 0;
};

}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/formats/impl/record_file.hpp>
#endif

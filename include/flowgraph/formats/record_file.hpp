#pragma once
// Files of records, TensorFlow's TFRecord format: each record has its length and a checksum of both before and behind it.
//
//     auto to = fg::record_writer::create("train.tfrecord");
//     to->write(sample.bytes()).value();
//     to->close().value();
//
//     auto from = fg::record_reader::open("train.tfrecord");
//     std::string record;
//     while (from->next(record).value()) ...
//
// A file that was cut or changed ends in an error that names file and offset; what stands before was given.

#include <flowgraph/formats/byte_stream.hpp>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

// Reads a file of records in order. Used by one thread at a time.
class record_reader {
public:
  static result<record_reader> open(std::string path, compression how = compression::plain);

  // The next record; false at the end of the file. After an error it stays at that record, and says so again.
  result<bool> next(std::string& record);
  // Goes on behind the next `count` records: how many there were.
  result<std::uint64_t> skip(std::uint64_t count);

  // Where the next record begins, in the bytes as they are without compression.
  std::uint64_t offset() const noexcept { return offset_; }
  const std::string& path() const noexcept { return from_.path(); }

private:
  explicit record_reader(byte_stream from) : from_(std::move(from)) {}
  error damaged(std::string_view what);

  byte_stream from_;
  std::uint64_t offset_ = 0;
  error broken_;
};

// Writes a file of records in order. Used by one thread at a time.
class record_writer {
public:
  // Replaces a file of that name.
  static result<record_writer> create(std::string path, compression how = compression::plain);

  result<void> write(std::string_view record);
  // Hands all records to the system. Those of a compressed file may wait for `close`.
  result<void> flush();
  // Ends the file. One that is not closed may lack its last records.
  result<void> close();

  std::uint64_t count() const noexcept { return count_; }
  const std::string& path() const noexcept { return to_.path(); }

private:
  record_writer(file_writer to, std::optional<compressor> packing) : to_(std::move(to)), packing_(std::move(packing)) {}
  result<void> put(std::string_view bytes);

  file_writer to_;
  std::optional<compressor> packing_;
  std::string packed_;
  std::uint64_t count_ = 0;
};

}
}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/formats/impl/record_file.hpp>
#endif

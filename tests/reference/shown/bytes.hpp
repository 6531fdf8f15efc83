// Full entries of the reference: files, compressed bytes, checksums.

// formats/file.hpp: read_file
// path: the path of the file
// Returns all bytes of the file, or the error.
const shown read_file_("formats/file.hpp: read_file", [] {
  std::ofstream("tea.txt") << "green tea";
  std::cout << fg::read_file("tea.txt").value() << "\n";
  // prints: green tea

  std::cout << fg::read_file("nothing.txt").error().message() << "\n";
  // error: 'nothing.txt': cannot be read: No such file or directory
});

// sync_folder
// path: the path of the folder
// Returns the error, if there is one.
const shown sync_folder_("sync_folder", [] {
  std::cout << fg::sync_folder(".").has_value() << "\n";
  // prints: 1

  std::cout << fg::sync_folder("nowhere").error().message() << "\n";
  // error: 'nowhere': cannot be read: No such file or directory
});

// file_reader
const shown file_reader_("file_reader", [] {
  std::ofstream("letters.txt") << "abcdef";
  auto file = fg::file_reader::open("letters.txt").value();
  std::string text(4, ' ');
  std::cout << file.read(std::as_writable_bytes(std::span(text))).value() << " " << text << " " << file.offset() << "\n";
  // prints: 4 abcd 4

  file.seek(2).value();
  file.read_all(std::as_writable_bytes(std::span(text))).value();
  std::cout << text << " " << file.path() << "\n";
  // prints: cdef letters.txt

  std::cout << file.read_all(std::as_writable_bytes(std::span(text))).error().message() << "\n";
  // error: 'letters.txt': is cut: expected 4 bytes at byte 6, found 0

  std::cout << fg::file_reader::open("nothing.txt").error().message() << "\n";
  // error: 'nothing.txt': cannot be read: No such file or directory
});

// mapped_file
const shown mapped_file_("mapped_file", [] {
  std::ofstream("mapped.txt") << "abc";
  const fg::mapped_file file = fg::mapped_file::open("mapped.txt").value();
  std::cout << file.bytes().size() << " " << char(file.bytes()[1]) << " " << file.path() << "\n";
  // prints: 3 b mapped.txt

  std::cout << fg::mapped_file::open("nothing.txt").error().message() << "\n";
  // error: 'nothing.txt': cannot be read: No such file or directory
});

// file_writer
const shown file_writer_("file_writer", [] {
  auto file = fg::file_writer::open("written.txt").value();
  file.write("green ").value();
  file.write("tea").value();
  file.flush().value();
  file.sync().value();
  std::cout << file.path() << " " << file.size() << "\n";
  file.close().value();
  std::cout << fg::read_file("written.txt").value() << "\n";
  // prints: written.txt 9
  // prints: green tea

  std::cout << fg::file_writer::open("no/folder/x").error().message() << "\n";
  // error: 'no/folder/x': cannot be written: No such file or directory
});

// atomic_file
const shown atomic_file_("atomic_file", [] {
  std::ofstream("settings.txt") << "old";
  auto file = fg::atomic_file::create("settings.txt", false).value();
  file.write("new").value();
  std::cout << fg::read_file("settings.txt").value() << " " << file.size() << "\n";
  file.commit().value();
  std::cout << fg::read_file(file.path()).value() << "\n";
  // prints: old 3
  // prints: new

  auto dropped = fg::atomic_file::create("settings.txt").value();
  dropped.write("no").value();
  dropped.discard();
  std::cout << fg::read_file("settings.txt").value() << "\n";
  // prints: new

  std::cout << fg::name_of(fg::atomic_file::create("no/folder/x").error().code()) << "\n";
  // error: not found
});

// byte_stream
const shown byte_stream_("byte_stream", [] {
  fg::file_writer file = fg::file_writer::open("lines.gz").value();
  file.write(fg::compress("first\nsecond\n", fg::compression::gzip).value()).value();
  file.close().value();
  auto stream = fg::byte_stream::open("lines.gz", fg::compression::gzip).value();
  std::string line, rest(6, ' ');
  stream.read_line(line).value();
  stream.skip(1).value();
  stream.read(std::as_writable_bytes(std::span(rest)).first(5)).value();
  std::cout << line << " " << rest << stream.offset() << " " << stream.path() << " " << stream.is_compressed() << "\n";
  // prints: first econd 12 lines.gz 1

  std::ofstream("plain.txt") << "not compressed";
  std::cout << fg::byte_stream::open("plain.txt", fg::compression::gzip).value().read_line(line).error().message() << "\n";
  // error: 'plain.txt': the compressed bytes are damaged: incorrect header check, before 14
});

// compression_named
// name: "", "NONE", "ZLIB" or "GZIP"
// Returns the compression, or the error.
const shown compression_named_("compression_named", [] {
  std::cout << (fg::compression_named("GZIP").value() == fg::compression::gzip) << "\n";
  // prints: 1

  std::cout << fg::compression_named("LZ4").error().message() << "\n";
  // error: a compression must be "", ZLIB or GZIP, found 'LZ4'
});

// has_compression
// Returns true if the library was built with zlib.
// No error: the answer is known when the library is built.
const shown has_compression_("has_compression", [] {
  const auto packed = fg::compress("tea", fg::compression::zlib);
  std::cout << (fg::has_compression() == packed.has_value()) << "\n";
  // prints: 1
});

// compress
// plain: the bytes to compress
// how: the compression
// Returns the compressed bytes, or an error if the library was built without zlib.
// No error: all bytes can be compressed.
const shown compress_("compress", [] {
  const std::string packed = fg::compress(std::string(1000, 'a'), fg::compression::zlib).value();
  std::cout << (packed.size() < 100) << " " << fg::decompress(packed, fg::compression::zlib).value().size() << "\n";
  // prints: 1 1000
});

// decompress
// packed: the compressed bytes
// how: the compression
// Returns the decompressed bytes, or the error.
const shown decompress_("decompress", [] {
  const std::string packed = fg::compress("green tea", fg::compression::gzip).value();
  std::cout << fg::decompress(packed, fg::compression::gzip).value() << "\n";
  // prints: green tea

  std::cout << fg::decompress(packed.substr(0, 12), fg::compression::gzip).error().message() << "\n";
  // error: the compressed bytes are cut
});

// compressor
// No error: all bytes can be compressed.
const shown compressor_("compressor", [] {
  auto pack = fg::compressor::make(fg::compression::zlib).value();
  std::string packed;
  pack.write("green ", packed).value();
  pack.write("tea", packed).value();
  pack.finish(packed).value();
  std::cout << fg::decompress(packed, fg::compression::zlib).value() << "\n";
  // prints: green tea
});

// decompressor
const shown decompressor_("decompressor", [] {
  const std::string packed = fg::compress("green tea", fg::compression::zlib).value();
  auto unpack = fg::decompressor::make(fg::compression::zlib).value();
  auto rest = std::as_bytes(std::span(packed));
  std::string text(5, ' ');
  unpack.read(rest, std::as_writable_bytes(std::span(text))).value();
  std::cout << text << " " << unpack.is_complete() << "\n";
  // prints: green 0

  auto other = fg::decompressor::make(fg::compression::zlib).value();
  std::span<const std::byte> broken = std::as_bytes(std::span("no packed bytes"));
  std::cout << other.read(broken, std::as_writable_bytes(std::span(text))).error().message() << "\n";
  // error: the compressed bytes are damaged: incorrect header check
});

// crc32c
// bytes: the bytes
// text: the bytes as a string
// before: the checksum of the preceding bytes
// Returns the checksum.
// No error: every sequence of bytes has a checksum.
const shown crc32c_("crc32c", [] {
  std::cout << (fg::crc32c("tea", fg::crc32c("green ")) == fg::crc32c("green tea")) << " " << std::hex << fg::crc32c("123456789")
            << std::dec << "\n";
  // prints: 1 e3069283
});

// mask_crc32c
// sum: a checksum
// Returns the checksum in the form that TensorFlow's files use.
// No error: any value is a valid argument.
const shown mask_crc32c_("mask_crc32c", [] {
  std::cout << (fg::unmask_crc32c(fg::mask_crc32c(7)) == 7) << " " << fg::mask_crc32c(7) << "\n";
  // prints: 1 2727406296
});

// unmask_crc32c
// Converts a stored checksum to the checksum of the bytes.
// masked: a checksum in the form that TensorFlow's files use
// Returns the checksum.
// No error: every masked checksum can be converted.
const shown unmask_crc32c_("unmask_crc32c", [] {
  std::cout << fg::unmask_crc32c(fg::mask_crc32c(7)) << "\n";
  // prints: 7
});

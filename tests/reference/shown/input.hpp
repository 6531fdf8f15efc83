// Full entries of the reference: batches, readers, bytes as tensors.

// slices
// o: the size of a batch, epochs, the order, the share of one worker
// first: a tensor with a row for each example
// more: further tensors with as many rows
// Returns `components`, the batch, and `filling`, how its queue is filled.
const shown slices_("slices", [] {
  fg::graph g;
  const auto images = g.constant(fg::tensor<float>({3, 2}, {1, 2, 3, 4, 5, 6}));
  const auto labels = g.constant(fg::tensor<std::int64_t>({3}, {7, 8, 9}));
  const auto rows = fg::slices({.size = 2, .epochs = 1, .allow_smaller = true}, images, labels);
  const auto [image, label] = rows.components;
  fg::session s(g);
  fg::coordinator workers;
  fg::queue_runner(rows.filling).fill(s, workers).value();
  const auto [batch, of_batch] = s.run(fg::fetch(image, label));
  std::cout << fg::to_string(batch.shape()) << " " << of_batch[0] << of_batch[1] << "\n";
  // prints: [2,2] 78

  s.run(fg::fetch(label));
  std::cout << s.try_run(fg::fetch(label)).error().message() << "\n";
  // error: FIFOQueue 'FIFOQueueV2' is closed and has too few elements: requested 2, found 0
});

// input/batch.hpp: every_nth
// of: the values
// n: the number of shares
// first: the number of this share
// Returns the values with the numbers first, first + n, ...
// No error: a share that has no value is empty.
const shown every_nth_value("input/batch.hpp: every_nth", [] {
  const std::vector<std::string> mine = fg::every_nth(std::vector<std::string>{"a", "b", "c"}, 2, 0);
  std::cout << mine[0] << mine[1] << "\n";
  // prints: ac
});

// input/slices.hpp: every_nth
// rows: the rows
// n: the number of shares
// first: the number of this share
// Returns a handle to the rows with the numbers first, first + n, ...
const shown every_nth_row("input/slices.hpp: every_nth", [] {
  fg::graph g;
  const auto rows = g.constant(fg::tensor<float>({3}, {1, 2, 3}));
  const auto y = fg::session(g).run(fg::fetch(fg::every_nth(rows, 2)));
  std::cout << y[0] << y[1] << "\n";
  // prints: 13

  try {
    fg::every_nth(rows, 0);
  } catch (const fg::error& why) { std::cout << why.message() << "\n"; }
  // error: strides[0] must not be zero; found Const float[3], StridedSlice/begin_1 int32[1], StridedSlice/end_1 int32[1],
  //   StridedSlice/strides_1 int32[1]
});

// batches
// o: the size of a batch, the capacity of the queue, whether elements come in batches, padding
// of: handles to an element, or on a batch of elements
// Returns `components`, the batch, and `filling`, how its queue is filled.
const shown batches_("batches", [] {
  fg::graph g;
  const auto x = fg::random_uniform<float>(g, fg::shape{2});
  const auto ready = fg::batches({.size = 3}, x);
  fg::session s(g);
  fg::coordinator workers;
  fg::queue_runner(ready.filling).start(s, workers);
  std::cout << fg::to_string(s.run(fg::fetch(ready.components)).shape()) << "\n";
  workers.request_stop();
  workers.join();
  // prints: [3,2]

  s.run(ready.filling.cancel);
  for (int i = 0; i < 3; ++i) {
    const auto rest = s.try_run(fg::fetch(ready.components));
    if (!rest) std::cout << fg::name_of(rest.error().code()) << "\n";
    if (!rest) break;
  }
  // error: out of range
});

// shuffled_batches
// o: the size of a batch, the elements that stay behind, the seed
// of: handles to an element, or on a batch of elements
// Returns `components`, the batch, and `filling`, how its queue is filled.
const shown shuffled_batches_("shuffled_batches", [] {
  fg::graph g;
  const auto rows = fg::slices({.size = 4, .epochs = 1}, g.constant(fg::tensor<float>({4}, {1, 2, 3, 4})));
  const auto mixed = fg::shuffled_batches({.size = 4, .seed = 1, .of_batches = true}, rows.components);
  fg::session s(g);
  fg::coordinator workers;
  fg::queue_runner(rows.filling).start(s, workers);
  fg::queue_runner(mixed.filling).start(s, workers);
  const auto batch = s.run(fg::fetch(mixed.components));
  workers.join();
  std::cout << batch[0] << batch[1] << batch[2] << batch[3] << "\n";
  // prints: 4321

  std::cout << s.try_run(fg::fetch(mixed.components)).error().message() << "\n";
  // error: RandomShuffleQueue 'RandomShuffleQueueV2' is closed and has too few elements: requested 4, found 0
});

// bucketed_batches
// o: the boundaries of lengths, the size of a batch
// length: the length of the element
// of: handles to an element
// Returns `components`, the batch; `filling`, how the buckets are filled; `gathering`, how batches are taken out.
const shown bucketed_batches_("bucketed_batches", [] {
  fg::graph g;
  const auto n = fg::slices({.epochs = 1}, g.constant(fg::tensor<std::int64_t>({3}, {5, 1, 6})));
  const auto length = n.components;
  const auto word = fg::fill(fg::expand_dims(fg::cast<std::int32_t>(length), 0), g.constant(1.f));
  const auto alike = fg::bucketed_batches({.boundaries = {4}, .size = 2, .shapes = {{fg::any}}}, length, word);
  fg::session s(g);
  fg::coordinator workers;
  fg::queue_runner(n.filling).start(s, workers);
  fg::queue_runner(alike.filling).start(s, workers);
  fg::queue_runner(alike.gathering).start(s, workers);
  std::cout << fg::to_string(s.run(fg::fetch(alike.components)).shape()) << "\n";
  workers.join();
  // prints: [2,6]

  std::cout << s.try_run(fg::fetch(alike.components)).error().message() << "\n";
  // error: FIFOQueue 'FIFOQueueV2_1' is closed and has too few elements: requested 1, found 0
});

// file_names
// g: the graph
// names: the names
// o: epochs, the share of one worker
// Returns `components`, the next name; `between`, its queue for a reader; `filling`, how the queue is filled.
const shown file_names_("file_names", [] {
  fg::graph g;
  const auto names = fg::file_names(g, {"a.csv", "b.csv"}, {.epochs = 1});
  fg::session s(g);
  fg::coordinator workers;
  fg::queue_runner(names.filling).fill(s, workers).value();
  std::cout << s.run(fg::fetch(names.components)).scalar() << "\n";
  // prints: a.csv

  s.run(fg::fetch(names.components));
  std::cout << s.try_run(fg::fetch(names.components)).error().message() << "\n";
  // error: FIFOQueue 'FIFOQueueV2' is closed and has too few elements: requested 1, found 0
});

// prefetched
// o: the number of values that wait
// of: handles whose values are computed ahead
// Returns `components`, the values, and `filling`, how their queue is filled.
const shown prefetched_("prefetched", [] {
  fg::graph g;
  const auto x = g.constant(fg::tensor<float>({2}, {1, 2}));
  const auto ahead = fg::prefetched({.capacity = 1}, x * 10.f);
  fg::session s(g);
  s.run(ahead.filling.enqueue);
  std::cout << s.run(fg::fetch(ahead.components))[1] << "\n";
  // prints: 20

  s.run(ahead.filling.close);
  std::cout << s.try_run(fg::fetch(ahead.components)).error().message() << "\n";
  // error: FIFOQueue 'FIFOQueueV2' is closed and has too few elements: requested 1, found 0
});

// text_line_reader
// g: the graph
// o: lines to skip at the begin of each file, the name of a shared reader
// Returns the reader: `read(queue)` returns the key and the text of the next line.
const shown text_line_reader_("text_line_reader", [] {
  std::ofstream("prices.csv") << "item,price\ntea,3\n";
  fg::graph g;
  const auto names = fg::file_names(g, {"prices.csv", "nothing.csv"}, {.epochs = 1});
  const auto [key, line] = fg::text_line_reader(g, {.skip_header_lines = 1}).read(names.between);
  fg::session s(g);
  fg::coordinator workers;
  fg::queue_runner(names.filling).fill(s, workers).value();
  const auto [where, text] = s.run(fg::fetch(key, line));
  std::cout << where.scalar() << " " << text.scalar() << "\n";
  // prints: prices.csv:2 tea,3

  std::cout << s.try_run(fg::fetch(line)).error().message() << "\n";
  // error: 'nothing.csv': cannot be read: No such file or directory
});

// tf_record_reader
// g: the graph
// o: how the files are compressed, the name of a shared reader
// Returns the reader: `read(queue)` returns the key and the bytes of the next record.
const shown tf_record_reader_("tf_record_reader", [] {
  auto file = fg::record_writer::create("two.tfrecord").value();
  file.write("first").value();
  file.close().value();
  std::ofstream("broken.tfrecord") << "no records";
  fg::graph g;
  const auto names = fg::file_names(g, {"two.tfrecord", "broken.tfrecord"}, {.epochs = 1});
  const auto [key, record] = fg::tf_record_reader(g).read(names.between);
  fg::session s(g);
  fg::coordinator workers;
  fg::queue_runner(names.filling).fill(s, workers).value();
  std::cout << s.run(fg::fetch(record)).scalar() << "\n";
  // prints: first

  std::cout << s.try_run(fg::fetch(record)).error().message() << "\n";
  // error: 'broken.tfrecord': the record at offset 0 is cut within its length
});

// input/files.hpp: read_file
// filename: the name of a file
// Returns a handle to all bytes of the file.
const shown read_file_op("input/files.hpp: read_file", [] {
  std::ofstream("note.txt") << "tea";
  fg::graph g;
  const auto name = g.placeholder<std::string>("name", {});
  const auto bytes = fg::read_file(name);
  fg::session s(g);
  std::cout << s.run(fg::fetch(bytes), {{name, fg::tensor<std::string>(std::string("note.txt"))}}).scalar() << "\n";
  // prints: tea

  const auto missing = s.try_run(fg::fetch(bytes), {{name, fg::tensor<std::string>(std::string("nothing.txt"))}});
  std::cout << missing.error().message() << "\n";
  // error: 'nothing.txt': cannot be read: No such file or directory
});

// parse_example
// serialized: Examples as bytes: a vector, or a scalar for one
// features: for each feature its key, the shape of one example, and a value if it is missing
// Returns a handle for each feature, `auto [point, label]`, with the batch as first axis.
const shown parse_example_("parse_example", [] {
  fg::example_writer example;
  example.add("point", std::vector<float>{1, 2});
  fg::graph g;
  const auto bytes = g.placeholder<std::string>("bytes", {1});
  const fg::dense_feature<float> point{"point", {2}};
  const auto [points, labels] = fg::parse_example(bytes, point, fg::dense_feature<std::int64_t>{"label", {}, -1});
  fg::session s(g);
  const auto [x, label] = s.run(fg::fetch(points, labels), {{bytes, fg::tensor<std::string>({1}, {example.bytes()})}});
  std::cout << x(0, 1) << " " << label[0] << "\n";
  // prints: 2 -1

  const auto missing = s.try_run(fg::fetch(points), {{bytes, fg::tensor<std::string>({1}, {""})}});
  std::cout << missing.error().message() << "\n";
  // error: example 0: the feature 'point' must be there: it has no default
});

// decode_raw
// bytes: strings of one length
// little_endian: the order of the bytes of an element
// Returns a handle to the elements, with one more axis than `bytes`. The caller writes the element type T.
const shown decode_raw_("decode_raw", [] {
  fg::graph g;
  const auto bytes = g.placeholder<std::string>("bytes", {});
  const auto y = fg::decode_raw<std::uint16_t>(bytes);
  fg::session s(g);
  std::cout << s.run(fg::fetch(y), {{bytes, fg::tensor<std::string>(std::string("\x02\x01", 2))}})[0] << "\n";
  // prints: 258

  const auto odd = s.try_run(fg::fetch(y), {{bytes, fg::tensor<std::string>(std::string("abc"))}});
  std::cout << odd.error().message() << "\n";
  // error: strings of 3 bytes are not a whole number of elements of 2 bytes
});

// decode_csv
// lines: the records
// defaults: the value of an empty field, for each column; its type is that of the column
// op: the separator, the columns to read, as members of fg::decode_csv_op
// Returns a handle for each column: `auto [x, n]`.
const shown decode_csv_("decode_csv", [] {
  fg::graph g;
  const auto lines = g.placeholder<std::string>("lines", {fg::any});
  const auto [x, n] = fg::decode_csv(lines, std::tuple(0.5f, std::int64_t{-1}));
  fg::session s(g);
  const auto [price, count] = s.run(fg::fetch(x, n), {{lines, fg::tensor<std::string>({2}, {"3.5,2", ",7"})}});
  std::cout << price[0] << " " << price[1] << " " << count[1] << "\n";
  // prints: 3.5 0.5 7

  const auto wrong = s.try_run(fg::fetch(x), {{lines, fg::tensor<std::string>({1}, {"tea,2"})}});
  std::cout << wrong.error().message() << "\n";
  // error: record 0: field 0, 'tea', is not of type float
});

// decode_png
// contents: the bytes of a PNG file
// channels: 1 gray, 3 colours, 4 with opacity; 0: those of the file
// Returns a handle to the pixels, {height, width, channels}. The caller writes the element type.
const shown decode_png_("decode_png", [] {
  fg::graph g;
  const auto image = g.constant(fg::tensor<std::uint8_t>({1, 2, 1}, {10, 20}));
  const auto pixels = fg::decode_png<std::uint8_t>(fg::png_files(image));
  fg::session s(g);
  const auto y = s.run(fg::fetch(pixels));
  std::cout << fg::to_string(y.shape()) << " " << int(y[1]) << "\n";
  // prints: [1,2,1] 20

  const auto broken = fg::decode_png<std::uint8_t>(g.constant(std::string("no picture")));
  std::cout << s.try_run(fg::fetch(broken)).error().message() << "\n";
  // error: the bytes are no PNG file: the first bytes are others
});

// png_files
// images: the pixels, {..., height, width, channels}
// compression: from 0, none, to 9, the smallest files; -1: the choice of zlib
// Returns a handle to a file for each image.
const shown png_files_("png_files", [] {
  fg::graph g;
  const auto images = g.constant(fg::tensor<std::uint8_t>({2, 1, 2, 3}));
  const auto files = fg::session(g).run(fg::fetch(fg::png_files(images)));
  std::cout << fg::to_string(files.shape()) << " " << files[0].substr(1, 3) << "\n";
  // prints: [2] PNG

  const auto five = fg::png_files(g.constant(fg::tensor<std::uint8_t>({1, 2, 5})));
  std::cout << fg::session(g).try_run(fg::fetch(five)).error().message() << "\n";
  // error: an image must have 1 to 4 channels, found 5
});

// input/serialized_tensor.hpp: parse_tensor
// serialized: the bytes of a TensorProto
// Returns a handle to the tensor. The caller writes its element type.
const shown parse_tensor_op("input/serialized_tensor.hpp: parse_tensor", [] {
  fg::graph g;
  const auto bytes = fg::serialize_tensor(g.constant(fg::tensor<float>({2}, {1, 2})));
  fg::session s(g);
  std::cout << s.run(fg::fetch(fg::parse_tensor<float>(bytes)))[1] << "\n";
  // prints: 2

  std::cout << s.try_run(fg::fetch(fg::parse_tensor<double>(bytes))).error().message() << "\n";
  // error: expected a tensor of double, found one of float[2]
});

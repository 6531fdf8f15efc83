// Full entries of the reference: batches, readers, bytes as tensors.

// slices
// o: the batch size, the number of epochs, the order, the share of one worker
// first: a tensor with a row for each example
// more: further tensors with the same number of rows
// Returns `components`, the handles to the batch, and `filling`, which fills its queue.
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
// of: the values to distribute
// n: the number of shares
// first: the index of this share
// Returns the values with the indices first, first + n, ...
// No error: a share may be empty.
const shown every_nth_value("input/batch.hpp: every_nth", [] {
  const std::vector<std::string> mine = fg::every_nth(std::vector<std::string>{"a", "b", "c"}, 2, 0);
  std::cout << mine[0] << mine[1] << "\n";
  // prints: ac
});

// input/slices.hpp: every_nth
// rows: the rows to distribute
// n: the number of shares
// first: the index of this share
// Returns a handle to the rows with the indices first, first + n, ...
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
// o: the batch size, the capacity of the queue, whether the input is already batched, padding
// of: handles to the components of an element or of a batch of elements
// Returns `components`, the handles to the batch, and `filling`, which fills its queue.
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
// o: the batch size, the number of elements that remain in the queue for shuffling, the seed
// of: handles to the components of an element or of a batch of elements
// Returns `components`, the handles to the batch, and `filling`, which fills its queue.
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
// o: the length boundaries, the batch size
// length: the length of the element
// of: handles to the components of an element
// Returns `components`, the handles to the batch; `filling`, which fills the buckets; and `gathering`, which takes batches
// out.
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
// names: the file names
// o: the number of epochs, the share of one worker
// Returns three members: `components`, a handle to the next name; `between`, the queue from which a reader takes names; and
// `filling`, which fills that queue.
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
// o: the number of values to compute in advance
// of: handles whose values are computed in advance
// Returns `components`, the handles to the values, and `filling`, which fills their queue.
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
// o: the number of lines to skip at the beginning of each file, the name of a shared reader
// Returns the reader. Its `read(queue)` returns the key and the text of the next line.
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
// o: the compression of the files, the name of a shared reader
// Returns the reader. Its `read(queue)` returns the key and the bytes of the next record.
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
// serialized: serialized Examples: a vector, or a scalar for a single Example
// features: for each feature, its key, its shape in one example, and a default value
// Returns a handle for each feature, as in `auto [point, label]`. The first axis is the batch.
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
// bytes: strings of equal length
// little_endian: whether the elements are in little-endian byte order
// Returns a handle to the elements, with one more axis than `bytes`. The caller specifies the element type T.
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
// lines: the CSV records
// defaults: for each column, the value of an empty field, which determines the type of the column
// op: the members of fg::decode_csv_op, such as the separator and the columns to read
// Returns a handle for each column, as in `auto [x, n]`.
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

// decode_libsvm
// lines: the lines of the text, without line breaks
// how: the options, as for fg::click_reader
// Returns the labels, the row splits, the keys, the values, and the number of malformed lines. The member `fields` is empty.
const shown decode_libsvm_("decode_libsvm", [] {
  fg::graph g;
  const auto lines = g.placeholder<std::string>("lines", {fg::any});
  const auto clicks = fg::decode_libsvm(lines);
  fg::session s(g);
  const auto [splits, keys] =
      s.run(fg::fetch(clicks.splits, clicks.keys), {{lines, fg::tensor<std::string>({2}, {"1 17:0.5 204:1", "0 3:1"})}});
  std::cout << splits[0] << splits[1] << splits[2] << " " << keys[0] << " " << keys[1] << " " << keys[2] << "\n";
  // prints: 023 17 204 3

  const auto wrong = s.try_run(fg::fetch(clicks.keys), {{lines, fg::tensor<std::string>({1}, {"1 tea:1"})}});
  std::cout << wrong.error().message() << "\n";
  // error: element 0, column 3: expected a key that is a whole number within the allowed range, found 'tea:1'
});

// click_source
const shown click_source_("click_source", [] {
  std::ofstream("clicks.txt") << "1 17:0.5\n0 3:1 4:1\n1 5:1\n";
  fg::graph g;
  const auto clicks = fg::click_source(g, "clicks.txt", {.rows = 2}).next();
  fg::session s(g);
  for (int i = 0; i < 2; ++i) {
    const auto [labels, keys] = s.run(fg::fetch(clicks.labels, clicks.keys));
    std::cout << labels.size() << " samples, first key " << keys[0] << "\n";
  }
  // prints: 2 samples, first key 17
  // prints: 1 samples, first key 5

  std::cout << s.try_run(fg::fetch(clicks.keys)).error().message() << "\n";
  // error: all 1 epochs of 'clicks.txt' were read
});

// decode_libffm
// lines: the lines of the text, without line breaks
// how: the options, as for fg::click_reader
// Returns the labels, the row splits, the keys, the values, the number of malformed lines, and the fields.
const shown decode_libffm_("decode_libffm", [] {
  fg::graph g;
  const auto lines = g.placeholder<std::string>("lines", {fg::any});
  const auto clicks = fg::decode_libffm(lines, {.skip_malformed = true});
  fg::session s(g);
  const auto [fields, keys, skipped] = s.run(fg::fetch(clicks.fields, clicks.keys, clicks.skipped),
                                             {{lines, fg::tensor<std::string>({2}, {"1 0:17:0.5 3:204:1", "0 3:1"})}});
  std::cout << fields[0] << ":" << keys[0] << " " << fields[1] << ":" << keys[1] << ", " << skipped.scalar() << " skipped\n";
  // prints: 0:17 3:204, 1 skipped

  const auto exact = fg::decode_libffm(lines);
  const auto wrong = s.try_run(fg::fetch(exact.keys), {{lines, fg::tensor<std::string>({1}, {"0 3:1"})}});
  std::cout << wrong.error().message() << "\n";
  // error: element 0, column 6: expected ':' after the key, found the end of the line
});

// decode_png
// contents: the bytes of a PNG file; a JPEG file and a GIF file with one frame are also accepted
// channels: 1: gray, 3: colours, 4: colours and opacity; 0: as in the file
// Returns a handle to the pixels, {height, width, channels}. The caller specifies the element type.
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
  // error: DecodePng: the bytes are not a JPEG, PNG, GIF or BMP file
});

// png_files
// images: the pixels, {..., height, width, channels}
// compression: the level, from 0 (none) to 9 (smallest files); -1: zlib's default
// Returns a handle to the bytes of a file for each image.
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

// decode_jpeg
// contents: the bytes of a JPEG file; a PNG file and a GIF file with one frame are also accepted
// options: the number of channels, a reduction, and the treatment of truncated files
// Returns a handle to the pixels, {height, width, channels}.
const shown decode_jpeg_("decode_jpeg", [] {
  fg::graph g;
  const auto image = g.constant(fg::tensor<std::uint8_t>({16, 8, 1}));
  const auto pixels = fg::decode_jpeg(fg::encode_jpeg(image), {.channels = 3, .ratio = 2});
  fg::session s(g);
  std::cout << fg::to_string(s.run(fg::fetch(pixels)).shape()) << "\n";
  // prints: [8,4,3]

  const auto broken = fg::decode_jpeg(g.constant(std::string("no picture")));
  std::cout << s.try_run(fg::fetch(broken)).error().message() << "\n";
  // error: DecodeJpeg: the bytes are not a JPEG, PNG, GIF or BMP file
});

// encode_jpeg
// image: the pixels, {height, width, channels} with 1 or 3 channels
// options: the quality from 0 to 100, and the form of the file
// quality: the quality as a handle
// Returns a handle to the bytes of the file.
const shown encode_jpeg_("encode_jpeg", [] {
  fg::graph g;
  const auto image = g.constant(fg::tensor<std::uint8_t>({1, 2, 3}));
  const auto file = fg::session(g).run(fg::fetch(fg::encode_jpeg(image, {.quality = 80})));
  std::cout << file[0].substr(6, 4) << "\n";
  // prints: JFIF

  try {
    fg::encode_jpeg(image, {.quality = 101});
  } catch (const fg::error& why) { std::cout << why.message() << "\n"; }
  // error: quality must be from 0 to 100, found 101; found Const uint8[1,2,3]
});

// decode_gif
// contents: the bytes of a GIF file; a JPEG file and a PNG file are also accepted
// Returns a handle to the pixels, {frames, height, width, 3}.
const shown decode_gif_("decode_gif", [] {
  fg::graph g;
  const auto image = g.constant(fg::tensor<std::uint8_t>({1, 2, 1}, {10, 20}));
  fg::session s(g);
  std::cout << fg::to_string(s.run(fg::fetch(fg::decode_gif(fg::png_files(image)))).shape()) << "\n";
  // prints: [1,1,2,3]

  const auto broken = fg::decode_gif(g.constant(std::string("no picture")));
  std::cout << s.try_run(fg::fetch(broken)).error().message() << "\n";
  // error: DecodeGif: the bytes are not a JPEG, PNG, GIF or BMP file
});

// decode_and_crop_jpeg
// contents: the bytes of a JPEG file
// crop_window: y, x, height and width of the window
// options: the number of channels, a reduction, and the treatment of truncated files
// Returns a handle to the pixels of the window, {height, width, channels}.
const shown decode_and_crop_jpeg_("decode_and_crop_jpeg", [] {
  fg::graph g;
  const auto file = fg::encode_jpeg(g.constant(fg::tensor<std::uint8_t>({16, 8, 1})));
  const auto window = fg::decode_and_crop_jpeg(file, g.constant(fg::tensor<std::int32_t>({4}, {4, 2, 3, 5})));
  fg::session s(g);
  std::cout << fg::to_string(s.run(fg::fetch(window)).shape()) << "\n";
  // prints: [3,5,1]

  const auto beyond = fg::decode_and_crop_jpeg(file, g.constant(fg::tensor<std::int32_t>({4}, {14, 2, 3, 5})));
  std::cout << s.try_run(fg::fetch(beyond)).error().message() << "\n";
  // error: DecodeAndCropJpeg: the crop window must be inside the image of 16 x 8 pixels, found y 14, x 2, height 3, width 5
});

// jpeg_shape
// contents: the bytes of a JPEG file
// Returns a handle to {height, width, channels}.
const shown jpeg_shape_("jpeg_shape", [] {
  fg::graph g;
  const auto file = fg::encode_jpeg(g.constant(fg::tensor<std::uint8_t>({16, 8, 3})));
  fg::session s(g);
  const auto shape = s.run(fg::fetch(fg::jpeg_shape(file)));
  std::cout << shape[0] << " " << shape[1] << " " << shape[2] << "\n";
  // prints: 16 8 3

  const auto broken = fg::jpeg_shape(g.constant(std::string("\xff\xd8")));
  std::cout << s.try_run(fg::fetch(broken)).error().message() << "\n";
  // error: ExtractJpegShape: the end of the header is missing
});

// decode_bmp
// contents: the bytes of a BMP file
// channels: 3: colours, 4: colours and opacity; 0: as in the file
// Returns a handle to the pixels, {height, width, channels}.
const shown decode_bmp_("decode_bmp", [] {
  fg::graph g;
  const auto broken = fg::decode_bmp(g.constant(std::string("BM, and no more")));
  std::cout << broken.shape().rank << "\n";
  // prints: 3

  std::cout << fg::session(g).try_run(fg::fetch(broken)).error().message() << "\n";
  // error: DecodeBmp: a BMP file has at least 32 bytes, found 15
});

// decode_image
// contents: the bytes of a JPEG, PNG, GIF or BMP file
// options: the number of channels, and whether GIF files have an axis of frames
// Returns a handle to the pixels. The caller specifies the element type.
const shown decode_image_("decode_image", [] {
  fg::graph g;
  const auto file = fg::png_files(g.constant(fg::tensor<std::uint8_t>({1, 2, 1}, {0, 255})));
  fg::session s(g);
  const auto y = s.run(fg::fetch(fg::decode_image<float>(file)));
  std::cout << fg::to_string(y.shape()) << " " << y[1] << "\n";
  // prints: [1,2,1] 1

  const auto broken = fg::decode_image<float>(g.constant(std::string("no picture")));
  std::cout << s.try_run(fg::fetch(broken)).error().message() << "\n";
  // error: DecodeImage: the bytes are not a JPEG, PNG, GIF or BMP file
});

// limit_images
// most: the smallest number of elements that is refused
const shown limit_images_("limit_images", [] {
  fg::graph g;
  const auto file = fg::png_files(g.constant(fg::tensor<std::uint8_t>({4, 4, 1})));
  fg::limit_images(17);
  std::cout << fg::session(g).run(fg::fetch(fg::decode_image<float>(file))).size() << "\n";
  // prints: 16

  fg::limit_images(16);
  std::cout << fg::session(g).try_run(fg::fetch(fg::decode_image<float>(file))).error().message() << "\n";
  // error: DecodeImage: an image of 4 x 4 pixels is larger than the limit of 16 numbers (fg::limit_images)
  fg::limit_images(std::int64_t{1} << 29);
});

// input/serialized_tensor.hpp: parse_tensor
// serialized: the bytes of a TensorProto
// Returns a handle to the tensor. The caller specifies its element type.
const shown parse_tensor_op("input/serialized_tensor.hpp: parse_tensor", [] {
  fg::graph g;
  const auto bytes = fg::serialize_tensor(g.constant(fg::tensor<float>({2}, {1, 2})));
  fg::session s(g);
  std::cout << s.run(fg::fetch(fg::parse_tensor<float>(bytes)))[1] << "\n";
  // prints: 2

  std::cout << s.try_run(fg::fetch(fg::parse_tensor<double>(bytes))).error().message() << "\n";
  // error: expected a tensor of double, found one of float[2]
});

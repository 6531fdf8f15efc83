// Full entries of the reference: events for TensorBoard, summaries, pictures, sound.

// event_writer
// Guide: tensorboard.md
const shown event_writer_("event_writer", [] {
  fg::graph g;
  g.placeholder<float>("x", {});
  auto writer = fg::event_writer::create("runs/first").value();
  writer.resume_at(0).value();
  writer.add("loss", 0.5f, 1).value();
  writer.add_histogram("w", fg::tensor<float>({3}, {1, 2, 3}), 1).value();
  writer.add_image("picture", fg::tensor<std::uint8_t>({2, 2, 1}), 1).value();
  writer.add_audio("sound", fg::tensor<float>({8, 1}), 8000, 1).value();
  writer.add_text("note", "*begin*", 1).value();
  writer.add_tensor("t", fg::tensor<float>({2}), 1).value();
  writer.add_graph(g).value();
  writer.add_run("step", std::vector<fg::node_call>{}, 1).value();
  writer.flush().value();
  std::size_t events = 0;
  fg::event e;
  auto file = fg::event_reader::open(writer.path()).value();
  while (file.next(e).value()) ++events;
  writer.close().value();
  std::cout << events << "\n";
  // prints: 11

  auto other = fg::event_writer::create("runs/second").value();
  std::cout << other.add_histogram("w", fg::tensor<float>({1}, {std::numeric_limits<float>::infinity()}), 1).error().message()
            << "\n";
  // error: a value is infinite: it is in no bucket of a histogram
});

// event_reader
// Guide: tensorboard.md
const shown event_reader_("event_reader", [] {
  auto writer = fg::event_writer::create("runs/read").value();
  writer.add("loss", 0.5f, 7).value();
  writer.close().value();
  auto file = fg::event_reader::open(writer.path()).value();
  fg::event e;
  file.next(e).value();
  std::cout << e.content << " " << file.offset() << " " << (file.path() == writer.path()) << "\n";
  // prints: brain.Event:2 40 1

  std::ofstream("no.events") << "no events at all";
  std::cout << fg::event_reader::open("no.events").value().next(e).error().message() << "\n";
  // error: 'no.events': the record at offset 0 has a wrong checksum of its length
});

// event
const shown event_("event", [] {
  auto writer = fg::event_writer::create("runs/events").value();
  writer.add("loss", 0.5f, 7).value();
  writer.close().value();
  auto file = fg::record_reader::open(writer.path()).value();
  std::string message;
  file.next(message).value();
  file.next(message).value();
  const fg::event e = fg::event::read(message).value();
  std::cout << e.step << " " << (e.kind == fg::event::form::summary) << " " << e.summary().empty() << "\n";
  // prints: 7 1 0

  std::cout << fg::event::read("no event").error().message() << "\n";
  // error: the record is not an event: a field is cut or wrong
});

// summary_writer
const shown summary_writer_("summary_writer", [] {
  fg::summary_writer values;
  values.add("loss", 0.5f);
  values.add_histogram("w", fg::tensor<float>({2}, {1, 2}).erased()).value();
  values.add_images("picture", fg::tensor<std::uint8_t>({1, 2, 2, 1}).erased()).value();
  values.add_audio("sound", fg::tensor<float>({1, 8}).erased(), 8000).value();
  values.add_text("note", fg::tensor<std::string>(std::string("begin")).erased());
  values.add_tensor("t", fg::tensor<float>({2}).erased(), fg::summary_metadata{}.bytes());
  values.add_node_tensor("node", fg::tensor<float>({2}).erased());
  fg::summary_writer all;
  all.merge(values.bytes()).value();
  const std::string summary = all.take();
  fg::read_summary(summary, [](const fg::summary_value& v) { std::cout << v.tag << v.node << "\n"; }).value();
  // prints: loss
  // prints: w
  // prints: picture/image/0
  // prints: sound/audio/0
  // prints: note
  // prints: t
  // prints: node

  std::cout << values.add_images("flat", fg::tensor<float>({2, 2}).erased()).error().message() << "\n";
  // error: expected images {batch, height, width, 1, 3 or 4} of bytes or reals, found float[2,2]
});

// read_summary
// summary: the bytes of a summary
// f: a function that receives each value
// Returns an error if the bytes are not a summary; f may already have been called for the values before the fault.
const shown read_summary_("read_summary", [] {
  fg::summary_writer values;
  values.add("loss", 0.5f);
  values.add_tensor("t", fg::tensor<float>({2}, {1, 2}).erased(), {});
  fg::read_summary(values.bytes(), [](const fg::summary_value& v) {
    if (const auto* number = std::get_if<float>(&v.value)) std::cout << v.tag << " " << *number << "\n";
    if (const auto* tensor = std::get_if<fg::tensor_view>(&v.value))
      std::cout << v.tag << " " << tensor->read().value().as<float>()[1] << "\n";
  }).value();
  // prints: loss 0.5
  // prints: t 2

  std::cout << fg::read_summary("no summary", [](const fg::summary_value&) {}).error().message() << "\n";
  // error: the bytes are not a summary: a field is cut or wrong
});

// tensor_view
const shown tensor_view_("tensor_view", [] {
  const std::string message = fg::serialize_tensor(fg::tensor<float>({2}, {1, 2}).erased());
  std::cout << fg::tensor_view{message}.read().value().as<float>()[1] << "\n";
  // prints: 2

  std::cout << fg::tensor_view{"no tensor"}.read().error().message() << "\n";
  // error: the bytes are not a serialized tensor: a field is cut, or the type or the shape is unknown
});

// summary_metadata
const shown summary_metadata_("summary_metadata", [] {
  const fg::summary_metadata about{.plugin = "text", .description = "notes"};
  const auto read = fg::summary_metadata::read(about.bytes()).value();
  std::cout << read.plugin << " " << read.description << "\n";
  // prints: text notes

  std::cout << fg::summary_metadata::read("no metadata").error().message() << "\n";
  // error: the bytes are not a summary: a field is cut or wrong
});

// histogram_of
// values: real numbers of any type
// Returns the counts for TensorFlow's buckets, or the error.
const shown histogram_of_("histogram_of", [] {
  const auto counts = fg::histogram_of(fg::tensor<float>({3}, {1, 1, 5}).erased()).value();
  std::cout << counts.min << " " << counts.max << " " << counts.count << "\n";
  // prints: 1 5 3

  std::cout << fg::histogram_of(fg::tensor<float>({1}, {NAN}).erased()).error().message() << "\n";
  // error: a value is NaN: it is in no bucket of a histogram
});

// encode_png
// pixels: the pixels, row by row, with a value for each channel
// size: width, height and channels
// compression: the level, from 0 (none) to 9 (smallest file); -1: zlib's default
// Returns the bytes of the file, or the error.
const shown encode_png_("encode_png", [] {
  const std::vector<std::uint8_t> pixels{10, 20};
  const std::string file = fg::encode_png(pixels, {.width = 2, .height = 1}).value();
  std::vector<std::uint8_t> again(2);
  fg::read_png(file, 1, std::span(again)).value();
  std::cout << int(again[1]) << "\n";
  // prints: 20

  std::cout << fg::encode_png(pixels, {.width = 3, .height = 1}).error().message() << "\n";
  // error: expected an image of 3 channels, below 2^31, found 2
});

// png_size_of
// file: the bytes of the file
// channels: 1: gray, 2: gray and opacity, 3: colours, 4: colours and opacity; 0: as in the file
// Returns the size, or the error.
const shown png_size_of_("png_size_of", [] {
  const std::vector<std::uint8_t> pixels{10, 20};
  const std::string file = fg::encode_png(pixels, {.width = 2, .height = 1}).value();
  const fg::png_size size = fg::png_size_of(file, 3).value();
  std::cout << size.width << "x" << size.height << "x" << size.channels << "\n";
  // prints: 2x1x3

  std::cout << fg::png_size_of("no picture").error().message() << "\n";
  // error: the bytes are no PNG file: the first bytes are others
});

// read_png
// file: the bytes of the file
// channels: as for png_size_of
// pixels: receives the pixels; it must have the number of elements that png_size_of returns
// Returns the error, if there is one.
const shown read_png_("read_png", [] {
  const std::vector<std::uint8_t> pixels{10, 20};
  const std::string file = fg::encode_png(pixels, {.width = 2, .height = 1}).value();
  std::vector<std::uint8_t> colours(6);
  fg::read_png(file, 3, std::span(colours)).value();
  std::cout << int(colours[0]) << " " << int(colours[5]) << "\n";
  // prints: 10 20

  std::cout << fg::read_png(file.substr(0, 40), 3, std::span(colours)).error().message() << "\n";
  // error: the bytes are no PNG file: the end is missing
});

// encode_wav
// samples: the samples, from -1 to 1, frame by frame
// format: the number of frames per second and of channels
// Returns the bytes of the file, or the error.
const shown encode_wav_("encode_wav", [] {
  const std::vector<float> samples{0, 0.5f, -0.5f, 0};
  const fg::wav_format stereo{.rate = 8000, .channels = 2};
  std::cout << fg::encode_wav(samples, stereo).value().size() << "\n";
  // prints: 52

  std::cout << fg::encode_wav(samples, {.rate = 8000, .channels = 3}).error().message() << "\n";
  // error: expected whole frames of 3 channels, found 4 samples
});

// scalar_summary
// tag: the name of the curve
// value: a scalar
// Returns a handle to a summary, which can be passed to event_writer::add.
// Guide: tensorboard.md
const shown scalar_summary_("scalar_summary", [] {
  fg::graph g;
  const auto curve = fg::scalar_summary("loss", g.constant(0.5f));
  const std::string bytes = fg::session(g).run(fg::fetch(curve)).scalar();
  fg::read_summary(bytes, [](const fg::summary_value& v) {
    std::cout << v.tag << " " << std::get<float>(v.value) << "\n";
  }).value();
  // prints: loss 0.5

  try {
    fg::scalar_summary("loss", g.constant(fg::tensor<float>({2})));
  } catch (const fg::error& why) { std::cout << why.message() << "\n"; }
  // error: tags and values must be of one shape; found Const_3 string[], Const_2 float[2]
});

// histogram_summary
// tag: the name of the histogram
// values: the elements
// Returns a handle to a summary, which can be passed to event_writer::add.
// Guide: tensorboard.md
const shown histogram_summary_("histogram_summary", [] {
  fg::graph g;
  const auto x = g.placeholder<float>("x", {3});
  const auto distribution = fg::histogram_summary("w", x);
  fg::session s(g);
  const std::string bytes = s.run(fg::fetch(distribution), {{x, fg::tensor<float>({3}, {1, 2, 3})}}).scalar();
  fg::read_summary(bytes, [](const fg::summary_value& v) {
    std::cout << v.tag << " " << std::get<fg::histogram_counts>(v.value).count << "\n";
  }).value();
  // prints: w 3

  std::cout << s.try_run(fg::fetch(distribution), {{x, fg::tensor<float>({3}, {1, NAN, 3})}}).error().message() << "\n";
  // error: a value is NaN: it is in no bucket of a histogram
});

// merge_summaries
// summaries: handles to summaries
// Returns a handle to one summary with the values of all summaries.
// Guide: tensorboard.md
const shown merge_summaries_("merge_summaries", [] {
  fg::graph g;
  const auto loss = fg::scalar_summary("loss", g.constant(0.5f)), rate = fg::scalar_summary("rate", g.constant(0.1f));
  fg::session s(g);
  fg::read_summary(s.run(fg::fetch(fg::merge_summaries({loss, rate}))).scalar(), [](const fg::summary_value& v) {
    std::cout << v.tag << "\n";
  }).value();
  // prints: loss
  // prints: rate

  std::cout << s.try_run(fg::fetch(fg::merge_summaries({loss, loss}))).error().message() << "\n";
  // error: two summaries have the tag 'loss'
});

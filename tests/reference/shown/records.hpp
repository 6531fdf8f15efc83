// Full entries of the reference: records and Examples.

// record_writer
const shown record_writer_("record_writer", [] {
  auto file = fg::record_writer::create("words.tfrecord").value();
  file.write("green").value();
  file.write("tea").value();
  file.flush().value();
  std::cout << file.path() << " " << file.count() << "\n";
  file.close().value();
  // prints: words.tfrecord 2

  std::cout << fg::record_writer::create("no/folder/x").error().message() << "\n";
  // error: 'no/folder/x': cannot be written: No such file or directory
});

// record_reader
const shown record_reader_("record_reader", [] {
  auto writer = fg::record_writer::create("three.tfrecord").value();
  for (const char* record : {"a", "b", "c"}) writer.write(record).value();
  writer.close().value();
  auto file = fg::record_reader::open("three.tfrecord").value();
  std::string record;
  file.next(record).value();
  std::cout << record << " " << file.offset() << " " << file.path() << "\n";
  std::cout << file.skip(1).value() << file.next(record).value() << record << file.next(record).value() << "\n";
  // prints: a 17 three.tfrecord
  // prints: 11c0

  std::ofstream("no.tfrecord") << "no records at all";
  std::cout << fg::record_reader::open("no.tfrecord").value().next(record).error().message() << "\n";
  // error: 'no.tfrecord': the record at offset 0 has a wrong checksum of its length
});

// parse_clicks
// line: a line without its line break
// how: the options
// to: the samples to which the sample of the line is appended
// Returns the mistake. Its member `what` is null if the line is well-formed.
// No error: the function reports a fault by returning it.
const shown parse_clicks_("parse_clicks", [] {
  fg::click_batch samples;
  fg::parse_clicks("1 17:0.5 204:1", {}, samples);
  std::cout << samples.labels[0] << " " << samples.keys[1] << " " << samples.values[0] << "\n";
  // prints: 1 204 0.5

  const fg::click_fault fault = fg::parse_clicks("1 17:0.5 204", {}, samples);
  std::cout << fault.column << ": " << fault.what << "\n";
  // prints: 13: expected ':' after the key
});

// click_format
// No error: it names the two formats.
const shown click_format_("click_format", [] {
  fg::click_batch samples;
  fg::parse_clicks("0 1:17:0.5", {.format = fg::click_format::libffm}, samples);
  std::cout << samples.fields[0] << " " << samples.keys[0] << "\n";
  // prints: 1 17
});

// click_options
const shown click_options_("click_options", [] {
  fg::click_batch samples;
  fg::parse_clicks("1 tea:2", {.hash_keys = true, .buckets = 1}, samples);
  std::cout << samples.keys[0] << " " << samples.values[0] << "\n";
  // prints: 0 2

  std::cout << fg::parse_clicks("1 8:2", {.buckets = 8}, samples).what << "\n";
  // error: expected a key that is a whole number within the allowed range
});

// click_batch
// No error: a reader fills it.
const shown click_batch_("click_batch", [] {
  fg::click_batch samples;
  fg::parse_clicks("1 17:0.5 204:1", {}, samples);
  fg::parse_clicks("0 3:1", {}, samples);
  std::cout << samples.rows() << " " << samples.splits[1] << " " << samples.keys[2] << "\n";
  samples.clear();
  std::cout << samples.rows() << "\n";
  // prints: 2 2 3
  // prints: 0
});

// click_reader
const shown click_reader_("click_reader", [] {
  std::ofstream("clicks.txt") << "1 17:0.5\n0 3:1 x:2\n1 4:1\n";
  auto file = fg::click_reader::open("clicks.txt", {.skip_malformed = true}).value();
  fg::click_batch batch;
  file.next(batch, 100).value();
  std::cout << batch.rows() << " samples, " << file.skipped() << " of " << file.line() << " lines skipped\n";
  const fg::click_position end = file.position();
  std::cout << file.path() << " " << end.at << " " << file.offset() << "\n";
  // prints: 2 samples, 1 of 3 lines skipped
  // prints: clicks.txt 25 25

  auto exact = fg::click_reader::open("clicks.txt", {}).value();
  std::cout << exact.next(batch, 100).error().message() << "\n";
  // error: 'clicks.txt': line 2, column 7: expected a key that is a whole number within the allowed range, found 'x:2'

  auto again = fg::click_reader::open("clicks.txt", {}).value();
  std::cout << again.resume({.at = 100}).error().message() << "\n";
  // error: 'clicks.txt': the file ends before offset 100
});

// click_cache_writer
const shown click_cache_writer_("click_cache_writer", [] {
  fg::click_batch samples;
  fg::parse_clicks("1 17:0.5 204:1", {}, samples);
  auto to = fg::click_cache_writer::create("made.clicks", false).value();
  to.write(samples).value();
  to.commit().value();
  std::cout << fg::click_cache_reader::open("made.clicks").value().features() << "\n";
  // prints: 2

  auto other = fg::click_cache_writer::create("other.clicks", true).value();
  std::cout << other.write(samples).error().message() << "\n";
  // error: expected samples with fields
});

// open_clicks
// text: the path of the text
// how: the options for reading the text
// cache: where the cache is, and the compression of the text
// Returns the reader of the cache.
const shown open_clicks_("open_clicks", [] {
  std::ofstream("train.txt") << "1 17:0.5\n0 3:1 4:1\n";
  const fg::click_cache_reader from = fg::open_clicks("train.txt", {}).value();
  std::cout << from.path() << " " << from.rows() << "\n";
  // prints: train.txt.clicks 2

  std::ofstream("bad.txt") << "yes 17:0.5\n";
  std::cout << fg::open_clicks("bad.txt", {}).error().message() << "\n";
  // error: 'bad.txt': line 1, column 1: expected a label that is a finite number, found 'yes'
});

// click_cache_reader
const shown click_cache_reader_("click_cache_reader", [] {
  std::ofstream("train.txt") << "1 17:0.5\n0 3:1 4:1\n";
  auto from = fg::open_clicks("train.txt", {}).value();
  std::cout << from.rows() << " " << from.features() << " " << from.skipped() << " " << from.has_fields() << "\n";
  fg::click_batch batch;
  from.rewind(7).value();
  while (from.next(batch, 1).value()) std::cout << batch.keys.size() << (from.position().row == 2 ? "\n" : " ");
  from.resume({.at = 1, .row = 1}).value();
  from.next(batch, 1).value();
  std::cout << batch.keys[0] << "\n";
  // prints: 2 3 0 0
  // prints: 2 1
  // prints: 3

  std::ofstream("no.clicks") << "not a cache";
  std::cout << fg::click_cache_reader::open("no.clicks").error().message() << "\n";
  // error: 'no.clicks': is not a cache of clicks
});

// click_stream
const shown click_stream_("click_stream", [] {
  std::ofstream("train.txt") << "1 17:0.5\n0 3:1 4:1\n1 5:1\n";
  fg::click_batch batch;
  fg::click_position saved;
  {
    fg::click_stream stream(fg::open_clicks("train.txt", {}).value(), {.rows = 2});
    stream.next(batch).value();
    saved = stream.position();
  }
  fg::click_stream rest(fg::open_clicks("train.txt", {}).value(), {.rows = 2, .from = saved});
  rest.next(batch).value();
  std::cout << batch.rows() << " sample, key " << batch.keys[0] << "\n";
  // prints: 1 sample, key 5

  fg::click_stream text(fg::click_reader::open("train.txt", {}).value(), {.seed = 3});
  std::cout << text.next(batch).error().message() << "\n";
  // error: 'train.txt': a text is read in its order; expected seed 0, found 3
});

// example_writer
// No error: every value can be added to an Example.
const shown example_writer_("example_writer", [] {
  fg::example_writer example;
  example.add("point", std::vector<float>{1, 2});
  example.add("name", "tea");
  const std::string bytes = example.bytes();
  fg::for_each_feature(bytes, [](std::string_view key, const fg::feature_view& feature) {
    std::cout << key << " " << fg::name_of(feature.type) << "\n";
  });
  example.clear();
  std::cout << example.bytes().size() << "\n";
  // prints: point float
  // prints: name string
  // prints: 2
});

// for_each_feature
// example: the bytes of an Example
// f: a function that receives the key and the feature
// Returns false if the bytes are not an Example; f may already have been called for the features before the fault.
// No error: the function reports a fault by returning false.
const shown for_each_feature_("for_each_feature", [] {
  fg::example_writer example;
  example.add("count", std::int64_t{7});
  std::int64_t count = 0;
  const bool is_whole = fg::for_each_feature(example.bytes(), [&](std::string_view, const fg::feature_view& feature) {
    fg::for_each_value<std::int64_t>(feature, [&](std::int64_t value) { count = value; });
  });
  std::cout << is_whole << " " << count << " " << fg::for_each_feature("no example", [](auto, const auto&) {}) << "\n";
  // prints: 1 7 0
});

// for_each_value
// feature: the feature
// f: a function that receives a value. The caller specifies its type: float, std::int64_t or std::string_view
// Returns false if the list is damaged; f may already have been called for the values before the fault.
// No error: the function reports a fault by returning false.
const shown for_each_value_("for_each_value", [] {
  fg::example_writer example;
  example.add("words", std::vector<std::string>{"green", "tea"});
  fg::for_each_feature(example.bytes(), [](std::string_view, const fg::feature_view& feature) {
    fg::for_each_value<std::string_view>(feature, [](std::string_view word) { std::cout << word << "\n"; });
  });
  // prints: green
  // prints: tea
});

// count_values
// feature: the feature
// Returns the number of values, or -1 if the list is damaged.
// No error: the function reports a fault by returning -1.
const shown count_values_("count_values", [] {
  fg::example_writer example;
  example.add("point", std::vector<float>{1, 2});
  fg::for_each_feature(example.bytes(),
                       [](std::string_view, const fg::feature_view& feature) { std::cout << fg::count_values(feature) << "\n"; });
  // prints: 2
});

// for_each_feature_list
// example: the bytes of a SequenceExample
// f: a function that receives the key and the list
// Returns false if the bytes are not a SequenceExample; f may already have been called for the lists before the fault.
// No error: the function reports a fault by returning false.
const shown for_each_feature_list_("for_each_feature_list", [] {
  // Of the messages SequenceExample, FeatureLists and its entry "w" with one step, a feature of the integer 7.
  const std::string bytes("\x12\x0e\x0a\x0c\x0a\x01w\x12\x07\x0a\x05\x1a\x03\x0a\x01\x07", 16);
  fg::for_each_feature_list(bytes, [](std::string_view key, std::string_view list) {
    fg::for_each_step(list,
                      [&](const fg::feature_view& feature) { std::cout << key << " " << fg::count_values(feature) << "\n"; });
  });
  // prints: w 1
});

// for_each_step
// list: a list from for_each_feature_list
// f: a function that receives the feature of a step
// Returns false if the list is damaged; f may already have been called for the steps before the fault.
// No error: the function reports a fault by returning false.
const shown for_each_step_("for_each_step", [] {
  // A FeatureList of two steps: the integers 7 and 8.
  const std::string list("\x0a\x05\x1a\x03\x0a\x01\x07\x0a\x05\x1a\x03\x0a\x01\x08", 14);
  fg::for_each_step(list, [](const fg::feature_view& feature) {
    fg::for_each_value<std::int64_t>(feature, [](std::int64_t value) { std::cout << value << "\n"; });
  });
  // prints: 7
  // prints: 8
});

// feature_view
// No error: for a message that is not a feature, `is_broken` is true.
const shown feature_view_("feature_view", [] {
  // A Feature with the list of the integer 7.
  const fg::feature_view feature = fg::feature_view::of(std::string_view("\x1a\x03\x0a\x01\x07", 5));
  std::cout << fg::name_of(feature.type) << " " << feature.is_broken << " " << fg::feature_view::of("no feature").is_broken
            << "\n";
  // prints: int64 0 1
});

// example_from_json
// Converts an Example in JSON to its bytes.
// json: the JSON text
// Returns the bytes of the Example, or the error.
const shown example_from_json_("example_from_json", [] {
  const char* json = R"({"features": {"feature": {"n": {"int64List": {"value": ["7"]}}}}})";
  const std::string bytes = fg::example_from_json(json).value();
  fg::for_each_feature(bytes, [](std::string_view key, const fg::feature_view& feature) {
    std::cout << key << " " << fg::count_values(feature) << "\n";
  });
  // prints: n 1

  std::cout << fg::example_from_json(R"({"features": 3})").error().message() << "\n";
  // error: the JSON of an example cannot be read, from '3}' on
});

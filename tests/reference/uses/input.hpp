// Lines of use of ops/input and of train/queue_runner.hpp. Each line stands in docs/reference as it is here.

inline void uses_of_input(fg::graph g) {
  const auto bytes = g.placeholder<std::string>("bytes", {fg::any}), serialized = g.placeholder<std::string>("serialized", {});
  const auto image = g.placeholder<float>("image", {28, 28});
  const auto label = g.placeholder<std::int64_t>("label", {});

  const auto images = g.placeholder<float>("images", {fg::any, 28, 28});
  const auto labels = g.placeholder<std::int64_t>("labels", {fg::any});

  auto elements = fg::decode_raw<std::uint8_t>(bytes);
  auto image_of_file = fg::decode_png<std::uint8_t>(serialized, 3);
  auto files_of_images = fg::png_files(image_of_file);
  auto photograph = fg::decode_jpeg(serialized, {.channels = 3, .ratio = 2});
  auto middle = fg::decode_and_crop_jpeg(serialized, g.constant(fg::tensor<std::int32_t>({4}, {8, 8, 32, 32})));
  auto extents = fg::jpeg_shape(serialized);
  auto photograph_file = fg::encode_jpeg(photograph, {.quality = 80});
  auto frames = fg::decode_gif(serialized);
  auto bitmap = fg::decode_bmp(serialized, 3);
  auto any_image = fg::decode_image<float>(serialized, {.channels = 3, .expand_animations = false});
  fg::limit_images(std::int64_t{1} << 24);
  auto numbers = fg::string_to_number<float>(bytes);
  auto plain = fg::decode_compressed(bytes, "GZIP");
  auto [x, n] = fg::decode_csv(bytes, std::tuple(0.5f, std::int64_t{-1}));
  auto of_libsvm = fg::decode_libsvm(bytes, {.skip_malformed = true});
  auto of_libffm = fg::decode_libffm(bytes, {.hash_keys = true, .buckets = 1 << 20});
  auto parsed = fg::parse_tensor<float>(serialized);
  auto [pixels, digit] =
      fg::parse_example(bytes, fg::dense_feature<float>{"pixels", {784}}, fg::dense_feature<std::int64_t>{"digit", {}, -1});

  auto files = fg::whole_file_reader(g);
  auto strings = fg::identity_reader(g);
  auto lines = fg::text_line_reader(g, {.skip_header_lines = 1});
  auto records = fg::tf_record_reader(g, {.compression_type = "GZIP"});
  auto blocks = fg::fixed_length_record_reader(g, {.record_bytes = 3073});

  auto names = fg::file_names(g, {"a.csv", "b.csv"}, {.epochs = 2});
  auto ready = fg::batches({.size = 32}, image, label);
  auto mixed = fg::shuffled_batches({.size = 32, .min_after_dequeue = 1000, .of_batches = true}, images, labels);
  auto ahead = fg::prefetched({.capacity = 2}, images, labels);
  auto rows = fg::slices({.size = 32, .epochs = 10, .shuffles = true}, images, labels);
  auto alike = fg::bucketed_batches({.boundaries = {10, 20, 40}, .size = 32}, label, image);
  std::vector<std::string> mine = fg::every_nth(std::vector<std::string>{"a", "b", "c"}, 2, 1);

  // reader:
  auto [key, line] = lines.read(names.between);
  auto [keys, some] = lines.read_up_to(names.between, 128);
  auto read = lines.records();
  auto completed = lines.work_units();
  auto state = lines.state();
  auto restored = lines.restore(state);
  auto anew = lines.reset();
  fg::out<fg::resource> named = lines.handle();

  // click_source:
  const fg::click_source clicks_of_file(g, "train.txt", {.rows = 1024, .seed = 7, .epochs = 5});
  auto next_clicks = clicks_of_file.next();
  auto handle_of_clicks = clicks_of_file.handle();
}

inline void uses_of_filling(fg::session& s, fg::queue_filling filling) {
  // coordinator:
  fg::coordinator workers;
  workers.start("watcher", [](std::stop_token) {});
  workers.work_here([](std::stop_token) {});
  bool over = workers.stop_requested();
  std::stop_token token = workers.token();
  workers.fail(fg::error(fg::error_code::aborted, "no more data is wanted"));
  workers.request_stop();
  fg::result<void> ended = workers.try_join(fg::steady_time::after(std::chrono::seconds(5)));
  workers.join();

  // queue_runner:
  fg::queue_runner runner(filling);
  runner.start(s, workers, 2);
  fg::result<void> filled = runner.fill(s, workers);
}

inline void uses_of_samples(fg::graph g, fg::session& s, fg::coordinator& workers, std::vector<fg::tensor<float>> waves) {
  auto sound = fg::samples<float>(g, {.size = 16, .capacity = 256, .shapes = {{400}}});
  fg::start_feeding(s, workers, sound, [](std::span<float> wave) { return wave[0] = 1, true; });

  // sample_feeder:
  fg::sample_feeder<float> feed(s, sound);
  feed(waves[0]);
  fg::result<void> fed = feed.try_feed({.may_wait = false}, waves[1]);
  fg::result<void> all = feed.feed_all(waves);
  fg::result<void> closed = feed.close();
}

inline fg::generator<int> uses_of_generators() {
  // generator:
  fg::generator<int> numbers = uses_of_generators();
  for (int& n : numbers) co_yield n;
}

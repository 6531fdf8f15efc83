// Lines of use of ops/strings and ops/lookup. Each line stands in docs/reference as it is here.

inline void uses_of_strings(fg::graph g) {
  const auto words = g.placeholder<std::string>("words", {fg::any}), others = g.placeholder<std::string>("others", {fg::any});
  const auto table_of_words = g.placeholder<std::string>("table_of_words", {fg::any, 3});
  const auto numbers = g.placeholder<float>("numbers", {fg::any});
  const auto ids = g.placeholder<std::int64_t>("ids", {fg::any});
  const auto file = g.placeholder<std::string>("file", {});
  const auto code_points = g.placeholder<std::int32_t>("code_points", {fg::any});

  auto said = fg::string_format("x = {}", {numbers});
  auto bucket = fg::string_to_hash_bucket(words, 1000);
  auto keyed_bucket = fg::string_to_hash_bucket_strong(words, 1000, {1, 2});
  auto joined = fg::string_join({words, others}, "/");
  auto lines = fg::reduce_join(table_of_words, {1}, " ");
  auto are_numbers = fg::regex_full_match(words, "[0-9]+");
  auto without_spaces = fg::regex_replace(words, " +", " ");
  auto beginning = fg::substr(words, 0, 3);
  auto scripts = fg::unicode_script(code_points);
  auto in_lower_case = fg::string_lower(words, "utf-8");
  auto in_upper_case = fg::string_upper(words, "utf-8");
  auto pairs = fg::string_ngrams(fg::ragged_tensor<std::string>{{ids}, words}, {2});
  auto letters = fg::unicode_decode(words);
  auto from_letters = fg::unicode_encode(letters);
  auto in_utf_16 = fg::unicode_transcode(words, "UTF-8", fg::unicode_encoding::utf16_be);
  fg::crossed_columns columns;
  auto word_pairs = fg::sparse_cross(columns, "_");

  // crossed_columns:
  columns.add(table_of_words);

  // hashed_cross_options:
  auto hashed_pairs = fg::sparse_cross_hashed(columns, {.num_buckets = 1000});

  // ngram_options:
  auto padded = fg::string_ngrams(fg::ragged_tensor<std::string>{{ids}, words}, {2, 3}, {.left_pad = "<", .pad_width = 1});

  // hash_table:
  fg::hash_table<std::string, std::int64_t> counted(g);
  auto inserted = counted.insert(words, ids);
  auto removed = counted.remove(words);
  auto replaced = counted.replace(words, ids);

  // fixed_table:
  fg::fixed_table<std::string, std::int64_t> vocabulary(g);
  auto filled = vocabulary.initialize(words, ids);
  auto read = vocabulary.initialize_from_file(file);

  // lookup_table:
  auto handle = counted.handle();
  auto found = counted.find(words, std::int64_t{-1});
  auto count = counted.size();
  auto all = counted.contents();

  // sparse_table:
  const fg::sparse_table<float> rows_by_key(g, {.columns = 16, .seed = 7});
  auto rows = rows_by_key.lookup(ids);
  auto rows_of_a_prediction = rows_by_key.peek(ids);
  auto pairs_of_rows = rows_by_key.interactions(ids, g.placeholder<float>("values", {fg::any}),
                                                g.placeholder<std::int64_t>("splits", {fg::any}), 1);
  auto pairs_by_field = rows_by_key.field_interactions(ids, g.placeholder<float>("values", {fg::any}),
                                                       g.placeholder<std::int32_t>("fields", {fg::any}),
                                                       g.placeholder<std::int64_t>("splits", {fg::any}), 3, 1);
  auto rows_prepared = rows_by_key.prepare(ids);
  auto rows_removed = rows_by_key.evict_older_than(1000);
  auto rows_over = rows_by_key.evict_to(1'000'000);
  auto row_count = rows_by_key.size();
  auto rows_saved = rows_by_key.save(file, 2);
  auto rows_restored = rows_by_key.restore(words);
  auto table_handle = rows_by_key.handle();
  auto table_anchor = rows_by_key.anchor();
}

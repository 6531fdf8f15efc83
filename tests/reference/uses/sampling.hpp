// Lines of use of ops/quantize and ops/sampling. Each line stands in docs/reference as it is here.

inline void uses_of_sampling(fg::graph g) {
  const auto x = g.placeholder<float>("x", {8, 10}), number = g.placeholder<float>("number", {});
  const auto per_column = g.placeholder<float>("per_column", {10});
  const auto weights = g.placeholder<float>("weights", {1000, 10}), biases = g.placeholder<float>("biases", {1000});
  const auto labels = g.placeholder<std::int64_t>("labels", {8, 1});
  const fg::sampler_options options{.num_sampled = 64, .range_max = 1000};

  auto rounded = fg::fake_quantize(x, -6, 6, {.num_bits = 8});
  auto columns = fg::fake_quantize_per_channel(x, -per_column, per_column, {.narrow_range = true});
  auto round_trip = fg::quantize_and_dequantize(x, {.num_bits = 4, .axis = 1});
  auto drawn = fg::uniform_candidate_sampler(labels, {.num_sampled = 64, .range_max = 1000});
  auto frequent = fg::log_uniform_candidate_sampler(labels, {.num_sampled = 64, .range_max = 1000});
  auto learned = fg::learned_unigram_candidate_sampler(labels, {.num_sampled = 64, .range_max = 1000});
  auto given = fg::fixed_unigram_candidate_sampler(labels, {.vocab_file = "words.csv", .distortion = 0.75f}, options);
  auto all = fg::all_candidate_sampler(labels, {.num_sampled = 1000});
  auto hits = fg::compute_accidental_hits(labels, drawn.sampled);
  auto loss = fg::sampled_softmax_loss(weights, biases, labels, x, {.num_sampled = 64, .num_classes = 1000});
  auto contrast = fg::nce_loss(weights, biases, labels, x, {.num_sampled = 64, .num_classes = 1000});
  auto by_scalars = fg::fake_quantize(x, -number, number);
}

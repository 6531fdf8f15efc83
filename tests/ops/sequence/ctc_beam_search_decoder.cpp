#include <flowgraph/ops/sequence/ctc_beam_search_decoder.hpp>

#include "ctc_values.hpp"

#include <map>

using namespace ctc_test;

namespace {

template <class T>
auto try_beams(const fg::tensor<T>& x, const fg::tensor<std::int32_t>& lengths, const fg::ctc_beam_search_options& o) {
  fg::graph g;
  const auto logits = g.placeholder<T>("logits", fg::shape::unknown());
  const auto n = g.placeholder<std::int32_t>("lengths", fg::shape::unknown());
  const auto read = fg::ctc_beam_search_decode(logits, n, o);
  const auto best = read.labels.front(), last = read.labels.back();
  fg::session s{g};
  return s.try_run(fg::fetch(best.indices, best.values, best.dense_shape, last.indices, last.values, read.log_probability),
                   {{logits, x}, {n, lengths}});
}

}  // namespace

TEST_CASE("a beam that is wide enough finds the labels whose paths have the largest probability") {
  const auto x = drawn_logits<double>({5, 1, 3}, 4);
  std::map<std::vector<std::int64_t>, double> all;
  for_each_path(x, 0, 5, [&](const auto& path, double p) { all[read_path(path, 2, true)] += p; });
  std::vector<std::pair<double, std::vector<std::int64_t>>> ranked;
  for (const auto& [labels, p] : all) ranked.emplace_back(-p, labels);
  std::sort(ranked.begin(), ranked.end());
  const auto [indices, labels, extents, last_indices, last_labels, p] =
      try_beams(x, ops_test::vector<std::int32_t>({5}), {.beam_width = 1000000000000, .top_paths = 4}).value();
  CHECK(ops_test::values(labels) == ranked[0].second);
  CHECK(ops_test::values(last_labels) == ranked[3].second);
  for (std::size_t i = 0; i < 4; ++i) CHECK(p[i] == doctest::Approx(std::log(-ranked[i].first)).epsilon(1e-12));
}

TEST_CASE("the search reads each sequence for itself, and only its frames") {
  const auto x = drawn_logits<double>({6, 12, 5}, 7);
  fg::tensor<std::int32_t> lengths({12});
  for (std::size_t b = 0; b < 12; ++b) lengths.writable()[b] = static_cast<std::int32_t>(b % 7);
  const auto [indices, labels, extents, last_indices, last_labels, p] = try_beams(x, lengths, {.beam_width = 3}).value();
  CHECK(extents[0] == 12);
  for (std::int64_t b = 0; b < 12; ++b) {
    const std::int64_t frames = b % 7;
    fg::tensor<double> own({std::max<std::int64_t>(1, frames), 1, 5});
    for (std::int64_t t = 0; t < frames; ++t)
      for (std::int64_t c = 0; c < 5; ++c) own.writable()[static_cast<std::size_t>(t * 5 + c)] = x(t, b, c);
    const auto [i, alone, e, li, ll, q] =
        try_beams(own, ops_test::vector<std::int32_t>({static_cast<std::int32_t>(frames)}), {.beam_width = 3}).value();
    std::vector<std::int64_t> together;
    for (std::size_t k = 0; k < labels.size(); ++k)
      if (indices.data()[2 * k] == b) together.push_back(labels[k]);
    CHECK(together == ops_test::values(alone));
    CHECK(p[static_cast<std::size_t>(b)] == q[0]);
  }
}

TEST_CASE("with merge_repeated equal labels that follow each other are one label") {
  // 0, blank, 0: labels 0 0.
  const fg::tensor<float> x({3, 1, 2}, {9, 0, 0, 9, 9, 0});
  const auto three = ops_test::vector<std::int32_t>({3});
  CHECK(std::get<1>(try_beams(x, three, {.beam_width = 5}).value()).size() == 2);
  CHECK(std::get<1>(try_beams(x, three, {.beam_width = 5, .merge_repeated = true}).value()).size() == 1);
}

TEST_CASE("the search refuses too many paths, lengths and empty inputs with the codes of TensorFlow") {
  const auto x = drawn_logits<float>({3, 2, 4}, 1);
  const auto refused = [](const fg::tensor<float>& logits, const fg::tensor<std::int32_t>& lengths,
                          const fg::ctc_beam_search_options& o, fg::error_code code, std::string_view part) {
    const auto found = try_beams(logits, lengths, o);
    REQUIRE_FALSE(found);
    CAPTURE(found.error().what());
    CHECK(found.error().code() == code);
    CHECK(ops_test::says(found.error(), part));
  };
  using enum fg::error_code;
  const auto all = ops_test::vector<std::int32_t>({3, 3});
  refused(x, all, {.beam_width = 2, .top_paths = 3}, invalid_argument, "top_paths must be at most beam_width, 2, found 3");
  refused(x, ops_test::vector<std::int32_t>({0, 3}), {.beam_width = 4, .top_paths = 2}, invalid_argument,
          "the beam of sequence 0 contains 1 paths, fewer than top_paths, 2");
  refused(x, ops_test::vector<std::int32_t>({4, 3}), {}, failed_precondition, "at most 3, found 4");
  refused(x, ops_test::vector<std::int32_t>({3, 3, 3}), {}, failed_precondition, "found 3 lengths");
  refused(fg::tensor<float>({3, 2, 0}), all, {}, invalid_argument, "must not be empty");
}

TEST_CASE("the search keeps to its memory for infinite logits, and those that are not numbers") {
  for (const float odd : {ops_test::infinity, -ops_test::infinity, ops_test::no_number}) {
    for (const std::size_t at : {0u, 3u, 5u, 9u, 14u}) {
      fg::tensor<float> x = drawn_logits<float>({5, 1, 3}, 2);
      x.writable()[at] = odd, x.writable()[at / 2] = odd;
      (void)try_beams(x, ops_test::vector<std::int32_t>({5}), {.beam_width = 3, .top_paths = 1});
    }
  }
}

TEST_CASE("the search has the same bits by any number of threads") {
  const auto read = [](auto x, auto n) {
    return fg::ctc_beam_search_decode(x, n, {.beam_width = 8, .top_paths = 2}).log_probability;
  };
  fg::tensor<std::int32_t> lengths({20});
  for (std::size_t i = 0; i < 20; ++i) lengths.writable()[i] = static_cast<std::int32_t>(2 + i % 18);
  (void)ops_test::evaluate_on_threads(read, drawn_logits<float>({20, 20, 9}, 1), lengths);
}

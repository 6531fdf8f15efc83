#include <flowgraph/ops/sampling/candidate_sampler.hpp>

#include "../evaluate.hpp"

#include <flowgraph/formats/file.hpp>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <numeric>

using namespace ops_test;

namespace {

using numbers = std::vector<std::int64_t>;
using sampler = fg::candidates (*)(const fg::out<std::int64_t>&, const fg::sampler_options&, fg::site);

// A graph with one sampler, and runs of it.
struct sampling {
  fg::graph g;
  fg::out<std::int64_t> labels = g.placeholder<std::int64_t>("labels", {2, 1});
  fg::candidates drawn;
  fg::session s{g};

  template <class F> explicit sampling(const F& f) : drawn(f(labels)) {}
  auto run(std::int64_t first = 0, std::int64_t second = 1) {
    return s.run(fg::fetch(drawn.sampled, drawn.true_expected, drawn.sampled_expected),
                 {{labels, fg::tensor<std::int64_t>({2, 1}, {first, second})}});
  }
};
sampling of(sampler f, const fg::sampler_options& o) {
  return sampling([&](auto labels) { return f(labels, o, {}); });
}

}  // namespace

TEST_CASE("a sample without repetition contains each class once, and expects each with the probability of its draws") {
  for (const sampler f :
       {&fg::uniform_candidate_sampler, &fg::log_uniform_candidate_sampler, &fg::learned_unigram_candidate_sampler}) {
    sampling all = of(f, {.num_sampled = 20, .range_max = 20, .seed = 3});
    const auto [sampled, of_true, of_sampled] = all.run();
    numbers sorted = values(sampled), each(20);
    std::ranges::sort(sorted);
    std::iota(each.begin(), each.end(), 0);
    CHECK(sorted == each);
    for (const float expected : of_sampled) CHECK((expected > 0.3 && expected <= 1));
    CHECK(of_true.shape() == fg::shape{2, 1});
  }
}

TEST_CASE("samples have the frequencies of their distribution, and expected counts that say so") {
  sampling log = of(&fg::log_uniform_candidate_sampler, {.num_sampled = 20000, .range_max = 50, .unique = false, .seed = 1});
  const auto [sampled, of_true, of_sampled] = log.run(0, 9);
  CHECK(of_true.data()[0] == doctest::Approx(20000 * std::log(2) / std::log(51)));
  CHECK(of_true.data()[1] == doctest::Approx(20000 * std::log(11. / 10) / std::log(51)));
  for (const std::int64_t k : {0, 9}) {
    const auto count = static_cast<double>(std::count(sampled.begin(), sampled.end(), k));
    CHECK(count == doctest::Approx(static_cast<double>(of_true.data()[k ? 1 : 0])).epsilon(0.1));
  }
}

TEST_CASE("a learned distribution counts the true classes of earlier runs") {
  sampling learned =
      of(&fg::learned_unigram_candidate_sampler, {.num_sampled = 1000, .range_max = 10, .unique = false, .seed = 1});
  CHECK(std::get<1>(learned.run(4, 4)).data()[0] == doctest::Approx(100));
  for (int i = 0; i < 44; ++i) learned.run(4, 4);
  const auto [sampled, of_true, of_sampled] = learned.run(4, 0);  // 91 of 100, and 1
  CHECK(of_true.data()[0] == doctest::Approx(910));
  CHECK(of_true.data()[1] == doctest::Approx(10));
  CHECK(std::count(sampled.begin(), sampled.end(), 4) > 850);
  learned.s.resources().clear();
  CHECK(std::get<1>(learned.run(4, 4)).data()[0] == doctest::Approx(100));
}

TEST_CASE("given weights are raised to a power, and reserved classes are never sampled") {
  const fg::sampler_options options{.num_sampled = 4000, .range_max = 5, .unique = false, .seed = 5};
  sampling given([&](auto labels) {
    return fg::fixed_unigram_candidate_sampler(labels, {.unigrams = {1, 4, 16}, .distortion = 0.5f, .num_reserved_ids = 2},
                                               options);
  });
  const auto [sampled, of_true, of_sampled] = given.run(0, 4);
  CHECK(of_true.data()[0] == 0);
  CHECK(of_true.data()[1] == doctest::Approx(4000 * 4 / 7.));
  CHECK(std::ranges::min(values(sampled)) == 2);
  CHECK(static_cast<double>(std::count(sampled.begin(), sampled.end(), 4)) == doctest::Approx(4000 * 4 / 7.).epsilon(0.1));
}

TEST_CASE("the weights of a file are its last column") {
  const char* const path = "candidate_sampler_weights.csv";
  std::ofstream(path) << "a,1\nb,x,3\n\"c\", 2.5\r\n";
  const fg::sampler_options options{.num_sampled = 3, .range_max = 3, .seed = 1};
  const auto read = [&](const char* from) {
    return sampling([&](auto labels) { return fg::fixed_unigram_candidate_sampler(labels, {.vocab_file = from}, options); });
  };
  sampling file = read(path), list([&](auto labels) {
    return fg::fixed_unigram_candidate_sampler(labels, {.unigrams = {1, 3, 2.5f}}, options);
  });
  CHECK(values(std::get<0>(file.run())) == values(std::get<0>(list.run())));
  std::ofstream(path) << "a,1\nb\n";
  sampling wrong = read(path), missing = read("missing.csv");
  const fg::tensor<std::int64_t> labels({2, 1}, {0, 1});
  CHECK(says(wrong.s.try_run(fg::fetch(wrong.drawn.sampled), {{wrong.labels, labels}}).error(), "does not end in a number: 'b'"));
  for (int i = 0; i < 2; ++i)
    CHECK(missing.s.try_run(fg::fetch(missing.drawn.sampled), {{missing.labels, labels}}).error().code() ==
          fg::error_code::not_found);
  std::remove(path);
}

TEST_CASE("all candidates are all classes, expected once") {
  sampling all = of(&fg::all_candidate_sampler, {.num_sampled = 4});
  const auto [sampled, of_true, of_sampled] = all.run();
  CHECK(values(sampled) == numbers{0, 1, 2, 3});
  CHECK(values(of_true) == std::vector<float>{1, 1});
  CHECK(values(of_sampled) == std::vector<float>{1, 1, 1, 1});
}

TEST_CASE("the next run samples other classes, and another session the same again") {
  sampling first = of(&fg::uniform_candidate_sampler, {.num_sampled = 8, .range_max = 1000000, .seed = 7});
  sampling second = of(&fg::uniform_candidate_sampler, {.num_sampled = 8, .range_max = 1000000, .seed = 7});
  const numbers one = values(std::get<0>(first.run())), two = values(std::get<0>(first.run()));
  CHECK(one != two);
  CHECK(one == values(std::get<0>(second.run())));
  CHECK(two == values(std::get<0>(second.run())));
}

TEST_CASE("samples that cannot be drawn are refused") {
  const auto refused = [](const fg::sampler_options& o) {
    fg::graph g;
    const auto labels = g.placeholder<std::int64_t>("labels", {2, 1});
    return refusal(g, [&] { fg::uniform_candidate_sampler(labels, o); });
  };
  CHECK(says(refused({.num_sampled = 5, .range_max = 4}), "at least as many classes as samples, found 4 and 5"));
  CHECK(says(refused({.num_sampled = 0, .range_max = 4}), "num_sampled must be in [1, 2^31), found 0"));
  CHECK(says(refused({.num_sampled = 1, .range_max = 0}), "range_max must be positive, found 0"));
  const auto wrong = [](sampling& in, std::int64_t label) {
    return in.s.try_run(fg::fetch(in.drawn.sampled), {{in.labels, fg::tensor<std::int64_t>({2, 1}, {0, label})}}).error();
  };
  sampling log = of(&fg::log_uniform_candidate_sampler, {.num_sampled = 2, .range_max = 4});
  CHECK(says(wrong(log, 4), "a true class must be in [0, 4), found 4"));
  CHECK(says(wrong(log, -1), "found -1"));
  sampling learned = of(&fg::learned_unigram_candidate_sampler, {.num_sampled = 2, .range_max = std::int64_t{1} << 40});
  CHECK(says(wrong(learned, 0), "range_max must be less than 2^31 - 1"));
  const fg::sampler_options three{.num_sampled = 3, .range_max = 3};
  sampling zeros([&](auto labels) { return fg::fixed_unigram_candidate_sampler(labels, {.unigrams = {1, 0, 2}}, three); });
  CHECK(says(wrong(zeros, 0), "at least 3 classes that can be drawn, found 2"));
  sampling negative([&](auto labels) { return fg::fixed_unigram_candidate_sampler(labels, {.unigrams = {1, -1, 2}}, three); });
  CHECK(says(wrong(negative, 0), "must not be negative"));
  sampling few([&](auto labels) { return fg::fixed_unigram_candidate_sampler(labels, {.unigrams = {1, 2}}, three); });
  CHECK(says(wrong(few, 0), "the number of weights, 2, found 3"));
}

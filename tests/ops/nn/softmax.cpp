#include <flowgraph/ops/nn/softmax.hpp>

#include "../evaluate.hpp"

#include <cmath>

using namespace ops_test;

namespace {

const fg::tensor<float> three_logits({2, 3}, {1, 2, 4, 1000, 1001, 999});

std::vector<double> probabilities() {
  std::vector<double> p;
  for (std::size_t row = 0; row < 2; ++row) {
    double total = 0;
    for (std::size_t i = 0; i < 3; ++i)
      total += std::exp(static_cast<double>(three_logits[3 * row + i]) - static_cast<double>(three_logits[3 * row]));
    for (std::size_t i = 0; i < 3; ++i)
      p.push_back(std::exp(static_cast<double>(three_logits[3 * row + i]) - static_cast<double>(three_logits[3 * row])) / total);
  }
  return p;
}

template <class T> void check_close(const fg::tensor<T>& found, const std::vector<double>& expected, double tolerance = 1e-5) {
  REQUIRE(found.size() == expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i)
    CHECK(std::fabs(static_cast<double>(static_cast<float>(found[i])) - expected[i]) <= tolerance * (1 + std::fabs(expected[i])));
}

}  // namespace

TEST_CASE("softmax neither overflows nor loses small rows; halves are computed in float") {
  const auto p = probabilities();
  auto log_p = p;
  for (double& e : log_p) e = std::log(e);
  check_close(evaluate([](auto a) { return fg::softmax(a); }, three_logits), p);
  check_close(evaluate([](auto a) { return fg::log_softmax(a); }, three_logits), log_p);
  const auto in_half = [](auto f) { return [=](auto a) { return f(fg::cast<fg::half>(a)); }; };
  check_close(evaluate(in_half([](auto a) { return fg::softmax(a); }), three_logits), p, 1e-3);
  check_close(evaluate(in_half([](auto a) { return fg::log_softmax(a); }), three_logits), log_p, 1e-3);
}

TEST_CASE("both losses and their gradients are the textbook's") {
  const auto p = probabilities();
  const fg::tensor<float> labels({2, 3}, {0, 0, 1, 0.5f, 0.25f, 0.25f});
  const auto dense = [](auto a, auto b) { return fg::softmax_cross_entropy(a, b); };
  check_close(evaluate(dense, three_logits, labels),
              {-std::log(p[2]), -0.5 * std::log(p[3]) - 0.25 * std::log(p[4]) - 0.25 * std::log(p[5])});
  const auto slope = [&](auto a, auto b) { return fg::out<float>(fg::gradients(fg::sum(dense(a, b)), a)); };
  check_close(evaluate(slope, three_logits, labels), {p[0], p[1], p[2] - 1, p[3] - 0.5, p[4] - 0.25, p[5] - 0.25});
  const auto to_labels = [&](auto a, auto b) { return fg::out<float>(fg::gradients(fg::sum(dense(a, b)), b)); };
  check_close(evaluate(to_labels, three_logits, labels),
              {-std::log(p[0]), -std::log(p[1]), -std::log(p[2]), -std::log(p[3]), -std::log(p[4]), -std::log(p[5])});

  const auto classes = vector<std::int64_t>({2, 0});
  const auto sparse = [](auto a, auto b) { return fg::sparse_softmax_cross_entropy(a, b); };
  check_close(evaluate(sparse, three_logits, classes), {-std::log(p[2]), -std::log(p[3])});
  const auto sparse_slope = [&](auto a, auto b) { return fg::out<float>(fg::gradients(fg::sum(sparse(a, b)), a)); };
  check_close(evaluate(sparse_slope, three_logits, classes), {p[0], p[1], p[2] - 1, p[3] - 1, p[4], p[5]});
}

TEST_CASE("the second derivative of a loss is that of the softmax") {
  const auto p = probabilities();
  const auto classes = vector<std::int32_t>({2, 0});
  const auto v = fg::tensor<float>({2, 3}, {1, -2, 3, 2, 1, -1});
  const auto twice = [](auto a, auto b, auto c) {
    fg::out<float> first = fg::gradients(fg::sum(fg::sparse_softmax_cross_entropy(a, b)), a);
    return fg::out<float>(fg::gradients(fg::sum(first * c), a));
  };
  std::vector<double> expected;
  for (std::size_t row = 0; row < 2; ++row) {
    double mean = 0;
    for (std::size_t i = 3 * row; i < 3 * row + 3; ++i) mean += p[i] * static_cast<double>(v[i]);
    for (std::size_t i = 3 * row; i < 3 * row + 3; ++i) expected.push_back(p[i] * (static_cast<double>(v[i]) - mean));
  }
  check_close(evaluate(twice, three_logits, classes, v), expected);
}

TEST_CASE("labels and logits of one row are used for all") {
  const fg::tensor<float> one({1, 3}, {1, 2, 4}), labels({2, 3}, {0, 0, 1, 1, 0, 0});
  const auto loss = evaluate([](auto a, auto b) { return fg::softmax_cross_entropy(a, b); }, one, labels);
  const auto p = probabilities();
  check_close(loss, {-std::log(p[2]), -std::log(p[0])});
  const auto slope = [](auto a, auto b) { return fg::out<float>(fg::gradients(fg::sum(fg::softmax_cross_entropy(a, b)), a)); };
  check_close(evaluate(slope, one, labels), {2 * p[0] - 1, 2 * p[1], 2 * p[2] - 1});
}

TEST_CASE("losses of sequences have an element a step") {
  fg::graph g;
  auto x = g.placeholder<float>("x", {2, 5, 3});
  auto t = g.placeholder<std::int32_t>("t", {2, 5});
  auto loss = fg::sparse_softmax_cross_entropy(x, t);
  CHECK(loss.shape() == fg::shape{2, 5});
  fg::session s{g};
  const auto made = s.run(fg::fetch(loss), {{x, fg::tensor<float>({2, 5, 3})}, {t, fg::tensor<std::int32_t>({2, 5})}});
  check_close(made, std::vector<double>(10, std::log(3.)));
}

TEST_CASE("a label that is no class is named") {
  fg::graph g;
  auto t = g.placeholder<std::int32_t>("t", {fg::any});
  auto loss = fg::sparse_softmax_cross_entropy(g.constant(three_logits), t);
  fg::session s{g};
  for (const std::int32_t wrong : {-1, 3}) {
    const auto run = s.try_run(fg::fetch(loss), {{t, vector<std::int32_t>({0, wrong})}});
    REQUIRE_FALSE(run);
    CHECK(says(run.error(), "label " + std::to_string(wrong) + " is not in [0, 3)"));
  }
  CHECK_FALSE(s.try_run(fg::fetch(loss), {{t, vector<std::int32_t>({0, 1, 2})}}));
}

TEST_CASE("rows in blocks have the same bits by any number of threads") {
  const auto x = counting<float>({900, 37});
  const auto scaled = [](auto a) { return fg::softmax(fg::log_softmax(a * 0.001f)); };
  fg::thread_pool pool(3);
  CHECK(same_bits(evaluate(scaled, x), evaluate_once(true, {.pool = &pool}, scaled, x)));
}

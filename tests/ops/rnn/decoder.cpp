#include <flowgraph/ops/array/reverse.hpp>
#include <flowgraph/ops/rnn/attention_cell.hpp>
#include <flowgraph/ops/rnn/decoder.hpp>
#include <flowgraph/ops/rnn/gru_cell.hpp>
#include <flowgraph/train/optimizer.hpp>

#include "wave.hpp"

#include <algorithm>

using namespace rnn_test;

namespace {

struct small_model {
  fg::graph g;
  fg::out<double> table = wave<double>(g, {5, 2}, 1.3, 0.7), w = wave<double>(g, {3, 5}, 2.9, 0.2);
  fg::gru_cell<double> cell{g, 2, 3, gru_weights<double>()};

  auto decoder() const {
    return fg::decoder(
        cell, [t = table](const auto& s) { return fg::gather(t, s); }, [w = w](const auto& o) { return fg::matmul(o, w) * 5.0; });
  }
};

}  // namespace

TEST_CASE("greedy_search: each step goes on from the likeliest symbol; what has ended stays") {
  small_model m;
  auto begin = m.g.placeholder<std::int32_t>("begin", {fg::any});
  auto state = m.g.placeholder<double>("state", {fg::any, 3});
  const auto decoder = m.decoder();
  const auto found = fg::greedy_search(decoder, begin, end, {.initial_state = state, .maximum_iterations = 9});
  // The same step by step, from the program.
  auto one = m.g.placeholder<std::int32_t>("one", {1});
  auto before = m.g.placeholder<double>("before", {1, 3});
  const auto [logits, after] = decoder(one, before);
  const auto next = fg::argmax<std::int32_t>(logits, 1);
  fg::session s{m.g};
  s.initialize();
  const fg::tensor<std::int32_t> first({4}, {0, 2, 3, 4});
  const auto states = wave_values<double>({4, 3}, 2.3, 0.4);
  const auto [symbols, lengths, last] =
      s.run(fg::fetch(found.symbols, found.lengths, found.state), {{begin, first}, {state, states}});
  const auto steps = static_cast<std::size_t>(symbols.shape()[1]);
  std::size_t longest = 0;
  for (std::size_t row = 0; row < 4; ++row) {
    CAPTURE(row);
    fg::tensor<std::int32_t> symbol({1}, {first[row]});
    fg::tensor<double> at({1, 3}, std::span(states.data() + row * 3, 3));
    std::size_t length = 0;
    while (length < 9 && (length == 0 || symbol[0] != end)) {
      std::tie(symbol, at) = s.run(fg::fetch(next, after), {{one, symbol}, {before, at}});
      REQUIRE(length < steps);
      CHECK(symbols[row * steps + length++] == symbol[0]);
    }
    CHECK(lengths[row] == static_cast<std::int32_t>(length));
    for (std::size_t i = length; i < steps; ++i) CHECK(symbols[row * steps + i] == end);
    for (std::size_t i = 0; i < 3; ++i) CHECK(last[row * 3 + i] == doctest::Approx(at[i]));
    longest = std::max(longest, length);
  }
  CHECK(longest == steps);
  CHECK(*std::min_element(lengths.begin(), lengths.end()) < 9);
  CHECK(
      s.run(fg::fetch(found.symbols), {{begin, fg::tensor<std::int32_t>({0})}, {state, fg::tensor<double>({0, 3})}}).shape()[0] ==
      0);
}

TEST_CASE("teacher_forced: each step sees the right symbol of the step before") {
  for (const fg::shape& known : {fg::shape{2, 3}, fg::shape{fg::any, fg::any}}) {
    small_model m;
    auto targets = m.g.placeholder<std::int32_t>("targets", known);
    auto begin = m.g.constant(fg::tensor<std::int32_t>({2}, {0, 3}));
    const auto decoder = m.decoder();
    const auto logits = fg::teacher_forced(decoder, begin, targets);
    fg::out_list<double> written;
    auto state = m.cell.zero_state(m.g.constant(2));
    fg::out<std::int32_t> seen = begin;
    for (std::int64_t t = 0; t < 3; ++t) {
      const auto [step, next] = decoder(seen, state);
      written.push_back(step);
      state = next;
      seen = fg::reshape(fg::slice(targets, {0, t}, {2, 1}), {2});
    }
    fg::session s{m.g};
    s.initialize();
    const fg::tensor<std::int32_t> right({2, 3}, {2, 4, 1, 3, 0, 2});
    const auto [a, b] = s.run(fg::fetch(logits, fg::pack(written, 1)), {{targets, right}});
    CHECK(a.shape() == fg::shape{2, 3, 5});
    close(a, values(b));
  }
}

TEST_CASE("sequence_loss: the mean over the steps that are there") {
  fg::graph g;
  auto logits = g.constant(fg::tensor<double>({2, 2, 2}, {0, 1, 2, 0, 0, 0, 900, -900}));
  auto targets = g.constant(fg::tensor<std::int32_t>({2, 2}, {1, 0, 1, 1}));
  const auto all = fg::sequence_loss(logits, targets);
  const auto there = fg::sequence_loss(logits, targets, g.constant(fg::tensor<std::int32_t>({2}, {2, 1})));
  fg::out<double> slope = fg::gradients(there, logits);
  fg::session s{g};
  const auto [a, b, c] = s.run(fg::fetch(all, there, slope));
  const double first = std::log(1 + std::exp(-1)), second = std::log(1 + std::exp(-2)), third = std::log(2);
  CHECK(a.scalar() == doctest::Approx((first + second + third + 1800) / 4));
  CHECK(b.scalar() == doctest::Approx((first + second + third) / 3));
  const double p = 1 / (1 + std::exp(-1)), q = 1 / (1 + std::exp(-2));
  close(c, {(1 - p) / 3, (p - 1) / 3, (q - 1) / 3, (1 - q) / 3, 1.0 / 6, -1.0 / 6, 0, 0});
}

TEST_CASE("decoder: attention learns to say a sequence backwards, and says it by itself") {
  fg::graph g;
  g.set_seed(2);
  constexpr std::int32_t symbols = 5, rows = 8, steps = 3;
  auto source = g.placeholder<std::int32_t>("source", {rows, steps});
  auto table = g.variable("table", fg::random_normal<float>({symbols, 8}, 0, 0.5));
  auto w = g.variable("w", fg::glorot_uniform<float>({16, symbols}));
  const auto encoded = fg::dynamic_rnn(fg::gru_cell<float>(g, 8, 16, {.name = "encoder"}), fg::gather(table, source));
  const fg::luong_attention<float> attention(encoded.outputs, 16);
  const fg::attention_cell cell(fg::gru_cell<float>(g, 24, 16), attention, 16);
  auto state = cell.zero_state(g.constant(rows));
  std::get<0>(state) = encoded.state;
  const fg::decoder decoder(
      cell, [&](const auto& s) { return fg::gather(table, s); }, [&](const auto& o) { return fg::matmul(o, w); });
  auto begin = g.constant(fg::tensor<std::int32_t>({rows}, std::vector<std::int32_t>(rows, 0)));
  auto last = g.constant(fg::tensor<std::int32_t>({rows, 1}, std::vector<std::int32_t>(rows, end)));
  auto targets = fg::concat({fg::reverse(source, fg::shape{1}), last}, 1);
  auto loss = fg::sequence_loss(fg::teacher_forced(decoder, begin, targets, {.initial_state = state}), targets);
  auto train = fg::adam{.rate = 0.02f}.minimize(loss);
  const auto found = fg::greedy_search(decoder, begin, end, {.initial_state = state, .maximum_iterations = 8});
  fg::session s{g};
  s.initialize();
  fg::tensor<std::int32_t> batch({rows, steps});
  for (std::size_t i = 0; i < batch.size(); ++i) batch.writable()[i] = 2 + static_cast<std::int32_t>(i * i * 7 % 11 % 3);
  for (int i = 0; i < 120; ++i) s.run(train, {{source, batch}});
  const auto [said, right, lengths] = s.run(fg::fetch(found.symbols, targets, found.lengths), {{source, batch}});
  CHECK(said.shape() == right.shape());
  CHECK(values(said) == values(right));
  CHECK(values(lengths) == std::vector<std::int32_t>(rows, steps + 1));
}

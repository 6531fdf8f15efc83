#include <flowgraph/ops/rnn/attention_cell.hpp>
#include <flowgraph/ops/rnn/beam_search.hpp>

#include <flowgraph/ops/rnn/basic_rnn_cell.hpp>
#include <flowgraph/ops/rnn/stacked_cells.hpp>

#include "wave.hpp"

#include <algorithm>
#include <set>

using namespace rnn_test;

namespace {

std::vector<double> log_softmax_of(const std::vector<double>& x) {
  double sum = 0;
  for (const double e : x) sum += std::exp(e);
  std::vector<double> made;
  for (const double e : x) made.push_back(e - std::log(sum));
  return made;
}

// The model of these tests without a graph: h = tanh(kernel * [embedding of the symbol, h]), logits = h * w + b.
struct plain_model {
  std::int32_t symbols, units = 3;
  fg::tensor<double> table = wave_values<double>({symbols, 2}, 1.3, 0.7),
                     kernel = wave_values<double>({2 + units, units}, 0.7, 0.3);
  fg::tensor<double> w = wave_values<double>({units, symbols}, 2.9, 0.2), b = wave_values<double>({symbols}, 1.7, 0.9);

  // Steps from `h` to the next, and the logarithms of the probabilities of what comes next.
  std::vector<double> step(std::int32_t symbol, std::vector<double>& h) const {
    const auto at = [](const fg::tensor<double>& m, std::int32_t i, std::int32_t j) {
      return m[static_cast<std::size_t>(i * static_cast<std::int32_t>(m.shape()[1]) + j)];
    };
    std::vector<double> next, logits;
    for (std::int32_t u = 0; u < units; ++u) {
      double sum = 0;
      for (std::int32_t i = 0; i < 2; ++i) sum += at(table, symbol, i) * at(kernel, i, u);
      for (std::int32_t i = 0; i < units; ++i) sum += h[static_cast<std::size_t>(i)] * at(kernel, 2 + i, u);
      next.push_back(std::tanh(sum));
    }
    h = next;
    for (std::int32_t s = 0; s < symbols; ++s) {
      double sum = b[static_cast<std::size_t>(s)];
      for (std::int32_t u = 0; u < units; ++u) sum += 4 * h[static_cast<std::size_t>(u)] * at(w, u, s);
      logits.push_back(sum);
    }
    return log_softmax_of(logits);
  }
};

struct sequence {
  std::vector<std::int32_t> symbols;
  double probability = 0, score = 0;
};

// Every sequence that ends, or has `longest` symbols, the best one first.
struct every_sequence {
  const plain_model& model;
  std::size_t longest;
  double penalty;
  std::vector<sequence> found = {};

  void from(const sequence& before, std::int32_t symbol, const std::vector<double>& h) {
    std::vector<double> state = h;
    const auto next = model.step(symbol, state);
    for (std::int32_t s = 0; s < model.symbols; ++s) {
      sequence longer = before;
      longer.symbols.push_back(s);
      longer.probability += next[static_cast<std::size_t>(s)];
      if (s != end && longer.symbols.size() < longest) {
        from(longer, s, state);
        continue;
      }
      // What ended before the last step is longer by its end.
      const bool ended_now = s == end && longer.symbols.size() == longest;
      const auto length = static_cast<double>(longer.symbols.size() - (ended_now ? 1 : 0));
      longer.score = longer.probability / std::pow((5 + length) / 6, penalty);
      found.push_back(longer);
    }
  }
  static std::vector<sequence> of(const plain_model& model, std::int32_t begin, const std::vector<double>& h, std::size_t longest,
                                  double penalty) {
    every_sequence all{model, longest, penalty};
    all.from({}, begin, h);
    std::stable_sort(all.found.begin(), all.found.end(), [](const auto& a, const auto& b) { return a.score > b.score; });
    return all.found;
  }
};

// The same model in a graph, for two sequences that begin with other symbols and states.
struct model_in_graph {
  fg::graph g;
  plain_model plain;
  fg::out<double> table = g.constant(plain.table), w = g.constant(plain.w), b = g.constant(plain.b);
  fg::basic_rnn_cell<double> cell{g, 2, plain.units, weights_as<double>({{0.7, 0.3}}, {{0, 0}})};
  fg::tensor<double> states = wave_values<double>({2, plain.units}, 0.9, 0.4);
  fg::tensor<std::int32_t> first{{2}, {0, 2}};

  explicit model_in_graph(std::int32_t symbols) : plain{symbols} {}
  auto decoder() const {
    return fg::decoder(
        cell, [t = table](const auto& s) { return fg::gather(t, s); },
        [w = w, b = b](const auto& o) { return fg::matmul(o, w) * 4.0 + b; });
  }
  std::vector<double> state_of(std::size_t row) const {
    const auto units = static_cast<std::size_t>(plain.units);
    return {states.begin() + row * units, states.begin() + (row + 1) * units};
  }
};

template <class T> std::vector<std::int32_t> column(const fg::tensor<T>& x, std::size_t row, std::size_t beam) {
  std::vector<std::int32_t> made;
  const auto steps = static_cast<std::size_t>(x.shape()[1]), width = static_cast<std::size_t>(x.shape()[2]);
  for (std::size_t t = 0; t < steps; ++t) made.push_back(x[(row * steps + t) * width + beam]);
  return made;
}

}  // namespace

TEST_CASE("beam_search: a beam that holds all sequences finds all of them in their order") {
  for (const float penalty : {0.f, 0.6f, 2.f}) {
    model_in_graph m(3);
    auto begin = m.g.placeholder<std::int32_t>("begin", {fg::any});
    auto state = m.g.placeholder<double>("state", {fg::any, m.plain.units});
    const auto found = fg::beam_search(m.decoder(), begin, end,
                                       {.width = 31, .length_penalty = penalty, .initial_state = state, .maximum_iterations = 4});
    fg::session s{m.g};
    s.initialize();
    const auto [symbols, lengths, sums, scores, finished] =
        s.run(fg::fetch(found.symbols, found.lengths, found.log_probabilities, found.scores, found.finished),
              {{begin, m.first}, {state, m.states}});
    REQUIRE(symbols.shape() == fg::shape{2, 4, 31});
    for (std::size_t row = 0; row < 2; ++row) {
      const auto all = every_sequence::of(m.plain, m.first[row], m.state_of(row), 4, static_cast<double>(penalty));
      REQUIRE(all.size() == 31);
      for (std::size_t i = 0; i < all.size(); ++i) {
        CAPTURE(penalty);
        CAPTURE(i);
        auto expected = all[i].symbols;
        CHECK(lengths[row * 31 + i] == static_cast<std::int32_t>(expected.size()));
        CHECK(finished[row * 31 + i] == (expected.back() == end));
        expected.resize(4, end);
        CHECK(column(symbols, row, i) == expected);
        CHECK(sums[row * 31 + i] == doctest::Approx(all[i].probability));
        CHECK(scores[row * 31 + i] == doctest::Approx(all[i].score));
      }
    }
  }
}

namespace {

// A search with a narrow beam over the plain model, written from the rules.
std::vector<sequence> narrow_search(const plain_model& model, std::int32_t begin, const std::vector<double>& h, std::size_t width,
                                    std::size_t steps, double penalty) {
  struct kept : sequence {
    std::vector<double> h;
    std::size_t length = 0;
    bool ended = false;
  };
  std::vector<kept> beam(1);
  beam[0].h = h;
  for (std::size_t t = 0; t < steps; ++t) {
    std::vector<kept> longer;
    for (const kept& k : beam) {
      if (k.ended) {
        kept same = k;
        same.symbols.push_back(end);
        same.score = k.probability / std::pow((5 + static_cast<double>(k.length)) / 6, penalty);
        longer.push_back(same);
        continue;
      }
      kept base = k;
      const auto next = model.step(k.symbols.empty() ? begin : k.symbols.back(), base.h);
      for (std::int32_t s = 0; s < model.symbols; ++s) {
        kept one = base;
        one.symbols.push_back(s);
        one.probability += next[static_cast<std::size_t>(s)];
        one.ended = s == end;
        one.score = one.probability / std::pow((5 + static_cast<double>(k.length + (one.ended ? 0 : 1))) / 6, penalty);
        one.length = k.length + 1;
        longer.push_back(one);
      }
    }
    std::stable_sort(longer.begin(), longer.end(), [](const auto& a, const auto& b) { return a.score > b.score; });
    longer.resize(std::min(longer.size(), width));
    beam = longer;
  }
  return {beam.begin(), beam.end()};
}

}  // namespace

TEST_CASE("beam_search: a narrow beam keeps the best, and stops when all of it has ended") {
  std::set<std::size_t> longest;
  for (const std::int32_t width : {1, 2, 3, 5}) {
    for (const float penalty : {0.f, 1.f}) {
      model_in_graph m(5);
      const auto found = fg::beam_search(
          m.decoder(), m.g.constant(m.first), end,
          {.width = width, .length_penalty = penalty, .initial_state = m.g.constant(m.states), .maximum_iterations = 12});
      fg::session s{m.g};
      s.initialize();
      const auto [symbols, sums, scores] = s.run(fg::fetch(found.symbols, found.log_probabilities, found.scores));
      const auto wide = static_cast<std::size_t>(width);
      const auto search = [&](std::size_t row, std::size_t steps) {
        return narrow_search(m.plain, m.first[row], m.state_of(row), wide, steps, static_cast<double>(penalty));
      };
      const auto goes_on = [](const sequence& one) { return one.symbols.back() != end; };
      std::size_t steps = 1;
      for (; steps < 12; ++steps) {
        const auto first = search(0, steps), second = search(1, steps);
        if (first.size() == wide && std::none_of(first.begin(), first.end(), goes_on) &&
            std::none_of(second.begin(), second.end(), goes_on))
          break;
      }
      longest.insert(steps);
      REQUIRE(symbols.shape() == fg::shape{2, static_cast<std::int64_t>(steps), width});
      for (std::size_t row = 0; row < 2; ++row) {
        const auto expected = search(row, steps);
        for (std::size_t i = 0; i < wide; ++i) {
          CAPTURE(width);
          CAPTURE(i);
          CHECK(column(symbols, row, i) == expected[i].symbols);
          CHECK(sums[row * wide + i] == doctest::Approx(expected[i].probability));
          CHECK(scores[row * wide + i] == doctest::Approx(expected[i].score));
        }
      }
    }
  }
  CHECK(*longest.begin() < 12);
  CHECK(longest.size() > 1);
}

TEST_CASE("beam_search: what has ended goes on with the end alone, at no cost and not longer") {
  fg::graph g;
  // Of three sequences the second has ended. Three symbols each; the end is symbol 0.
  const auto logits = g.constant(fg::tensor<double>({3, 3}, {0, 2, 1, 9, 9, 9, 0, 0, 3}));
  const fg::detail::beam<double> before{g.constant(fg::tensor<double>({1, 3}, {-1, -1.5, -2})),
                                        g.constant(fg::tensor<bool>({1, 3}, {false, true, false})),
                                        g.constant(fg::tensor<std::int32_t>({1, 3}, {2, 1, 2}))};
  const auto plain = fg::detail::best_continuations(logits, before, 0, 3, 0);
  const auto by_length = fg::detail::best_continuations(logits, before, 0, 3, 1);
  fg::session s{g};
  const auto edges = [](const auto& step) {
    return fg::fetch(step.symbols, step.parents, step.next.lengths, step.next.log_probabilities, step.scores);
  };
  const auto first = log_softmax_of({0, 2, 1}), third = log_softmax_of({0, 0, 3});
  {
    const auto [symbols, parents, lengths, sums, scores] = s.run(edges(plain));
    CHECK(values(symbols) == std::vector<std::int32_t>{1, 0, 2});
    CHECK(values(parents) == std::vector<std::int32_t>{0, 1, 2});
    CHECK(values(lengths) == std::vector<std::int32_t>{3, 1, 3});
    close(sums, {-1 + first[1], -1.5, -2 + third[2]});
    close(scores, values(sums));
    CHECK(values(s.run(fg::fetch(plain.next.finished))) == std::vector<bool>{false, true, false});
  }
  {
    // (5 + 3) / 6 for what is longer, (5 + 1) / 6 for what has ended.
    const auto [symbols, parents, lengths, sums, scores] = s.run(edges(by_length));
    CHECK(values(symbols) == std::vector<std::int32_t>{1, 0, 2});
    CHECK(values(parents) == std::vector<std::int32_t>{0, 1, 2});
    close(scores, {(-1 + first[1]) * 6 / 8, -1.5, (-2 + third[2]) * 6 / 8});
    close(sums, {-1 + first[1], -1.5, -2 + third[2]});
  }
  // An end that comes now does not count yet; what ended is as far as it was.
  const auto ending =
      fg::detail::best_continuations(g.constant(fg::tensor<double>({3, 3}, {9, 0, 0, 0, 0, 0, 0, 9, 0})), before, 0, 3, 1);
  const auto [symbols, lengths, scores] = s.run(fg::fetch(ending.symbols, ending.next.lengths, ending.scores));
  const double sure = log_softmax_of({9, 0, 0})[0];
  CHECK(values(symbols) == std::vector<std::int32_t>{0, 0, 1});
  CHECK(values(lengths) == std::vector<std::int32_t>{3, 1, 3});
  close(scores, {(-1 + sure) * 6 / 7, -1.5, (-2 + sure) * 6 / 8});
}

TEST_CASE("gather_tree: every sequence goes back by its parents; past its end there are ends") {
  fg::graph g;
  const auto symbols = g.constant(fg::tensor<std::int32_t>({4, 2, 2}, {3, 4, 5, 6, 7, 9, 8, 4, 5, 3, 9, 7, 6, 6, 3, 8}));
  const auto parents = g.constant(fg::tensor<std::int32_t>({4, 2, 2}, {0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0, 0, 1, 0}));
  const auto lengths = g.constant(fg::tensor<std::int32_t>({2}, {4, 3}));
  fg::session s{g};
  // The first row: 6 <- 5 <- 9 <- 3 twice. Of the second one three steps: 9 and 7, both after 4, after 5.
  CHECK(values(s.run(fg::fetch(fg::gather_tree(symbols, parents, lengths, 1)))) ==
        std::vector<std::int32_t>{3, 3, 5, 5, 9, 9, 4, 4, 5, 5, 9, 7, 6, 6, 1, 1});
  // The same where 4 is the end.
  CHECK(values(s.run(fg::fetch(fg::gather_tree(symbols, parents, lengths, 4)))) ==
        std::vector<std::int32_t>{3, 3, 5, 5, 9, 9, 4, 4, 5, 5, 4, 4, 6, 6, 4, 4});
}

namespace {

// Numbers of one sequence: its state is of several kinds, and a scalar that counts for all.
struct counting_cell {
  using element = float;
  using state_type = std::tuple<fg::out<std::int32_t>, fg::lstm_state<float>, fg::out_list<float>>;

  fg::lstm_cell<float> inner;

  fg::cell_step<float, state_type> operator()(const fg::out<float>& x, const state_type& state, fg::site s = {}) const {
    const auto& [count, before, sums] = state;
    const auto [output, next] = inner(x, before, s);
    return {output + sums[0], {count + 1, next, {sums[0] + output}}};
  }
  state_type zero_state(const fg::out<std::int32_t>& batch) const {
    return {
        fg::detail::constant_beside(batch, fg::tensor<std::int32_t>(0)), inner.zero_state(batch), {inner.zero_state(batch).c}};
  }
  std::int64_t output_size() const { return inner.output_size(); }
};

// Sequences in a batch are found as they are found alone; equal to the bit on one thread and on four.
template <class MakeCell> void check_batches(const MakeCell& make_cell) {
  fg::tensor<std::int32_t> one[3];
  fg::tensor<float> one_score[3];
  const auto memory = wave_values<float>({3, 4, 2}, 0.8, 0.3);
  const fg::tensor<std::int32_t> lengths({3}, {4, 2, 3}), begin({3}, {0, 3, 4});
  fg::graph g;
  auto looked_at = g.placeholder<float>("memory", {fg::any, fg::any, 2});
  auto to = g.placeholder<std::int32_t>("lengths", {fg::any}), from = g.placeholder<std::int32_t>("begin", {fg::any});
  auto table = wave<float>(g, {5, 2}, 1.3, 0.7), w = wave<float>(g, {4, 5}, 2.9, 0.2);
  const fg::decoder decoder(
      make_cell(g, looked_at, to), [&](const auto& s) { return fg::gather(table, s); },
      [&](const auto& o) { return fg::matmul(o, w) * 5.f; });
  const auto found = fg::beam_search(decoder, from, end, {.width = 3, .length_penalty = 0.6f, .maximum_iterations = 6});
  auto said = g.placeholder<std::int32_t>("said", {fg::any, fg::any});
  const auto costs = fg::sparse_softmax_cross_entropy(fg::teacher_forced(decoder, from, said), said);
  fg::thread_pool pool(3);
  fg::session alone{g}, threads{g, {.pool = &pool}};
  alone.initialize();
  threads.initialize();
  const auto edges = fg::fetch(found.symbols, found.scores);
  const auto [symbols, scores] = alone.run(edges, {{looked_at, memory}, {to, lengths}, {from, begin}});
  const auto [same_symbols, same_scores] = threads.run(edges, {{looked_at, memory}, {to, lengths}, {from, begin}});
  CHECK(ops_test::same_bits(symbols, same_symbols));
  CHECK(ops_test::same_bits(scores, same_scores));
  // What a sequence is said to cost it costs when it is said.
  const auto [sums, ends] =
      alone.run(fg::fetch(found.log_probabilities, found.lengths), {{looked_at, memory}, {to, lengths}, {from, begin}});
  const auto steps = static_cast<std::size_t>(symbols.shape()[1]);
  for (std::size_t beam = 0; beam < 3; ++beam) {
    fg::tensor<std::int32_t> one_of_each({3, symbols.shape()[1]});
    for (std::size_t i = 0; i < one_of_each.size(); ++i) one_of_each.writable()[i] = symbols[i * 3 + beam];
    const auto cost = alone.run(fg::fetch(costs), {{looked_at, memory}, {to, lengths}, {from, begin}, {said, one_of_each}});
    for (std::size_t row = 0; row < 3; ++row) {
      float sum = 0;
      for (std::size_t t = 0; t < static_cast<std::size_t>(ends[row * 3 + beam]); ++t) sum -= cost[row * steps + t];
      CHECK(sums[row * 3 + beam] == doctest::Approx(sum).epsilon(1e-5));
    }
  }
  for (std::size_t row = 0; row < 3; ++row) {
    const fg::tensor<float> part({1, 4, 2}, std::span(memory.data() + row * 8, 8));
    std::tie(one[row], one_score[row]) = alone.run(edges, {{looked_at, part},
                                                           {to, fg::tensor<std::int32_t>({1}, {lengths[row]})},
                                                           {from, fg::tensor<std::int32_t>({1}, {begin[row]})}});
    for (std::size_t i = 0; i < 3; ++i) {
      auto expected = column(one[row], 0, i);
      expected.resize(static_cast<std::size_t>(symbols.shape()[1]), expected.back() == end ? end : -1);
      CHECK(column(symbols, row, i) == expected);
      CHECK(scores[row * 3 + i] == doctest::Approx(one_score[row][i]).epsilon(1e-5));
    }
  }
}

}  // namespace

TEST_CASE("beam_search: a memory of attention, and states of every form, belong to their sequences") {
  check_batches([](const fg::graph& g, const fg::out<float>& memory, const fg::out<std::int32_t>& lengths) {
    fg::attention_options<float> o;
    o.lengths = lengths;
    o.kernel = weights_as<float>({{0.7, 0.3}, {1.1, 0.4}, {0.5, 0.2}}, {}).kernel;
    const fg::bahdanau_attention<float> attention(memory, 4, 3, o);
    return fg::attention_cell(fg::stacked_cells(fg::lstm_cell<float>(g, 6, 3, lstm_weights<float>()),
                                                fg::basic_rnn_cell<float>(g, 3, 4, weights<float>())),
                              attention, 4, weights_as<float>({{0.9, 0.6}}, {}));
  });
  check_batches(
      [](const fg::graph& g, auto&&...) { return counting_cell{fg::lstm_cell<float>(g, 2, 4, lstm_weights<float>())}; });
}

TEST_CASE("beam_search: half types are added up as floats, and one step is a search") {
  fg::graph g;
  const auto small = [&](const fg::shape& shape, double step) { return fg::cast<fg::half>(wave<float>(g, shape, step, 0.4)); };
  auto table = small({4, 2}, 1.3), w = small({3, 4}, 2.9);
  const fg::basic_rnn_cell<fg::half> cell(g, 2, 3);
  const fg::decoder decoder(
      cell, [&](const auto& s) { return fg::gather(table, s); }, [&](const auto& o) { return fg::matmul(o, w); });
  const auto found =
      fg::beam_search(decoder, g.constant(fg::tensor<std::int32_t>({2}, {0, 2})), end, {.width = 2, .maximum_iterations = 1});
  fg::session s{g};
  s.initialize();
  const fg::tensor<float> scores = s.run(fg::fetch(found.scores));
  CHECK(found.symbols.shape() == fg::shape{fg::any, fg::any, 2});
  CHECK(scores.shape() == fg::shape{2, 2});
  CHECK((scores[0] >= scores[1] && scores[1] > -3 && scores[0] < 0));
}

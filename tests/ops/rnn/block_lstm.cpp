#include <flowgraph/ops/rnn/block_lstm.hpp>

#include "../../core/memory.hpp"
#include "block_values.hpp"

using namespace rnn_test;

namespace {

// One step with the formulas written out; the parts of the gates follow each other as in `w`: i, candidate, f, o, or i, f, candidate, o.
fg::lstm_state<float> lstm_of_ops(const fg::out<float>& x, const fg::lstm_state<float>& s, const fg::block_lstm_weights<float>& w,
                                  bool has_peepholes, float forget_bias, bool forget_first = false) {
  const auto gates = fg::split(fg::matmul(fg::concat({x, s.h}, 1), w.w) + w.b, 4, 1);
  const auto candidate = gates[forget_first ? 2 : 1], forget = gates[forget_first ? 1 : 2];
  const auto seen = [&](const fg::out<float>& gate, const fg::out<float>& c, const fg::out<float>& peephole) {
    return fg::sigmoid(has_peepholes ? fg::out<float>(gate + c * peephole) : gate);
  };
  const auto c = seen(gates[0], s.c, w.wci) * fg::tanh(candidate) + seen(forget + forget_bias, s.c, w.wcf) * s.c;
  return {c, seen(gates[3], c, w.wco) * fg::tanh(c)};
}

fg::out<float> input_of_step(const fg::out<float>& x, std::int64_t t, std::int64_t batch, std::int64_t inputs) {
  return fg::reshape(fg::slice(x, {t, 0, 0}, {1, batch, inputs}), {batch, inputs});
}

}  // namespace

TEST_CASE("block_lstm computes the steps of lstm_block_cell, with the same bits") {
  const block_lstm_case v(5, 3, 4, 2);
  fg::graph g;
  const auto in = v.constants(g);
  const auto whole = fg::block_lstm(in.x, in.initial, in.weights);
  fg::lstm_state<float> state = in.initial;
  fg::out_list<float> memories, outputs;
  for (int t = 0; t < 5; ++t) {
    state = fg::lstm_block_cell(input_of_step(in.x, t, 3, 4), state, in.weights);
    memories.push_back(state.c), outputs.push_back(state.h);
  }
  fg::session s{g};
  const auto [c, h, each_c, each_h] = s.run(fg::fetch(whole.c, whole.h, fg::pack(memories, 0), fg::pack(outputs, 0)));
  CHECK(ops_test::same_bits(c, each_c));
  CHECK(ops_test::same_bits(h, each_h));
}

TEST_CASE("block_lstm and its gradients agree with the formulas") {
  const block_lstm_case v(4, 3, 2, 5);
  for (const bool has_peepholes : {false, true}) {
    CAPTURE(has_peepholes);
    fg::graph g;
    const auto in = v.constants(g, has_peepholes);
    const auto block = fg::block_lstm(in.x, in.initial, in.weights, {.forget_bias = 0.25f});
    fg::lstm_state<float> state = in.initial;
    fg::out_list<float> memories, outputs;
    for (int t = 0; t < 4; ++t) {
      state = lstm_of_ops(input_of_step(in.x, t, 3, 2), state, in.weights, has_peepholes, 0.25f);
      memories.push_back(state.c), outputs.push_back(state.h);
    }
    const auto c = fg::pack(memories, 0), h = fg::pack(outputs, 0);
    const auto wc = fg::constant(g, drawn_numbers({4, 3, 5}, 9)), wh = fg::constant(g, drawn_numbers({4, 3, 5}, 10));
    const auto loss = fg::sum(block.c * wc) + fg::sum(block.h * wh), wanted = fg::sum(c * wc) + fg::sum(h * wh);
    fg::session s{g};
    CHECK(furthest_of_block(value_of_block(s, block.c), value_of_block(s, c)) < 1e-6f);
    CHECK(furthest_of_block(value_of_block(s, block.h), value_of_block(s, h)) < 1e-6f);
    std::vector<fg::out<float>> sources{in.x, in.initial.c, in.initial.h, in.weights.w, in.weights.b};
    if (has_peepholes) sources.insert(sources.end(), {in.weights.wci, in.weights.wcf, in.weights.wco});
    for (const auto& from : sources) CHECK(furthest_slopes(s, loss, wanted, from) < 3e-6f);
  }
}

TEST_CASE("lstm_block_cell has the gradients of the formulas") {
  const block_lstm_case v(1, 3, 2, 5);
  fg::graph g;
  const auto in = v.constants(g, true);
  const auto x = input_of_step(in.x, 0, 3, 2);
  const auto block = fg::lstm_block_cell(x, in.initial, in.weights);
  const auto parts = lstm_of_ops(x, in.initial, in.weights, true, 1);
  const auto loss = fg::sum(block.c) + fg::sum(block.h * block.h), wanted = fg::sum(parts.c) + fg::sum(parts.h * parts.h);
  fg::session s{g};
  for (const auto& from :
       {x, in.initial.c, in.initial.h, in.weights.w, in.weights.b, in.weights.wci, in.weights.wcf, in.weights.wco})
    CHECK(furthest_slopes(s, loss, wanted, from) < 3e-6f);
}

TEST_CASE("BlockLSTMV2 has the gates in another order, no bias of the forget gate, and gradients in its own order") {
  const block_lstm_case v(1, 2, 3, 4);
  fg::graph g;
  const auto in = v.constants(g, true);
  fg::block_lstm_v2_op op;
  op.use_peephole = true;
  const auto all = fg::apply({}, op, g.constant(std::int64_t{1}), in.x, in.initial.c, in.initial.h, in.weights.w, in.weights.wci,
                             in.weights.wcf, in.weights.wco, in.weights.b);
  const auto parts = lstm_of_ops(input_of_step(in.x, 0, 2, 3), in.initial, in.weights, true, 0, true);
  const auto loss = fg::sum(fg::exp(std::get<6>(all))), wanted = fg::sum(fg::exp(parts.h));
  fg::session s{g};
  CHECK(value_of_block(s, loss).scalar() == doctest::Approx(value_of_block(s, wanted).scalar()));
  for (const auto& from : {in.x, in.initial.c, in.initial.h, in.weights.w, in.weights.b, in.weights.wcf})
    CHECK(furthest_slopes(s, loss, wanted, from) < 3e-6f);
}

TEST_CASE("block_lstm stops after `steps`: later states are zeros, and later inputs have no gradient") {
  const block_lstm_case v(4, 2, 3, 2);
  fg::graph g;
  const auto in = v.constants(g);
  const auto steps = g.placeholder<std::int64_t>("steps", {});
  const auto block = fg::block_lstm(in.x, in.initial, in.weights, {.steps = steps});
  const fg::out<float> dx = fg::gradients(fg::sum(block.h), in.x);
  fg::session s{g};
  const auto [h, slope] = s.run(fg::fetch(block.h, dx), {{steps, std::int64_t{2}}});
  for (std::size_t i = 0; i < h.size(); ++i) CHECK((h.data()[i] == 0) == (i >= 8));
  for (std::size_t i = 0; i < slope.size(); ++i) CHECK((slope.data()[i] == 0) == (i >= 12));
  for (const std::int64_t wrong : {-1, 5}) {
    const auto refused = s.try_run(block.h, {{steps, wrong}});
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code() == fg::error_code::invalid_argument);
    CHECK(ops_test::says(refused.error(), "seq_len_max must be in [0, 4], found "));
  }
}

TEST_CASE("block_lstm limits the memory") {
  fg::graph g;
  const auto one = [&](const fg::shape& shape) { return fg::fill(shape, g.constant(5.f)); };
  const auto block = fg::block_lstm(one({6, 1, 1}), fg::lstm_state<float>{one({1, 1}), one({1, 1})},
                                    fg::block_lstm_weights<float>{one({2, 4}), one({4})}, {.cell_clip = 1.5f});
  fg::session s{g};
  for (const float c : value_of_block(s, block.c)) CHECK(c == 1.5f);
}

TEST_CASE("block_lstm has the same bits by any number of threads") {
  const block_lstm_case v(5, 70, 60, 90);
  const auto run = [](auto x, auto c, auto h, auto w, auto b) {
    const auto block = fg::block_lstm(x, fg::lstm_state<float>{c, h}, fg::block_lstm_weights<float>{w, b});
    return block.h;
  };
  (void)ops_test::evaluate_on_threads(run, v.x, v.c, v.h, v.w, v.b);
  for (const int k : {0, 1}) {
    const auto slope = [&](auto x, auto c, auto h, auto w, auto b) {
      return fg::out<float>(fg::gradients(fg::sum(run(x, c, h, w, b)), k ? x : w));
    };
    (void)ops_test::evaluate_on_threads(slope, v.x, v.c, v.h, v.w, v.b);
  }
}

TEST_CASE("a prepared step of block_lstm and its gradients allocates nothing") {
  const block_lstm_case v(5, 3, 4, 2);
  fg::graph g;
  const auto in = v.constants(g, true);
  const auto x = g.placeholder<float>("x", {5, 3, 4});
  const auto h = fg::block_lstm(x, in.initial, in.weights).h;
  const fg::out<float> slope = fg::gradients(fg::sum(h), in.weights.w);
  test::counting_memory memory;
  fg::session s{g, {.memory = &memory}};
  auto step = s.prepare(fg::feed(x), fg::fetch(h, slope));
  CHECK(step.plan().queued.empty());
  std::size_t warm = 0;
  for (int i = 0; i < 20; ++i) {
    if (i == 8) warm = memory.allocations();
    step(v.x);
  }
  CHECK(memory.allocations() == warm);
}

TEST_CASE("lstm_block_cell names the input whose shape does not fit") {
  const block_lstm_case v(1, 3, 2, 5);
  fg::graph g;
  const auto in = v.constants(g);
  const auto x = input_of_step(in.x, 0, 3, 2);
  const fg::error wrong_weights = refusal(g, [&] {
    fg::lstm_block_cell(x, in.initial, fg::block_lstm_weights<float>{in.initial.c, in.weights.b});
  });
  CHECK(ops_test::says(wrong_weights, "w must have the shape [7,20], found [3,5]"));
}

TEST_CASE("lstm_block_cell refuses an empty state") {
  const block_lstm_case v(1, 0, 2, 5);
  fg::graph g;
  const auto in = v.constants(g);
  const fg::error why = refusal(g, [&] { fg::lstm_block_cell(input_of_step(in.x, 0, 0, 2), in.initial, in.weights); });
  CHECK(ops_test::says(why, "cs_prev must not be empty"));
}

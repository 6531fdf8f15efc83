// Samples of CTC, and of the recurrent ops of whole steps.

#include "../samples.hpp"

namespace harness {

namespace {

// Labels 0 1, 2 and 1 1 of three sequences.
calls losses() {
  calls all;
  const input places = given({5, 2}, {0, 0, 0, 1, 1, 0, 2, 0, 2, 1}), labels = given({0, 1, 2, 1, 1});
  for (const bool merge : {true, false})
    for (const bool collapse : {true, false})
      all.push_back(call(random({4, 3, 4}), places, labels, given({4, 2, 3}))
                        .with("ctc_merge_repeated", merge)
                        .with("preprocess_collapse_repeated", collapse));
  all.push_back(call(random({2, 2, 3}), given({3, 2}, {0, 0, 0, 1, 1, 0}), given({0, 1, 1}), given({1, 2}))
                    .with("ignore_longer_outputs_than_inputs", true));
  std::vector<double> many_places, many_labels, lengths;
  for (int b = 0; b < 40; ++b) {
    for (int i = 0; i < 3; ++i) {
      many_places.insert(many_places.end(), {double(b), double(i)});
      many_labels.push_back((b + 2 * i) % 9);
    }
    lengths.push_back(10 + b % 20);
  }
  all.emplace_back(random({30, 40, 10}), given({120, 2}, many_places), given({120}, many_labels), given({40}, lengths));
  return all;
}

calls decoders(bool by_beam) {
  calls all;
  const auto add = [&](call c) {
    if (!by_beam) return all.push_back(c.with("merge_repeated", true)), all.push_back(c.with("blank_index", 0));
    for (const bool merge : {true, false})
      all.push_back(c.with("beam_width", 4).with("top_paths", 2).with("merge_repeated", merge));
  };
  add(call(random({5, 3, 4}), given({5, 2, 1})));
  add(call(random({1, 1, 3}), given({1})));
  std::vector<double> lengths;
  for (int b = 0; b < 60; ++b) lengths.push_back(1 + b % 20);
  add(call(random({20, 60, 30}), given({60}, lengths)));
  return all;
}

struct block_size {
  std::int64_t steps, batch, inputs, units;
};
constexpr block_size block_sizes[]{{3, 2, 3, 2}, {1, 1, 1, 1}, {2, 3, 0, 2}, {4, 70, 60, 90}};

// x, the state, the weights, the peepholes and the bias.
std::vector<input> lstm_inputs(const block_size& z, bool one_step) {
  std::vector<input> in{random(one_step ? fg::shape{z.batch, z.inputs} : fg::shape{z.steps, z.batch, z.inputs})};
  for (int i = 0; i < 2; ++i) in.push_back(random({z.batch, z.units}));
  in.push_back(random({z.inputs + z.units, 4 * z.units}));
  for (int i = 0; i < 3; ++i) in.push_back(random({z.units}));
  in.push_back(random({4 * z.units}));
  return in;
}
calls lstm_calls(bool one_step, int states) {
  calls all;
  for (const block_size& z : block_sizes)
    for (const bool peephole : {false, true}) {
      std::vector<input> in = lstm_inputs(z, one_step);
      for (int i = 0; i < states; ++i)
        in.push_back(random(one_step ? fg::shape{z.batch, z.units} : fg::shape{z.steps, z.batch, z.units}));
      if (!one_step) in.insert(in.begin(), number(static_cast<double>(z.steps - (peephole && z.steps > 1))));
      all.push_back(call(std::move(in)).with("use_peephole", peephole));
    }
  return all;
}

calls gru_calls(int states) {
  calls all;
  for (const block_size& z : block_sizes) {
    std::vector<input> in{
        random({z.batch, z.inputs}),           random({z.batch, z.units}), random({z.inputs + z.units, 2 * z.units}),
        random({z.inputs + z.units, z.units}), random({2 * z.units}),      random({z.units})};
    for (int i = 0; i < states; ++i) in.push_back(random({z.batch, z.units}));
    all.emplace_back(std::move(in));
  }
  return all;
}

}  // namespace

std::vector<sample> sequence_samples() {
  constexpr std::string_view no_doubles = "there is no kernel for doubles; the tests of tests/ops/rnn have the gradient";
  return {
      {"CTCLoss",
       losses(),
       {},
       {no_gradient("its second output counts as a constant; tests/ops/sequence/ctc_loss.cpp has the first")}},
      {"CTCGreedyDecoder", decoders(false)},
      {"CTCBeamSearchDecoder", decoders(true)},
      {"LSTMBlockCell", lstm_calls(true, 0), {between(-1, 1)}, {no_gradient(no_doubles)}},
      {"LSTMBlockCellGrad", lstm_calls(true, 8), {between(-1, 1)}},
      {"BlockLSTM", lstm_calls(false, 0), {between(-1, 1)}, {no_gradient(no_doubles)}},
      {"BlockLSTMV2", lstm_calls(false, 0), {between(-1, 1)}, {no_gradient(no_doubles)}},
      {"BlockLSTMGrad", lstm_calls(false, 9), {between(-1, 1)}},
      {"BlockLSTMGradV2", lstm_calls(false, 9), {between(-1, 1)}},
      {"GRUBlockCell", gru_calls(0), {between(-1, 1)}, {no_gradient(no_doubles)}},
      {"GRUBlockCellGrad", gru_calls(4), {between(-1, 1)}},
  };
}

}  // namespace harness

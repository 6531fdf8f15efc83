// A recurrent network that learns, as a loop and written out step by step: the difference is what the loop costs.

#include "training_step.hpp"
#include "values.hpp"

#include <flowgraph/ops/array/identity_variants.hpp>
#include <flowgraph/ops/rnn/dynamic_rnn.hpp>
#include <flowgraph/ops/rnn/lstm_cell.hpp>
#include <flowgraph/train/loop_products.hpp>

#include <algorithm>

namespace bench {

namespace {

constexpr std::int64_t symbols = 96, embedded = 64, units = 256, steps = 32, sequences = 32;

// Gates i, f, g, o in one product, as the peers have them.
struct network_cell {
  using element = float;
  using state_type = fg::lstm_state<float>;
  fg::out<float> kernel, bias, zeros;

  fg::cell_step<float, state_type> operator()(const fg::out<float>& x, const state_type& s, fg::site = {}) const {
    const auto gates = fg::split(fg::bias_add(fg::matmul(fg::concat({x, s.h}, 1), kernel), bias), 4, 1);
    const fg::out<float> c = fg::sigmoid(gates[1]) * s.c + fg::sigmoid(gates[0]) * fg::tanh(gates[2]);
    const fg::out<float> h = fg::sigmoid(gates[3]) * fg::tanh(c);
    return {h, {c, h}};
  }
  state_type zero_state(const fg::out<std::int32_t>&) const { return {zeros, zeros}; }
  std::int64_t output_size() const { return units; }
};

struct network {
  fg::graph g;
  fg::out<std::int64_t> x, next;  // {time, batch}
  fg::out<float> loss;
  fg::target update;

  network(const fg::shape& known, bool is_loop) {
    x = g.placeholder<std::int64_t>("x", known);
    next = g.placeholder<std::int64_t>("next", known);
    const double scale = 1 / std::sqrt(static_cast<double>(units));
    const auto table = g.variable("table", fill(1, {symbols, embedded}, 0.1));
    const network_cell cell{g.variable("kernel", fill(2, {embedded + units, 4 * units}, scale)),
                            g.variable("bias", fg::tensor<float>(fg::shape{4 * units})),
                            g.constant(fg::tensor<float>(fg::shape{sequences, units}))};
    const auto w = g.variable("w", fill(3, {units, symbols}, scale)), b = g.variable("b", fg::tensor<float>(fg::shape{symbols}));
    const fg::out<float> inputs = fg::ensure_shape(fg::gather(table, x), {steps, sequences, embedded});
    const fg::out<float> outputs =
        is_loop ? fg::dynamic_rnn(cell, inputs, {.time_major = true}).outputs : written_out(cell, inputs);
    const auto logits = fg::bias_add(fg::matmul(fg::reshape(outputs, {steps * sequences, units}), w), b);
    loss = fg::mean(fg::sparse_softmax_cross_entropy(logits, fg::reshape(next, {steps * sequences})));
    update = fg::sgd{.rate = 0.1f}.minimize(loss);
  }

private:
  static fg::out<float> written_out(const network_cell& cell, const fg::out<float>& inputs) {
    fg::out_list<float> outputs;
    auto state = cell.zero_state({});
    for (const auto& row : fg::unpack(inputs, static_cast<int>(steps))) {
      const auto made = cell(row, state);
      outputs.push_back(made.output);
      state = made.state;
    }
    return fg::pack(outputs);
  }
};

void train(const options& o, std::string_view name, bool is_loop) {
  const auto pool = make_pool(o);
  const fg::tensor<std::int64_t> all = ints(702, {steps + 1, sequences}, symbols);
  fg::tensor<std::int64_t> x(fg::shape{steps, sequences}), next(fg::shape{steps, sequences});
  std::copy_n(all.begin(), x.size(), x.writable().begin());
  std::copy_n(all.begin() + sequences, x.size(), next.writable().begin());
  for (const std::string_view variant : variants) {
    if (!o.wants(variant)) continue;
    const network n(is_dynamic(variant) ? fg::shape::unknown() : x.shape(), is_loop);
    fg::session session{n.g,
                        {.pool = pool.get(), .dynamic = is_dynamic(variant), .passes = {.further = {fg::passes::loop_products}}}};
    time_training(o, {.variant = variant, .work = name, .unit = "ms/step", .limit = 150}, session, n.loss, n.update,
                  std::tuple{n.x, n.next}, x, next);
  }
}

constexpr work works[] = {
    {"lstm_train", [](const options& o, std::string_view w) { train(o, w, true); }},
    {"lstm_written_out", [](const options& o, std::string_view w) { train(o, w, false); }},
};

}  // namespace

std::span<const work> recurrent_works() { return works; }

}  // namespace bench

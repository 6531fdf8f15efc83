#include <flowgraph/ops/rnn/block_gru.hpp>

#include <flowgraph/ops/rnn/gru_cell.hpp>

#include "block_values.hpp"

using namespace rnn_test;

namespace {

struct block_gru_case {
  fg::tensor<float> x = drawn_numbers({3, 4}, 1), h = drawn_numbers({3, 5}, 2), w_ru = drawn_numbers({9, 10}, 3),
                    w_c = drawn_numbers({9, 5}, 4), b_ru = drawn_numbers({10}, 5), b_c = drawn_numbers({5}, 6);
};

// A step of ops: the same with the formulas written out.
template <class T> fg::out<T> gru_of_ops(const fg::out<T>& x, const fg::out<T>& h, const fg::block_gru_weights<T>& w) {
  const auto gates = fg::split(fg::sigmoid(fg::matmul(fg::concat({x, h}, 1), w.w_ru) + w.b_ru), 2, 1);
  const auto candidate = fg::tanh(fg::matmul(fg::concat({x, fg::out<T>(gates[0] * h)}, 1), w.w_c) + w.b_c);
  return gates[1] * h + (T(1) - gates[1]) * candidate;
}

}  // namespace

TEST_CASE("gru_block_cell computes the formulas of a GRU, and so do its gradients") {
  const block_gru_case v;
  fg::graph g;
  const auto in = [&](const fg::tensor<float>& t) { return fg::constant(g, t); };
  const auto x = in(v.x), h = in(v.h);
  const fg::block_gru_weights<float> w{in(v.w_ru), in(v.w_c), in(v.b_ru), in(v.b_c)};
  const auto weights = in(drawn_numbers({3, 5}, 9));
  const auto block = fg::gru_block_cell(x, h, w), parts = gru_of_ops(x, h, w);
  fg::session s{g};
  CHECK(furthest_of_block(value_of_block(s, block), value_of_block(s, parts)) < 1e-6f);
  for (const auto& from : {x, h, w.w_ru, w.w_c, w.b_ru, w.b_c}) {
    CHECK(furthest_slopes(s, fg::sum(block * weights), fg::sum(parts * weights), from) < 1e-6f);
  }
}

TEST_CASE("gru_block_cell has the same bits by any number of threads") {
  const auto y = ops_test::evaluate_on_threads(
      [](auto x, auto h, auto w_ru, auto w_c, auto b_ru, auto b_c) {
        return fg::gru_block_cell(x, h, fg::block_gru_weights<float>{w_ru, w_c, b_ru, b_c});
      },
      drawn_numbers({90, 130}, 1), drawn_numbers({90, 200}, 2), drawn_numbers({330, 400}, 3), drawn_numbers({330, 200}, 4),
      drawn_numbers({400}, 5), drawn_numbers({200}, 6));
  CHECK(y.shape() == fg::shape{90, 200});
}

TEST_CASE("gru_block_cell names the input whose shape does not fit") {
  const block_gru_case v;
  fg::graph g;
  const auto in = [&](const fg::tensor<float>& t) { return fg::constant(g, t); };
  const fg::error why = refusal(g, [&] {
    fg::gru_block_cell(in(v.x), in(v.h), fg::block_gru_weights<float>{in(v.w_c), in(v.w_c), in(v.b_ru), in(v.b_c)});
  });
  CHECK(ops_test::says(why, "w_ru must have the shape [9,10], found [9,5]"));
}

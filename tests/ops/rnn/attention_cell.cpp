// Expected numbers are TensorFlow 2.21's, of the formulas of tf.contrib.seq2seq in TensorFlow 1.15 and its own dynamic_rnn.

#include <flowgraph/ops/rnn/attention_cell.hpp>

#include <flowgraph/ops/rnn/gru_cell.hpp>

#include "wave.hpp"

using namespace rnn_test;

namespace {

struct attended_memory {
  fg::graph g;
  fg::out<double> memory = g.placeholder<double>("memory", {fg::any, fg::any, 2});
  fg::out<std::int32_t> lengths = g.constant(fg::tensor<std::int32_t>({3}, {5, 3, 1}));
  fg::tensor<double> values = wave_values<double>({3, 5, 2}, 0.8, 0.3);

  fg::attention_options<double> options() const {
    return {.lengths = lengths, .kernel = weights_as<double>({{0.7, 0.3}, {1.1, 0.4}, {0.5, 0.2}}, {}).kernel};
  }
};

}  // namespace

TEST_CASE("attention: by products, and by a layer; past the end of a memory nothing is looked at") {
  attended_memory t;
  auto q = wave<double>(t.g, {3, 2}, 0.6, 0.5);
  const fg::bahdanau_attention<double> bahdanau(t.memory, 2, 2, t.options());
  const fg::luong_attention<double> luong(t.memory, 2, t.options());
  CHECK(t.g.find("bahdanau_attention/query_layer/kernel"));
  CHECK(t.g.find("luong_attention/memory_layer/kernel"));
  const auto [by_layer, layer_weights] = bahdanau(q);
  const auto [by_product, product_weights] = luong(q);
  fg::session s{t.g};
  s.initialize();
  t.values.writable()[16] = 1e300;  // past the end of the second one
  const auto [a, b, c, d] = s.run(fg::fetch(by_layer, layer_weights, by_product, product_weights), {{t.memory, t.values}});
  close(a, {0.098909402, 0.17889936, -0.020976077, -0.13817868, -0.33483136, -0.590439});
  close(b, {0.2223325, 0.22685796, 0.16214065, 0.16233001, 0.22633888, 0.40418256, 0.29194225, 0.30387519, 0, 0, 1, 0, 0, 0, 0});
  close(c, {0.1319698, 0.21948327, 0.046099291, -0.091565355, -0.33483136, -0.590439});
  close(d, {0.23704412, 0.24120228, 0.13743691, 0.13957794, 0.24473875, 0.47869909, 0.24248236, 0.27881855, 0, 0, 1, 0, 0, 0, 0});
}

TEST_CASE("luong_attention: a factor that is learnt begins with one") {
  attended_memory t;
  auto o = t.options();
  o.scale = true;
  const fg::luong_attention<double> scaled(t.memory, 2, o);
  auto q = wave<double>(t.g, {3, 2}, 0.6, 0.5);
  const auto found = scaled(q), twice = scaled(q * 2.0);
  fg::out<double> slope = fg::gradients(fg::sum(fg::square(found.context)), scaled.factor);
  fg::session s{t.g};
  s.initialize();
  const auto [a, first] = s.run(fg::fetch(found.weights, slope), {{t.memory, t.values}});
  CHECK(a[0] == doctest::Approx(0.23704412));
  CHECK(first.scalar() != 0);
  const auto expected = s.run(fg::fetch(twice.weights), {{t.memory, t.values}});
  s.run(fg::assign(scaled.factor, t.g.constant(2.0)));
  close(s.run(fg::fetch(found.weights), {{t.memory, t.values}}), values(expected));
}

TEST_CASE("attention_cell: along sequences, and the gradients of memory and weights") {
  attended_memory t;
  auto x = wave<double>(t.g, {3, 4, 2}, 0.9, 0.2);
  const fg::bahdanau_attention<double> attention(t.memory, 2, 2, t.options());
  const fg::attention_cell cell(fg::gru_cell<double>(t.g, 4, 2, gru_weights<double>()), attention, 2,
                                weights_as<double>({{0.9, 0.6}}, {}));
  const auto [outputs, last] = fg::dynamic_rnn(cell, x, {.lengths = t.g.constant(fg::tensor<std::int32_t>({3}, {4, 2, 0}))});
  auto loss = fg::sum(outputs * wave<double>(t.g, {3, 4, 2}, 0.37, 0.2)) + fg::sum(std::get<0>(last));
  auto [by_memory, by_query] = fg::gradients(loss, t.memory, cell.attention.query_layer);
  fg::session s{t.g};
  s.initialize();
  const auto [a, b, c] = s.run(fg::fetch(outputs, fg::out<double>(by_memory), fg::out<double>(by_query)), {{t.memory, t.values}});
  close(a, {-0.0071393284,
            0.077350258,
            0.069878888,
            0.095756312,
            0.028325913,
            0.016305459,
            -0.018176148,
            0.010317757,
            0.14296602,
            0.034341405,
            0.15073852,
            -0.010989362,
            0,
            0,
            0,
            0,
            0,
            0,
            0,
            0,
            0,
            0,
            0,
            0});
  close(b, {-0.38431762, 0.17515447,
            -0.42991069, 0.13807796,
            -0.28414432, 0.12259617,
            -0.25792099, 0.15110638,
            -0.39560821, 0.17401395,
            0.27670723,  -0.015513107,
            0.17370935,  -0.036375787,
            0.16851559,  -0.050578504,
            0,           0,
            0,           0,
            0,           0,
            0,           0,
            0,           0,
            0,           0,
            0,           0});
  close(c, {2.9625036e-05, 0.00020934319, 4.970332e-05, 0.00024223641});
}

#ifdef FLOWGRAPH_EXCEPTIONS
TEST_CASE("attention: an empty memory is refused") {
  const fg::out<float> none;
  CHECK_THROWS_WITH_AS((fg::luong_attention<float>(none, 2)), doctest::Contains("empty handle"), fg::error);
  CHECK_THROWS_WITH_AS((fg::bahdanau_attention<float>(none, 2, 2)), doctest::Contains("empty handle"), fg::error);
}
#endif

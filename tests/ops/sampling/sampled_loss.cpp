#include <flowgraph/ops/sampling/sampled_loss.hpp>

#include "../evaluate.hpp"

#include <flowgraph/ops/state/variable.hpp>

using namespace ops_test;

namespace {

template <class T> fg::tensor<T> ramp(const fg::shape& shape, double first, double step) {
  fg::tensor<T> x(shape);
  for (T& e : x.writable()) e = static_cast<T>(first), first += step;
  return x;
}

// Three examples of two true classes, and four sampled classes of nine.
struct example {
  fg::graph g;
  fg::out<float> weights = g.constant(ramp<float>({9, 4}, -0.9, 0.05)), biases = g.constant(ramp<float>({9}, -0.4, 0.1)),
                 inputs = g.constant(ramp<float>({3, 4}, -1.25, 0.25));
  fg::out<std::int64_t> labels = g.constant(fg::tensor<std::int64_t>({3, 2}, {2, 3, 0, 8, 5, 5}));
  fg::candidates sampled{g.constant(vector<std::int64_t>({5, 1, 8, 1})),
                         g.constant(fg::tensor<float>({3, 2}, {0.3f, 0.2f, 0.1f, 0.4f, 0.2f, 0.2f})),
                         g.constant(vector<float>({0.4f, 0.2f, 0.3f, 0.1f}))};

  fg::sampled_loss_options options(std::optional<bool> removes_hits) const {
    return {.num_sampled = 4, .num_classes = 9, .sampled = sampled, .remove_accidental_hits = removes_hits};
  }
  void check(const fg::out<float>& loss, std::initializer_list<float> expected, double slope) {
    const fg::out<float> of_weights = fg::sum(fg::out<float>(fg::gradients(fg::sum(loss), weights)) * weights);
    fg::session s{g};
    const auto [found, moved] = s.run(fg::fetch(loss, of_weights));
    REQUIRE(found.size() == expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) CHECK(found.data()[i] == doctest::Approx(expected.begin()[i]));
    CHECK(moved.scalar() == doctest::Approx(slope));
  }
};

}  // namespace

// The numbers are those of tf.nn.
TEST_CASE("the loss of sampled classes for softmax leaves out accidental hits") {
  example all, removed, by_default;
  all.check(fg::sampled_softmax_loss(all.weights, all.biases, all.labels, all.inputs, all.options(false)),
            {2.41710806f, 1.74959266f, 2.76916456f}, 3.1184204);
  for (example* e : {&removed, &by_default})
    e->check(fg::sampled_softmax_loss(e->weights, e->biases, e->labels, e->inputs,
                                      e->options(e == &removed ? std::optional(true) : std::nullopt)),
             {2.41710806f, 1.45127773f, 2.73730516f}, 3.0672648);
}

TEST_CASE("the noise-contrastive loss contains accidental hits") {
  example all, removed, by_default;
  removed.check(fg::nce_loss(removed.weights, removed.biases, removed.labels, removed.inputs, removed.options(true)),
                {11.7304010f, 6.71625423f, 8.46840000f}, 7.002363);
  for (example* e : {&all, &by_default})
    e->check(
        fg::nce_loss(e->weights, e->biases, e->labels, e->inputs, e->options(e == &all ? std::optional(false) : std::nullopt)),
        {11.7304010f, 8.89087200f, 10.4785290f}, 8.137344);
}

TEST_CASE("without given classes, a loss samples the classes that TensorFlow samples with the same seeds") {
  example e;
  e.g.set_seed(11);
  const auto loss =
      fg::sampled_softmax_loss(e.weights, e.biases, e.labels, e.inputs, {.num_sampled = 4, .num_classes = 9, .seed = 5});
  fg::session s{e.g};
  const auto found = s.run(fg::fetch(loss));
  const float expected[] = {1.44295466f, 2.19577456f, 0.889003992f};
  for (std::size_t i = 0; i < 3; ++i) CHECK(found.data()[i] == doctest::Approx(expected[i]));
}

TEST_CASE("with all classes as candidates, the loss is that of all classes") {
  fg::graph g;
  const auto weights = g.constant(ramp<double>({6, 3}, -0.9, 0.1)), biases = g.constant(ramp<double>({6}, -0.4, 0.1)),
             inputs = g.constant(ramp<double>({4, 3}, -1.25, 0.25));
  const auto labels = g.constant(fg::tensor<std::int64_t>({4, 1}, {5, 0, 3, 3}));
  const auto loss = fg::sampled_softmax_loss(weights, biases, labels, inputs,
                                             {.sampled = fg::all_candidate_sampler(labels, {.num_sampled = 6})});
  const auto full =
      fg::sparse_softmax_cross_entropy(fg::matmul(inputs, weights, {.transpose_b = true}) + biases, fg::reshape(labels, {-1}));
  fg::session s{g};
  const auto [found, expected] = s.run(fg::fetch(loss, full));
  for (std::size_t i = 0; i < 4; ++i) CHECK(found.data()[i] == doctest::Approx(expected.data()[i]));
}

TEST_CASE("weights may be cut into parts") {
  example cut;
  const fg::out_list<float> parts{fg::gather(cut.weights, cut.g.constant(vector<std::int32_t>({0, 2, 4, 6, 8}))),
                                  fg::gather(cut.weights, cut.g.constant(vector<std::int32_t>({1, 3, 5, 7})))};
  const auto loss = fg::nce_loss(parts, {cut.biases}, cut.labels, cut.inputs, cut.options(true));
  fg::session s{cut.g};
  const auto found = s.run(fg::fetch(loss));
  const float expected[] = {11.7304010f, 6.71625423f, 8.46840000f};
  for (std::size_t i = 0; i < 3; ++i) CHECK(found.data()[i] == doctest::Approx(expected[i]));
}

// Handwritten digits, from data to predictions: a small convolutional network is trained from scratch, saved, and loaded again.
//
//     images ─> Conv2D ─> Relu ─> MaxPool ─> Conv2D ─> Relu ─> MaxPool ─> features ─┬─> Dropout ─> MatMul ─> loss ─> train
//     8x8x1     8x8x16             4x4x16    4x4x32             2x2x32     128      └────────────> MatMul ─> predictions

#include "shared/digits.hpp"
#include "shared/weights.hpp"

#include <flowgraph/flowgraph.hpp>

#include <chrono>

namespace fg = flowgraph;

int main(int count, char** arguments) {
  const std::string data = count > 1 ? arguments[1] : "examples/data", results = count > 2 ? arguments[2] : ".";
  auto [training, held_out] = read_digits(data + "/digits.csv");
  if (training.size() + held_out.size() != 1797) return std::printf("cannot read %s/digits.csv\n", data.c_str()), 1;

  fg::graph g;
  g.set_seed(1);
  auto images = g.placeholder<float>("images", {fg::any, 8, 8, 1});
  auto labels = g.placeholder<std::int32_t>("labels", {fg::any});
  auto w1 = g.variable("w1", fg::he_normal<float>({3, 3, 1, 16})), b1 = g.variable("b1", fg::zeros<float>({16}));
  auto w2 = g.variable("w2", fg::he_normal<float>({3, 3, 16, 32})), b2 = g.variable("b2", fg::zeros<float>({32}));
  auto w3 = g.variable("w3", fg::glorot_uniform<float>({128, 10})), b3 = g.variable("b3", fg::zeros<float>({10}));
  const weight_list weights{w1, b1, w2, b2, w3, b3};

  auto pooled = fg::max_pool(fg::relu(fg::bias_add(fg::conv2d(images, w1), b1)));
  auto features = fg::reshape(fg::max_pool(fg::relu(fg::bias_add(fg::conv2d(pooled, w2), b2))), {-1, 128});
  auto loss = fg::mean(fg::sparse_softmax_cross_entropy(fg::matmul(fg::dropout(features, 0.25f), w3) + b3, labels));
  auto train = fg::adam{.rate = 2e-3f}.minimize(loss);
  auto predictions = fg::argmax<std::int32_t>(fg::matmul(features, w3) + b3, 1);
  auto accuracy = fg::mean(fg::cast<float>(fg::equal(predictions, labels)));

  constexpr std::size_t batch = 32;
  const std::size_t steps = training.size() / batch;
  fg::tensor<float> x({batch, 8, 8, 1}), test_x({held_out.size(), 8, 8, 1});
  fg::tensor<std::int32_t> t({batch}), test_t({held_out.size()});
  copy_batch(held_out, 0, test_x, test_t);

  fg::session s{g};
  s.initialize();
  auto step = s.prepare(fg::feed(images, labels), fg::fetch(loss), train);
  auto judge = s.prepare(fg::feed(images, labels), fg::fetch(accuracy));
  std::printf("%zu digits to train on, %zu held out, a graph of %zu nodes\n", training.size(), held_out.size(), g.size());

  std::mt19937 random(1);
  for (int epoch = 1; epoch <= 15; ++epoch) {
    const auto began = std::chrono::steady_clock::now();
    shuffle(training, random);
    float sum = 0;
    for (std::size_t i = 0; i < steps; ++i) {
      copy_batch(training, i * batch, x, t);
      sum += step(x, t).scalar();
    }
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    const float now = judge(test_x, test_t).scalar();
    std::printf("epoch %2d   loss %.4f   held-out accuracy %.3f   %.0f samples/s\n", epoch, sum / static_cast<float>(steps), now,
                static_cast<double>(steps * batch) / seconds);
  }

  // A session that has never been initialized gets its weights from the file.
  const std::string file = results + "/digits.weights";
  fg::session fresh{g};
  const bool kept = save_weights(s, weights, file) && load_weights(fresh, weights, file);
  if (!kept) return std::printf("cannot write %s\n", file.c_str()), 1;
  auto [taken_for, reached] = fresh.run(fg::fetch(predictions, accuracy), {{images, test_x}, {labels, test_t}});

  std::vector<std::size_t> shown{0, 1, 6};  // and the first one that is misread
  for (std::size_t i = 0; i < held_out.size() && shown.size() < 4; ++i)
    if (taken_for[i] != test_t[i]) shown.push_back(i);
  draw(held_out, taken_for, shown);
  std::ofstream(results + "/graph.dot") << fg::to_dot(g);
  std::ofstream(results + "/graph.txt") << fg::to_text(g);
  std::printf("\nweights: %s   graph: %s/graph.txt, and graph.dot for Graphviz\n", file.c_str(), results.c_str());
  std::printf("accuracy %.3f on held-out digits, by a session that loaded the weights\n", reached.scalar());
  return reached.scalar() >= 0.97f ? 0 : 1;
}

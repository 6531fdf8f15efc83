// A model of layers, built in two forms that share their variables: one to train with, one to use.
//
//     images ─> Conv2D ─> FusedBatchNorm ─> Relu ─> MaxPool ─> (twice) ─> Dropout ─> MatMul ─> logits ─> loss
//     training:  statistics of the batch, dropout on        use:  averages of training, no dropout

#include "../shared/digits.hpp"

#include <flowgraph/flowgraph.hpp>
#include <flowgraph/ops/nn/batch_norm.hpp>

namespace fg = flowgraph;

// A layer makes its variables once. Each call adds the nodes of one use.
struct block {
  fg::variable<float> filter, scale, offset, mean, variance;

  block(fg::graph g, std::string_view name, std::int64_t in, std::int64_t out) {
    auto inside = g.in_scope(name);
    filter = g.variable("filter", fg::he_normal<float>({3, 3, in, out}));
    scale = g.variable("scale", fg::ones<float>({out})), offset = g.variable("offset", fg::zeros<float>({out}));
    mean = g.variable("mean", fg::zeros<float>({out}), {.trainable = false});
    variance = g.variable("variance", fg::ones<float>({out}), {.trainable = false});
  }
  fg::out<float> to_use(fg::out<float> x) const {
    auto y =
        fg::fused_batch_norm({.epsilon = 1e-3f, .is_training = false}, fg::conv2d(x, filter), scale, offset, mean, variance).y;
    return fg::max_pool(fg::relu(y));
  }
  fg::out<float> to_train(fg::out<float> x, std::vector<fg::target>& updates) const {
    auto made = fg::fused_batch_norm({.epsilon = 1e-3f, .exponential_avg_factor = 0.1f}, fg::conv2d(x, filter), scale, offset,
                                     mean, variance);
    updates.push_back(fg::assign(mean, made.mean));  // 0.9 * the old average + 0.1 * the mean of this batch
    updates.push_back(fg::assign(variance, made.variance));
    return fg::max_pool(fg::relu(made.y));
  }
};

int main(int count, char** arguments) {
  auto [training, held_out] = read_digits(std::string(count > 1 ? arguments[1] : "examples/data") + "/digits.csv");
  fg::graph g;
  g.set_seed(1);
  auto images = g.placeholder<float>("images", {fg::any, 8, 8, 1});
  auto labels = g.placeholder<std::int32_t>("labels", {fg::any});
  const block first(g, "first", 1, 16), second(g, "second", 16, 32);
  auto w = g.variable("w", fg::glorot_uniform<float>({128, 10})), b = g.variable("b", fg::zeros<float>({10}));
  const auto head = [&](fg::out<float> x) { return fg::matmul(x, w) + b; };
  const auto flat = [](fg::out<float> x) { return fg::reshape(x, {-1, 128}); };
  const auto loss_of = [&](fg::out<float> logits) { return fg::mean(fg::sparse_softmax_cross_entropy(logits, labels)); };

  std::vector<fg::target> updates;
  auto noisy = fg::dropout(flat(second.to_train(first.to_train(images, updates), updates)), 0.25f);
  auto loss = loss_of(head(noisy)) + 1e-4f * fg::sum(fg::square(w));
  updates.push_back(fg::adam{.rate = 3e-3f}.minimize(loss));
  auto train = fg::group(updates);

  auto logits = head(flat(second.to_use(first.to_use(images))));
  auto accuracy = fg::mean(fg::cast<float>(fg::equal(fg::argmax<std::int32_t>(logits, 1), labels)));

  fg::session s{g};
  s.initialize();
  auto step = s.prepare(fg::feed(images, labels), fg::fetch(loss), train);
  auto validate = s.prepare(fg::feed(images, labels), fg::fetch(loss_of(logits), accuracy));
  fg::tensor<float> x({32, 8, 8, 1}), held_x({held_out.size(), 8, 8, 1});
  fg::tensor<std::int32_t> t({32}), held_t({held_out.size()});
  copy_batch(held_out, 0, held_x, held_t);
  std::mt19937 random(1);
  float right = 0;
  for (int epoch = 1; epoch <= 6; ++epoch) {
    shuffle(training, random);
    float sum = 0;
    for (std::size_t i = 0; i + 32 <= training.size(); i += 32) copy_batch(training, i, x, t), sum += step(x, t).scalar();
    auto [held_loss, share] = validate(held_x, held_t);
    right = share.scalar();
    std::printf("epoch %d  loss %.3f  held out: loss %.3f, accuracy %.3f\n", epoch,
                sum / static_cast<float>(training.size() / 32), held_loss.scalar(), right);
  }
  return right > 0.97f ? 0 : 1;
}

// Whole models: inference of small and of large ones, and steps of training.

#include "models.hpp"
#include "networks.hpp"
#include "training_step.hpp"

namespace bench {

namespace {

fg::shape shape_for(std::string_view variant, const fg::shape& known) {
  return is_dynamic(variant) ? fg::shape::unknown() : known;
}

using network = fg::out<float> (*)(const fg::graph&, const fg::out<float>&);

void infer(const options& o, std::string_view name, network make, const fg::shape& known, std::string_view unit = "ms/run") {
  const auto pool = make_pool(o);
  const fg::tensor<float> input = fill(700, known);
  for (const std::string_view variant : variants) {
    if (!o.wants(variant)) continue;
    fg::graph g;
    const auto x = g.placeholder<float>("x", shape_for(variant, known));
    const auto y = make(g, x);
    fg::session session{g, {.pool = pool.get(), .dynamic = is_dynamic(variant)}};
    const subject s{.variant = variant, .work = name, .unit = unit};
    if (is_dynamic(variant)) {
      auto run = [&] { return session.run(fg::fetch(y), {{x, input}}); };
      measure(o, s, mean_magnitude(run()), [&] { run(); });
    } else {
      auto step = session.prepare(fg::feed(x), fg::fetch(y));
      measure(o, s, mean_magnitude(step(input)), [&] { step(input); });
    }
  }
}

// 64-64-64-8, tanh between.
fg::out<float> mlp_logits(const fg::graph& g, const fg::out<float>& x) {
  layers<false> l(g);
  auto y = fg::tanh(l.dense(x, 64, 64));
  y = fg::tanh(l.dense(y, 64, 64));
  return l.dense(y, 64, 8);
}

// `minimize` adds the training node to a model.
void train(const options& o, std::string_view name, classifier (*make)(const fg::shape&, const fg::shape&),
           const fg::tensor<float>& images, fg::target (*minimize)(const classifier&), int limit) {
  const auto pool = make_pool(o);
  const fg::tensor<std::int64_t> labels = batch_labels();
  for (const std::string_view variant : variants) {
    if (!o.wants(variant)) continue;
    const classifier c = make(shape_for(variant, images.shape()), shape_for(variant, labels.shape()));
    const fg::target update = minimize(c);
    fg::session session{c.g, {.pool = pool.get(), .dynamic = is_dynamic(variant)}};
    time_training(o, {.variant = variant, .work = name, .unit = "ms/step", .limit = limit}, session, c.loss, update,
                  std::tuple{c.x, c.labels}, images, labels);
  }
}

fg::target with_momentum(const classifier& c) { return fg::momentum{.rate = 0.01f, .momentum = 0.9f}.minimize(c.loss); }
fg::target with_adam(const classifier& c) { return fg::adam{.rate = 1e-4f}.minimize(c.loss); }

void mlp_train(const options& o, std::string_view) {
  train(o, "mlp_train_sgd", mlp, fill(700, {batch, 784}), with_momentum, 400);
  train(o, "mlp_train_adam", mlp, fill(700, {batch, 784}), with_adam, 400);
}
void cnn_train(const options& o, std::string_view name) {
  train(o, name, cnn, fill(700, {batch, 28, 28, 1}), with_momentum, 200);
}

// Pairs of a word and a word near it, and words drawn at random.
void word2vec(const options& o, std::string_view name) {
  constexpr std::int64_t words = 10'000, width = 128;
  const double scale = 1 / std::sqrt(static_cast<double>(width));
  const auto pool = make_pool(o);
  const fg::tensor<std::int64_t> centres = ints(703, {256}, words), contexts = ints(704, {256}, words),
                                 negatives = ints(705, {64}, words);
  for (const std::string_view variant : variants) {
    if (!o.wants(variant)) continue;
    fg::graph g;
    const auto word = [&](const char* id, const fg::tensor<std::int64_t>& like) {
      return g.placeholder<std::int64_t>(id, shape_for(variant, like.shape()));
    };
    const auto c = word("centres", centres), n = word("contexts", contexts), r = word("negatives", negatives);
    const auto inner = g.variable("inner", fill(1, {words, width}, scale)),
               outer = g.variable("outer", fill(2, {words, width}, scale));
    const auto centre = fg::gather(inner, c);
    const auto contexts_of = fg::sum(centre * fg::gather(outer, n), 1);
    const auto others = fg::matmul(centre, fg::gather(outer, r), {.transpose_b = true});
    const auto loss = fg::mean(fg::softplus(-contexts_of) + fg::sum(fg::softplus(others), 1));
    const fg::target update = fg::sgd{.rate = 1.f}.minimize(loss);
    fg::session session{g, {.pool = pool.get(), .dynamic = is_dynamic(variant)}};
    time_training(o, {.variant = variant, .work = name, .unit = "ms/step", .limit = 2000}, session, loss, update,
                  std::tuple{c, n, r}, centres, contexts, negatives);
  }
}

constexpr work works[] = {
    {"mlp_small",
     [](const options& o, std::string_view w) {
       infer(o, w, mlp_logits, {1, 64}, "us/run");
     }},
    {"mlp_train", mlp_train},
    {"cnn_train", cnn_train},
    {"cnn_infer_1",
     [](const options& o, std::string_view w) {
       infer(o, w, cnn_logits<false>, {1, 28, 28, 1});
     }},
    {"cnn_infer_64",
     [](const options& o, std::string_view w) {
       infer(o, w, cnn_logits<false>, {batch, 28, 28, 1});
     }},
    {"resnet50_infer",
     [](const options& o, std::string_view w) {
       infer(o, w, resnet50, {1, 224, 224, 3});
     }},
    {"mobilenetv2_infer",
     [](const options& o, std::string_view w) {
       infer(o, w, mobilenet_v2, {1, 224, 224, 3});
     }},
    {"word2vec", word2vec},
};

}  // namespace

std::span<const work> model_works() { return works; }

}  // namespace bench

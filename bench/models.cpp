// Whole models: inference of a small one, steps of training of larger ones.

#include "models.hpp"
#include "works.hpp"

namespace bench {

namespace {

fg::shape shape_for(std::string_view variant, const fg::shape& known) {
  return is_dynamic(variant) ? fg::shape::unknown() : known;
}

// 64-64-64-8, tanh between, one row.
void mlp_small(const options& o, std::string_view name) {
  const auto pool = make_pool(o);
  const fg::tensor<float> input = fill(700, {1, 64});
  for (const std::string_view variant : variants) {
    if (!o.wants(variant)) continue;
    fg::graph g;
    const auto x = g.placeholder<float>("x", shape_for(variant, input.shape()));
    layers<false> l(g);
    auto y = fg::tanh(l.dense(x, 64, 64));
    y = fg::tanh(l.dense(y, 64, 64));
    y = l.dense(y, 64, 8);

    fg::session session{g, {.pool = pool.get(), .dynamic = is_dynamic(variant)}};
    const subject s{.variant = variant, .work = name, .unit = "us/run"};
    if (is_dynamic(variant)) {
      auto run = [&] { return session.run(fg::fetch(y), {{x, input}}); };
      measure(o, s, mean_magnitude(run()), [&] { run(); });
    } else {
      auto step = session.prepare(fg::feed(x), fg::fetch(y));
      measure(o, s, mean_magnitude(step(input)), [&] { step(input); });
    }
  }
}

// The loss of step 20 is the check. `minimize` adds the training node to a model.
void train(const options& o, std::string_view name, classifier (*make)(const fg::shape&, const fg::shape&),
           const fg::tensor<float>& images, fg::target (*minimize)(const classifier&), int limit) {
  const auto pool = make_pool(o);
  const fg::tensor<std::int64_t> labels = batch_labels();
  for (const std::string_view variant : variants) {
    if (!o.wants(variant)) continue;
    const classifier c = make(shape_for(variant, images.shape()), shape_for(variant, labels.shape()));
    const fg::target update = minimize(c);
    fg::session session{c.g, {.pool = pool.get(), .dynamic = is_dynamic(variant)}};
    session.initialize();

    auto finish = [&](auto&& step) {
      float loss = 0;
      for (int i = 0; i < 20; ++i) loss = step().scalar();
      measure(o, {.variant = variant, .work = name, .unit = "ms/step", .limit = limit}, static_cast<double>(loss),
              [&] { step(); });
    };
    if (is_dynamic(variant)) {
      finish([&] { return session.run(fg::fetch(c.loss), update, {{c.x, images}, {c.labels, labels}}); });
    } else {
      auto step = session.prepare(fg::feed(c.x, c.labels), fg::fetch(c.loss), update);
      finish([&] { return step(images, labels); });
    }
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

constexpr work works[] = {{"mlp_small", mlp_small}, {"mlp_train", mlp_train}, {"cnn_train", cnn_train}};

}  // namespace

std::span<const work> model_works() { return works; }

}  // namespace bench

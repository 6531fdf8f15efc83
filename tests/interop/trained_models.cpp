// Models that Keras wrote, by export and by tf.saved_model.save, run and train here as they do there: keras_models.py records it.

#include "../formats/folder.hpp"

#include <flowgraph/flowgraph.hpp>
#include <flowgraph/formats/safetensors.hpp>
#include <flowgraph/interop/save_model.hpp>
#include <flowgraph/interop/served_model.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <map>

namespace fg = flowgraph;

namespace {

constexpr int steps = 5;
constexpr float tolerance = 1e-5f;

// How far two tensors are apart at most: where `least` is given, only where the recorded gradient is larger than that.
float distance(const fg::tensor<float>& a, const fg::tensor<float>& b, const fg::tensor<float>* gradient = nullptr,
               float least = 0) {
  REQUIRE(a.shape() == b.shape());
  float most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (gradient && !(std::abs((*gradient)[i]) > least)) continue;
    const float apart = std::abs(a[i] - b[i]);
    if (!(apart <= most)) most = apart;  // NaN is far away
  }
  return most;
}
float largest(const fg::tensor<float>& a) {
  float most = 0;
  for (const float e : a) most = std::max(most, std::abs(e));
  return most;
}

class recorded {
public:
  explicit recorded(const std::string& model)
      : folder_(std::string(FLOWGRAPH_KERAS_MODELS) + '/' + model),
        file_(fg::safetensors::open(folder_ + "/recorded.safetensors").value()) {}

  fg::any_tensor any(const std::string& name) const { return file_.read(name).value(); }
  fg::tensor<float> floats(const std::string& name) const { return fg::tensor<float>::from(any(name)).value(); }
  std::string path(const std::string& form) const { return folder_ + '/' + form; }

private:
  std::string folder_;
  fg::safetensors file_;
};

struct trainer {
  explicit trainer(const std::string& folder) : model(fg::load_saved_model(folder).value()), g(model.graph()) {
    for (const fg::object_variable& v : model.variables()) names[v.node] = v.name;
    fed = model.try_input().value();
    logits = model.output<float>();
    labels = g.placeholder<std::int32_t>("labels", {fg::any});
    loss = fg::mean(fg::sparse_softmax_cross_entropy(logits, labels));
  }
  std::vector<fg::fed> feeds(const recorded& r) const {
    return {{fed, r.any("x")}, {labels, fg::tensor<std::int32_t>::from(r.any("labels")).value()}};
  }
  std::vector<fg::any_tensor> run(const fg::any_out_list& fetches, const recorded& r, std::span<const fg::target> targets = {}) {
    const std::vector<fg::fed> given = feeds(r);
    return model.session().try_run(fg::run_request{.feeds = given, .fetches = fetches, .targets = targets}).value();
  }
  float loss_now(const recorded& r, std::span<const fg::target> targets = {}) {
    return fg::tensor<float>::from(run({loss}, r, targets)[0]).value().scalar();
  }
  fg::tensor<float> value_of(const fg::any_out& handle) {
    const auto v = fg::variable_behind<float>(handle).value();
    return model.session().run(fg::fetch(v));
  }

  fg::served_model model;
  fg::graph g;
  std::map<std::string, std::string> names;
  fg::any_out fed;
  fg::out<float> logits, loss;
  fg::out<std::int32_t> labels;
};

void check_gradients(const std::string& folder, const recorded& r) {
  trainer t(folder);
  const fg::any_out_list variables = t.g.trainable_variables();
  const auto gradients = fg::gradients(t.loss, variables);
  fg::any_out_list dense;
  for (const fg::any_grad& g : gradients) dense.push_back(fg::grad<float>(g).dense());
  const auto values = t.run(dense, r);
  for (std::size_t i = 0; i < variables.size(); ++i) {
    const std::string name = t.names.at(std::string(variables[i].source->name));
    INFO(name);
    const fg::tensor<float> expected = r.floats("gradient/" + name);
    // What is zero but for rounding has no digits to compare.
    CHECK(distance(fg::tensor<float>::from(values[i]).value(), expected) <= tolerance * std::max(largest(expected), 0.01f));
  }
}

template <class Method>
void check_training(const std::string& folder, const recorded& r, const std::string& name, const Method& method) {
  trainer t(folder);
  const fg::target train = method.minimize(t.loss);
  t.model.session().initialize();
  const fg::tensor<float> losses = r.floats("losses/" + name);
  for (int step = 0; step < steps; ++step) {
    INFO(name, " step ", step);
    CHECK(std::abs(t.loss_now(r, {&train, 1}) - losses[static_cast<std::size_t>(step)]) <= tolerance);
  }
  CHECK(std::abs(t.loss_now(r) - losses[steps]) <= tolerance);
  for (const fg::any_out& v : t.g.trainable_variables()) {
    const std::string full = t.names.at(std::string(v.source->name));
    INFO(name, ' ', full);
    const fg::tensor<float> gradient = r.floats("gradient/" + full);
    CHECK(distance(t.value_of(v), r.floats(name + '/' + full), &gradient, 1e-6f) <= tolerance);
  }
}

}  // namespace

TEST_CASE("trained_models: what Keras wrote answers, gives gradients and trains as in TensorFlow") {
  for (const char* name : {"convolution", "lstm", "gru", "attention", "embedding", "all_of_them"})
    for (const char* form : {"export", "saved"}) {
      INFO(std::string(name), " by ", std::string(form));
      const recorded r(name);
      const std::string folder = r.path(form);
      {
        trainer t(folder);
        CHECK(distance(fg::tensor<float>::from(t.run({t.logits}, r)[0]).value(), r.floats("answers")) <= tolerance);
      }
      check_gradients(folder, r);
      check_training(folder, r, "sgd", fg::sgd{.rate = 0.2f});
      check_training(folder, r, "adam", fg::adam{.rate = 0.01f, .epsilon = 1e-7f});
    }
}

TEST_CASE("trained_models: trainable is what the objects mark, and no moving value of a batch norm") {
  const recorded r("convolution");
  for (const char* form : {"export", "saved"}) {
    trainer t(r.path(form));
    CHECK(t.g.variables().size() == 8);
    CHECK(t.g.trainable_variables().size() == 6);
    for (const fg::any_out& v : t.g.trainable_variables())
      CHECK(t.names.at(std::string(v.source->name)).find("moving") == std::string::npos);
  }
}

TEST_CASE("trained_models: a trained model is saved with its marks, and answers as before when it is loaded again") {
  const recorded r("all_of_them");
  trainer t(r.path("saved"));
  const fg::target train = fg::adam{.rate = 0.01f}.minimize(t.loss);
  t.model.session().initialize();
  t.loss_now(r, {&train, 1});
  const test_folder folder;
  fg::save_saved_model(t.model.session(), {{.inputs = {{"words", t.fed}}, .outputs = {{"scores", t.logits}}}},
                       folder.path() + "/model")
      .value();
  const auto before = fg::tensor<float>::from(t.run({t.logits}, r)[0]).value();
  fg::served_model again = fg::load_saved_model(folder.path() + "/model").value();
  const auto answers = again.run({{"words", r.any("x")}});
  CHECK(distance(fg::tensor<float>::from(answers.at("scores")).value(), before) == 0);
  CHECK(again.graph().trainable_variables().size() == 26);
  CHECK(again.graph().variables().size() == 28);
}

TEST_CASE("trained_models: edges of a signature are found by their names, or as the only one") {
  const recorded r("gru");
  fg::served_model model = fg::load_saved_model(r.path("export")).value();
  const auto& entry = model.signatures().front();
  CHECK(model.input<float>(entry.inputs[0].first, entry.name) == model.input<float>({}, entry.name));
  auto step = model.session().prepare(fg::feed(model.input<float>()), fg::fetch(model.output<float>()));
  CHECK(distance(step(r.floats("x")), r.floats("answers")) <= tolerance);
  const auto refused = [](const auto& made, const char* text) {
    REQUIRE(!made);
    CHECK(std::string(made.error().message()).find(text) != std::string::npos);
  };
  refused(model.try_input("pictures"), "signature 'serving_default' has no input 'pictures'; it has '");
  refused(model.try_output("scores", "train"), "the model has no signature 'train'; it has '");
}

#include "clicks.hpp"

#include <flowgraph/core/thread_pool.hpp>
#include <flowgraph/formats/file.hpp>
#include <flowgraph/train/saved_click_model.hpp>

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <memory>
#include <optional>

namespace command {

namespace clicks {

namespace {

constexpr option click_options[] = {
    {"--model", "FOLDER", "the saved model: train writes it, predict and evaluate read it"},
    {"--lines", "FORMAT", "libsvm (label key:value ...) or libffm (label field:key:value ...); as the model needs them"},
    {"--hash-keys", "", "keys are texts, which are hashed"},
    {"--hash-seed", "N", "of the hashes, 0"},
    {"--buckets", "N", "reduce hashes to 0 ... N - 1; without --hash-keys, a key of N or more is malformed; 0: all keys"},
    {"--skip-malformed", "", "skip and count malformed lines, instead of ending with an error"},
    {"--cache", "FILE", "the binary cache of the text; its path with .clicks"},
    {"--no-cache", "", "parse the text in each epoch, in its order"},
    {"--no-shuffle", "", "read the samples in the order of the file"},
    {"--valid", "FILE", "evaluate each epoch on these samples"},
    {"--patience", "N", "stop after N epochs without a smaller loss of --valid, and save the best model; 0: never"},
    {"--epochs", "N", "passes over the samples, 5"},
    {"--batch", "N", "samples of a step, 256; ffm: 32"},
    {"--optimizer", "NAME", "adagrad, ftrl, adam, sgd, momentum, rmsprop or adadelta; adagrad"},
    {"--rate", "R", "learning rate, 0.2 for adagrad; ffm: 0.4, widedeep: 0.05"},
    {"--layer-rate", "R",
     "learning rate of the hidden layers, a tenth of --rate; nfm: a hundredth; widedeep without fields: a fiftieth"},
    {"--screen", "R", "gradients of a row wait until their sum, times the size of a batch, is at least R, 0"},
    {"--factors", "K", "factors of a feature, 8; ffm: for each field, 4"},
    {"--fields", "N", "number of fields; counted in the files"},
    {"--hidden", "64,32", "sizes of the hidden layers; 16, widedeep with fields: 64,32"},
    {"--regression", "", "labels are numbers: minimize the squared error"},
    {"--no-normalize", "", "do not divide the values of a sample by the root of the sum of their squares"},
    {"--l2", "R", "L2 regularization of weights and factors, 0.00002; nfm: 0.00005, widedeep: 0.001"},
    {"--l2-linear", "R", "of the weights alone"},
    {"--l2-factors", "R", "of the factors alone"},
    {"--l2-bias", "R", "of the bias, 0"},
    {"--l2-layers", "R", "of the layers, 0; widedeep: 0.001"},
    {"--seed", "N", "of initial values and orders, 1"},
    {"--initial-scale", "R", "initial values are uniform in [-R, R), 0.02; ffm: 0.1"},
    {"--threads", "N", "threads that compute, 1"},
    {"--without-locks", "", "threads train steps of their own at the same time (Hogwild); results vary"},
    {"--memory-limit", "MB", "of the table"},
    {"--expected-rows", "N", "refuse to begin if so many rows do not fit into --memory-limit"},
    {"--start", "FOLDER", "begin with the parameters of a saved model with the same options"},
    {"--checkpoint", "FOLDER", "save the state there, and continue from it"},
    {"--checkpoint-steps", "N", "steps between checkpoints, 1000"},
    {"--output", "FILE", "predict: write the predictions to a file"},
    {"--quiet", "", "show no progress"},
};

constexpr std::string_view about =
    "train fits a model to the samples of a file, predict writes a prediction per line, and evaluate prints the loss and the "
    "AUC.\n"
    "predict and evaluate use --model, --threads, --quiet and the options for lines and keys; predict also uses --output. The "
    "other options\nbelong to train.\n"
    "FILE is a text in the format of libsvm or libffm, or a cache that an earlier run wrote.\n\n"
    "  flowgraph fm train clicks.txt --model folder --valid more.txt --patience 2\n"
    "  flowgraph fm evaluate test.txt --model folder\n"
    "  flowgraph fm predict test.txt --model folder --output predictions.txt\n";

// Options that have an effect only on texts.
constexpr std::string_view of_texts[] = {"--lines",          "--hash-keys", "--hash-seed", "--buckets",
                                         "--skip-malformed", "--cache",     "--no-cache"};

// Returns whether an option has an effect in an action. An option that is not named here belongs to train.
bool is_used(std::string_view option, std::string_view action) {
  constexpr std::string_view of_all[] = {"--model",   "--lines",          "--hash-keys", "--hash-seed",
                                         "--buckets", "--skip-malformed", "--threads",   "--quiet"};
  if (option == "--output") return action == "predict";
  return action == "train" || std::find(std::begin(of_all), std::end(of_all), option) != std::end(of_all);
}

// Loads the model of --model, which must be of this kind.
class loaded {
public:
  loaded(fg::click_model_kind kind, const arguments& given) {
    const std::string folder = given.text("--model");
    if (folder.empty()) throw failure{bad_usage, "the option --model FOLDER is missing"};
    const std::int64_t threads = given.whole_number("--threads", 1, 1, 1024);
    if (threads > 1) pool_ = std::make_unique<fg::thread_pool>(static_cast<int>(threads));
    model_ = std::make_unique<fg::served_click_model>(take(fg::served_click_model::load(folder, {.pool = pool_.get()})));
    const fg::click_model_kind found = model_->description().options.kind;
    if (found != kind)
      throw failure{bad_usage, "'" + folder + "' is a model of " + std::string(fg::name_of(found)) + ", not of " +
                                   std::string(fg::name_of(kind))};
    reading_ = reading_of(given, model_->description().reading);
  }
  fg::served_click_model& model() { return *model_; }
  samples open(const std::string& path) const { return {path, {reading_, false, {}}}; }

private:
  std::unique_ptr<fg::thread_pool> pool_;
  std::unique_ptr<fg::served_click_model> model_;
  fg::click_options reading_;
};

// Calls use(predictions, batch) for all batches of a file.
template <class F> void for_predictions(fg::click_model_kind kind, const arguments& given, F&& use) {
  loaded from(kind, given);
  const samples file = from.open(given.operands()[1]);
  refuse_options_of_texts(given, file);
  const bool evaluates = given.operands()[0] == "evaluate";
  auto all = file.pass(4096);
  scores so_far(from.model().description().options.regression);
  progress shown(given.operands()[0], file.rows(), given.has("--quiet"));
  fg::click_batch batch;
  while (take(all.next(batch))) {
    const std::vector<float> found = value_for(file.path(), from.model().predict(batch));
    so_far.add(found, batch.labels);
    use(found);
    shown.show(so_far);
  }
  shown.clear();
  const auto position = all.position();
  if (position.skipped > 0)
    std::fprintf(stderr, "%llu malformed lines were skipped\n", static_cast<unsigned long long>(position.skipped));
  if (!evaluates) return;
  if (so_far.count() == 0) throw failure{bad_input, "'" + file.path() + "' contains no samples"};
  so_far.require_finite(file.path(), {});
  std::printf("%llu samples  %s\n", static_cast<unsigned long long>(so_far.count()), so_far.text().c_str());
}

template <fg::click_model_kind kind> exit_code carry_out_clicks(const arguments& given) {
  const std::string& action = given.operands()[0];
  if (action != "train" && action != "predict" && action != "evaluate")
    throw failure{bad_usage, "'" + action + "': expected train, predict or evaluate"};
  for (const option& o : click_options)
    if (given.has(o.name) && !is_used(o.name, action))
      throw failure{bad_usage, std::string(o.name) + " has no effect in " + action};
  return action == "train" ? train(kind, given) : action == "predict" ? predict(kind, given) : evaluate(kind, given);
}

template <fg::click_model_kind kind> constexpr verb verb_of(std::string_view name, std::string_view says) {
  return {name, "train|predict|evaluate FILE", says, 2, 2, about, click_options, carry_out_clicks<kind>};
}

}  // namespace

fg::click_options reading_of(const arguments& given, fg::click_options otherwise) {
  const std::string lines = given.text("--lines");
  if (!lines.empty() && lines != "libsvm" && lines != "libffm")
    throw failure{bad_usage, "--lines " + lines + ": expected libsvm or libffm"};
  if (!lines.empty()) otherwise.format = lines == "libffm" ? fg::click_format::libffm : fg::click_format::libsvm;
  if (given.has("--hash-keys")) otherwise.hash_keys = true;
  const auto number = [&](std::string_view name, std::uint64_t now) {
    return given.has(name) ? static_cast<std::uint64_t>(given.whole_number(name, 0, 0)) : now;
  };
  otherwise.hash_seed = number("--hash-seed", otherwise.hash_seed);
  otherwise.buckets = number("--buckets", otherwise.buckets);
  otherwise.skip_malformed = given.has("--skip-malformed");
  return otherwise;
}

void refuse_options_of_texts(const arguments& given, const samples& from) {
  for (const std::string_view option : of_texts)
    if (from.is_cache() && given.has(option))
      throw failure{bad_usage, std::string(option) + " has no effect on a cache: '" + from.path() +
                                   "' is a cache; use the option with the text from which it was made"};
}

exit_code predict(fg::click_model_kind kind, const arguments& given) {
  std::optional<fg::atomic_file> to;
  if (given.has("--output")) to = take(fg::atomic_file::create(given.text("--output")));
  for_predictions(kind, given, [&](const std::vector<float>& all) {
    std::string text;
    char line[32];
    for (const float x : all) {
      std::snprintf(line, sizeof line, "%.9g\n", static_cast<double>(x));
      text += line;
    }
    if (to) take(to->write(std::as_bytes(std::span(text))));
    else std::fwrite(text.data(), 1, text.size(), stdout);
  });
  if (to) take(to->commit());
  return right;
}

exit_code evaluate(fg::click_model_kind kind, const arguments& given) {
  for_predictions(kind, given, [](const std::vector<float>&) {});
  return right;
}

}  // namespace clicks

const verb fm = clicks::verb_of<fg::click_model_kind::fm>("fm", "trains a factorization machine, and predicts with it");
const verb ffm = clicks::verb_of<fg::click_model_kind::ffm>("ffm", "the same for a field-aware factorization machine");
const verb nfm = clicks::verb_of<fg::click_model_kind::nfm>("nfm", "the same for a neural factorization machine");
const verb widedeep = clicks::verb_of<fg::click_model_kind::wide_deep>("widedeep", "the same for a Wide & Deep model");

}  // namespace command

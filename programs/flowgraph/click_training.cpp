#include "click_batches.hpp"
#include "click_checkpoint.hpp"

#include <flowgraph/train/adagrad.hpp>
#include <flowgraph/train/ftrl.hpp>
#include <flowgraph/train/lazy_adam.hpp>
#include <flowgraph/train/rms_prop.hpp>
#include <flowgraph/train/saved_click_model.hpp>
#include <flowgraph/train/screen_gradients.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <mutex>
#include <optional>
#include <thread>
#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace command::clicks {

namespace {

std::vector<std::int64_t> sizes_of(const std::string& text) {
  std::vector<std::int64_t> made;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    const auto [stop, fault] = std::from_chars(text.data() + at, text.data() + end, made.emplace_back());
    if (fault != std::errc() || stop != text.data() + end || made.back() < 1)
      throw failure{bad_usage, "--hidden " + text + ": expected sizes as in 64,32"};
    at = end + 1;
  }
  return made;
}

// Returns the folder of --model. If the model could not be saved there, ends the verb before it trains.
std::string folder_of(const arguments& given) {
  namespace fs = std::filesystem;
  const std::string folder = given.text("--model");
  if (folder.empty()) throw failure{bad_usage, "the option --model FOLDER is missing"};
  if (const auto able = fg::detail::check_model_folder(folder); !able)
    throw failure{able.error().code() == fg::error_code::invalid_argument ? bad_usage : bad_input, able.error().what()};
  const fs::path above = fs::absolute(*fg::detail::path_of_model(folder)).lexically_normal();
  for (const char* const option : {"--checkpoint", "--cache"}) {
    const fs::path below = fs::absolute(given.text(option, ".")).lexically_normal();
    if (given.has(option) && std::mismatch(above.begin(), above.end(), below.begin(), below.end()).first == above.end())
      throw failure{bad_usage,
                    std::string(option) + " " + given.text(option) + " is in the folder of --model, which is replaced"};
  }
  return folder;
}

samples samples_of(fg::click_model_kind kind, const arguments& given) {
  const bool is_ffm = kind == fg::click_model_kind::ffm;
  const auto reading = reading_of(given, {.format = is_ffm ? fg::click_format::libffm : fg::click_format::libsvm});
  samples made(given.operands()[1], {reading, !given.has("--no-cache"), given.text("--cache")});
  refuse_options_of_texts(given, made);
  if (made.is_cached() && made.rows() == 0) throw failure{bad_input, "'" + made.path() + "' contains no samples"};
  return made;
}

void report_skipped(std::uint64_t lines, const std::string& of = {}) {
  if (lines > 0) std::printf("%llu malformed lines%s were skipped\n", static_cast<unsigned long long>(lines), of.c_str());
}

// Returns the number of fields of the model: those of both files, unless it is given. Reads the validation file, so that a mistake
// in it is found before the first epoch.
std::int64_t fields_of(fg::click_model_kind kind, const arguments& given, const samples& from, const samples* valid) {
  using k = fg::click_model_kind;
  const bool is_given = given.has("--fields");
  std::int64_t fields = given.whole_number("--fields", 0, kind == k::ffm ? 1 : 0, 1 << 20);
  const bool has_fields = is_given ? fields > 0 : from.reading().format == fg::click_format::libffm;
  const bool are_needed = kind == k::ffm || (kind == k::wide_deep && has_fields);
  if (are_needed && !is_given) fields = from.read_all(true).fields;
  if (!valid) return fields;
  const samples::contents found = valid->read_all(are_needed);
  report_skipped(found.skipped, " of '" + valid->path() + "'");
  if (are_needed && is_given && found.fields > fields)
    throw failure{bad_input, "'" + valid->path() + "': a feature has the field " + std::to_string(found.fields - 1) +
                                 ", expected 0 to " + std::to_string(fields - 1)};
  return are_needed ? std::max(fields, found.fields) : fields;
}

fg::click_model_options model_of(fg::click_model_kind kind, const arguments& given, std::int64_t fields) {
  using k = fg::click_model_kind;
  fg::click_model_options o{.kind = kind, .regression = given.has("--regression"), .normalize = !given.has("--no-normalize")};
  const auto strength = [&](std::string_view option, double otherwise) {
    return static_cast<float>(given.number(option, otherwise));
  };
  o.factors = given.whole_number("--factors", kind == k::ffm ? 4 : 8, 1, (1 << 20) - 1);
  const double both = given.number("--l2", kind == k::wide_deep ? 1e-3 : kind == k::nfm ? 5e-5 : 2e-5);
  o.l2_linear = strength("--l2-linear", both);
  o.l2_factors = strength("--l2-factors", both);
  o.l2_bias = strength("--l2-bias", 0);
  o.l2_layers = strength("--l2-layers", kind == k::wide_deep ? 1e-3 : 0);
  o.seed = given.whole_number("--seed", 1, 0);
  o.initial_scale = strength("--initial-scale", kind == k::ffm ? 0.1 : 0.02);
  o.expected_rows = given.whole_number("--expected-rows", 0, 0);
  if (given.has("--memory-limit")) o.memory_limit = given.whole_number("--memory-limit", 0, 1, 1 << 30) << 20;
  o.without_locks = given.has("--without-locks");
  o.fields = fields;
  if (kind == k::nfm || (kind == k::wide_deep && o.fields == 0)) o.hidden = {16};
  if (given.has("--hidden")) o.hidden = sizes_of(given.text("--hidden"));
  return o;
}

struct rates {
  float all, layers;
  float screen;  // smaller gradients wait; 0: none
};

struct trained_update {
  fg::target run;
  std::vector<fg::sparse_table<float>> waiting;  // gradients that --screen holds back
};

// Returns an update that trains the layers with a separate rate. `make` returns an optimizer with the given rate.
template <class Make>
trained_update minimized(const fg::graph& g, const fg::click_model& model, const Make& make, const rates& by) {
  // Without layers and screening, the optimizer may compute the gradients of the rows while it updates them.
  if (by.screen <= 0 && model.layers.empty()) return {make(by.all).minimize(model.objective), {}};
  fg::trained_list<float> list = make(by.all).gradients(model.objective), layers, others;
  std::vector<fg::target> updates;
  trained_update made;
  if (by.screen > 0) {
    const auto screened = fg::screen_gradients(list, {.threshold = by.screen});
    list = screened.list;
    updates.push_back(screened.feedback);
    made.waiting = screened.waiting;
  }
  for (const fg::trained<float>& t : list) {
    const bool is_of_layer = std::any_of(model.layers.begin(), model.layers.end(),
                                         [&](const auto& layer) { return fg::any_out(layer) == fg::any_out(t.variable); });
    (is_of_layer ? layers : others).push_back(t);
  }
  updates.push_back(make(by.all).apply(others));
  if (!layers.empty()) updates.push_back(make(by.layers).apply(layers));
  made.run = fg::group(g, updates);
  return made;
}

double adagrad_rate(fg::click_model_kind kind) {
  switch (kind) {
    case fg::click_model_kind::fm: return 0.2;
    case fg::click_model_kind::ffm: return 0.4;
    case fg::click_model_kind::nfm: return 0.2;
    case fg::click_model_kind::wide_deep: return 0.05;
  }
  return 0.1;
}

// The rate of the layers, as a part of the rate of the rows.
double layer_rate_of(const fg::click_model_options& o) {
  // The layers of nfm are initialized to return the prediction of fm. A small rate keeps them near to it.
  if (o.kind == fg::click_model_kind::nfm) return 0.01;
  // Layers that read a single vector overfit sooner than those that read one for each field.
  return o.fields == 0 ? 0.02 : 0.1;
}

trained_update optimizer_of(const arguments& given, const fg::graph& g, const fg::click_model& model, std::size_t batch) {
  const std::string name = given.text("--optimizer", "adagrad");
  const double layer_part = layer_rate_of(model.options);
  const double of_adagrad = adagrad_rate(model.options.kind);
  const auto by = [&](double otherwise, const auto& make) {
    const double rate = given.number("--rate", otherwise);
    const double layer_rate = given.number("--layer-rate", rate * layer_part);
    const double screen = given.number("--screen", 0) / static_cast<double>(batch);
    return minimized(g, model, make, {static_cast<float>(rate), static_cast<float>(layer_rate), static_cast<float>(screen)});
  };
  // The gradients of a mean over a batch are small: this initial sum is 1 for the gradients of single samples.
  const auto begin = 1 / (static_cast<float>(batch) * static_cast<float>(batch));
  if (name == "adagrad") return by(of_adagrad, [&](float r) { return fg::adagrad{.rate = r, .initial_accumulator = begin}; });
  if (name == "ftrl") return by(0.1, [&](float r) { return fg::ftrl{.rate = r, .initial_accumulator = begin}; });
  if (name == "adam") return by(0.001, [](float r) { return fg::lazy_adam{.rate = r}; });
  if (name == "sgd") return by(1, [](float r) { return fg::sgd{.rate = r}; });
  if (name == "momentum") return by(0.1, [](float r) { return fg::momentum{.rate = r}; });
  if (name == "rmsprop") return by(0.001, [](float r) { return fg::rms_prop{.rate = r}; });
  if (name == "adadelta") return by(1, [](float r) { return fg::adadelta{.rate = r}; });
  throw failure{bad_usage, "--optimizer " + name + ": expected adagrad, ftrl, adam, sgd, momentum, rmsprop or adadelta"};
}

// The training of a model: passes over the samples, each followed by an evaluation.
class training {
public:
  training(fg::click_model_kind kind, const arguments& given);
  void run();

private:
  void pass();
  bool read(fg::click_stream& from, prepared_batch& to);
  void work(fg::click_stream& from, scores& total, progress& shown);
  // Returns whether training should go on.
  bool evaluate_pass(const std::string& line);
  void save();

  const arguments& given_;
  const std::string folder_;
  const std::size_t batch_;
  const std::int64_t epochs_, patience_, threads_;
  const bool is_quiet_;
  const samples from_;
  std::unique_ptr<fg::thread_pool> pool_;
  fg::graph graph_;
  fg::click_model model_;
  fg::target update_;
  std::unique_ptr<fg::session> session_;
  std::optional<samples> valid_;
  checkpoints kept_;
  training_place at_;
  bool has_passed_ = false;
  std::mutex mutex_;  // the stream, the scores and the place
  bool reads_ahead() const { return threads_ > 1 && !model_.options.without_locks; }
};

training::training(fg::click_model_kind kind, const arguments& given)
    : given_(given), folder_(folder_of(given)),
      // ffm has many numbers per row: the rows of 32 samples fit into the caches of a processor.
      batch_(static_cast<std::size_t>(given.whole_number("--batch", kind == fg::click_model_kind::ffm ? 32 : 256, 1, 1 << 20))),
      epochs_(given.whole_number("--epochs", 5, 1)), patience_(given.whole_number("--patience", 0, 0)),
      threads_(given.whole_number("--threads", 1, 1, 1024)), is_quiet_(given.has("--quiet")), from_(samples_of(kind, given)),
      kept_(given.text("--checkpoint"), given.whole_number("--checkpoint-steps", 1000, 1), from_.description()) {
  if (patience_ > 0 && !given.has("--valid")) throw failure{bad_usage, "--patience needs --valid FILE"};
  if (given.has("--without-locks") && kept_.are_on()) throw failure{bad_usage, "--checkpoint needs a run with locks"};
  if (given.has("--valid")) valid_.emplace(given.text("--valid"), samples::options{from_.reading(), false, {}});
  report_skipped(from_.skipped());
  model_ = fg::click_model(graph_, model_of(kind, given, fields_of(kind, given, from_, valid_ ? &*valid_ : nullptr)));
  const trained_update update = optimizer_of(given, graph_, model_, batch_);
  update_ = update.run;
  for (const auto& table : update.waiting) kept_.add(model_, table);
  // A step is short, so its threads look for work for a while before they sleep.
  if (reads_ahead()) pool_ = std::make_unique<fg::thread_pool>(static_cast<int>(threads_), std::chrono::microseconds(50));
  session_ = std::make_unique<fg::session>(graph_, fg::session_options{.pool = pool_.get()});
}

// Makes malloc keep the memory that a step frees for the next step, instead of returning it to the system.
void keep_freed_memory() {
#ifdef __GLIBC__
  mallopt(M_MMAP_THRESHOLD, 256 << 20);
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
#endif
}

void training::run() {
  keep_freed_memory();
  value_of(session_->try_initialize());
  const std::string start = given_.text("--start");
  if (kept_.restore(*session_, model_, at_)) {
    std::printf("continues in epoch %lld after %llu steps\n", static_cast<long long>(at_.epoch + 1),
                static_cast<unsigned long long>(at_.steps));
  } else if (!start.empty()) {
    description_for(model_, start);
    take(fg::load_click_model(*session_, model_, start));
  }
  for (; at_.epoch < epochs_ && !at_.is_finished; ++at_.epoch, at_.position = {}) pass();
  // With a validation file the best model is already saved.
  if (patience_ == 0) save();
  std::printf("saved %s\n", folder_.c_str());
}

void training::pass() {
  const std::string name = "epoch " + std::to_string(at_.epoch + 1);
  const bool is_shuffled = from_.is_cached() && !given_.has("--no-shuffle");
  const auto seed = static_cast<std::uint64_t>(model_.options.seed + at_.epoch + 1);
  // The tasks that prepare batches also read them.
  auto from = from_.pass(batch_, {.seed = is_shuffled && at_.position == fg::click_position() ? seed : 0,
                                  .from = at_.position,
                                  .has_thread = !reads_ahead()});
  scores total(model_.options.regression);
  progress shown(name, from_.rows(), is_quiet_);
  if (model_.options.without_locks && threads_ > 1) {
    std::vector<std::thread> all;
    std::exception_ptr why;
    for (std::int64_t i = 0; i < threads_; ++i)
      all.emplace_back([&] {
        try {
          work(from, total, shown);
        } catch (...) {
          const std::lock_guard lock(mutex_);
          why = std::current_exception();
        }
      });
    for (std::thread& t : all) t.join();
    if (why) std::rethrow_exception(why);
  } else {
    work(from, total, shown);
  }
  shown.clear();
  // A cache reported them before.
  if (!has_passed_ && !from_.is_cached()) report_skipped(from.position().skipped);
  has_passed_ = true;
  if (total.count() == 0 && at_.steps == 0) throw failure{bad_input, "'" + from_.path() + "' contains no samples"};
  char text[160];
  if (total.count() == 0) std::snprintf(text, sizeof text, "%s  ended at the checkpoint", name.c_str());
  else
    std::snprintf(text, sizeof text, "%s  %s  %.0f k samples/s", name.c_str(), total.text().c_str(),
                  shown.rate(total.count()) / 1000);
  at_.is_finished = !evaluate_pass(text);
}

bool training::read(fg::click_stream& from, prepared_batch& to) {
  {
    const std::lock_guard lock(mutex_);
    if (!take(from.next(to.batch))) return false;
    to.position = from.position();
  }
  to.feeds = value_for(from_.path(), model_.feeds(to.batch));
  return true;
}

void training::work(fg::click_stream& from, scores& total, progress& shown) {
  prepared_batch own;
  std::vector<float> logits;
  std::optional<batches_ahead> ahead;
  if (reads_ahead())
    ahead.emplace(
        *pool_,
        [&](prepared_batch& to) {
          if (!read(from, to)) return false;
          value_of(model_.prepare(*session_, to.feeds));
          return true;
        },
        kept_.are_on() ? 1 : batches_ahead::most);
  const auto next = [&] { return ahead ? ahead->next() : read(from, own) ? &own : nullptr; };
  while (const prepared_batch* const now = next()) {
    const float loss = value_of(model_.step(*session_, update_, now->feeds, &logits));
    if (!std::isfinite(loss)) throw failure{failed_run, "the loss is not finite; try a smaller --rate"};
    // A checkpoint also contains the rows of the next batch. The wait makes its contents independent of the time.
    if (ahead && kept_.are_on()) ahead->wait();
    const std::lock_guard lock(mutex_);
    total.add(logits, now->batch.labels, static_cast<double>(loss) * static_cast<double>(now->batch.rows()));
    shown.show(total);
    ++at_.steps;
    at_.position = now->position;
    kept_.save_if_due(*session_, model_, at_);
  }
}

scores evaluate_samples(const fg::click_model& model, fg::session& s, const samples& from, bool is_quiet) {
  auto all = from.pass(4096);
  scores total(model.options.regression);
  progress shown("evaluation", from.rows(), is_quiet);
  fg::click_batch batch;
  while (take(all.next(batch))) {
    total.add(value_for(from.path(), model.predict(s, batch)), batch.labels);
    shown.show(total);
  }
  return total;
}

bool training::evaluate_pass(const std::string& line) {
  if (!valid_) {
    std::printf("%s\n", line.c_str());
    std::fflush(stdout);
    return true;
  }
  const scores found = evaluate_samples(model_, *session_, *valid_, is_quiet_);
  found.require_finite(valid_->path(), "; try a smaller --rate");
  std::printf("%s  validation: %s\n", line.c_str(), found.text().c_str());
  std::fflush(stdout);
  if (patience_ == 0) return true;
  if (at_.best_loss < 0 || found.loss() < at_.best_loss) {
    at_.best_loss = found.loss();
    at_.without_gain = 0;
    save();
    return true;
  }
  if (++at_.without_gain < patience_) return true;
  std::printf("stops early: %lld epochs without a smaller loss\n", static_cast<long long>(at_.without_gain));
  return false;
}

void training::save() { value_of(fg::save_click_model(*session_, model_, folder_, {.reading = from_.reading()})); }

}  // namespace

exit_code train(fg::click_model_kind kind, const arguments& given) {
  training(kind, given).run();
  return right;
}

}  // namespace command::clicks

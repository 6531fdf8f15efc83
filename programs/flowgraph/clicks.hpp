#pragma once
// Parts of the verbs that train models of clicks: their files and their scores.

#include "command.hpp"

#include <flowgraph/formats/click_stream.hpp>
#include <flowgraph/train/click_models.hpp>

#include <chrono>
#include <string>
#include <vector>

namespace command::clicks {

// Ends the verb with an error of a run: 3 for a wrong content of files, 4 otherwise.
[[noreturn]] void end_with(const fg::error& why);
template <class T> T value_of(fg::result<T> made) {
  if (!made) end_with(made.error());
  if constexpr (!std::is_void_v<T>) return *std::move(made);
}

// Returns the value. An error about the samples of a file names the file.
template <class T> T value_for(const std::string& path, fg::result<T> made) {
  if (!made && made.error().code() == fg::error_code::invalid_argument)
    throw failure{bad_input, "'" + path + "': " + std::string(made.error().message())};
  return value_of(std::move(made));
}

// The samples of a file: a cache, a text with a cache, or a text that is parsed in each pass.
class samples {
public:
  struct options {
    fg::click_options reading;
    bool uses_cache = false;  // a text is read once into a cache
    std::string cache = {};   // the path of the cache; empty: that of the text with ".clicks" appended
  };
  samples(std::string path, const options& o);

  struct pass_options {
    std::uint64_t seed = 0;        // not 0: shuffles the samples; only caches can be shuffled
    fg::click_position from = {};  // where the pass begins
    bool has_thread = true;        // a thread of the pass reads ahead
  };
  // Begins a pass.
  fg::click_stream pass(std::size_t batch, const pass_options& o) const;
  fg::click_stream pass(std::size_t batch) const { return pass(batch, {}); }
  const std::string& path() const { return path_; }
  bool is_cached() const { return !cache_.empty(); }
  // Returns whether the file itself is a cache. Its keys are those of a text that is not known.
  bool is_cache() const { return is_cached() && cache_ == path_; }
  // Returns how lines are read. The format is that of the cache, if the file is a cache.
  const fg::click_options& reading() const { return reading_; }
  // Returns "a text of 120 bytes" or "a cache of 120 bytes": the meaning of positions in the samples.
  std::string description() const;
  // Returns the number of samples; 0 if it is not known.
  std::uint64_t rows() const { return rows_; }
  // Returns the number of malformed lines that were skipped when the cache was written.
  std::uint64_t skipped() const { return skipped_; }

  struct contents {
    std::uint64_t rows = 0, skipped = 0;
    std::int64_t fields = 0;  // the largest field + 1
  };
  // Reads all samples. A malformed line ends the verb, and so does a file without samples, or without fields if they are needed.
  contents read_all(bool needs_fields) const;

private:
  std::string path_, cache_;
  fg::click_options reading_;
  std::uint64_t rows_ = 0, skipped_ = 0;
};

// The quality of predictions.
class scores {
public:
  explicit scores(bool is_regression) : is_regression_(is_regression) {}

  // Adds samples by their logits. `loss` is the sum of their losses.
  void add(const std::vector<float>& logits, const std::vector<float>& labels, double loss);
  // Adds samples by their predictions, and computes their losses.
  void add(const std::vector<float>& predictions, const std::vector<float>& labels);
  std::uint64_t count() const { return count_; }
  // Ends the verb if the loss is not finite, with the path of the samples and advice.
  void require_finite(const std::string& path, std::string_view advice) const;
  // Returns the mean logistic loss, or the mean squared error.
  double loss() const { return count_ ? loss_ / static_cast<double>(count_) : 0; }
  // Returns the area under the ROC curve, by counts of 65536 ranges of logits; NaN if all labels are equal.
  double auc() const;
  // Returns "loss 0.5362  AUC 0.7321", or "RMSE 0.5362".
  std::string text() const;

private:
  static constexpr std::size_t ranges = 65536;
  static std::size_t range_of(double logit);

  bool is_regression_;
  std::uint64_t count_ = 0;
  double loss_ = 0;
  std::vector<std::uint64_t> clicked_ = std::vector<std::uint64_t>(ranges), passed_ = std::vector<std::uint64_t>(ranges);
};

// A line on standard error that shows how far a pass is, twice a second, if standard error is a terminal.
class progress {
public:
  progress(std::string what, std::uint64_t rows, bool is_quiet);
  ~progress() { clear(); }
  progress(const progress&) = delete;
  progress& operator=(const progress&) = delete;

  void show(const scores& so_far);
  void clear();
  // Returns the samples per second since the pass began.
  double rate(std::uint64_t rows) const;

private:
  using clock = std::chrono::steady_clock;

  std::string what_;
  std::uint64_t rows_;
  bool is_shown_;
  std::size_t width_ = 0;
  clock::time_point begin_ = clock::now(), last_ = clock::now();
};

exit_code train(fg::click_model_kind kind, const arguments& given);
exit_code predict(fg::click_model_kind kind, const arguments& given);
exit_code evaluate(fg::click_model_kind kind, const arguments& given);

// Returns how lines are read: by the options, otherwise as `otherwise`.
fg::click_options reading_of(const arguments& given, fg::click_options otherwise);
// Ends the verb if the file is a cache, and an option is given that has an effect only on texts.
void refuse_options_of_texts(const arguments& given, const samples& from);

}  // namespace command::clicks

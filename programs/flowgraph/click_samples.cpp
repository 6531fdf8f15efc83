#include "clicks.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <limits>
#if __has_include(<unistd.h>)
#include <unistd.h>
#endif

namespace command::clicks {

namespace {

bool is_terminal() {
#if __has_include(<unistd.h>)
  return isatty(2) != 0;
#else
  return false;
#endif
}

}  // namespace

void end_with(const fg::error& why) {
  const bool is_of_file = why.code() == fg::error_code::data_loss || why.code() == fg::error_code::not_found ||
                          why.code() == fg::error_code::unavailable || why.code() == fg::error_code::already_exists;
  throw failure{is_of_file ? bad_input : failed_run, why.what()};
}

namespace {

// Returns the value. If a line is malformed, the error also names the options for the format of lines.
template <class T> T read_as(const fg::click_options& o, fg::result<T> made) {
  if (made) return *std::move(made);
  std::string hint;
  if (made.error().code() == fg::error_code::invalid_argument && o.format == fg::click_format::libsvm) hint += " --lines libffm";
  if (made.error().code() == fg::error_code::invalid_argument && !o.hash_keys) hint += " --hash-keys";
  throw failure{bad_input, made.error().what() + (hint.empty() ? "" : "\nOptions for other lines:" + hint)};
}

}  // namespace

samples::samples(std::string path, const options& o) : path_(std::move(path)), reading_(o.reading) {
  char begin[8] = {};
  {
    auto from = take(fg::byte_stream::open(path_));
    const std::size_t got = take(from.read(std::as_writable_bytes(std::span(begin))));
    if (got == sizeof begin && std::string_view(begin, sizeof begin) == "FGCLICKS") cache_ = path_;
  }
  if (cache_.empty() && !o.uses_cache) return;
  if (cache_.empty()) cache_ = o.cache.empty() ? path_ + ".clicks" : o.cache;
  const fg::click_cache_reader from = cache_ == path_ ? take(fg::click_cache_reader::open(cache_))
                                                      : read_as(reading_, fg::open_clicks(path_, reading_, {.path = cache_}));
  rows_ = from.rows();
  skipped_ = from.skipped();
  if (is_cache()) reading_.format = from.has_fields() ? fg::click_format::libffm : fg::click_format::libsvm;
}

std::string samples::description() const {
  std::error_code none;
  const auto bytes = std::filesystem::file_size(is_cached() ? cache_ : path_, none);
  return (is_cached() ? "a cache of " : "a text of ") + std::to_string(bytes) + " bytes";
}

fg::click_stream samples::pass(std::size_t batch, const pass_options& o) const {
  // Several small batches at a time, so that threads seldom wait for each other.
  const std::size_t ahead = !o.has_thread ? 0 : batch <= 1024 ? 8 : 2;
  const fg::click_stream_options how{.rows = batch, .ahead = ahead, .seed = o.seed, .from = o.from};
  if (is_cached()) return {take(fg::click_cache_reader::open(cache_)), how};
  return {take(fg::click_reader::open(path_, reading_)), how};
}

samples::contents samples::read_all(bool needs_fields) const {
  auto all = pass(8192);
  fg::click_batch batch;
  contents found;
  while (read_as(reading_, all.next(batch))) {
    if (needs_fields && batch.fields.size() != batch.keys.size())
      throw failure{bad_input, "'" + path_ + "' has no fields; the model needs " +
                                   (is_cache() ? "a cache of a text in the format of libffm" : "--lines libffm")};
    found.rows += batch.rows();
    for (const std::int32_t field : batch.fields) found.fields = std::max<std::int64_t>(found.fields, std::int64_t{field} + 1);
  }
  if (found.rows == 0) throw failure{bad_input, "'" + path_ + "' contains no samples"};
  found.skipped = is_cached() ? skipped_ : all.position().skipped;
  return found;
}

std::size_t scores::range_of(double logit) {
  // The condition is false for a logit that is not a number.
  const double inside = logit > -15.99 ? std::min(logit, 15.99) : -15.99;
  return static_cast<std::size_t>((inside + 16) / 32 * static_cast<double>(ranges));
}

void scores::require_finite(const std::string& path, std::string_view advice) const {
  if (!std::isfinite(loss_)) throw failure{failed_run, "'" + path + "': the loss is not finite" + std::string(advice)};
}

void scores::add(const std::vector<float>& logits, const std::vector<float>& labels, double loss) {
  count_ += labels.size();
  loss_ += loss;
  if (is_regression_) return;
  for (std::size_t i = 0; i < labels.size(); ++i)
    ++(labels[i] > 0 ? clicked_ : passed_)[range_of(static_cast<double>(logits[i]))];
}

void scores::add(const std::vector<float>& predictions, const std::vector<float>& labels) {
  count_ += labels.size();
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const double p = static_cast<double>(predictions[i]);
    if (is_regression_) {
      const double miss = p - static_cast<double>(labels[i]);
      loss_ += miss * miss;
    } else {
      const double inside = std::clamp(p, 1e-7, 1 - 1e-7);
      loss_ -= labels[i] > 0 ? std::log(inside) : std::log1p(-inside);
      ++(labels[i] > 0 ? clicked_ : passed_)[range_of(std::log(inside) - std::log1p(-inside))];
    }
  }
}

double scores::auc() const {
  double clicked = 0, passed = 0, pairs = 0;
  for (std::size_t i = 0; i < ranges; ++i) {
    const auto up = static_cast<double>(clicked_[i]), down = static_cast<double>(passed_[i]);
    pairs += up * (passed + down / 2);
    clicked += up;
    passed += down;
  }
  return clicked > 0 && passed > 0 ? pairs / (clicked * passed) : std::numeric_limits<double>::quiet_NaN();
}

std::string scores::text() const {
  char made[64];
  if (is_regression_) std::snprintf(made, sizeof made, "RMSE %.5f", std::sqrt(loss()));
  else std::snprintf(made, sizeof made, "loss %.5f  AUC %.4f", loss(), auc());
  return made;
}

progress::progress(std::string what, std::uint64_t rows, bool is_quiet)
    : what_(std::move(what)), rows_(rows), is_shown_(!is_quiet && is_terminal()) {}

double progress::rate(std::uint64_t rows) const {
  const double seconds = std::chrono::duration<double>(clock::now() - begin_).count();
  return seconds > 0 ? static_cast<double>(rows) / seconds : 0;
}

void progress::show(const scores& so_far) {
  if (!is_shown_ || clock::now() - last_ < std::chrono::milliseconds(500)) return;
  last_ = clock::now();
  const double now = rate(so_far.count());
  char text[200];
  int n = std::snprintf(text, sizeof text, "%s  %.0f k samples/s  %s", what_.c_str(), now / 1000, so_far.text().c_str());
  if (rows_ > so_far.count() && now > 0 && n > 0 && n < 160)
    n += std::snprintf(text + n, sizeof text - static_cast<std::size_t>(n), "  %.0f%%  %.0f s left",
                       100 * static_cast<double>(so_far.count()) / static_cast<double>(rows_),
                       static_cast<double>(rows_ - so_far.count()) / now);
  std::string line(text);
  const std::size_t length = line.size();
  if (line.size() < width_) line.resize(width_, ' ');
  width_ = length;
  std::fprintf(stderr, "\r%s", line.c_str());
}

void progress::clear() {
  if (width_ > 0) std::fprintf(stderr, "\r%s\r", std::string(width_, ' ').c_str());
  width_ = 0;
}

}  // namespace command::clicks

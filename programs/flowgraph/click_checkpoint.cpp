#include "click_checkpoint.hpp"

#include <flowgraph/formats/file.hpp>
#include <flowgraph/train/saved_click_model.hpp>
#include <flowgraph/train/weights.hpp>

#include <charconv>
#include <cstdio>
#include <filesystem>

namespace command::clicks {

namespace {

namespace fs = std::filesystem;

std::map<std::string, std::string> texts_of(const training_place& at, const std::string& from) {
  char loss[32];
  std::snprintf(loss, sizeof loss, "%.17g", at.best_loss);
  return {{"samples", from},
          {"epoch", std::to_string(at.epoch)},
          {"steps", std::to_string(at.steps)},
          {"position_at", std::to_string(at.position.at)},
          {"position_row", std::to_string(at.position.row)},
          {"position_skipped", std::to_string(at.position.skipped)},
          {"position_seed", std::to_string(at.position.seed)},
          {"best_loss", loss},
          {"without_gain", std::to_string(at.without_gain)}};
}

bool is_number(const std::string& name) { return !name.empty() && name.find_first_not_of("0123456789") == std::string::npos; }

// Returns whether this program has made a folder as the checkpoint of this number of steps, with all its contents.
bool is_checkpoint(const fs::path& path) {
  std::error_code why;
  if (!is_number(path.filename().string()) || !fs::is_directory(path, why)) return false;
  const auto found = fg::describe_click_model((path / "model").string());
  if (!found || !found->texts.contains("samples") || !found->texts.contains("steps")) return false;
  if (found->texts.at("steps") != path.filename().string()) return false;
  for (fs::directory_iterator at(path, why), end; !why && at != end; at.increment(why)) {
    const std::string name = at->path().filename().string();
    if (name != "model" && !name.starts_with("model.") && !name.starts_with("variables.safetensors") &&
        !name.starts_with("waiting-"))
      return false;
  }
  return !why;
}

training_place place_of(const std::map<std::string, std::string>& texts, const std::string& from, const std::string& folder) {
  const auto text = [&](const char* name) -> const std::string& {
    const auto found = texts.find(name);
    if (found == texts.end())
      throw failure{bad_input, "'" + folder + "' is not a checkpoint of a training: " + name + " is missing"};
    return found->second;
  };
  const auto number = [&](const char* name, auto& to) {
    const std::string& value = text(name);
    const char* const end = value.data() + value.size();
    if (const auto [stop, fault] = std::from_chars(value.data(), end, to); fault != std::errc() || stop != end)
      throw failure{bad_input, "'" + folder + "': " + name + " is '" + value + "', expected a number"};
  };
  if (text("samples") != from)
    throw failure{bad_input, "'" + folder + "' is a checkpoint of a training with " + text("samples") + ", found " + from +
                                 ": use the file and the options of that training"};
  training_place made;
  number("epoch", made.epoch);
  number("steps", made.steps);
  number("position_at", made.position.at);
  number("position_row", made.position.row);
  number("position_skipped", made.position.skipped);
  number("position_seed", made.position.seed);
  number("best_loss", made.best_loss);
  number("without_gain", made.without_gain);
  return made;
}

std::string other_file(const std::string& folder, std::size_t i) {
  return folder + "/waiting-" + std::to_string(i) + ".safetensors";
}

void run_with_file(fg::session& s, const fg::click_model& m, const fg::target& what, const std::string& path) {
  value_of(s.try_run(what, {{m.file, fg::tensor<std::string>(path)}}));
}

}  // namespace

fg::click_model_description description_for(const fg::click_model& m, const std::string& folder) {
  auto found = take(fg::describe_click_model(folder));
  const auto &o = found.options, &mine = m.options;
  if (o.kind != mine.kind || o.regression != mine.regression || o.normalize != mine.normalize || o.factors != mine.factors ||
      o.fields != mine.fields || o.hidden != mine.hidden || o.seed != mine.seed || o.initial_scale != mine.initial_scale)
    throw failure{bad_input, "'" + folder + "' contains another model: use the options of that model"};
  return found;
}

bool checkpoints::restore(fg::session& s, const fg::click_model& m, training_place& at) const {
  std::error_code none;
  if (are_on() && fs::exists(folder_, none) && !fs::is_directory(folder_, none))
    throw failure{bad_input, "'" + folder_ + "' is not a folder, so it cannot contain checkpoints"};
  if (!are_on() || !fs::exists(folder_ + "/latest", none)) return false;
  const std::string name = take(fg::read_file(folder_ + "/latest"));
  if (!is_number(name)) throw failure{bad_input, "'" + folder_ + "/latest' does not name a checkpoint"};
  const std::string from = folder_ + "/" + name;
  const auto found = description_for(m, from + "/model");
  at = place_of(found.texts, from_, from);
  take(fg::load_click_model(s, m, from + "/model"));
  const fg::weights_report report = take(fg::load_variables(s, from + "/variables.safetensors"));
  if (!report.is_complete()) throw failure{bad_input, "'" + from + "': " + fg::to_string(report)};
  for (std::size_t i = 0; i < others_.size(); ++i) run_with_file(s, m, others_[i].restore, other_file(from, i));
  return true;
}

void checkpoints::save(fg::session& s, const fg::click_model& m, const training_place& at) const {
  const std::string name = std::to_string(at.steps), made = folder_ + "/" + name;
  std::error_code why;
  fs::create_directories(made, why);
  if (why) throw failure{bad_input, "'" + made + "': the folder cannot be made: " + why.message()};
  value_of(fg::save_click_model(s, m, made + "/model", {.texts = texts_of(at, from_)}));
  value_of(fg::save_variables(s, made + "/variables.safetensors"));
  for (std::size_t i = 0; i < others_.size(); ++i) run_with_file(s, m, others_[i].save, other_file(made, i));
  auto latest = take(fg::atomic_file::create(folder_ + "/latest"));
  take(latest.write(std::as_bytes(std::span(name))));
  take(latest.commit());
  std::vector<fs::path> older;
  for (fs::directory_iterator other(folder_, why), end; !why && other != end; other.increment(why))
    if (other->path().filename() != name && is_checkpoint(other->path())) older.push_back(other->path());
  for (const fs::path& path : older) fs::remove_all(path, why);
}

}  // namespace command::clicks

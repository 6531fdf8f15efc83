#pragma once

#include <flowgraph/train/saved_click_model.hpp>

#include <charconv>
#include <iterator>
#include <filesystem>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

inline constexpr std::string_view click_model_format = "flowgraph click model 1";

inline std::string joined_numbers(const std::vector<std::int64_t>& all) {
  std::string text;
  for (const std::int64_t n : all) text += (text.empty() ? "" : ",") + std::to_string(n);
  return text;
}

// Reads the numbers and texts of a description. Keeps the first error.
class description_reader {
public:
  description_reader(const std::string& path, const std::map<std::string, std::string>& texts) : path_(path), texts_(texts) {}

  error why;

  std::string text(const std::string& name) {
    const auto found = texts_.find(name);
    if (found != texts_.end()) return found->second;
    refuse(name, "is missing");
    return {};
  }
  template <class T> void number(const std::string& name, T& to) {
    const std::string from = text(name);
    if (!why) parse(name, from, to);
  }
  void numbers(const std::string& name, std::vector<std::int64_t>& to) {
    const std::string from = text(name);
    to.clear();
    for (std::size_t at = 0; at < from.size() && !why;) {
      const std::size_t end = std::min(from.find(',', at), from.size());
      parse(name, from.substr(at, end - at), to.emplace_back());
      at = end + 1;
    }
  }
  template <class T> void choice(const std::string& name, std::initializer_list<std::pair<std::string_view, T>> all, T& to) {
    const std::string from = text(name);
    for (const auto& [word, meant] : all)
      if (from == word) {
        to = meant;
        return;
      }
    refuse(name, "is '" + from + "'");
  }

private:
  template <class T> void parse(const std::string& name, const std::string& from, T& to) {
    const auto [end, fault] = std::from_chars(from.data(), from.data() + from.size(), to);
    if (fault != std::errc() || end != from.data() + from.size()) refuse(name, "is '" + from + "', expected a number");
  }
  void refuse(const std::string& name, const std::string& what) {
    if (!why) why = error(error_code::data_loss, message{"'", path_, "': the description of the model: ", name, " ", what});
  }

  const std::string& path_;
  const std::map<std::string, std::string>& texts_;
};

inline error no_folder(const std::string& path, const std::error_code& why) {
  return error(error_code::unavailable, message{"'", path, "': the folder cannot be written: ", why.message()});
}

// Returns the path of a model's folder, without separators at its end.
inline result<std::string> path_of_model(const std::string& folder) {
  std::filesystem::path result(folder);
  while (!result.has_filename() && result.has_relative_path()) result = result.parent_path();
  if (!result.has_filename() || result.filename() == "." || result.filename() == "..")
    return invalid_argument({"'", folder, "' cannot be the folder of a model; expected a name, as in 'models/first'"});
  return result.string();
}

// Returns whether a file of a saved model has this name, or had it while the model was written.
inline bool is_file_of_model(const std::string& name) {
  for (const std::string_view file : {"model.safetensors", "rows.safetensors"})
    if (name == file || (name.starts_with(file) && name.ends_with(".partial"))) return true;
  return false;
}

// Returns an error if the path exists and is not a saved model, a part of one, or an empty folder: it must not be removed.
inline error refusal_to_replace(const std::string& path) {
  namespace fs = std::filesystem;
  const auto refused = [&](const std::string& reason) {
    return error(error_code::already_exists, message{"'", path, "' exists and is not a model of clicks: ", reason});
  };
  std::error_code why;
  if (fs::symlink_status(path, why).type() == fs::file_type::not_found) return {};
  if (!fs::is_directory(path, why)) return refused("expected a folder, found a file");
  for (fs::directory_iterator at(path, why), end; !why && at != end; at.increment(why))
    if (const std::string name = at->path().filename().string(); !is_file_of_model(name))
      return refused("expected model.safetensors and rows.safetensors, found '" + name + "'");
  if (why) return no_folder(path, why);
  const std::string described = path + "/model.safetensors";
  if (!fs::exists(described, why)) return {};
  const auto from = safetensors::open(described);
  if (!from) return refused(std::string(from.error().message()));
  const auto found = from->metadata().find("format");
  const std::string format = found == from->metadata().end() ? std::string() : found->second;
  if (format.starts_with("flowgraph click model ")) return {};
  return refused("model.safetensors has the format '" + format + "', expected '" + std::string(click_model_format) + "'");
}

// Returns an error if `save_click_model` would not replace the path of a model, or the paths that it uses meanwhile.
inline error refusal_to_save(const std::string& path) {
  for (const char* const end : {"", ".new", ".old"})
    if (error why = refusal_to_replace(path + end)) return why;
  return {};
}

// Returns an error if `save_click_model` could not write the folder, so that a program can refuse it before a long training. Creates
// the folders above it.
inline result<void> check_model_folder(const std::string& folder) {
  namespace fs = std::filesystem;
  const auto path = path_of_model(folder);
  if (!path) return path.error();
  if (error why = refusal_to_save(*path)) return why;
  std::error_code why;
  if (const fs::path above = fs::path(*path).parent_path(); !above.empty()) fs::create_directories(above, why);
  if (const std::string tried = *path + ".new"; !why && fs::create_directory(tried, why)) fs::remove(tried, why);
  if (why) return no_folder(*path, why);
  return {};
}

// Gives a complete folder its name.
inline result<void> put_in_place(const std::string& text, const std::string& folder) {
  namespace fs = std::filesystem;
  std::error_code why;
  const std::string old = folder + ".old";
  fs::remove_all(old, why);
  if (!why && fs::exists(folder, why)) fs::rename(folder, old, why);
  const bool is_moved = !why && fs::exists(old, why);
  if (!why) fs::rename(text, folder, why);
  if (std::error_code ignored; why && is_moved) fs::rename(old, folder, ignored);
  if (why) return no_folder(folder, why);
  fs::remove_all(old, why);
  return {};
}

inline std::map<std::string, std::string> texts_of(const click_model_options& o, const save_click_model_options& options) {
  std::map<std::string, std::string> result = options.texts;
  char scale[32];  // not by printf, which writes the decimal point of the locale
  const auto end = std::to_chars(scale, std::end(scale), o.initial_scale, std::chars_format::general, 9).ptr;
  result["format"] = click_model_format;
  result["model"] = name_of(o.kind);
  result["regression"] = o.regression ? "1" : "0";
  result["normalize"] = o.normalize ? "1" : "0";
  result["factors"] = std::to_string(o.factors);
  result["fields"] = std::to_string(o.fields);
  result["hidden"] = joined_numbers(o.hidden);
  result["seed"] = std::to_string(o.seed);
  result["initial_scale"] = std::string(scale, end);
  result["lines"] = options.reading.format == click_format::libffm ? "libffm" : "libsvm";
  result["hash_keys"] = options.reading.hash_keys ? "1" : "0";
  result["hash_seed"] = std::to_string(options.reading.hash_seed);
  result["buckets"] = std::to_string(options.reading.buckets);
  return result;
}

inline std::vector<variable<float>> dense_parameters(const click_model& model) {
  std::vector<variable<float>> result{model.bias};
  result.insert(result.end(), model.layers.begin(), model.layers.end());
  return result;
}

// The names of the parameters in files.
inline std::string dense_name(std::size_t i) {
  return i == 0 ? "bias" : "layer_" + std::to_string((i - 1) / 2) + (i % 2 ? "/weights" : "/bias");
}

}  // namespace detail

inline result<void> save_click_model(session& s, const click_model& model, const std::string& folder,
                                     const save_click_model_options& options) {
  const auto to = detail::path_of_model(folder);
  if (!to) return to.error();
  if (error refused = detail::refusal_to_save(*to)) return refused;
  const std::string text = *to + ".new";
  std::error_code why;
  std::filesystem::remove_all(text, why);
  if (!why) std::filesystem::create_directories(text, why);
  if (why) return detail::no_folder(text, why);
  const fed path(model.file, tensor<std::string>(text + "/rows.safetensors"));
  if (auto done = s.try_run({{&path, 1}, {}, {&model.save, 1}}); !done) return done.error();
  any_out_list dense;
  for (const auto& v : detail::dense_parameters(model)) dense.push_back(v);
  auto values = s.try_run({{}, dense});
  if (!values) return values.error();
  std::vector<std::pair<std::string, any_tensor>> tensors;
  for (std::size_t i = 0; i < dense.size(); ++i) tensors.emplace_back(detail::dense_name(i), (*values)[i]);
  if (auto done = save_safetensors(text + "/model.safetensors", tensors, {.metadata = detail::texts_of(model.options, options)});
      !done)
    return done;
  return detail::put_in_place(text, *to);
}

inline result<click_model_description> describe_click_model(const std::string& folder) {
  const std::string path = folder + "/model.safetensors";
  const auto from = safetensors::open(path);
  if (!from) return from.error();
  click_model_description result;
  result.texts.insert(from->metadata().begin(), from->metadata().end());
  if (const auto found = result.texts.find("format"); found == result.texts.end() || found->second != detail::click_model_format)
    return error(error_code::data_loss, message{"'", path, "' is not a model of clicks of this version"});
  detail::description_reader read(path, result.texts);
  using kind = click_model_kind;
  read.choice<kind>("model", {{"fm", kind::fm}, {"ffm", kind::ffm}, {"nfm", kind::nfm}, {"widedeep", kind::wide_deep}},
                    result.options.kind);
  const std::initializer_list<std::pair<std::string_view, bool>> truth{{"0", false}, {"1", true}};
  read.choice<bool>("regression", truth, result.options.regression);
  read.choice<bool>("normalize", truth, result.options.normalize);
  read.number("factors", result.options.factors);
  read.number("fields", result.options.fields);
  read.numbers("hidden", result.options.hidden);
  read.number("seed", result.options.seed);
  read.number("initial_scale", result.options.initial_scale);
  read.choice<click_format>("lines", {{"libsvm", click_format::libsvm}, {"libffm", click_format::libffm}}, result.reading.format);
  read.choice<bool>("hash_keys", truth, result.reading.hash_keys);
  read.number("hash_seed", result.reading.hash_seed);
  read.number("buckets", result.reading.buckets);
  if (!read.why) read.why = detail::click_model_refusal(result.options);
  if (read.why) return read.why;
  return result;
}

inline result<void> load_click_model(session& s, const click_model& model, const std::string& folder) {
  const auto from = safetensors::open(folder + "/model.safetensors");
  if (!from) return from.error();
  std::vector<fed> values;
  const auto dense = detail::dense_parameters(model);
  for (std::size_t i = 0; i < dense.size(); ++i) {
    const std::string name = detail::dense_name(i);
    auto value = from->read(name);
    if (!value) return value.error();
    if (value->type() != dtype::float32 || value->shape() != dense[i].shape())
      return detail::invalid_argument({"'", folder, "': ", name, " is ", value->shape(), ", expected float ", dense[i].shape()});
    values.push_back(fed(any_out(dense[i]), *std::move(value)));
  }
  if (auto done = s.try_assign(values); !done) return done;
  const fed path(model.file, tensor<std::string>(folder + "/rows.safetensors"));
  const auto done = s.try_run({{&path, 1}, {}, {&model.restore, 1}});
  return done ? result<void>() : result<void>(done.error());
}

inline result<served_click_model> served_click_model::load(const std::string& folder, const session_options& options) {
  auto found = describe_click_model(folder);
  if (!found) return found.error();
  served_click_model result;
  result.description_ = std::make_shared<click_model_description>(*std::move(found));
  graph g;
  result.model_ = click_model(g, result.description_->options);
  result.session_ = std::make_shared<session>(g, options);
  if (auto done = load_click_model(*result.session_, result.model_, folder); !done) return done.error();
  return result;
}

inline result<std::vector<float>> served_click_model::predict(const click_batch& batch) {
  return model_.predict(*session_, batch);
}

inline result<float> served_click_model::predict(std::string_view line) {
  line_.clear();
  const std::string labelled = "0 " + std::string(line);
  if (const click_fault fault = parse_clicks(labelled, description_->reading, line_); fault.what)
    return detail::invalid_argument({fault.what, detail::found_in_clicks(labelled, fault), ", in '", line, "'"});
  const auto result = model_.predict(*session_, line_);
  if (!result) return result.error();
  return (*result)[0];
}

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>

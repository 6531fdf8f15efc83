#pragma once

#include <flowgraph/core/detail/real_from_chars.hpp>
#include <flowgraph/formats/file.hpp>
#include <flowgraph/formats/saved_slices.hpp>
#include <flowgraph/formats/tensor_bundle.hpp>
#include <flowgraph/ops/array/identity.hpp>
#include <flowgraph/ops/checkpoint/tensor_bundle.hpp>
#include <flowgraph/runtime/detail/assignable.hpp>
#include <flowgraph/train/detail/variable_values.hpp>
#include <flowgraph/train/impl/saved_files.hpp>
#include <flowgraph/train/saver.hpp>
#include <flowgraph/train/state_bytes.hpp>

#include <algorithm>
#include <charconv>
#include <filesystem>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// ---- the file "checkpoint"

// What it says: text of Protocol Buffers, of which only these fields are looked at.
struct checkpoint_state {
  std::string latest;
  std::vector<std::string> all;
  std::vector<double> seconds;
  double preserved = 0;
};

// The text between quotes, with what is written with a backslash.
inline std::string unquoted(std::string_view text) {
  std::string result;
  const std::size_t first = text.find('"'), last = text.rfind('"');
  if (first == std::string_view::npos || last == first) return result;
  text = text.substr(first + 1, last - first - 1);
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 3 < text.size() && text[i + 1] >= '0' && text[i + 1] <= '3') {
      result += static_cast<char>((text[i + 1] - '0') * 64 + (text[i + 2] - '0') * 8 + (text[i + 3] - '0'));
      i += 3;
    } else {
      if (text[i] == '\\' && i + 1 < text.size()) ++i;
      result += text[i];
    }
  }
  return result;
}
inline std::string quoted_text(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') result += '\\';
    if (byte >= 32 && byte < 127) {
      result += c;
      continue;
    }
    result += '\\';
    for (const int shift : {6, 3, 0}) result += static_cast<char>('0' + ((byte >> shift) & 7));
  }
  return result + '"';
}

inline checkpoint_state parse_state(std::string_view text) {
  checkpoint_state result;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) continue;
    const std::string_view field = line.substr(0, colon), value = line.substr(colon + 1);
    const auto number = [&] {  // not strtod, which reads the decimal point of the locale
      double read = 0;
      const std::size_t first = std::min(value.find_first_not_of(' '), value.size());
      real_from_chars(value.data() + first, value.data() + value.size(), read);
      return read;
    };
    if (field == "model_checkpoint_path") result.latest = unquoted(value);
    else if (field == "all_model_checkpoint_paths") result.all.push_back(unquoted(value));
    else if (field == "all_model_checkpoint_timestamps") result.seconds.push_back(number());
    else if (field == "last_preserved_timestamp") result.preserved = number();
  }
  return result;
}

// Under which name the session's state is in a checkpoint, among the variables: no variable begins with an underscore.
inline constexpr std::string_view state_in_checkpoint = "_flowgraph_state";

inline std::string state_path(const std::string& directory) { return (std::filesystem::path(directory) / "checkpoint").string(); }

// Paths in the file are meant from its folder.
inline std::string rooted(const std::string& directory, const std::string& path) {
  return (std::filesystem::path(directory) / path).string();
}
// Returns the prefix of a checkpoint that the file names, or nothing if another saver made the checkpoint or it is in another folder.
inline std::optional<std::string> own_prefix(const std::string& directory, const std::string& name, const std::string& path) {
  std::error_code ignored;
  const auto whole = [&](const std::string& p) {
    return std::filesystem::absolute(rooted(directory, p), ignored).lexically_normal();
  };
  const std::filesystem::path found = whole(path), own = whole(name);
  const std::string file = found.filename().string();
  if (found.parent_path() != own.parent_path() || behind_step(file, own.filename().string()) != std::string_view()) return {};
  return rooted(directory, (std::filesystem::path(name).parent_path() / file).string());
}
// The files of a first checkpoint: the file of this name, or "<name>-00000-of-00002" and the others; empty where there are none.
inline std::vector<std::string> first_version_files(const std::string& name) {
  std::error_code ignored;
  if (std::filesystem::is_regular_file(name, ignored)) return {name};
  const std::filesystem::path path(name);
  const std::string begin = path.filename().string() + "-";
  const auto is_number = [](std::string_view text) {
    return text.size() >= 5 && text.find_first_not_of("0123456789") == std::string_view::npos;
  };
  std::vector<std::string> found;
  const auto folder = path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
  for (std::filesystem::directory_iterator entry(folder, ignored), end; entry != end; entry.increment(ignored)) {
    const std::string file = entry->path().filename().string();
    const std::size_t of = file.find("-of-", begin.size());
    if (!file.starts_with(begin) || of == std::string::npos) continue;
    const std::string_view text(file);
    if (is_number(text.substr(begin.size(), of - begin.size())) && is_number(text.substr(of + 4)))
      found.push_back((path.parent_path() / file).string());
  }
  std::sort(found.begin(), found.end());
  return found;
}
inline bool has_index(const std::string& prefix) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(prefix + ".index", ignored);
}

// The number behind the last '-', or behind the last two if the step is negative.
inline std::optional<std::int64_t> step_of(std::string_view prefix) {
  std::size_t dash = prefix.rfind('-');
  std::int64_t step = 0;
  if (dash == std::string_view::npos) return {};
  if (dash > 0 && prefix[dash - 1] == '-') --dash;
  const auto parsed = std::from_chars(prefix.data() + dash + 1, prefix.data() + prefix.size(), step);
  if (parsed.ec != std::errc() || parsed.ptr != prefix.data() + prefix.size()) return {};
  return step;
}

inline double now_in_seconds() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

}  // namespace detail

FLOWGRAPH_SELDOM saver::saver(const graph& g, saver_options options) : graph_(g), options_(std::move(options)) {
  if (options_.directory.empty()) options_.directory = ".";
  const any_out_list variables = options_.variables.empty() ? g.variables() : options_.variables;
  for (const any_out& v : variables) {
    if (!v.is_usable()) continue;
    const auto renamed = options_.names.find(v.source->name);
    stored_.push_back(
        {v, renamed == options_.names.end() ? std::string(v.source->name) : renamed->second, detail::type_of_variable(v)});
  }
  add_nodes();
}

FLOWGRAPH_SELDOM void saver::add_nodes() {
  const auto root = graph_.in_scope("");
  const auto scope = graph_.in_scope("save");
  prefix_ = graph_.placeholder<std::string>("prefix", {});
  std::vector<std::string> names;
  for (const stored& v : stored_) {
    names.push_back(v.name);
    detail::with_type(v.type, [&]<class T>() { values_.push_back(detail::value_of_variable<T>(v.variable)); });
  }
  if (values_.empty() && !options_.state) return;
  any_out_list written = values_;
  if (options_.state) {
    state_ = graph_.placeholder<std::string>("state", {});
    names.emplace_back(detail::state_in_checkpoint);
    written.push_back(state_);
  }
  save_ = save_v2(prefix_, names, written);
}

FLOWGRAPH_SELDOM std::string saver::prefix_of(std::int64_t step) const {
  return detail::rooted(options_.directory, message{options_.name, "-", step}.string());
}

FLOWGRAPH_SELDOM result<std::string> saver::save(session& s, std::int64_t step) {
  if (!save_.source)
    return error(error_code::failed_precondition, "the graph has no variables to save, and saver_options::state is false");
  const std::string prefix = prefix_of(step);
  if (auto done = write(s, prefix); !done) return done.error();
  if (auto done = remember(prefix); !done) return done.error();
  last_step_ = step;
  last_time_ = std::chrono::steady_clock::now();
  return prefix;
}

FLOWGRAPH_SELDOM result<void> saver::write(session& s, const std::string& prefix) {
  if (!std::exchange(is_cleaned_, true)) detail::remove_partial(options_.directory, options_.name);
  auto rest = s.try_pause();
  if (!rest) return rest.error();
  std::vector<fed> feeds{{prefix_, tensor<std::string>(prefix)}};
  detail::unfinished_files result;
  if (options_.state) {
    auto held = s.try_save_state(container::large_contents::left_out);
    if (!held) return held.error();
    std::error_code ignored;  // if this fails, the first file reports the error
    std::filesystem::create_directories(std::filesystem::path(prefix).parent_path(), ignored);
    if (auto written = detail::write_saved_files(s.resources(), prefix, result); !written) return written;
    held->files = result.files;
    for (saved_file& f : held->files) f.path = std::filesystem::path(f.path).filename().string();
    feeds.emplace_back(state_, tensor<std::string>(to_bytes(*held)));
  }
  if (options_.concurrent && !values_.empty()) {
    const auto values = s.try_run({.feeds = {}, .fetches = values_});
    if (!values) return values.error();
    for (std::size_t i = 0; i < values->size(); ++i) feeds.emplace_back(values_[i], (*values)[i]);
    const auto ended = *std::move(rest);
  }
  const auto done = s.try_run({.feeds = feeds, .targets = {&save_, 1}});
  if (!done) {
    if (detail::has_index(prefix)) result.files.clear();  // the checkpoint is complete, or the old one is there
    return done.error();
  }
  const std::vector<saved_file> files = std::exchange(result.files, {});
  s.resources().move_files(files);
  detail::remove_saved_files(prefix, files);
  return {};
}

FLOWGRAPH_INLINE bool saver::is_due(std::int64_t step) const noexcept {
  if (!last_step_) return false;
  if (options_.every_steps > 0 && step - *last_step_ >= options_.every_steps) return true;
  return options_.every.count() > 0 && std::chrono::steady_clock::now() - last_time_ >= options_.every;
}

FLOWGRAPH_SELDOM result<bool> saver::save_if_due(session& s, std::int64_t step) {
  if (!last_step_) {
    last_step_ = step;
    last_time_ = std::chrono::steady_clock::now();
    return false;
  }
  if (!is_due(step)) return false;
  const auto done = save(s, step);
  if (!done) return done.error();
  return true;
}

FLOWGRAPH_SELDOM void saver::load_state() {
  if (std::exchange(is_loaded_, true)) return;
  preserved_ = detail::now_in_seconds();
  const auto text = read_file(detail::state_path(options_.directory));
  if (!text) return;
  const detail::checkpoint_state state = detail::parse_state(*text);
  if (state.preserved > 0) preserved_ = state.preserved;
  for (std::size_t i = 0; i < state.all.size(); ++i) {
    const auto prefix = detail::own_prefix(options_.directory, options_.name, state.all[i]);
    if (prefix && detail::has_index(*prefix))
      recent_.push_back({*prefix, i < state.seconds.size() ? state.seconds[i] : preserved_});
  }
}

// Names the new checkpoint as the latest, then removes what is not kept: a program that is killed in between leaves files, and loses none.
FLOWGRAPH_SELDOM result<void> saver::remember(std::string prefix) {
  load_state();
  std::erase_if(recent_, [&](const saved& one) { return one.prefix == prefix; });
  recent_.push_back({std::move(prefix), detail::now_in_seconds()});
  std::vector<std::string> removed;
  while (options_.keep > 0 && recent_.size() > options_.keep) {
    const saved oldest = recent_.front();
    recent_.erase(recent_.begin());
    const auto every = static_cast<double>(options_.keep_every.count());
    if (every > 0 && oldest.seconds >= preserved_ + every) preserved_ = oldest.seconds;
    else removed.push_back(oldest.prefix);
  }
  auto file = atomic_file::create(detail::state_path(options_.directory));
  if (!file) return file.error();
  if (auto done = file->write(state_text()); !done) return done;
  if (auto done = file->commit(); !done) return done;
  for (const std::string& old : removed) detail::remove_checkpoint(old);
  return {};
}

// Returns the new text of the file "checkpoint". What it says of the checkpoints of other savers stays.
FLOWGRAPH_SELDOM std::string saver::state_text() const {
  const auto number = [](double value) {  // not printf, which writes the decimal point of the locale
    char digits[400];
    return std::string(digits, std::to_chars(digits, std::end(digits), value, std::chars_format::fixed, 6).ptr);
  };
  std::string text, paths, times;
  const auto line = [](std::string& to, std::string_view field, const std::string& value) {
    to += message{field, ": ", value, "\n"}.string();
  };
  const auto add = [&](const std::string& path, double seconds) {
    line(paths, "all_model_checkpoint_paths", detail::quoted_text(path));
    line(times, "all_model_checkpoint_timestamps", number(seconds));
  };
  const auto relative = [&](const std::string& prefix) {
    return std::filesystem::path(prefix).lexically_relative(options_.directory).string();
  };
  const auto there = read_file(detail::state_path(options_.directory));
  const auto known = there ? detail::parse_state(*there) : detail::checkpoint_state();
  for (std::size_t i = 0; i < known.all.size(); ++i)
    if (!detail::own_prefix(options_.directory, options_.name, known.all[i]))
      add(known.all[i], i < known.seconds.size() ? known.seconds[i] : preserved_);
  for (const saved& one : recent_) add(relative(one.prefix), one.seconds);
  line(text, "model_checkpoint_path", detail::quoted_text(relative(recent_.back().prefix)));
  text += paths + times;
  line(text, "last_preserved_timestamp", number(preserved_));
  return text;
}

FLOWGRAPH_SELDOM std::vector<std::string> saver::checkpoints() {
  load_state();
  std::vector<std::string> all;
  for (const saved& one : recent_) all.push_back(one.prefix);
  return all;
}

FLOWGRAPH_SELDOM result<std::int64_t> saver::restore_latest(session& s) {
  const auto prefix = latest_checkpoint(options_.directory);
  if (!prefix) return prefix.error();
  if (auto done = restore(s, *prefix); !done) return done.error();
  const std::int64_t step = detail::step_of(*prefix).value_or(0);
  last_step_ = step;
  last_time_ = std::chrono::steady_clock::now();
  return step;
}

FLOWGRAPH_SELDOM result<void> saver::restore(session& s, const std::string& prefix) {
  if (!detail::has_index(prefix))
    if (const auto files = detail::first_version_files(prefix); !files.empty()) return restore_first_version(s, prefix, files);
  auto from = tensor_bundle::open(prefix);
  if (!from) return from.error();
  // A checkpoint of a graph without variables contains only the state.
  const bool has_values = !stored_.empty() || !options_.state || !from->find(detail::state_in_checkpoint);
  const auto wanted = has_values ? restore_of(*from) : result<restored>(restored());
  if (!wanted) return wanted.error();
  auto state = state_in(*from);
  if (!state && state.error().code() != error_code::not_found) return state.error();
  auto rest = s.try_pause();
  if (!rest) return rest.error();
  for (const stored& v : stored_)
    if (const bundle_entry* const found = has_values ? from->find(v.name) : nullptr)
      if (error why = detail::check_assignable(s.resources(), v.variable, detail::shape_of_variable(v.variable).is_known(),
                                               found->extents))
        return why;
  std::vector<saved_file> files;
  if (state) {
    files = std::exchange(state->files, {});
    for (const saved_file& f : files)
      if (error why = detail::check_saved_file(f)) return why;
    if (error why = s.resources().check_files(files)) return why;
  }
  const std::vector<fed> feeds{{prefix_, tensor<std::string>(prefix)}};
  if (has_values && state && !state->resources.empty()) {  // values that cannot be read must not leave other contents in a queue
    const target read = wanted->values[0];
    if (const auto done = s.try_run({.feeds = feeds, .targets = {&read, 1}}); !done) return done.error();
  }
  const auto before = state ? s.try_save_state(container::large_contents::left_out) : result<saved_state>(saved_state());
  if (!before) return before.error();
  if (state)
    if (auto done = s.try_load_state(*state); !done) return done;
  if (has_values) {
    const auto done = s.try_run({.feeds = feeds, .targets = {&wanted->assigned, 1}});
    if (!done && state) (void)s.try_load_state(*before);
    if (!done) return done.error();
  }
  if (!state) return {};
  if (error why = s.resources().load_files(files)) return why;
  return {};
}

// Their values are all read, and were looked at, when the first variable changes.
FLOWGRAPH_SELDOM result<void> saver::restore_first_version(session& s, const std::string& path,
                                                           std::span<const std::string> files) {
  const auto from = saved_slices::open(files);
  if (!from) return from.error();
  std::vector<fed> values;
  for (const stored& v : stored_) {
    const saved_slices::entry* const found = from->find(v.name);
    if (!found && options_.allow_missing) continue;
    if (!found) return lacks(v, path);
    if (auto checked = check(v, found->type, found->extents, path); !checked) return checked.error();
    auto value = from->read(v.name, tensor_slice::all(found->extents.rank));
    if (!value) return value.error();
    values.emplace_back(v.variable, *std::move(value));
  }
  if (values.empty()) return error(error_code::not_found, message{"'", path, "': has none of the variables"});
  auto rest = s.try_pause();
  if (!rest) return rest.error();
  return s.try_assign(values);
}

// not_found: it has none, as a checkpoint of TensorFlow's.
FLOWGRAPH_SELDOM result<saved_state> saver::state_in(tensor_bundle& from) const {
  if (!options_.state || !from.find(detail::state_in_checkpoint)) return error(error_code::not_found, "there is no state");
  const auto bytes = from.read(detail::state_in_checkpoint);
  if (!bytes) return bytes.error();
  if (bytes->type() != dtype::string || bytes->size() != 1)
    return error(error_code::data_loss, message{"'", from.prefix(), "': the session's state is ", name_of(bytes->type()),
                                                bytes->shape(), ", expected a string"});
  auto result = parse_saved_state(bytes->as<std::string>().scalar());
  if (result)
    for (saved_file& f : result->files) f.path = (std::filesystem::path(from.prefix()).parent_path() / f.path).string();
  return result;
}

FLOWGRAPH_SELDOM result<void> saver::check(const stored& v, dtype type, const flowgraph::shape& extents,
                                           const std::string& prefix) const {
  flowgraph::shape expected = detail::shape_of_variable(v.variable);
  if (expected.rank == 0 && v.variable.source->outputs[v.variable.port].type == dtype::resource)
    expected = flowgraph::shape::unknown();  // old files write a scalar for an open shape
  if (type == v.type && fits(extents, expected)) return {};
  return detail::invalid_argument({"'", prefix, "': tensor '", v.name, "' is ", name_of(type), extents, "; variable '",
                                   v.variable.source->name, "' is ", name_of(v.type), expected});
}

FLOWGRAPH_SELDOM error saver::lacks(const stored& v, const std::string& checkpoint) const {
  return error(error_code::not_found, message{"'", checkpoint, "': has no tensor '", v.name, "' for variable '",
                                              v.variable.source->name, "'; saver_options::allow_missing passes over such"});
}

// All was looked at before, when the first variable changes.
FLOWGRAPH_SELDOM result<saver::restored> saver::restore_of(const tensor_bundle& from) {
  std::vector<const stored*> chosen;
  std::string key;
  for (const stored& v : stored_) {
    const bundle_entry* const found = from.find(v.name);
    if (!found && options_.allow_missing) continue;
    if (!found) return lacks(v, from.prefix());
    if (auto checked = check(v, found->type, found->extents, from.prefix()); !checked) return checked.error();
    chosen.push_back(&v);
    key += v.name + '\0';
  }
  if (chosen.empty()) return error(error_code::not_found, message{"'", from.prefix(), "': has none of the variables"});
  restored& result = restores_[key];
  if (result.assigned.source) return result;
  const auto root = graph_.in_scope("");
  const auto scope = graph_.in_scope("restore");
  std::vector<std::string> names;
  std::vector<dtype> types;
  for (const stored* v : chosen) {
    names.push_back(v->name);
    types.push_back(v->type);
  }
  result.values = restore_v2(prefix_, names, types);
  std::vector<target> assigned;
  for (std::size_t i = 0; i < chosen.size(); ++i)
    detail::with_type(types[i],
                      [&]<class T>() { assigned.push_back(detail::assign_variable<T>(chosen[i]->variable, result.values[i])); });
  result.assigned = group(graph_, assigned);
  return result;
}

FLOWGRAPH_SELDOM result<std::string> latest_checkpoint(const std::string& directory) {
  if (directory.empty()) return latest_checkpoint(".");
  if (const auto text = read_file(detail::state_path(directory))) {
    const std::string latest = detail::parse_state(*text).latest;
    const std::string path = detail::rooted(directory, latest);
    if (!latest.empty() && (detail::has_index(path) || !detail::first_version_files(path).empty())) return path;
  }
  std::optional<std::int64_t> highest;
  std::string found;
  std::error_code ignored;
  for (std::filesystem::directory_iterator entry(directory, ignored), end; entry != end; entry.increment(ignored)) {
    std::string path = entry->path().string();
    if (!path.ends_with(".index")) continue;
    path.resize(path.size() - 6);
    const auto step = detail::step_of(path);
    if (!step || (highest && *step <= *highest)) continue;
    highest = step;
    found = path;
  }
  if (!highest) return error(error_code::not_found, message{"'", directory, "': there is no checkpoint in this folder"});
  return found;
}

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>

#pragma once

#include <flowgraph/formats/npy.hpp>
#include <flowgraph/formats/safetensors.hpp>
#include <flowgraph/train/detail/variable_values.hpp>
#include <flowgraph/train/weights.hpp>

#include <algorithm>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// A file of named tensors, in one of the two formats.
struct weights_file {
  enum class format { safetensors, npz };

  static result<format> format_of(const std::string& path) {
    if (path.ends_with(".safetensors")) return format::safetensors;
    if (path.ends_with(".npz")) return format::npz;
    return invalid_argument({"'", path, "': a file of weights has a name that ends in '.safetensors' or '.npz'"});
  }
  static bool holds(format f, dtype type) {
    return f == format::safetensors ? has_safetensors_elements(type) : has_numpy_elements(type);
  }
  static std::string_view name_of(format f) { return f == format::safetensors ? "safetensors" : "npz"; }

  static result<weights_file> open(const std::string& path) {
    const auto found = format_of(path);
    if (!found) return found.error();
    weights_file result;
    if (*found == format::npz) {
      auto archive = npz::open(path);
      if (!archive) return archive.error();
      result.archive_.push_back(*std::move(archive));
      for (const auto& entry : result.archive_[0].arrays()) result.names_.push_back(entry.name);
      return result;
    }
    auto mapped = flowgraph::safetensors::open(path);
    if (!mapped) return mapped.error();
    result.mapped_.push_back(*std::move(mapped));
    for (const auto& entry : result.mapped_[0].tensors()) result.names_.push_back(entry.name);
    return result;
  }
  const std::vector<std::string>& names() const { return names_; }
  bool has(std::string_view name) const { return std::ranges::find(names_, name) != names_.end(); }
  result<any_tensor> read(std::string_view name) const {
    return mapped_.empty() ? archive_[0].read(name) : mapped_[0].read(name);
  }

private:
  std::vector<flowgraph::safetensors> mapped_;  // one file, or none
  std::vector<npz> archive_;                    // otherwise this one
  std::vector<std::string> names_;
};

// A variable and its name in the file.
struct named_variable {
  any_out variable;
  std::string name;
};
inline std::vector<named_variable> named_variables(const graph& g, const weights_options& options) {
  std::vector<named_variable> result;
  for (const any_out& v : options.variables.empty() ? g.variables() : options.variables) {
    if (!v.is_usable()) continue;
    const auto renamed = options.names.find(v.source->name);
    result.push_back({v, renamed == options.names.end() ? std::string(v.source->name) : renamed->second});
  }
  return result;
}

// Returns the edge that a run fetches for the value of a variable. For a variable behind a handle it is a read that waits for no
// other node, which is added if there is none.
inline any_out readable_value(const graph& g, const any_out& v) {
  if (!is_handle(v)) return v;
  {
    const graph_state& state = g.state();
    const threading::lock_guard lock(state.mutex);
    for (node* n : state.nodes)
      if (n->op->name() == read_variable_op::name && n->body == 0 && n->control_inputs.empty() && n->inputs[0].from == v.source)
        return {n, 0};
  }
  graph owner = g;
  const auto root = owner.in_scope("");
  const auto scope = owner.in_scope("save");
  any_out output;
  with_type(type_of_variable(v), [&]<class T>() { output = value_of_variable<T>(v); });
  return output;
}

}  // namespace detail

FLOWGRAPH_SELDOM std::string to_string(const weights_report& report) {
  std::string text = message{report.done.size(),   " variables, ",      report.missing.size(), " missing, ",
                             report.unused.size(), " unused tensors, ", report.misfits.size(), " that do not fit"};
  for (const std::string& name : report.missing) text += message{"\n  missing in the file: ", name};
  for (const std::string& name : report.unused) text += message{"\n  no variable takes: ", name};
  for (const auto& m : report.misfits) text += message{"\n  does not fit: ", m.variable, ": ", m.reason};
  return text;
}

FLOWGRAPH_SELDOM result<weights_report> save_variables(session& s, const std::string& path, const weights_options& options) {
  const auto format = detail::weights_file::format_of(path);
  if (!format) return format.error();
  weights_report report;
  any_out_list values;
  std::vector<std::string> names;
  for (const auto& [v, name] : detail::named_variables(s.graph(), options)) {
    const dtype type = detail::type_of_variable(v);
    if (!detail::weights_file::holds(*format, type)) {
      report.misfits.push_back({std::string(v.source->name), message{"the format ", detail::weights_file::name_of(*format),
                                                                     " has no elements of type ", name_of(type)}});
      continue;
    }
    if (std::ranges::find(names, name) != names.end())
      return detail::invalid_argument({"two variables have the name '", name, "' in '", path, "'"});
    values.push_back(detail::readable_value(s.graph(), v));
    names.push_back(name);
    report.done.emplace_back(v.source->name);
  }
  auto read = s.try_run({.feeds = {}, .fetches = values});
  if (!read) return read.error();
  std::vector<std::pair<std::string, any_tensor>> all;
  for (std::size_t i = 0; i < names.size(); ++i) all.emplace_back(names[i], std::move((*read)[i]));
  const auto written = *format == detail::weights_file::format::npz ? save_npz(path, all) : save_safetensors(path, all);
  if (!written) return written.error();
  return report;
}

FLOWGRAPH_SELDOM result<weights_report> load_variables(session& s, const std::string& path, const weights_options& options) {
  const auto file = detail::weights_file::open(path);
  if (!file) return file.error();
  weights_report report;
  report.unused = file->names();
  std::vector<fed> given;
  for (const auto& [v, name] : detail::named_variables(s.graph(), options)) {
    const std::string variable(v.source->name);
    if (!file->has(name)) {
      report.missing.push_back(variable);
      continue;
    }
    std::erase(report.unused, name);
    auto value = file->read(name);
    if (!value) {
      report.misfits.push_back({variable, value.error().what()});
      continue;
    }
    const dtype type = detail::type_of_variable(v);
    const shape expected = detail::shape_of_variable(v);
    if (value->type() != type || !fits(value->shape(), expected)) {
      report.misfits.push_back({variable, message{"the variable is ", name_of(type), expected, ", the file has ",
                                                  name_of(value->type()), value->shape()}});
      continue;
    }
    given.push_back({v, *std::move(value)});
    report.done.push_back(variable);
  }
  if (auto done = s.try_assign(given); !done) return done.error();
  return report;
}

}  // namespace flowgraph

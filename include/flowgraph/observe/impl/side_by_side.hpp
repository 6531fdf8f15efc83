#pragma once

#include <flowgraph/observe/side_by_side.hpp>

#include <limits>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

inline std::string in_iteration(std::string_view name, std::string_view iteration) {
  return iteration.empty() ? std::string(name) : message{name, ", iteration ", iteration}.string();
}

class run_comparer {
public:
  run_comparer(const recorded_run& a, const recorded_run& b, const comparison_options& options)
      : a_(a), b_(b), options_(options), is_paired_(b.tensors().size()) {}

  side_by_side_report compare() {
    for (const recorded_tensor& t : a_.tensors()) {
      const recorded_tensor* const other = twin(t);
      if (!other) {
        result_.only_in_first.push_back(in_iteration(t.name, t.iteration));
        continue;
      }
      is_paired_[static_cast<std::size_t>(other - b_.tensors().data())] = true;
      ++result_.compared;
      if (auto d = differs(t, *other)) note(t, *std::move(d));
    }
    for (std::size_t i = 0; i < is_paired_.size(); ++i)
      if (!is_paired_[i]) result_.only_in_second.push_back(in_iteration(b_.tensors()[i].name, b_.tensors()[i].iteration));
    return std::move(result_);
  }

private:
  const recorded_tensor* twin(const recorded_tensor& t) const {
    if (!options_.rename) return b_.find(t.name, t.iteration);
    const std::string name = options_.rename(t.name);
    return name.empty() ? nullptr : b_.find(name, t.iteration);
  }
  std::optional<run_difference> differs(const recorded_tensor& t, const recorded_tensor& other) const {
    if (t.hash == other.hash && t.type == other.type && t.shape == other.shape) return std::nullopt;
    run_difference d{t.name, t.op, t.iteration, {}, std::numeric_limits<double>::infinity(), {}, {}};
    if (t.at) d.where = t.at->where;
    if (t.value.has_value() && other.value.has_value()) {
      const auto how = difference(t.value, other.value, options_.allowed);
      if (!how) return std::nullopt;
      d.how = how->text();
      d.most = how->kind == tensor_difference::form::elements ? how->most : d.most;
    } else if (t.type != other.type || !(t.shape == other.shape)) {
      d.how = message{name_of(t.type), to_string(t.shape), " and ", name_of(other.type), to_string(other.shape)};
    } else {
      d.how = "the hashes of the elements differ";
    }
    return d;
  }
  void note(const recorded_tensor& t, run_difference d) {
    ++result_.differing;
    if (!result_.most || d.most > result_.most->most) result_.most = d;
    if (result_.first) return;
    if (t.at)
      for (const edge& e : t.at->inputs) d.inputs.push_back(message{name_of(*e.from, e.port), ": ", said_of(e, t.iteration)});
    result_.first = std::move(d);
  }
  // Returns the text for the input in the same iteration, or for an input from outside of all loops.
  std::string_view said_of(const edge& e, const std::string& iteration) const {
    const std::string name = name_of(*e.from, e.port);
    const recorded_tensor* input = a_.find(name, iteration);
    if (!input) input = a_.find(name);
    const recorded_tensor* const other = input ? twin(*input) : nullptr;
    if (!other) return "not recorded";
    return differs(*input, *other) ? "differs" : "equal";
  }

  const recorded_run& a_;
  const recorded_run& b_;
  const comparison_options& options_;
  std::vector<char> is_paired_;  // by node of b
  side_by_side_report result_;
};

inline std::string text_of_difference(const run_difference& d) {
  std::string text = message{in_iteration(d.name, d.iteration), " (", d.op, "): ", d.how, '\n'};
  if (d.where.line() > 0) text += message{"  made at ", d.where.file_name(), ':', d.where.line(), '\n'}.string();
  for (const std::string& input : d.inputs) text += message{"  input ", input, '\n'}.string();
  return text;
}

}  // namespace detail

FLOWGRAPH_INLINE std::string side_by_side_report::text() const {
  std::string text = message{differing, " of ", compared, " tensors differ"};
  if (!only_in_first.empty()) text += message{"; ", only_in_first.size(), " are only in the first run"}.string();
  if (!only_in_second.empty()) text += message{"; ", only_in_second.size(), " are only in the second run"}.string();
  text += '\n';
  if (first) text += "first: " + detail::text_of_difference(*first);
  if (most && first && (most->name != first->name || most->iteration != first->iteration))
    text += "farthest apart: " + detail::text_of_difference(*most);
  return text;
}

FLOWGRAPH_INLINE side_by_side_report compare_runs(const recorded_run& a, const recorded_run& b,
                                                  const comparison_options& options) {
  return detail::run_comparer(a, b, options).compare();
}

FLOWGRAPH_INLINE result<side_by_side_report> compare_side_by_side(session& a, session& b, const named_run& request,
                                                                  const comparison_options& options) {
  const auto record = [&](session& s, bool is_renamed) -> result<recorded_run> {
    const auto name = [&](const std::string& edge) { return is_renamed && options.rename ? options.rename(edge) : edge; };
    std::vector<fed> feeds;
    std::vector<any_out> fetches;
    std::vector<target> targets;
    for (const auto& [edge, value] : request.feeds) {
      auto found = s.graph().output(name(edge));
      if (!found) return found.error();
      feeds.emplace_back(*found, value);
    }
    for (const std::string& edge : request.fetches) {
      auto found = s.graph().output(name(edge));
      if (!found) return found.error();
      fetches.push_back(*found);
    }
    for (const std::string& node : request.targets) {
      auto found = s.graph().output(name(node));
      if (!found) return found.error();
      targets.push_back(found->source);
    }
    return record_run(s, {feeds, fetches, targets});
  };
  auto first = record(a, false);
  if (!first) return first.error();
  auto second = record(b, true);
  if (!second) return second.error();
  return compare_runs(*first, *second, options);
}

}  // namespace flowgraph

#pragma once

#include <flowgraph/observe/configurations.hpp>
#include <flowgraph/observe/impl/side_by_side.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

class configuration_runner {
public:
  configuration_runner(const graph& g, const configuration_request& request) : graph_(g), request_(request) {}

  // Returns a session after `runs` runs, whose fetches are appended to `kept`.
  result<session> after(const configuration& c, std::size_t runs, std::vector<std::vector<any_tensor>>* kept) const {
    session s{graph_, c.options};
    auto begun = request_.begin ? request_.begin(s) : s.try_initialize();
    if (!begun) return in(c, begun.error());
    for (std::size_t i = 0; i < runs; ++i) {
      auto result = s.try_run(run());
      if (!result) return in(c, result.error());
      if (kept) kept->push_back(*std::move(result));
    }
    return s;
  }

  std::optional<configuration_difference> compare(const configuration& c, const std::vector<std::vector<any_tensor>>& expected,
                                                  const std::vector<std::vector<any_tensor>>& found) const {
    for (std::size_t run = 0; run < expected.size(); ++run)
      for (std::size_t k = 0; k < expected[run].size(); ++k)
        if (auto d = difference(expected[run][k], found[run][k], request_.allowed))
          return configuration_difference{c.name, run + 1, request_.fetches[k].name(), *std::move(d), {}};
    return std::nullopt;
  }

  // Repeats the run in both configurations, node by node. If a session does not report its nodes, all edges outside of loops are
  // fetched.
  result<std::optional<run_difference>> first_of(const configuration& a, const configuration& b, std::size_t run_number) const {
    auto first = recorded(a, run_number);
    if (!first) return first.error();
    auto second = recorded(b, run_number);
    if (!second) return second.error();
    if (second->tensors().empty()) second = fetched(b, run_number, *first);
    if (!second) return second.error();
    return compare_runs(*first, *second, {.allowed = request_.allowed, .rename = {}}).first;
  }

private:
  run_request run() const { return {.feeds = request_.feeds, .fetches = request_.fetches, .targets = request_.targets}; }
  static error in(const configuration& c, const error& why) {
    return error(why.code(), message{"configuration '", c.name, "': ", why.message()}).at(why.node(), why.op(), why.where());
  }
  result<recorded_run> recorded(const configuration& c, std::size_t run_number) const {
    auto s = after(c, run_number - 1, nullptr);
    if (!s) return s.error();
    auto outcome = record_run(*s, run());
    return outcome ? result<recorded_run>(*std::move(outcome)) : in(c, outcome.error());
  }
  result<recorded_run> fetched(const configuration& c, std::size_t run_number, const recorded_run& like) const {
    auto s = after(c, run_number - 1, nullptr);
    if (!s) return s.error();
    std::vector<any_out> edges(request_.fetches.begin(), request_.fetches.end());
    std::vector<const recorded_tensor*> asked;
    for (const recorded_tensor& t : like.tensors()) {
      auto found = graph_.output(t.name);
      if (!t.iteration.empty() || !found || found->source->outputs[found->port].is_reference || t.op == "feed") continue;
      edges.push_back(*found);
      asked.push_back(&t);
    }
    auto result = s->try_run({.feeds = request_.feeds, .fetches = edges, .targets = request_.targets});
    if (!result) return in(c, result.error());
    recorded_run as_run;
    for (std::size_t i = 0; i < asked.size(); ++i) {
      const any_tensor& value = (*result)[request_.fetches.size() + i];
      as_run.add({asked[i]->name, asked[i]->op, {}, value.type(), value.shape(), hash_of(value), value, asked[i]->at});
    }
    return as_run;
  }

  const graph& graph_;
  const configuration_request& request_;
};

}  // namespace detail

FLOWGRAPH_INLINE result<configuration_report> compare_configurations(const graph& g, const configuration_request& request,
                                                                     std::span<const configuration> configurations) {
  if (configurations.size() < 2 || request.fetches.empty() || request.runs == 0)
    return detail::invalid_argument("a comparison takes two configurations, a fetch and a run at least");
  const detail::configuration_runner runner(g, request);
  std::vector<std::vector<any_tensor>> expected;
  if (auto done = runner.after(configurations[0], request.runs, &expected); !done) return done.error();
  configuration_report report;
  for (const configuration& c : configurations.subspan(1)) {
    ++report.compared;
    std::vector<std::vector<any_tensor>> found;
    if (auto done = runner.after(c, request.runs, &found); !done) return done.error();
    auto d = runner.compare(c, expected, found);
    if (!d) continue;
    auto first = runner.first_of(configurations[0], c, d->run);
    if (!first) return first.error();
    d->first = *std::move(first);
    report.differences.push_back(*std::move(d));
  }
  return report;
}

FLOWGRAPH_INLINE std::string configuration_report::text() const {
  std::string text = message{differences.size(), " of ", compared, " configurations differ from the first\n"};
  for (const configuration_difference& d : differences) {
    text += message{d.configuration, ", run ", d.run, ", ", d.fetch, ": ", d.how.text(), '\n'}.string();
    text +=
        d.first
            ? "first: " + detail::text_of_difference(*d.first)
            : std::string("node by node both give the same: the difference comes from how the run is driven, or from a pass\n");
  }
  return text;
}

}  // namespace flowgraph

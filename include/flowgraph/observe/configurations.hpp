#pragma once
// Compares the same runs in several configurations, for example with several threads, with devices, without passes, or with cut
// plans. Results are compared bit by bit or with a tolerance. For each difference, the report names the first node whose outputs
// differ.
//
//     fg::thread_pool pool(4);
//     const auto report = fg::compare_configurations(
//         g, {.feeds = feeds, .fetches = {{loss}}, .runs = 3},
//         {{"alone", {}}, {"threads", {.pool = &pool}}, {"no passes", {.passes = fg::pass_options::none()}}}).value();
//     if (!report.are_equal()) std::puts(report.text().c_str());

#include <flowgraph/observe/side_by_side.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

// A configuration of a session. All other configurations are compared with the first configuration of the list.
struct configuration {
  std::string name;              // name of the configuration, for reports and errors
  session_options options = {};  // options of its session
};

// The runs that each configuration executes in its own session.
struct configuration_request {
  std::span<const fed> feeds = {};                   // feeds of each run
  std::span<const any_out> fetches = {};             // fetches to compare
  std::span<const target> targets = {};              // targets of the same runs, for example a training step
  std::size_t runs = 1;                              // number of runs
  tolerance allowed = {};                            // allowed difference; default: none
  std::function<result<void>(session&)> begin = {};  // replaces session::initialize, for example to restore a checkpoint
};

// A configuration whose results differ from those of the first configuration.
struct configuration_difference {
  std::string configuration;  // name of the configuration
  std::size_t run = 0;        // number of the run, counted from 1
  std::string fetch;          // the first fetch that differs
  tensor_difference how;      // the difference between the values of the fetch
  // The first difference that is found when the run is repeated node by node in both configurations. Empty if the repeated runs
  // do not differ; then the cause is a pass or the way in which the runs are executed.
  std::optional<run_difference> first;
};

// The result of compare_configurations.
struct configuration_report {
  std::size_t compared = 0;                           // number of configurations that were compared with the first
  std::vector<configuration_difference> differences;  // the differences, at most one per configuration

  // Returns whether all configurations have equal results.
  bool are_equal() const noexcept { return differences.empty(); }
  // Returns a readable text.
  std::string text() const;
};

// Compares the configurations. If a run fails, returns an error that names the configuration.
result<configuration_report> compare_configurations(const graph& g, const configuration_request& request,
                                                    std::span<const configuration> configurations);
inline result<configuration_report> compare_configurations(const graph& g, const configuration_request& request,
                                                           std::initializer_list<configuration> configurations) {
  return compare_configurations(g, request, std::span(configurations.begin(), configurations.size()));
}

}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/observe/impl/configurations.hpp>
#endif

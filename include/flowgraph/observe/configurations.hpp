#pragma once
// The same runs in other configurations: threads, devices, passes off, cut plans. To the bit or within a tolerance; of what differs, the
// first node.
//
//     fg::thread_pool pool(4);
//     const auto report = fg::compare_configurations(
//         g, {.feeds = feeds, .fetches = {{loss}}, .runs = 3},
//         {{"alone", {}}, {"threads", {.pool = &pool}}, {"no passes", {.passes = fg::pass_options::none()}}}).value();
//     if (!report.are_equal()) std::puts(report.text().c_str());

#include <flowgraph/observe/side_by_side.hpp>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

// The first of a list is what the others are compared with.
struct configuration {
  std::string name;
  session_options options = {};
};

// What each configuration does, in a session of its own.
struct configuration_request {
  std::span<const fed> feeds = {};
  std::span<const any_out> fetches = {};
  std::span<const target> targets = {};  // in the same runs: a training step
  std::size_t runs = 1;
  tolerance allowed = {};
  std::function<result<void>(session&)> begin = {};  // instead of session::initialize: restores a checkpoint, for instance
};

struct configuration_difference {
  std::string configuration;
  std::size_t run = 0;  // counted from 1
  std::string fetch;    // the first that differs
  tensor_difference how;
  // Of that run, repeated node by node in both configurations: where the difference begins. Empty where it does not show then: it comes from
  // how runs are driven, or from a pass.
  std::optional<run_difference> first;
};

struct configuration_report {
  std::size_t compared = 0;                           // configurations beside the first
  std::vector<configuration_difference> differences;  // one a configuration at most

  bool are_equal() const noexcept { return differences.empty(); }
  std::string text() const;
};

// An error: a run that fails, with the name of its configuration.
result<configuration_report> compare_configurations(const graph& g, const configuration_request& request,
                                                    std::span<const configuration> configurations);
inline result<configuration_report> compare_configurations(const graph& g, const configuration_request& request,
                                                           std::initializer_list<configuration> configurations) {
  return compare_configurations(g, request, std::span(configurations.begin(), configurations.size()));
}

}
}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/observe/impl/configurations.hpp>
#endif

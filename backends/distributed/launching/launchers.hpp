#pragma once
// Reads the environment variables of each launcher into one common structure.

#include <flowgraph/distributed/cluster.hpp>

#include <functional>
#include <optional>
#include <span>

namespace flowgraph::inline FLOWGRAPH_ABI::distributed {

using variable_source = std::function<std::optional<std::string>(const std::string& name)>;

// A task of a launcher that numbers its tasks.
struct ranked_task {
  std::string launcher;  // "Open MPI"
  std::string told_by;   // the variable that contains the rank
  std::uint32_t rank = 0;
  std::uint32_t size = 0;          // 0: unknown
  std::string run;                 // identifies the run among those of the launcher; empty: unknown
  bool is_one_machine = false;     // all its tasks run on this machine
  std::vector<std::string> hosts;  // one per rank; empty: unknown
  std::string meeting;             // the address where rank 0 can be reached; empty: unknown
};

// Combines the facts of all launchers that are found; returns no task if none is found. If two launchers disagree, or a value is
// invalid, returns an error.
result<std::optional<ranked_task>> launcher_of(const variable_source& variables);

// A cluster with jobs, and the job and index of this task if they are specified.
struct named_task {
  cluster all;
  std::string told_by;  // "TF_CONFIG"
  std::optional<std::string> job;
  std::uint32_t index = 0;
};

// Reads TF_CONFIG, FLOWGRAPH_CLUSTER or FLOWGRAPH_CLUSTER_FILE; returns no task if none of them is set.
result<std::optional<named_task>> named_task_of(const variable_source& variables);
result<named_task> read_tf_config(std::string_view text);
// Reads lines of the form "job=address,address", or "address" for a task of job "worker". A '#' begins a comment.
result<cluster> read_cluster_file(std::string_view text);

// Returns a cluster with one task per address, in order. `roles`, for example "ps=2", gives jobs to the first addresses; the others
// belong to job "worker".
result<cluster> with_roles(std::span<const std::string> addresses, std::string_view roles);

// Returns the value of a variable that is set and not empty.
std::optional<std::string> text_variable(const variable_source& variables, const std::string& name);
// Reads a variable that contains a number. If it is not set, `to` stays unchanged.
error number_variable(const variable_source& variables, const std::string& name, std::optional<std::uint32_t>& to);

}  // namespace flowgraph::distributed

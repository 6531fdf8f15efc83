#pragma once
// What launchers put into the environment of a process, each read into the same few facts.

#include <flowgraph/distributed/cluster.hpp>

#include <functional>
#include <optional>
#include <span>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {
namespace distributed {

using variable_source = std::function<std::optional<std::string>(const std::string& name)>;

// One that counts its tasks.
struct ranked_task {
  std::string launcher;  // "Open MPI"
  std::string told_by;   // the variable that has the rank
  std::uint32_t rank = 0;
  std::uint32_t size = 0;          // 0: it does not say
  std::string run;                 // which of the launcher's runs; empty: it does not say
  bool is_one_machine = false;     // all its tasks are on this one
  std::vector<std::string> hosts;  // of each rank; empty: it does not say
  std::string meeting;             // where rank 0 may be met; empty: it does not say
};

// What all launchers that are found say together; none where none is found. An error: they disagree, or one says what makes no sense.
result<std::optional<ranked_task>> launcher_of(const variable_source& variables);

// A cluster with jobs, and which task of it this is, where that is told.
struct named_task {
  cluster all;
  std::string told_by;  // "TF_CONFIG"
  std::optional<std::string> job;
  std::uint32_t index = 0;
};

// TF_CONFIG, FLOWGRAPH_CLUSTER or FLOWGRAPH_CLUSTER_FILE; none where none is set.
result<std::optional<named_task>> named_task_of(const variable_source& variables);
result<named_task> read_tf_config(std::string_view text);
// Lines "job=address,address" and "address", which is of job "worker"; what follows a '#' is a remark.
result<cluster> read_cluster_file(std::string_view text);

// A task per address, in their order: the first ones by `roles`, "ps=2", the others of job "worker".
result<cluster> with_roles(std::span<const std::string> addresses, std::string_view roles);

// A variable that is set, and not to nothing.
std::optional<std::string> text_variable(const variable_source& variables, const std::string& name);
// A variable that is a number. `to` stays as it is where it is not set.
error number_variable(const variable_source& variables, const std::string& name, std::optional<std::uint32_t>& to);

}
}
}  // namespace flowgraph::distributed

#pragma once
// Determines the cluster and the task of a process from the environment. Supported launchers: mpirun (Open MPI, MPICH), PMIx,
// srun, torchrun, TF_CONFIG, indexed jobs of Kubernetes, or a list of addresses. A program that includes this header links
// flowgraph::tcp.
//
//     const auto here = fg::tcp::cluster_from_environment({.roles = "ps=1"}).value();
//     fg::tcp::server serving(here.all, here.job, here.index, ops, {.listen = here.listen});
//
// If a launcher specifies the number of tasks but not their addresses, the tasks announce themselves to rank 0, and the call
// returns when all have done so. docs/launch.md lists the variables, with an example for each launcher.

#include <flowgraph/distributed/cluster.hpp>
#include <flowgraph/distributed/tcp.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace flowgraph::inline FLOWGRAPH_ABI::tcp {

// A function that returns the value of an environment variable, if it is set.
using variable_source = std::function<std::optional<std::string>(const std::string& name)>;

// Information that the environment does not contain.
struct launch_options {
  // Jobs of the ranks. With "ps=2", the first two ranks are tasks of job "ps", the others of job "worker". Empty: the variable
  // FLOWGRAPH_ROLES.
  std::string roles = {};
  // Address "host:port" of rank 0, where tasks announce themselves. Empty: the variable FLOWGRAPH_MEETING, or the launcher's
  // address.
  std::string meeting = {};
  std::string token = {};                                         // secret token, which tasks need to announce themselves
  std::chrono::milliseconds patience = std::chrono::seconds(60);  // longest wait for the announcements of all tasks
  variable_source variables = {};                                 // empty: the environment of the process
  // Called during the wait, for tasks that have not announced themselves after a second. Default: print_waiting. Empty: no
  // function is called.
  waiting_listener on_waiting = print_waiting;
};

// The task of this process, as its launcher specifies it.
struct launched_task {
  cluster all = {};         // all tasks that were started together
  std::string job = {};     // job of this process
  std::uint32_t index = 0;  // number of the task in that job
  std::string listen = {};  // task_options::listen: its own address, or its port on all networks
  // Source of the information, for example "Open MPI" or "TF_CONFIG".
  std::string launcher = {};
  std::shared_ptr<void> reserved = {};  // reserves the port of the task; release it after the task listens there
};

// Returns the task and the cluster of this process. If tasks announce themselves, waits for the other tasks. Errors: the
// environment does not specify the task, two launchers contradict each other, or not all tasks announced themselves in time.
result<launched_task> cluster_from_environment(const launch_options& options = {}, const transport_options& network = {});

}  // namespace flowgraph::tcp

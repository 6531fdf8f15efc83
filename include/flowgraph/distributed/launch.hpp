#pragma once
// Which task of which cluster a process is, by what its launcher has put into the environment: mpirun (Open MPI, MPICH), PMIx, srun,
// torchrun, TF_CONFIG, an indexed job of Kubernetes, or a list of addresses. A program that includes this links flowgraph::tcp.
//
//     const auto here = fg::tcp::cluster_from_environment({.roles = "ps=1"}).value();
//     fg::tcp::server serving(here.all, here.job, here.index, ops, {.listen = here.listen});
//
// Where a launcher counts its tasks and does not say where they are, they announce themselves to rank 0, and the call returns when all
// have. docs/launch.md has the variables, and a line for each launcher.

#include <flowgraph/distributed/cluster.hpp>
#include <flowgraph/distributed/tcp.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {
namespace tcp {

// The value of a variable of the environment, where it is set.
using variable_source = std::function<std::optional<std::string>(const std::string& name)>;

// What the environment leaves open.
struct launch_options {
  std::string roles = {};    // "ps=2": the first two ranks are tasks of job "ps", the others of "worker"; empty: FLOWGRAPH_ROLES
  std::string meeting = {};  // "host:port" of rank 0, where they announce themselves; empty: FLOWGRAPH_MEETING, or the launcher's
  std::string token = {};    // what tasks that announce themselves have to know
  std::chrono::milliseconds patience = std::chrono::seconds(60);  // until all have announced themselves
  variable_source variables = {};                                 // empty: the environment of the process
  // Hears, while it waits, of tasks that have not announced themselves after a second. Empty: nothing is said.
  waiting_listener on_waiting = print_waiting;
};

// A process as its launcher has started it.
struct launched_task {
  cluster all = {};                     // all tasks that were started together
  std::string job = {};                 // that of this process
  std::uint32_t index = 0;              // which task of that job it is
  std::string listen = {};              // task_options::listen: its own address, or the port of it on all networks
  std::string launcher = {};            // who has said so: "Open MPI", "TF_CONFIG"
  std::shared_ptr<void> reserved = {};  // nobody else is given its port until this is let go of, after the task listens there
};

// Which task this process is, and of which cluster. Waits for the others where tasks announce themselves.
// Errors: nothing says which task this is, two launchers say different things, or not all tasks announced themselves in time.
result<launched_task> cluster_from_environment(const launch_options& options = {}, const transport_options& network = {});

}
}
}  // namespace flowgraph::tcp

#pragma once
// The replay of one recorded case in one new session.

#include "cases.hpp"
#include "compare.hpp"

#include <flowgraph/op/registry.hpp>
#include <flowgraph/passes/options.hpp>

#include <map>
#include <string>
#include <vector>

namespace conformance {

// The numbers of nodes that ran on a GPU and on the host. `missed`: nodes that ran on the host although the GPU has a kernel.
struct node_places {
  std::size_t on_gpu = 0, on_host = 0, missed = 0;

  void add(const node_places& other) { on_gpu += other.on_gpu, on_host += other.on_host, missed += other.missed; }
};

struct verdict {
  enum class outcome : char { equal = '=', differs = '!', unsupported = '?' };
  outcome kind = outcome::equal;
  std::string text;                  // for a difference: its place and description; otherwise empty
  std::vector<std::string> lacking;  // op types that the registry does not have
  std::vector<std::size_t> changed;  // by each pass, if requested
  node_places ran;                   // if the case ran on an emulated GPU
};

struct replay_options {
  bool wide = false;      // the file's tolerance
  bool tell = false;      // prints each step while it runs
  bool prepared = false;  // runs each step as a prepared step
  flowgraph::pass_options passes = {};
  // The number of CPUs over which nodes are spread, by a hash of the seed and their names; 0: all nodes are on one CPU.
  unsigned scatter = 0, seed = 0;
  const std::map<std::string, unsigned>* placed = nullptr;  // the CPU of each node, if not by a hash
  bool cut = false;                                         // each CPU has its own executor
  bool accelerated = false;                                 // all except the first are emulated accelerators
  bool preferred = false;                                   // these run all nodes that they can, because their priority is higher
  bool plain = false;                                       // the second is a device with other kernels than the CPU
  bool on_gpu = false;                                      // the second device is an emulated GPU
  bool clustered = false;                                   // all are tasks of a cluster on a simulated network
  bool processes = false;                                   // or processes that use TCP
  unsigned threads = 1;
  // Compares each answer with that of a session without passes, bit by bit, and not with the recorded answer; explains each step.
  bool compare_passes = false;
  std::string* exported = nullptr;  // receives the case as flowgraph exports and answers it
};

verdict replay(const recorded_case& c, const flowgraph::registry& ops, const replay_options& options);

}  // namespace conformance

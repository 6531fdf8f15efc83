#pragma once
// One recorded case in one fresh session.

#include "cases.hpp"
#include "compare.hpp"

#include <flowgraph/op/registry.hpp>
#include <flowgraph/passes/options.hpp>

#include <map>
#include <string>
#include <vector>

namespace conformance {

struct verdict {
  enum class kind : char { equal = '=', differs = '!', unsupported = '?' };
  kind is = kind::equal;
  std::string text;                  // of a difference: where and in what; else empty
  std::vector<std::string> lacking;  // op types that the registry has not
  std::vector<std::size_t> changed;  // by each pass, where it was asked
};

struct replay_options {
  bool wide = false;      // the file's tolerance
  bool tell = false;      // prints each step while it runs
  bool prepared = false;  // each step by a prepared one
  flowgraph::pass_options passes = {};
  // Over so many CPUs the nodes are spread, by a hash of the seed and their names; 0: all stand on one.
  unsigned scatter = 0, seed = 0;
  const std::map<std::string, unsigned>* placed = nullptr;  // the CPU of each node, if not by a hash
  bool cut = false;                                         // each of them with an executor of its own
  bool accelerated = false;                                 // all but the first are emulated accelerators
  bool preferred = false;                                   // these run all nodes that they can, as their priority is higher
  bool plain = false;                                       // the second is a device whose kernels are not those of the CPU
  bool clustered = false;                                   // all are tasks of a cluster on a simulated network
  bool processes = false;                                   // or processes that speak TCP
  unsigned threads = 1;
  // Compares each answer with that of a session without passes, to the bit, and not with the recorded one; explains each step.
  bool compare_passes = false;
  std::string* exported = nullptr;  // gets the case as flowgraph exports and answers it
};

verdict replay(const recorded_case& c, const flowgraph::registry& ops, const replay_options& options);

}  // namespace conformance

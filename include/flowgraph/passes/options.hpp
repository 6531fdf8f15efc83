#pragma once
// Which passes a session makes over what it runs, and what each of them did. No pass changes a bit of any result.

#include <flowgraph/config.hpp>

#include <cstddef>
#include <string>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

// Each pass is switched off by its name: fg::session s{g, {.passes = {.fold_constants = false}}}.
struct pass_options {
  // What depends on constants alone is computed once per plan, if it is small; what depends on constants or known shapes alone once
  // per feed shapes of a prepared step.
  bool fold_constants = true;
  // A result that folding computes for a prepared step has at most so many bytes, or as many as the constants that it is computed
  // from.
  std::size_t folded_bytes = std::size_t{10} << 20;
  // A node that only hands its input on is left out.
  bool prune_identities = true;
  // Nodes that compute the same from the same are one.
  bool merge_common = true;

  // Every pass, off.
  static pass_options none() { return {.fold_constants = false, .prune_identities = false, .merge_common = false}; }
};

// What a pass did.
struct pass_report {
  std::string name;  // its switch in pass_options
  bool is_on = true;
  std::size_t changed = 0;    // nodes that it took away, merged or computed beforehand
  std::size_t too_large = 0;  // nodes that it left alone because of a limit
};

}
}  // namespace flowgraph

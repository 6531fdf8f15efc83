#pragma once
// The passes with which a session improves its plans, and reports of their results. Without fast_math, no pass changes any bit of
// a result, except the sign and the payload of some NaN in groups (docs/decisions/passes.md).

#include <flowgraph/config.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {
class draft;
struct pass_call;
}  // namespace detail

// When a further pass runs: before the nodes have devices, or after all other passes, when each node has its device and the
// transfers exist (runtime/planning/placed_pass.hpp).
enum class pass_stage : std::uint8_t { before_placement, after_placement };

// A pass that is off unless it is listed in pass_options::further. Only programs that name it link its code. In fg::passes there
// are known_shapes, dead_switches, arithmetic, dependencies and group_elementwise, each in a header with its name. Two passes use
// costs: fg::save_memory and fg::delay_transfers, in placement/.
struct further_pass {
  const char* name;  // name in reports
  pass_stage stage;  // when it runs
  // Runs the pass, and returns the number of changed nodes.
  std::size_t (*run)(const further_pass& self, detail::draft& d, detail::pass_call& call);
};

// The further passes of a session, in the order in which they run. Each must outlive the session.
class further_passes {
public:
  further_passes() = default;
  template <std::derived_from<further_pass>... Pass>
    requires(sizeof...(Pass) > 0) further_passes(const Pass&... named) : all_{&named...} {}

  // Appends a pass.
  void add(const further_pass& named) { all_.push_back(&named); }
  // Returns the number of passes.
  std::size_t size() const { return all_.size(); }
  // Returns pass number `i`, counted from 0.
  const further_pass& operator[](std::size_t i) const { return *all_[i]; }

private:
  std::vector<const further_pass*> all_;
};

// Switches passes on or off, for example fg::session s{g, {.passes = {.fold_constants = false}}}. Further passes run only if they
// are listed: fg::session s{g, {.passes = {.further = {fg::passes::arithmetic, fg::passes::dead_switches}}}}.
struct pass_options {
  // Computes nodes that depend only on constants once per plan, if the result is small. For a prepared step, nodes that depend
  // only on constants and known shapes are computed once per set of feed shapes.
  bool fold_constants = true;
  // Largest size in bytes of a result that is folded for a prepared step, unless the constants that it is computed from are
  // larger.
  std::size_t folded_bytes = std::size_t{10} << 20;
  // Removes nodes that only pass on their input.
  bool prune_identities = true;
  // Merges nodes that compute the same value from the same inputs.
  bool merge_common = true;
  // Replaces chains and trees of element-wise nodes by one node that computes them together (passes/group_elementwise.hpp).
  // Traced and measured runs have plans without groups.
  bool group_elementwise = true;
  // Copies constant matrices and filters of floats into the order in which the kernels of MatMul and Conv2D read them, once for all
  // plans of the program. The copies need up to twice the memory of the constants. Has an effect only with group_elementwise.
  bool pack_weights = true;
  // Additional passes, each of which runs at its stage. Default: none.
  further_passes further = {};
  // Allows passes to change the rounding of results, and to ignore infinities and NaN. Default: false.
  bool fast_math = false;

  // Returns options with all passes off.
  static pass_options none() {
    return {.fold_constants = false,
            .prune_identities = false,
            .merge_common = false,
            .group_elementwise = false,
            .pack_weights = false};
  }
};

// The result of a pass.
struct pass_report {
  std::string name;                     // name of the further pass, or of the pass's switch in pass_options
  bool is_on = true;                    // false: the pass is switched off
  std::size_t changed = 0;              // number of nodes that it removed, merged or computed in advance
  std::size_t too_large = 0;            // number of nodes that it skipped because of a limit
  std::vector<std::string> notes = {};  // further messages, one per line
};

}  // namespace flowgraph

#pragma once
// Which passes a session makes over what it runs, and what each of them did. Without fast_math no pass changes a
// bit of any result.

#include <flowgraph/config.hpp>

#include <concepts>
#include <cstddef>
#include <string>
#include <vector>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

namespace detail {
class draft;
struct pass_call;
struct placed_call;
}  // namespace detail

// A pass that is off unless it is named. Its code is linked where its name stands, and nowhere else. Those that there are:
// fg::passes::known_shapes, dead_switches, arithmetic and dependencies, each in a header of its name; and those that go by cost,
// fg::save_memory and fg::hold_transfers of placement/.
struct further_pass {
  const char* name;
  // The number of nodes that it changed. Null: it waits for run_placed.
  std::size_t (*run)(detail::draft& d, detail::pass_call& call);
  // Once all other passes are done, every node has its device, and what crosses is there (runtime/placed_pass.hpp).
  std::size_t (*run_placed)(const further_pass& self, detail::draft& d, detail::placed_call& call) = nullptr;
};

// The further passes of a session, in the order in which they are made. Each must outlive the session.
class further_passes {
public:
  static constexpr std::size_t most = 6;

  constexpr further_passes() = default;
  template <std::derived_from<further_pass>... Pass>
    requires(sizeof...(Pass) > 0 && sizeof...(Pass) <= most) constexpr further_passes(const Pass&... named) : all_{&named...} {}

  // Names one more, after the others. Precondition: size() < most.
  constexpr void add(const further_pass& named) { all_[size()] = &named; }
  // How many are named.
  constexpr std::size_t size() const {
    std::size_t n = 0;
    while (n < most && all_[n]) ++n;
    return n;
  }
  // The one at that place, from 0.
  constexpr const further_pass& operator[](std::size_t i) const { return *all_[i]; }

private:
  const further_pass* all_[most] = {};
};

// Each pass is switched off by its name: fg::session s{g, {.passes = {.fold_constants = false}}}. Others are on where they are named:
// fg::session s{g, {.passes = {.further = {fg::passes::arithmetic, fg::passes::dead_switches}}}}.
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
  // Made besides, before equal nodes are merged.
  further_passes further = {};
  // Passes may also do what rounds differently, or takes an infinity or a NaN for a number.
  bool fast_math = false;

  // Every pass, off; none is named.
  static pass_options none() { return {.fold_constants = false, .prune_identities = false, .merge_common = false}; }
};

// What a pass did.
struct pass_report {
  std::string name;  // its switch in pass_options, or that of a further pass
  bool is_on = true;
  std::size_t changed = 0;              // nodes that it took away, merged or computed beforehand
  std::size_t too_large = 0;            // nodes that it left alone because of a limit
  std::vector<std::string> notes = {};  // a line for each of them, where a pass has more to tell
};

}
}  // namespace flowgraph

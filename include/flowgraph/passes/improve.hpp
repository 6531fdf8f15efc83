#pragma once
// Runs all passes on a draft, in order: prune_identities, fold_constants, the further passes that are listed, and merge_common. A
// pass only sees the draft. If further passes are listed, all passes run again as long as one of the further passes changes
// something.

#include <flowgraph/core/function.hpp>
#include <flowgraph/core/sequence.hpp>
#include <flowgraph/passes/draft.hpp>
#include <flowgraph/passes/fold_constants.hpp>
#include <flowgraph/passes/options.hpp>

#include <algorithm>
#include <utility>
#include <vector>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

struct placed_call;

// Data for a further pass, in addition to the draft.
struct pass_call {
  const pass_options& options;
  node_runner run;
  pass_report& report;            // for notes and too_large; the result of the pass is added to `changed`
  placed_call* placed = nullptr;  // null before placement
  bool is_explained = false;      // whether the report should contain notes
  sequence<char> uses_tables{};   // after placement, by device: whether its kernels are those of the ops' tables
};

// The reports of the passes over a draft, in the order in which they are first requested.
class pass_reports {
public:
  // `pass`: the further pass, or the switch in pass_options. The result is valid until the next request.
  pass_report& of(const void* pass, const char* name) {
    const auto at = static_cast<std::size_t>(std::find(passes_.begin(), passes_.end(), pass) - passes_.begin());
    if (at == passes_.size()) {
      passes_.push_back(pass);
      all_.emplace_back().name = name;
    }
    return all_[at];
  }
  pass_report& of(const further_pass& pass) { return of(&pass, pass.name); }
  std::size_t changed() const {
    std::size_t result = 0;
    for (const pass_report& p : all_) result += p.changed;
    return result;
  }
  std::vector<pass_report> take() { return std::move(all_); }

private:
  sequence<const void*> passes_;
  std::vector<pass_report> all_;
};

// Runs the passes before placement, and reports on each, including those that are off.
void improve(draft& d, const pass_options& options, node_runner run, pass_reports& reports);

// Folds one node that reads only constants. Returns false if the node is left to the runs, which then also report its errors.
bool fold_node(constant_folding& folding, draft& d, draft_node& n, node_runner run);

}  // namespace flowgraph::detail

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/passes/impl/improve.hpp>
#endif

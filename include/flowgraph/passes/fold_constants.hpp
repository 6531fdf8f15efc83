#pragma once
// The pass `fold_constants` computes nodes that depend only on constants, or only on known shapes, once. It runs on the draft of
// a plan, where it computes small nodes that read only constants, and again on the nodes of a schedule, where the shapes of feeds
// are known.
//
// The caller determines shapes and runs nodes, since this layer is below the runtime.

#include <flowgraph/core/error.hpp>
#include <flowgraph/core/function.hpp>
#include <flowgraph/core/sequence.hpp>
#include <flowgraph/core/tensor.hpp>
#include <flowgraph/graph/loop_map.hpp>
#include <flowgraph/graph/node.hpp>
#include <flowgraph/passes/draft.hpp>
#include <flowgraph/passes/options.hpp>

#include <algorithm>
#include <span>
#include <vector>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

// The data that is known about an input before a run.
struct known_input {
  const any_tensor* tensor;  // its elements if `is_constant`, otherwise its type and, if `is_sized`, its shape
  bool is_constant;
  bool is_sized;
  bool is_reference;  // a variable, or the value of a variable
};

// Computes the outputs of a node that reads only constants.
using node_runner = function_ref<error(const draft_node& n, std::vector<any_tensor>& outputs)>;

// Returns whether the edge passes a constant to each iteration of a loop.
inline bool is_entered_constant(const draft_edge& e) {
  const draft_node& n = *e.from;
  if (n.kind != draft_node::form::op || n.table->control != control_flow::enter ||
      n.inputs[0].from->kind != draft_node::form::constant)
    return false;
  const attribute_value constant = attribute_of(*n.table, n.attributes, "is_constant");
  const bool* const is_constant = constant.get<bool>();
  return is_constant && *is_constant;
}

// The pass's interface to one node.
struct foldable {
  const call_site& at;
  std::uint32_t input_count;
  function_ref<known_input(std::uint32_t)> input;
  function_ref<error(sequence<shape>&)> infer;  // infers the shapes of the outputs; unknown if only a run determines them
  // Runs the node and stores its outputs where `output` finds them. The memory should be limited to a small multiple of the size
  // that may be kept: for outputs without a shape rule it is the only limit. A node that needs more is left to the runs.
  function_ref<error()> run;
  function_ref<any_tensor&(std::uint32_t)> output;
};

class constant_folding {
public:
  static constexpr const char* name = "fold_constants";
  // Limit of folding in a plan. It is small because a plan may run only once, has no deadline while it is made, and is kept after
  // its runs.
  static constexpr std::size_t most_of_plan = std::size_t{64} << 10;
  enum class stage : std::uint8_t {
    plan,      // nodes that read and write at most this many bytes, and are not expensive
    schedule,  // nodes within the limit of the options
  };

  constant_folding(const pass_options& options, stage at) : options_(options), at_(at) {}

  // Returns true if the node has run and its outputs are now constants. Returns false if the node is left to the runs, also if it
  // fails: the runs report the error, unless another node fails before it.
  bool fold(const foldable& f) {
    if (!options_.fold_constants || !depends_on_known(f)) return false;
    if (!is_for_stage(f)) return false;
    const std::size_t limit = limit_of(f);
    sequence<shape> shapes;
    if (f.infer(shapes)) return false;
    std::size_t bytes = 0;
    bool is_sized = true;
    for (std::size_t k = 0; k < shapes.size(); ++k) {
      is_sized = is_sized && shapes[k].is_known();
      if (shapes[k].is_known()) bytes += static_cast<std::size_t>(shapes[k].size()) * size_of(f.at.outputs[k].type);
    }
    bool is_kept = bytes <= limit, has_failed = false;
    if (is_kept) {
      const error why = f.run();
      has_failed = why && (why.code() != error_code::resource_exhausted || is_sized);
      bytes = 0;
      for (std::uint32_t k = 0; k < shapes.size() && !why; ++k) bytes += f.output(k).bytes();
      is_kept = !why && bytes <= limit;
    }
    if (is_kept) return ++folded_, true;
    if (!has_failed) ++too_large_;
    for (std::uint32_t k = 0; k < shapes.size(); ++k) f.output(k).reset();
    return false;
  }

  // Calls a function for each node of a draft that is always live, is not in a loop and reads only constants. The function folds
  // the node with the function above and makes it a constant, or removes it.
  void fold(draft& d, function_ref<void(draft_node&)> offer) const {
    if (!options_.fold_constants || !d.has_constants) return;
    bool has_gone = false;
    for (auto at = d.begin(); at != d.end();) {
      draft_node& n = *at++;
      if (has_gone) draft::read_instead(n);
      if (n.kind != draft_node::form::op || !reads_constants(n)) continue;
      offer(n);
      has_gone = has_gone || n.instead.from;
    }
  }

  // Does the same for nodes in loops and branches, where a constant may have control inputs or be passed to the iterations of a
  // loop. A node that reads such constants becomes a constant with control inputs.
  void fold_waiting(draft& d, function_ref<void(draft_node&)> offer) const {
    if (!options_.fold_constants) return;
    for (draft_node& n : d)
      if (n.kind == draft_node::form::op && may_wait(n)) offer(n);
  }

  pass_report report() const { return {name, options_.fold_constants, folded_, too_large_}; }

private:
  static bool reads_constants(const draft_node& n) {
    if (n.inputs.empty() || !n.controls.empty() || n.is_weighed || n.table->control != control_flow::none) return false;
    return std::all_of(n.inputs.begin(), n.inputs.end(),
                       [](const draft_edge& e) { return e.from->kind == draft_node::form::constant; });
  }
  static bool may_wait(const draft_node& n) {
    if (n.inputs.empty() || n.outputs.size() != 1 || n.table->control != control_flow::none) return false;
    return std::all_of(n.inputs.begin(), n.inputs.end(), [](const draft_edge& e) {
      return e.from->kind == draft_node::form::constant ||
             (e.from->kind == draft_node::form::op && e.from->table->description->constant) || is_entered_constant(e);
    });
  }
  static bool depends_on_known(const foldable& f) {
    const op_table& op = *f.at.op;
    if (op.stateful || op.counts_runs || op.per_run || op.kernel.start || op.description->placeholder || f.at.outputs.empty())
      return false;
    for (const output_info& o : f.at.outputs)
      if (o.is_reference || is_counted(o.type)) return false;
    for (std::uint32_t k = 0; k < f.input_count; ++k) {
      const known_input in = f.input(k);
      if (in.is_reference) return false;
      const bool is_enough = in.is_constant || (op.shape_only && in.is_sized);
      if (!is_enough || is_counted(in.tensor->type())) return false;
    }
    return true;
  }
  // An alias of the input is folded at each stage, since it costs nothing.
  bool is_limited(const foldable& f) const { return at_ == stage::plan && !f.at.op->alias; }
  bool is_for_stage(const foldable& f) const {
    return !is_limited(f) || (!f.at.op->kernel.facts.expensive && bytes_of_inputs(f) <= most_of_plan);
  }
  // Returns the largest size of the outputs in bytes.
  std::size_t limit_of(const foldable& f) const {
    const std::size_t most = std::max(options_.folded_bytes, bytes_of_inputs(f));
    return is_limited(f) ? std::min(most, most_of_plan) : most;
  }
  static std::size_t bytes_of_inputs(const foldable& f) {
    std::size_t bytes = 0;
    for (std::uint32_t k = 0; k < f.input_count; ++k)
      if (const known_input in = f.input(k); in.is_constant) bytes += in.tensor->bytes();
    return bytes;
  }

  const pass_options& options_;
  stage at_;
  std::size_t folded_ = 0, too_large_ = 0;
};

}  // namespace flowgraph::detail

#include <flowgraph/show_names.hpp>

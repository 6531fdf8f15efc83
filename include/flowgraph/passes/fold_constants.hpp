#pragma once
// The pass fold_constants: what depends on constants alone, or on known shapes alone, is computed once, while a schedule is made.
//
// How a node's shapes are found and how it is run is the caller's concern: this layer stands below the runtime.

#include <flowgraph/core/error.hpp>
#include <flowgraph/core/function.hpp>
#include <flowgraph/core/tensor.hpp>
#include <flowgraph/graph/node.hpp>
#include <flowgraph/passes/options.hpp>

#include <algorithm>
#include <span>
#include <vector>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

namespace detail {

// What is known of an input before any run.
struct known_input {
  const any_tensor* tensor;  // its elements where `is_constant`, its type and, where `is_sized`, its shape otherwise
  bool is_constant;
  bool is_sized;
  bool is_reference;  // a variable, or the value of one
};

// One node, as the pass asks for it.
struct foldable {
  const node& at;
  std::uint32_t input_count;
  function_ref<known_input(std::uint32_t)> input;
  function_ref<error(std::vector<shape>&)> infer;  // the shapes of the outputs; unknown where only a run tells
  function_ref<error()> run;                       // leaves the outputs where `output` finds them
  function_ref<any_tensor&(std::uint32_t)> output;
};

class constant_folding {
public:
  static constexpr const char* name = "fold_constants";

  explicit constant_folding(const pass_options& options) : options_(options) {}

  // True: the node has run and its outputs are constants from now on. False: it is left to the runs.
  result<bool> fold(const foldable& f) {
    if (!options_.fold_constants || !depends_on_known(f)) return false;
    std::vector<shape> shapes;
    if (error why = f.infer(shapes)) return why;
    const std::size_t limit = std::max(options_.folded_bytes, bytes_of_inputs(f));
    std::size_t bytes = 0;
    for (std::size_t k = 0; k < shapes.size(); ++k)
      if (shapes[k].is_known()) bytes += static_cast<std::size_t>(shapes[k].size()) * size_of(f.at.outputs[k].type);
    if (bytes <= limit) {
      if (error why = f.run()) return why;
      bytes = 0;
      for (std::uint32_t k = 0; k < shapes.size(); ++k) bytes += f.output(k).bytes();
    }
    (bytes <= limit ? folded_ : too_large_) += 1;
    if (bytes <= limit) return true;
    for (std::uint32_t k = 0; k < shapes.size(); ++k) f.output(k).reset();
    return false;
  }

  pass_report report() const { return {name, options_.fold_constants, folded_, too_large_}; }

private:
  static bool depends_on_known(const foldable& f) {
    const op_table& op = *f.at.op;
    if (op.stateful || op.counts_runs || f.at.outputs.empty()) return false;
    for (const output_info& o : f.at.outputs)
      if (o.is_reference) return false;
    for (std::uint32_t k = 0; k < f.input_count; ++k) {
      const known_input in = f.input(k);
      if (in.is_reference) return false;
      const bool is_enough = in.is_constant || (op.shape_only && in.is_sized);
      if (!is_enough || is_counted(in.tensor->type())) return false;
    }
    return true;
  }
  static std::size_t bytes_of_inputs(const foldable& f) {
    std::size_t bytes = 0;
    for (std::uint32_t k = 0; k < f.input_count; ++k)
      if (const known_input in = f.input(k); in.is_constant) bytes += in.tensor->bytes();
    return bytes;
  }

  const pass_options& options_;
  std::size_t folded_ = 0, too_large_ = 0;
};

}  // namespace detail

}
}  // namespace flowgraph

#pragma once
// The connection between a sparse table and the optimizers that train it. Optimizers include only this header, so programs
// without tables contain no code of tables.

#include <flowgraph/graph/apply.hpp>

#include <span>

namespace flowgraph::inline FLOWGRAPH_ABI {

// The parts of an update of the rows of a table.
struct table_update_request {
  std::string_view rule = {};                // the name of the rule: "Adagrad" for SparseTableApplyAdagrad
  std::span<const out<float>> scalars = {};  // in the order of the op's inputs
  out<resource> table = {};
  out<float> gradients = {};
  out<std::int64_t> keys = {};
  float initial_state = 0;
  bool use_nesterov = false;
  bool owns_gradients = false;  // true: nothing else reads the gradients, so the update may compute them itself
};

// Returns a matrix without rows and with the columns of a table. Gradients with respect to the table are gradients with respect
// to this matrix, so optimizers find the table by it.
struct sparse_table_anchor_op {
  static constexpr std::string_view name = "SparseTableAnchor";
  static constexpr op_facts facts{.not_differentiable = true};
  std::int64_t columns = 1;
  // Adds the op of an update; empty if no op with this name and number of scalars exists. Null: the node was not made by the
  // class sparse_table of this program.
  target (*add_update)(const table_update_request& request, const site& s) = nullptr;
  static constexpr auto attrs = flowgraph::attrs(required("columns", &sparse_table_anchor_op::columns));

  flowgraph::shape shape(shape_context& c, const flowgraph::shape&) const {
    if (columns < 1) return c.fail(message{"columns must be positive, found ", columns});
    return {0, columns};
  }
  void operator()(cpu, view<const resource>, view<float>) const {}
};

using table_anchor_ops = type_list<sparse_table_anchor_op>;

namespace detail {

// Returns the op of an anchor, or null if the edge is not the anchor of a table.
inline const sparse_table_anchor_op* anchor_op_of(const any_out& x) {
  if (!x.source || x.source->is_poison() || x.source->op->name() != sparse_table_anchor_op::name) return nullptr;
  return static_cast<const sparse_table_anchor_op*>(x.source->attributes);
}

}  // namespace detail

}  // namespace flowgraph

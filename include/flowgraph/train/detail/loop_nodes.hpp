#pragma once
// What the parts of the pass loop_products share.

#include <flowgraph/core/sequence.hpp>
#include <flowgraph/ops/linear_algebra/matmul.hpp>
#include <flowgraph/passes/detail/rewriting.hpp>
#include <flowgraph/passes/improve.hpp>

#include <algorithm>
#include <limits>
#include <memory>
#include <utility>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

// What all parts of the pass know about the nodes of a draft.
class loop_nodes {
public:
  loop_nodes(draft& d, const pass_call& call) : draft_(d), call_(call) {
    std::uint32_t count = 0;
    for (draft_node& n : d) n.place = count++;
    uses_.resize(count);
    for (const draft_node& n : d) {
      if (is_constant_node(n)) continue;
      for (const draft_edge& e : n.inputs) ++uses_[e.from->place];
      for (draft_node* c : n.controls) c->is_waited_for = true;  // a pass may have added the edge
    }
  }

protected:
  static bool is_control(const draft_node& n, control_flow c) { return n.kind == draft_node::form::op && n.table->control == c; }
  static bool is_level_type(dtype type) { return type == dtype::float32 || type == dtype::float64; }
  // Returns the attributes of a product of matrices, or null.
  static const mat_mul_op* product_of(const draft_node& n) {
    const bool is_product = n.kind == draft_node::form::op && n.table->description == table_of<mat_mul_op, float>.description;
    return is_product ? static_cast<const mat_mul_op*>(n.attributes) : nullptr;
  }
  static const shape& shape_of(const draft_edge& e) { return e.from->outputs[e.port].shape; }
  // Returns whether the node has so many readers, and nothing else needs it.
  bool serves(const draft_node& n, std::uint32_t readers) const {
    return uses_[n.place] == readers && !n.is_requested && !n.is_waited_for && n.controls.empty();
  }
  bool is_on_cpu(const draft_node& n) const { return call_.uses_tables[n.device_place]; }

  draft_node& add(draft_node& behind, const draft_node& for_node, const op_table& table, const void* op, made_node data,
                  std::span<const draft_edge> inputs) {
    for (const draft_edge& e : inputs) data.inputs.push_back(draft_.written(e));
    draft_node& new_node = draft_.make(&behind, for_node, table, op, std::move(data), 1, inputs.size(), 0);
    std::ranges::copy(inputs, new_node.inputs.begin());
    new_node.device = for_node.device;
    new_node.device_place = for_node.device_place;
    return new_node;
  }
  // Adds a node of an op that exists for float and double.
  template <class Op>
  draft_node& add_level(draft_node& behind, const draft_node& for_node, Op op, const char* ending, const output_info& result,
                        std::span<const draft_edge> inputs) {
    const auto kept = std::make_shared<Op>(op);
    made_node data{.name = std::string(for_node.name) + ending, .owned = kept};
    data.outputs[0] = result;
    const op_table& table = result.type == dtype::float32 ? table_of<Op, float> : table_of<Op, double>;
    return add(behind, for_node, table, kept.get(), std::move(data), inputs);
  }

  // Whether all nodes that may write the variable run after the loop of the product: then each iteration reads the same values. A
  // variable that enters the loop itself is outside of all loops.
  bool is_written_later(const draft_node& variable, const draft_node& product) const {
    if (variable.kind != draft_node::form::op || variable.table->of_variable == variable_role::none) return false;
    const sequence<int> depth = depths_behind(product);
    for (const draft_node& n : draft_) {
      if (is_constant_node(n) || !may_write(n, variable)) continue;
      if (is_control(n, control_flow::enter) || is_control(n, control_flow::exit) || depth[n.place] >= 0) return false;
    }
    return true;
  }
  static constexpr int unreached = std::numeric_limits<int>::max();
  // Returns for each node that depends on the product, by place, the number of loops around it: 0 for the loop of the product, and
  // less for nodes that run after that loop. Other nodes are unreached.
  sequence<int> depths_behind(const draft_node& product) const {
    sequence<int> depth(uses_.size());
    std::fill(depth.begin(), depth.end(), unreached);
    depth[product.place] = 0;
    for (bool more = true; more;) {
      more = false;  // back edges lead to nodes that were visited before
      for (const draft_node& n : draft_) {
        int& own = depth[n.place];
        if (is_constant_node(n) || own != unreached) continue;
        for (const draft_edge& e : n.inputs)
          if (own == unreached) own = depth[e.from->place];
        for (const draft_node* c : n.controls)
          if (own == unreached) own = depth[c->place];
        if (own == unreached) continue;
        own += is_control(n, control_flow::enter) ? 1 : is_control(n, control_flow::exit) ? -1 : 0;
        more = true;
      }
    }
    return depth;
  }
  // Precondition: n is a feed or an op.
  static bool may_write(const draft_node& n, const draft_node& variable) {
    for (std::size_t k = 0; n.kind == draft_node::form::op && k < n.inputs.size(); ++k) {
      const draft_node& from = *n.inputs[k].from;
      const bool is_other = from.kind == draft_node::form::op && from.table->of_variable != variable_role::none &&
                            from.inputs.empty() && &from != &variable;
      if (is_reference(n.inputs[k]) && !is_other && input_argument(n, k).writes) return true;
    }
    return false;
  }

  draft& draft_;
  const pass_call& call_;
  sequence<std::uint32_t> uses_;  // by place: the edges that read it
};

}  // namespace flowgraph::detail

#include <flowgraph/show_names.hpp>

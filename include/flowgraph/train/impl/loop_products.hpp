#pragma once

#include <flowgraph/core/sequence.hpp>
#include <flowgraph/ops/control_flow/control_flow.hpp>
#include <flowgraph/ops/math/math.hpp>
#include <flowgraph/train/detail/bundling.hpp>
#include <flowgraph/train/detail/listed_products.hpp>
#include <flowgraph/train/detail/loop_nodes.hpp>
#include <flowgraph/train/detail/packed_products.hpp>
#include <flowgraph/train/loop_products.hpp>

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

// The nodes of a loop variable that is a sum: enter -> merge -> branch -> sum -> next -> merge, and branch -> exit.
struct summed_variable {
  draft_node *enter, *merge, *branch, *sum, *next, *exit;
  shape size;  // of the sum
};

class product_listing : loop_nodes {
public:
  using loop_nodes::loop_nodes;

  // Returns the number of products that the pass moves out of loops.
  std::size_t run() {
    sequence<summed_variable> found;
    for (draft_node& n : draft_) {
      summed_variable v{};
      if (find(n, v)) found.push_back(v);
    }
    if (found.empty()) return 0;
    std::size_t changed = 0;
    for (const summed_variable& v : found) changed += replace(v);
    for (draft_node& n : draft_)
      if (n.table != &table_of<sum_of_products_op, float> && n.table != &table_of<sum_of_products_op, double>)
        draft::read_instead(n);
    for (draft_edge& e : draft_.fetches) draft::read_instead(e);
    for (const summed_variable& v : found) v.exit->instead = {};
    return changed;
  }

private:
  bool find(draft_node& exit, summed_variable& v) const {
    if (!is_control(exit, control_flow::exit) || exit.is_waited_for || !exit.controls.empty()) return false;
    if (!is_level_type(exit.outputs[0].type) || exit.inputs[0].port != 0) return false;
    if (std::ranges::find(draft_.targets, &exit) != draft_.targets.end()) return false;
    v.exit = &exit;
    v.branch = exit.inputs[0].from;
    if (!is_control(*v.branch, control_flow::switch_) || !serves(*v.branch, 2) || v.branch->outputs[0].is_reference) return false;
    v.merge = v.branch->inputs[0].from;
    if (!is_control(*v.merge, control_flow::merge) || !serves(*v.merge, 1) || v.merge->inputs.size() != 2) return false;
    v.enter = v.merge->inputs[0].from;
    v.next = v.merge->inputs[1].from;
    if (!is_control(*v.enter, control_flow::enter) || uses_[v.enter->place] != 1 || v.enter->is_waited_for) return false;
    if (!is_control(*v.next, control_flow::next_iteration) || !serves(*v.next, 1)) return false;
    v.sum = v.next->inputs[0].from;
    return is_sum(v) && is_on_one_cpu(v);
  }
  // Whether each iteration adds products to the variable, in the order in which the product after the loop adds them.
  bool is_sum(summed_variable& v) const {
    const draft_node& n = *v.sum;
    if (n.kind != draft_node::form::op || !serves(n, 1) || n.inputs.size() < 2) return false;
    const bool adds = n.table->description == table_of<add_n_op, float>.description ||
                      (meaning_of(n) == op_meaning::sum && n.inputs.size() == 2);
    if (!adds || n.inputs[0] != draft_edge{v.branch, 1}) return false;
    const draft_edge first = v.enter->inputs[0];
    v.size = shape_of(first);
    return v.size.rank == 2 && v.size.is_known() && !is_reference(first) &&
           std::all_of(n.inputs.begin() + 1, n.inputs.end(), [&](const draft_edge& e) { return is_product(*e.from, v); });
  }
  // Whether the factors are smaller than the sum. If their common extent is not known, it is the size of a batch.
  bool is_product(const draft_node& n, const summed_variable& v) const {
    const mat_mul_op* const op = product_of(n);
    if (!op || !op->transpose_a || op->transpose_b || !serves(n, 1)) return false;
    if (n.outputs[0].shape != v.size || n.device_place != v.exit->device_place) return false;
    if (is_reference(n.inputs[0]) || is_reference(n.inputs[1])) return false;
    const shape& a = shape_of(n.inputs[0]);
    return a.rank == 2 && 2 * a[0] <= v.size[0];
  }
  bool is_on_one_cpu(const summed_variable& v) const {
    return is_on_cpu(*v.exit) &&
           std::ranges::all_of(std::array{v.enter, v.merge, v.branch, v.sum, v.next},
                               [&](const draft_node* n) { return n->device_place == v.exit->device_place; });
  }

  std::size_t replace(const summed_variable& v) {
    draft_node& begun = make<begin_products_op>(*v.enter->before, *v.enter, "/begin", {&v.enter->inputs[0], 1});
    v.enter->inputs[0] = {&begun, 0};
    sequence<draft_edge> list;
    list.push_back({v.branch, 1});
    for (std::size_t k = 1; k < v.sum->inputs.size(); ++k) {
      draft_node& product = *v.sum->inputs[k].from;
      for (const draft_edge& factor : product.inputs) list.push_back(factor);
      draft_.remove(product);
    }
    v.next->inputs[0] = {&make<list_products_op>(*v.sum, *v.sum, "", {list.data(), list.size()}), 0};
    draft_.remove(*v.sum);

    const output_info result{v.exit->outputs[0].type, false, false, v.size};
    for (draft_node* n : {v.enter, v.merge, v.branch, v.next, v.exit}) carry_list(*n);
    const draft_edge all{v.exit, 0};
    draft_node& sum = add_level(*v.exit, *v.exit, sum_of_products_op{v.size}, "/sum", result, {&all, 1});
    sum.is_requested = std::exchange(v.exit->is_requested, false);
    sum.is_weighed = v.exit->is_weighed;
    v.exit->instead = {&sum, 0};
    return v.sum->inputs.size() - 1;
  }
  template <class Op>
  draft_node& make(draft_node& behind, const draft_node& for_node, const char* ending, std::span<const draft_edge> inputs) {
    static constexpr Op op{};
    made_node data{.name = std::string(for_node.name) + ending};
    data.outputs[0] = {dtype::resource, false, true, {}};
    return add(behind, for_node, table_of<Op>, &op, std::move(data), inputs);
  }
  // Turns a node of the loop variable into one whose value is the handle of a list.
  void carry_list(draft_node& n) {
    const auto table = std::make_shared<op_table>(*n.table);
    table->bound_types[0] = dtype::resource;
    table->sum = nullptr;
    table->gradient = nullptr;
    made_node& kept = draft_.keep({.name = {}, .owned = table});
    for (std::size_t k = 0; k < n.outputs.size(); ++k) {
      kept.outputs[k] = n.outputs[k];
      if (is_level_type(n.outputs[k].type)) kept.outputs[k] = {dtype::resource, false, false, {}};
    }
    n.outputs = std::span<const output_info>(kept.outputs).first(n.outputs.size());
    n.table = table.get();
  }
};

class matrix_packing : loop_nodes {
public:
  using loop_nodes::loop_nodes;

  // Returns the number of products that read packed matrices.
  std::size_t run() {
    sequence<draft_node*> found;
    for (draft_node& n : draft_)
      if (is_packable(n)) found.push_back(&n);
    for (draft_node* n : found) replace(*n);
    if (found.empty()) return 0;
    draft_.read_all_instead();
    return found.size();
  }

private:
  struct packed {
    const draft_node* enter;
    packed_matrix of;
    draft_edge value;
  };
  // Products of fewer rows read a matrix in place, unless it is transposed.
  static constexpr std::int64_t fewest_rows = 25;

  bool is_packable(const draft_node& n) const {
    const mat_mul_op* const op = product_of(n);
    if (!op || op->transpose_a || !is_level_type(n.outputs[0].type) || is_reference(n.inputs[0]) || !is_on_cpu(n)) return false;
    const draft_node& enter = *n.inputs[1].from;
    if (!is_control(enter, control_flow::enter) || !enter.controls.empty() || enter.device_place != n.device_place) return false;
    const attribute_value is_constant = attribute_of(*enter.table, enter.attributes, "is_constant");
    if (const bool* stays = is_constant.get<bool>(); !stays || !*stays) return false;
    if (enter.outputs[0].is_reference && !is_written_later(*enter.inputs[0].from, n)) return false;
    const shape &a = shape_of(n.inputs[0]), &matrix = shape_of(enter.inputs[0]);
    if (matrix.rank != 2 || !matrix.is_known() || matrix.size() == 0) return false;
    return a.rank == 2 && (op->transpose_b ? a[0] != 1 : a[0] < 0 || a[0] >= fewest_rows);
  }
  void replace(draft_node& n) {
    draft_node& enter = *n.inputs[1].from;
    const bool is_transposed = product_of(n)->transpose_b;
    const shape& matrix = shape_of(enter.inputs[0]);
    const packed_matrix of{matrix[is_transposed ? 1 : 0], matrix[is_transposed ? 0 : 1], is_transposed};
    const draft_edge inputs[]{n.inputs[0], entered(enter, of)};
    draft_node& new_node = add_level(n, n, packed_mat_mul_op{of}, "", n.outputs[0], inputs);
    draft_.wait_for(new_node, n.controls);
    new_node.is_requested = n.is_requested;
    new_node.is_waited_for = n.is_waited_for;
    new_node.is_weighed = n.is_weighed;
    n.instead = {&new_node, 0};
    draft_.remove(n);
  }
  // Returns the packed matrix in the loop.
  draft_edge entered(draft_node& enter, const packed_matrix& of) {
    for (const packed& p : packed_)
      if (p.enter == &enter && p.of.is_transposed == of.is_transposed) return p.value;
    const dtype type = enter.outputs[0].type;
    const output_info result{type, false, false, {type == dtype::float32 ? of.size<float>() : of.size<double>()}};
    const draft_edge matrix = enter.inputs[0];
    const draft_edge outside{&add_level(*enter.before, enter, pack_matrix_op{of},
                                        of.is_transposed ? "/packed_transposed" : "/packed", result, {&matrix, 1}),
                             0};
    const auto kept = std::make_shared<entering>(enter, type);
    made_node data{.name = std::string(enter.name) + (of.is_transposed ? "/enter_transposed" : "/enter"), .owned = kept};
    data.outputs[0] = result;
    packed_.push_back({&enter, of, {&add(enter, enter, kept->table, &kept->op, std::move(data), {&outside, 1}), 0}});
    return packed_.back().value;
  }

  // An Enter to the same loop, for a value. The given Enter may be one for references.
  struct entering {
    enter_op op;
    op_table table = table_of<enter_op, std::int32_t>;

    entering(const draft_node& like, dtype type) {
      const attribute_value name = attribute_of(*like.table, like.attributes, "frame_name");
      const attribute_value parallel = attribute_of(*like.table, like.attributes, "parallel_iterations");
      op.frame_name = *name.get<std::string>();
      op.is_constant = true;
      op.parallel_iterations = *parallel.get<std::int64_t>();
      table.bound_types[0] = type;
      table.sum = nullptr;
      table.gradient = nullptr;
    }
  };

  sequence<packed> packed_;
};

FLOWGRAPH_INLINE std::size_t loop_products(const further_pass&, draft& d, pass_call& call) {
  const std::size_t listed = product_listing(d, call).run();
  const std::size_t packed = matrix_packing(d, call).run();
  return listed + packed + bundling(d, call).run();
}

}  // namespace flowgraph::detail

#pragma once

#include <flowgraph/core/sequence.hpp>
#include <flowgraph/ops/linear_algebra/matmul.hpp>
#include <flowgraph/ops/math/math.hpp>
#include <flowgraph/passes/detail/rewriting.hpp>
#include <flowgraph/passes/improve.hpp>
#include <flowgraph/train/detail/listed_products.hpp>
#include <flowgraph/train/product_sums.hpp>

#include <algorithm>
#include <memory>
#include <utility>

#include <flowgraph/hide_names.hpp>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

namespace detail {

// The nodes of a loop variable that is a sum: enter -> merge -> branch -> sum -> next -> merge, and branch -> exit.
struct summed_variable {
  draft_node *enter, *merge, *branch, *sum, *next, *exit;
  shape size;  // of the sum
};

class product_listing {
public:
  product_listing(draft& d, const pass_call& call) : draft_(d), call_(call) {
    std::uint32_t count = 0;
    for (draft_node& n : d) n.place = count++;
    uses_.resize(count);
    for (const draft_node& n : d) {
      if (is_constant_node(n)) continue;
      for (const draft_edge& e : n.inputs) ++uses_[e.from->place];
      for (draft_node* c : n.controls) c->is_waited_for = true;  // a pass may have added the edge
    }
  }

  // Returns the number of nodes that the pass has removed.
  std::size_t run() {
    sequence<summed_variable> found;
    for (draft_node& n : draft_) {
      summed_variable v{};
      if (find(n, v)) found.push_back(v);
    }
    std::size_t changed = 0;
    for (const summed_variable& v : found) changed += replace(v);
    if (changed == 0) return 0;
    for (draft_node& n : draft_)
      if (n.table != &table_of<sum_of_products_op, float> && n.table != &table_of<sum_of_products_op, double>)
        draft::read_instead(n);
    for (draft_edge& e : draft_.fetches) draft::read_instead(e);
    for (const summed_variable& v : found) v.exit->instead = {};
    return changed;
  }

private:
  static bool is(const draft_node& n, control_flow c) { return n.is == draft_node::form::op && n.table->control == c; }
  // Returns whether the node has so many readers, and nothing else needs it.
  bool serves(const draft_node& n, std::uint32_t readers) const {
    return uses_[n.place] == readers && !n.is_requested && !n.is_waited_for && n.controls.empty();
  }
  bool find(draft_node& exit, summed_variable& v) const {
    if (!is(exit, control_flow::exit) || exit.is_waited_for || !exit.controls.empty()) return false;
    if (exit.outputs[0].type != dtype::float32 && exit.outputs[0].type != dtype::float64) return false;
    if (std::ranges::find(draft_.targets, &exit) != draft_.targets.end() || exit.inputs[0].port != 0) return false;
    v.exit = &exit;
    v.branch = exit.inputs[0].from;
    if (!is(*v.branch, control_flow::switch_) || !serves(*v.branch, 2) || v.branch->outputs[0].is_reference) return false;
    v.merge = v.branch->inputs[0].from;
    if (!is(*v.merge, control_flow::merge) || !serves(*v.merge, 1) || v.merge->inputs.size() != 2) return false;
    v.enter = v.merge->inputs[0].from;
    v.next = v.merge->inputs[1].from;
    if (!is(*v.enter, control_flow::enter) || uses_[v.enter->place] != 1 || v.enter->is_waited_for) return false;
    if (!is(*v.next, control_flow::next_iteration) || !serves(*v.next, 1)) return false;
    v.sum = v.next->inputs[0].from;
    return is_sum(v) && is_on_one_cpu(v);
  }
  // Whether each iteration adds products to the variable, in the order in which the ops after the loop would add them.
  bool is_sum(summed_variable& v) const {
    const draft_node& n = *v.sum;
    if (n.is != draft_node::form::op || !serves(n, 1) || n.inputs.size() < 2) return false;
    const bool adds = n.table->description == table_of<add_n_op, float>.description ||
                      (meaning_of(n) == op_meaning::sum && n.inputs.size() == 2);
    if (!adds || n.inputs[0] != draft_edge{v.branch, 1}) return false;
    const draft_edge first = v.enter->inputs[0];
    v.size = first.from->outputs[first.port].shape;
    return v.size.rank == 2 && v.size.is_known() && !is_reference(first) &&
           std::all_of(n.inputs.begin() + 1, n.inputs.end(), [&](const draft_edge& e) { return is_product(*e.from, v); });
  }
  // Whether the factors are smaller than the sum. If their common extent is not known, it is the size of a batch.
  bool is_product(const draft_node& n, const summed_variable& v) const {
    if (n.is != draft_node::form::op || !serves(n, 1) || n.table->description != table_of<mat_mul_op, float>.description)
      return false;
    const auto& op = *static_cast<const mat_mul_op*>(n.attributes);
    if (!op.transpose_a || op.transpose_b || n.outputs[0].shape != v.size || n.device_place != v.exit->device_place) return false;
    if (std::ranges::any_of(n.inputs, [](const draft_edge& e) { return is_reference(e); })) return false;
    const shape& a = n.inputs[0].from->outputs[n.inputs[0].port].shape;
    return a.rank == 2 && 2 * a[0] <= v.size[0];
  }
  bool is_on_one_cpu(const summed_variable& v) const {
    const std::uint32_t place = v.exit->device_place;
    return call_.uses_tables[place] && std::ranges::all_of(std::array{v.enter, v.merge, v.branch, v.sum, v.next},
                                                           [&](const draft_node* n) { return n->device_place == place; });
  }

  std::size_t replace(const summed_variable& v) {
    draft_node& begun = make<begin_products_op>(*v.enter->before, *v.enter, "/begin", {&v.enter->inputs[0], 1});
    v.enter->inputs[0] = {&begun, 0};
    sequence<draft_edge> factors;
    factors.push_back({v.branch, 1});
    std::size_t removed = 1;
    for (std::size_t k = 1; k < v.sum->inputs.size(); ++k, ++removed) {
      draft_node& product = *v.sum->inputs[k].from;
      for (const draft_edge& e : product.inputs) factors.push_back(e);
      draft_.remove(product);
    }
    v.next->inputs[0] = {&make<list_products_op>(*v.sum, *v.sum, "", {factors.data(), factors.size()}), 0};
    draft_.remove(*v.sum);

    const output_info result{v.exit->outputs[0].type, false, false, v.size};
    for (draft_node* n : {v.enter, v.merge, v.branch, v.next, v.exit}) carry_list(*n);
    const auto op = std::make_shared<sum_of_products_op>();
    op->declared = v.size;
    const op_table& table =
        result.type == dtype::float32 ? table_of<sum_of_products_op, float> : table_of<sum_of_products_op, double>;
    const draft_edge list{v.exit, 0};
    draft_node& sum = add(*v.exit, *v.exit, table, op.get(), {.name = std::string(v.exit->name) + "/sum", .owned = op}, {&list, 1});
    sum.outputs = result_of(result);
    sum.is_requested = std::exchange(v.exit->is_requested, false);
    sum.is_weighed = v.exit->is_weighed;
    v.exit->instead = {&sum, 0};
    return removed;
  }
  std::span<const output_info> result_of(const output_info& o) {
    made_node& kept = draft_.keep({});
    kept.outputs[0] = o;
    return std::span<const output_info>(kept.outputs).first(1);
  }
  template <class Op>
  draft_node& make(draft_node& behind, const draft_node& for_node, const char* ending, std::span<const draft_edge> inputs) {
    static constexpr Op op{};
    made_node data{.name = std::string(for_node.name) + ending};
    data.outputs[0] = {dtype::resource, false, true, {}};
    return add(behind, for_node, table_of<Op>, &op, std::move(data), inputs);
  }
  draft_node& add(draft_node& behind, const draft_node& for_node, const op_table& table, const void* op, made_node data,
                  std::span<const draft_edge> inputs) {
    for (const draft_edge& e : inputs) data.inputs.push_back(draft_.written(e));
    draft_node& made = draft_.make(&behind, for_node, table, op, std::move(data), 1, inputs.size(), 0);
    std::ranges::copy(inputs, made.inputs.begin());
    made.device = for_node.device;
    made.device_place = for_node.device_place;
    return made;
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
      if (n.outputs[k].type == dtype::float32 || n.outputs[k].type == dtype::float64)
        kept.outputs[k] = {dtype::resource, false, false, {}};
    }
    n.outputs = std::span<const output_info>(kept.outputs).first(n.outputs.size());
    n.table = table.get();
  }

  draft& draft_;
  const pass_call& call_;
  sequence<std::uint32_t> uses_;  // by place: the edges that read it
};

FLOWGRAPH_INLINE std::size_t product_sums(const further_pass&, draft& d, pass_call& call) {
  return product_listing(d, call).run();
}

}  // namespace detail

}
}  // namespace flowgraph

#include <flowgraph/show_names.hpp>

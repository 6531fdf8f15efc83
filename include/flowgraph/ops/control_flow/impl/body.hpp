#pragma once

#include <flowgraph/core/sequence.hpp>
#include <flowgraph/graph/graph_state.hpp>
#include <flowgraph/ops/array/constant.hpp>
#include <flowgraph/ops/control_flow/body.hpp>
#include <flowgraph/ops/control_flow/control_flow.hpp>
#include <flowgraph/ops/control_flow/impl/flow_tables.hpp>

#include <map>
#include <unordered_map>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

inline bool is_reference(const any_out& x) { return x.is_usable() && x.source->outputs[x.port].is_reference; }

// Replacements of handles, by node and port.
using handles_for = std::map<std::pair<const node*, std::uint32_t>, any_out>;
inline handles_for::key_type key_of(const any_out& o) { return {o.source, o.port}; }

// Lets gradients read values of the surrounding bodies. Defined beside the gradients of loops.
std::shared_ptr<body_scope> gradient_scope_of(body_scope& inner, graph_state& g, std::uint32_t number, loop_map& loops);

// A body whose nodes may read values from outside. Each handle is captured once.
class capturing_scope : public body_scope {
public:
  capturing_scope(graph_state& g, std::string_view name, const site& s)
      : g_(g), outer_(g.bodies.open), outer_number_(g.bodies.number), number_(next_body_number(g, name)),
        control_(g.scope.control), site_(s) {
    for (const auto& e : g.bodies.effects) earlier_.push_back(e.first);
  }

  std::uint32_t number() const { return number_; }
  graph_state& state() const { return g_; }

  result<any_out> capture(any_out from) override {
    if (has(from)) return known(from);
    from = outside_of(from);
    sequence<body_scope*> around;  // bodies that must capture it first, innermost first
    for (body_scope* b = outer_; b && !b->has(from); b = b->around()) around.push_back(b);
    for (std::size_t i = around.size(); i-- > 0;)
      if (auto result = around[i]->capture(from); !result) return result.error();
    auto result = take(from);
    if (!result) return result;
    brought_.emplace(key_of(from), *result);
    stands_for_.emplace(result->source, from);
    return result;
  }
  result<node*> capture_control(node* from) override {
    if (is_free(*from) || is_within(g_, from->body, number_)) return from;
    any_out& signal = signals_[{from, 0}];
    if (!signal.source) {
      const const_op op{tensor<bool>(true).erased()};
      node* const after[]{from};
      auto result = add_outside(request_of(&table_of<const_op, bool>, &op, {}, after), "after");
      if (!result) return result.error();
      signal = {*result, 0};
    }
    auto inside = capture(signal);
    if (!inside) return inside.error();
    return inside->source;
  }
  bool has(any_out from) const override {
    if (!from.is_usable()) return true;
    if (is_free(*from.source) || is_within(g_, from.source->body, number_) || brought_.contains(key_of(from))) return true;
    const any_out outside = behind(*from.source);  // the node is in the surrounding body, and its output in this one
    return outside.source && known(outside) == from;
  }
  any_out behind(const node& n) const override {
    const auto at = stands_for_.find(&n);
    return at == stands_for_.end() ? any_out{} : at->second;
  }
#ifndef FLOWGRAPH_INFERENCE
  std::shared_ptr<body_scope> for_gradients(loop_map& loops) override { return gradient_scope_of(*this, g_, number_, loops); }
#endif
  body_scope* around() const override { return outer_; }

protected:
  ~capturing_scope() = default;

  // Adds the node that provides an outside handle inside of the body.
  virtual result<any_out> take(any_out from) = 0;

  // Adds a node to the surrounding body, after the nodes that the loop or branch waits for.
  result<node*> add_outside(const node_request& r, std::string_view name = {}) {
    const open_body outside(g_, outer_, outer_number_);
    g_.scope.control = control_;
    return graph(g_.shared_from_this()).try_add(r, {name, site_.location});
  }
  // The nodes of the surrounding body that changed or read variables before this body was opened. A variable enters after them, because a
  // run orders only the accesses within one loop.
  std::span<node* const> earlier() const { return earlier_; }
  any_out identity_inside(any_out x, std::string_view name) {
    const open_body inside(g_, nullptr, number_);
    return identity_of(g_, x, {name, site_.location});
  }

private:
  // A value that was captured into a surrounding body represents the original handle.
  any_out outside_of(any_out from) const {
    for (body_scope* b = outer_; b; b = b->around())
      if (const any_out outside = b->behind(*from.source); outside.source) from = outside;
    return from;
  }
  any_out known(const any_out& from) const {
    const auto at = brought_.find(key_of(from));
    return at == brought_.end() ? from : at->second;
  }

  graph_state& g_;
  body_scope* outer_;
  std::uint32_t outer_number_, number_;
  sequence<node*> control_;  // control inputs of the scope around the loop or branch
  sequence<node*> earlier_;
  site site_;
  handles_for brought_;
  std::unordered_map<const node*, any_out> stands_for_;
  handles_for signals_;  // by the node's first output: outside constants that wait for the node
};

// Refuses a loop or a branch at the user's line. Its values are poisoned handles.
FLOWGRAPH_COLD inline any_out_list refuse_whole(graph_state& g, const message& why, std::string_view name, std::string_view what,
                                                const site& s, std::size_t values) {
  refuse_construction(g, error(error_code::invalid_argument, why).at(name, what, s.location));
  return any_out_list(values, any_out{&g.poison, 0});
}

}  // namespace flowgraph::detail

#pragma once
// The body in which gradients are built. Its nodes may read values of the surrounding bodies and of their closed branches. A loop
// must not capture dead values. So a value of a closed branch is first merged with a stand-in, which makes it always alive, and is
// read behind a Switch in this body.

#include <flowgraph/core/sequence.hpp>
#include <flowgraph/graph/graph_state.hpp>
#include <flowgraph/graph/loop_map.hpp>
#include <flowgraph/ops/control_flow/impl/stand_in.hpp>

#include <map>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

std::shared_ptr<body_scope> gradient_scope_of(body_scope& inner, graph_state& g, std::uint32_t number, loop_map& loops);

class gradient_scope final : public body_scope {
public:
  gradient_scope(body_scope& inner, graph_state& g, std::uint32_t number, loop_map& loops)
      : inner_(inner), state_(g), number_(number), loops_(loops) {}

  result<any_out> capture(any_out from) override {
    if (inner_.has(from)) return inner_.capture(from);
    const sequence<switch_side> guards = guards_here(from);
    if (guards.empty()) return inner_.capture(from);
    if (const auto at = guarded_.find({from.source, from.port}); at != guarded_.end()) return at->second;
    auto result = inner_.capture(alive(from, guards));
    for (const switch_side& guard : guards) {
      if (!result) return result;
      auto predicate = capture({guard.predicate.from, guard.predicate.port});
      if (!predicate) return predicate;
      const open_body inside(state_, this, number_);
      const any_out inputs[]{*result, *predicate};
      result = any_out{add_flow(state_, switch_op{}, inputs, {}), guard.side ? 1u : 0u};
    }
    guarded_.emplace(std::pair(from.source, from.port), *result);
    return result;
  }
  result<node*> capture_control(node* from) override { return inner_.capture_control(from); }
  node* pivot() override { return inner_.pivot(); }
  bool has(any_out from) const override { return inner_.has(from); }
  body_scope* around() const override { return inner_.around(); }
  any_out behind(const node& n) const override { return inner_.behind(n); }
  bool is_guarded_by(any_out predicate, bool side) const override { return inner_.is_guarded_by(predicate, side); }

private:
  // Returns the switches that decide whether a value is alive, except those that also decide about this body.
  sequence<switch_side> guards_here(const any_out& from) const {
    sequence<switch_side> guards = loops_.guards_of({from.source, from.port});
    erase_if(guards, [&](const switch_side& guard) {
      for (const body_scope* b = &inner_; b; b = b->around())
        if (b->is_guarded_by({guard.predicate.from, guard.predicate.port}, guard.side)) return true;
      return false;
    });
    return guards;
  }

  // Merges a value with stand-ins for the sides on which it is dead. The nodes are added to the open body of the value.
  any_out alive(any_out value, sequence<switch_side> guards) {
    std::uint32_t place = value.source->body;
    while (!is_within(state_, number_, place)) place = state_.bodies.records[place - 1].around;
    const std::uint32_t frame = loops_.frame_of(*value.source);
    const open_body added(state_, nullptr, place);
    for (; !guards.empty(); guards.pop_back()) {
      const switch_side& guard = guards.back();
      const node& n = *value.source;
      if (n.op->control == control_flow::switch_ && n.inputs[1] == guard.predicate) {
        value = {n.inputs[0].from, n.inputs[0].port};
        continue;
      }
      const any_out predicate{guard.predicate.from, guard.predicate.port};
      const any_out inputs[]{stand_in_for(state_, value), predicate};
      node* const sides = add_flow(state_, switch_op{}, inputs, {});
      const any_out either[]{value, any_out{sides, guard.side ? 0u : 1u}};
      node* const merged = add_flow(state_, merge_op{}, either, {});
      loops_.put(*sides, frame);
      loops_.put(*merged, frame, {guards.begin(), guards.end() - 1});
      value = {merged, 0};
    }
    return value;
  }

  body_scope& inner_;
  graph_state& state_;
  const std::uint32_t number_;
  loop_map& loops_;
  std::map<std::pair<const node*, std::uint32_t>, any_out> guarded_;
};

}  // namespace detail

FLOWGRAPH_SELDOM std::shared_ptr<detail::body_scope> detail::gradient_scope_of(body_scope& inner, graph_state& g,
                                                                               std::uint32_t number, loop_map& loops) {
  return std::make_shared<gradient_scope>(inner, g, number, loops);
}

}  // namespace flowgraph

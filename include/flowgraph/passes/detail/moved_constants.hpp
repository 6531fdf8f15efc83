#pragma once
// The part of the pass arithmetic that may change rounding. If a value was computed with one constant, and is then multiplied with,
// divided by or added to another constant, the two constants are combined, so that one node less is needed.
//
//     (x * a) * b                     x * (a * b)               quotients, sums and differences likewise
//     conv(x, w) * b                  conv(x, w * b)            b: one number, or one per channel; products of matrices likewise
//     (conv(x, w) + a) * b            conv(x, w * b) + a * b    so a convolution needs no normalization after it
//
// An op whose columns are sums of products says so by `column_factors`.

#include <flowgraph/core/sequence.hpp>
#include <flowgraph/passes/detail/rewriting.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

class constant_joining {
public:
  // `facts` and `values` are those of the draft, and outlive this.
  constant_joining(draft& d, pass_call& call, draft_facts& facts, known_values& values)
      : draft_(d), call_(call), facts_(facts), values_(values), uses_(facts.size()) {
    for (const draft_node& n : d) {
      uses_[n.place] += n.is_requested || n.is_weighed ? 2 : 0;
      if (is_constant_node(n)) continue;
      for (const draft_edge& e : n.inputs) ++uses_[e.from->place];
      for (const draft_node* c : n.controls) uses_[c->place] += 2;  // a node waits for it, so it must not change
    }
  }

  // Called when a node was removed, or a value got another reader: keeps the numbers of uses correct.
  void read_instead_of(const draft_node& gone, const draft_edge& same) { uses_[same.from->place] += uses_[gone.place] - 1; }
  void read_besides(const draft_edge& e) { ++uses_[e.from->place]; }

  // Returns the edge that has the value of `n` from now on; none if nothing was changed. Precondition: no control edge leads to or
  // from `n`.
  draft_edge joined(const draft_node& n) {
    const op_meaning meaning = meaning_of(n);
    const bool is_either = meaning == op_meaning::sum || meaning == op_meaning::product;
    if (!is_either && meaning != op_meaning::difference && meaning != op_meaning::quotient) return {};
    const dtype type = n.outputs[0].type;
    if ((type != dtype::float32 && type != dtype::float64) || n.inputs.size() != 2) return {};
    for (std::uint32_t k = 2; k-- > (is_either ? 0u : 1u);) {
      const any_tensor* c = values_.of(n.inputs[k], facts_);
      const draft_edge x = n.inputs[1 - k];
      if (!c || !may_change(n, x) || !keeps_shape(n, *c, x)) continue;
      const constant_operand operand{n, *c, k};
      sequence<change> changes;
      const bool is_factor = meaning == op_meaning::product || meaning == op_meaning::quotient;
      if (!(is_factor ? take_factor(*x.from, operand, changes) : take_summand(*x.from, operand, changes))) continue;
      if (is_more(n.inputs[k], changes)) continue;
      for (change& result : changes) replace_constant(*result.reader, result.input, std::move(result.value));
      return x;
    }
    return {};
  }

private:
  // `c` is the constant, input `k` of `n`.
  struct constant_operand {
    const draft_node& n;
    const any_tensor& c;
    std::uint32_t k;
  };
  struct change {
    draft_node* reader;
    std::uint32_t input;
    any_tensor value;
  };

  // Returns whether only n reads x, so x may change.
  bool may_change(const draft_node& n, const draft_edge& x) const {
    const draft_node& from = *x.from;
    if (from.kind != draft_node::form::op || uses_[from.place] != 1 || from.outputs.size() != 1 || from.inputs.size() != 2 ||
        is_reference(x) || !is_pure(*from.table) || from.outputs[0].type != n.outputs[0].type)
      return false;
    return draft_.may_move(from, n);
  }
  // Returns whether x has the shape of n, at least in each run in which both have the shapes that the graph declares.
  bool keeps_shape(const draft_node& n, const any_tensor& c, const draft_edge& x) const {
    const shape& known = x.from->outputs[x.port].shape;
    return facts_.leaves_shape(c, x) || (known.is_known() && known == n.outputs[0].shape);
  }

  // Changes p into p op c, by changing constants among its inputs.
  bool take_factor(draft_node& p, const constant_operand& by, sequence<change>& changes) {
    switch (meaning_of(p)) {
      case op_meaning::product: return change_either(p, by, changes);
      case op_meaning::quotient: return change_input(p, 0, by, changes) || (is_product(by) && change_divisor(p, by, changes));
      case op_meaning::sum:
      case op_meaning::difference:
        for (const std::uint32_t k : {1u, 0u}) {
          const draft_edge other = p.inputs[1 - k];
          if (!change_input(p, k, by, changes)) continue;
          if (may_change(p, other) && facts_.leaves_shape(by.c, other) && take_factor(*other.from, by, changes)) return true;
          changes.pop_back();
        }
        return false;
      default: return change_weights(p, by, changes);
    }
  }
  bool take_summand(draft_node& p, const constant_operand& by, sequence<change>& changes) {
    switch (meaning_of(p)) {
      case op_meaning::sum: return change_either(p, by, changes);
      case op_meaning::difference:
        if (change_input(p, 0, by, changes)) return true;
        // (x - a) + c is x - (a - c).
        return meaning_of(by.n) == op_meaning::sum && change_by(p, 1, p, 1, by.c, changes);
      default: return false;
    }
  }
  static bool is_product(const constant_operand& by) { return meaning_of(by.n) == op_meaning::product; }
  bool change_either(draft_node& p, const constant_operand& by, sequence<change>& changes) {
    return change_input(p, 1, by, changes) || change_input(p, 0, by, changes);
  }
  // Replaces input k of p, a constant, by the result of by.n for it.
  bool change_input(draft_node& p, std::uint32_t k, const constant_operand& by, sequence<change>& changes) {
    return change_by(p, k, by.n, by.k, by.c, changes);
  }
  // (x / a) * c is x / (a / c).
  bool change_divisor(draft_node& p, const constant_operand& by, sequence<change>& changes) {
    return change_by(p, 1, p, 1, by.c, changes);
  }
  // The columns of p are sums of products: a factor per column is applied to the weights instead.
  bool change_weights(draft_node& p, const constant_operand& by, sequence<change>& changes) {
    const auto factors = p.table->description->column_factors;
    const any_tensor* weights = factors ? values_.of(p.inputs[1], facts_) : nullptr;
    if (!weights || !facts_.leaves_shape(by.c, {&p, 0})) return false;
    if (by.c.size() == 1) return change_by(p, 1, by.n, by.k, by.c.reshaped({}), changes);
    const shape wanted = factors(p.attributes, weights->shape());
    const shape& found = by.c.shape();
    if (!wanted.is_known() || wanted.size() != found.size() || found[-1] != found.size()) return false;
    return change_by(p, 1, by.n, by.k, by.c.reshaped(wanted), changes);
  }
  // Replaces input k of p, a constant, by the result of n for it, where c is input `at` of n.
  bool change_by(draft_node& p, std::uint32_t k, const draft_node& n, std::uint32_t at, const any_tensor& c,
                 sequence<change>& changes) {
    const any_tensor* old = values_.of(p.inputs[k], facts_);
    if (!old) return false;
    std::vector<any_tensor> inputs{c, c}, outputs(1);
    inputs[1 - at] = *old;
    if (run_over(call_.run, n, inputs, outputs)) return false;
    // The result must have the shape of one of the two: otherwise the new constant would be larger than both.
    if (outputs[0].shape() != old->shape() && outputs[0].shape() != c.shape()) return false;
    changes.push_back({&p, k, std::move(outputs[0])});
    return true;
  }
  // Other nodes read the old constants, so there would be more new constants than removed nodes.
  bool is_more(const draft_edge& c, const sequence<change>& changes) const {
    std::size_t gone = uses_[c.from->place] == 1 ? 2 : 1;
    for (const change& result : changes) gone += uses_[result.reader->inputs[result.input].from->place] == 1 ? 1u : 0u;
    return changes.size() > gone;
  }
  void replace_constant(draft_node& reader, std::uint32_t input, any_tensor value) {
    const draft_node& old = *reader.inputs[input].from;
    draft_node& fresh = draft_.add_behind(*reader.inputs[input].from, 0, 0);
    fresh.stand_for(old);
    fresh.table = old.table;
    fresh.attributes = old.attributes;
    fresh.list_sizes = old.list_sizes;
    fresh.outputs = old.outputs.subspan(reader.inputs[input].port, 1);
    fresh.device = old.device;
    facts_.add(fresh, old);
    draft_.make_constant(fresh, {std::move(value)});
    --uses_[old.place];
    uses_.push_back(1);
    reader.inputs[input] = {&fresh, 0};
  }

  draft& draft_;
  pass_call& call_;
  draft_facts& facts_;
  known_values& values_;
  sequence<std::uint32_t> uses_;  // by place
};

}  // namespace flowgraph::detail

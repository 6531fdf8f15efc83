#pragma once

#include <flowgraph/passes/arithmetic.hpp>
#include <flowgraph/passes/detail/moved_constants.hpp>

#include <cmath>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

// Returns whether each value of a type survives a cast to the other type and back, to the bit.
inline bool is_widening(dtype from, dtype to) {
  struct number {
    int digits;  // of integers that it represents without gaps; for floating types, of the fraction
    int lowest;  // exponent of the smallest value; 0 for integers
    bool is_signed;
  };
  const auto describe = [](dtype t) -> number {
    switch (t) {
      case dtype::boolean: return {1, 0, false};
      case dtype::uint8: return {8, 0, false};
      case dtype::uint16: return {16, 0, false};
      case dtype::uint32: return {32, 0, false};
      case dtype::uint64: return {64, 0, false};
      case dtype::int8: return {7, 0, true};
      case dtype::int16: return {15, 0, true};
      case dtype::int32: return {31, 0, true};
      case dtype::int64: return {63, 0, true};
      case dtype::float32: return {24, 149, true};
      case dtype::float64: return {53, 1074, true};
      default: return {0, 0, false};
    }
  };
  const number a = describe(from), b = describe(to);
  return a.digits > 0 && b.digits >= a.digits && b.lowest >= a.lowest && (b.is_signed || !a.is_signed);
}

// Returns whether all elements of a tensor have this value, including the sign of a floating zero.
inline bool is_all(const any_tensor& t, double value) {
  const auto each = [&]<class T>(const T*) {
    for (const T& x : t.as<T>()) {
      const auto found = static_cast<double>(x);
      if (!(found == value) || (std::is_floating_point_v<T> && std::signbit(found) != std::signbit(value))) return false;
    }
    return t.size() > 0;
  };
  switch (t.type()) {
    case dtype::float32: return each(static_cast<const float*>(nullptr));
    case dtype::float64: return each(static_cast<const double*>(nullptr));
    case dtype::int8: return each(static_cast<const std::int8_t*>(nullptr));
    case dtype::int16: return each(static_cast<const std::int16_t*>(nullptr));
    case dtype::int32: return each(static_cast<const std::int32_t*>(nullptr));
    case dtype::int64: return each(static_cast<const std::int64_t*>(nullptr));
    case dtype::uint8: return each(static_cast<const std::uint8_t*>(nullptr));
    case dtype::uint16: return each(static_cast<const std::uint16_t*>(nullptr));
    default: return false;
  }
}
inline bool has_signed_zero(dtype t) { return t == dtype::float32 || t == dtype::float64; }
inline bool is_whole(dtype t) {
  switch (t) {
    case dtype::int8:
    case dtype::int16:
    case dtype::int32:
    case dtype::int64:
    case dtype::uint8:
    case dtype::uint16:
    case dtype::uint32:
    case dtype::uint64: return true;
    default: return false;
  }
}

// Returns the axes that a constant contains; negative axes count from the end. Unknown if the rank has no such axis.
inline shape axes_of(const any_tensor& t) {
  shape result = integers_of(t);
  for (int i = 0; i < result.rank; ++i)
    if (result[i] < 0) result[i] += result.rank;
  for (const std::int64_t axis : result)
    if (axis < 0 || axis >= result.rank) return shape::unknown();
  return result;
}

class simplifying {
public:
  simplifying(draft& d, pass_call& call)
      : draft_(d), is_fast_(call.options.fast_math), facts_(d), values_(call), joining_(d, call, facts_, values_) {}

  std::size_t run() {
    std::size_t changed = 0;
    for (auto at = draft_.begin(); at != draft_.end();) {
      draft_node& n = *at++;
      if (changed > 0) draft::read_instead(n);
      if (n.kind != draft_node::form::op || n.table->description->meaning == op_meaning::none) continue;
      draft_edge same = equal_to(n);
      if (!same.from && skip_reshape(n)) {
        ++changed;
        same = equal_to(n);
      }
      if (!same.from && is_fast_ && !n.is_waited_for && may_go(n)) same = joining_.joined(n);
      if (!same.from || !is_value(same) || !may_go(n) || (n.is_waited_for && !may_be_waited_for(*same.from))) continue;
      same.from->is_waited_for = same.from->is_waited_for || n.is_waited_for;
      joining_.read_instead_of(n, same);
      n.instead = same;
      draft_.remove(n);
      ++changed;
    }
    if (changed > 0) drop_unread(draft_, facts_, true);
    return changed;
  }

private:
  static bool is_value(const draft_edge& e) { return !is_reference(e) && is_plain(e.from->outputs[e.port].type); }
  // Nodes that wait for the removed node wait for the other instead. A control edge leads from a whole node, not from one side of a
  // Switch.
  static bool may_be_waited_for(const draft_node& n) {
    return n.kind == draft_node::form::op && n.table->control != control_flow::switch_;
  }
  // As for an identity: other nodes may use only the node's value, and the fact that it exists.
  bool may_go(const draft_node& n) const {
    if (n.is_requested || n.is_weighed || !n.controls.empty() || n.outputs.size() != 1) return false;
    return draft_.may_move(n, *n.inputs[0].from);
  }

  // Returns an edge that has the value of the node, to the bit; none if there is no such edge.
  draft_edge equal_to(const draft_node& n) {
    const draft_edge& x = n.inputs[0];
    switch (meaning_of(n)) {
      case op_meaning::involution: return undone_by(n) ? x.from->inputs[0] : draft_edge();
      case op_meaning::cast: return undone_cast(n);
      case op_meaning::transpose: return undone_transpose(n);
      case op_meaning::reshape: return has_that_shape(n) ? x : draft_edge();
      case op_meaning::reduction:
      case op_meaning::summation: return is_over_nothing(n) ? x : draft_edge();
      default: return neutral(n);
    }
  }

  // Returns whether the same op computed x, with no other effect.
  bool undone_by(const draft_node& n) const {
    const draft_node& inner = *n.inputs[0].from;
    return inner.kind == draft_node::form::op && inner.controls.empty() && inner.table->description == n.table->description &&
           is_value(inner.inputs[0]);
  }
  draft_edge undone_cast(const draft_node& n) const {
    const dtype to = n.outputs[0].type;
    const draft_edge& x = n.inputs[0];
    const dtype from = x.from->outputs[x.port].type;
    if (from == to) return x;
    if (!undone_by(n)) return {};
    const draft_edge& first = x.from->inputs[0];
    return first.from->outputs[first.port].type == to && is_widening(to, from) ? first : draft_edge();
  }
  draft_edge undone_transpose(const draft_node& n) {
    const any_tensor* outer = values_.of(n.inputs[1], facts_);
    if (!outer) return {};
    const shape p = axes_of(*outer);
    shape unmoved;
    for (int i = 0; i < p.rank; ++i) unmoved.push_back(i);
    const draft_edge& x = n.inputs[0];
    if (p.has_rank() && p == unmoved) return x;
    if (!p.has_rank() || !undone_by(n)) return {};
    const any_tensor* inner = values_.of(x.from->inputs[1], facts_);
    const shape q = inner ? axes_of(*inner) : shape::unknown();
    if (q.rank != p.rank) return {};
    for (int i = 0; i < p.rank; ++i)
      if (q[static_cast<int>(p[i])] != i) return {};
    return x.from->inputs[0];
  }
  bool has_that_shape(const draft_node& n) {
    const shape x = shape_of(n.inputs[0]), y = shape_made_by(n);
    return x.is_known() && x == y;
  }
  shape shape_of(const draft_edge& e) {
    const shape known = facts_.shape_of(e);
    return known.is_known() || meaning_of(*e.from) != op_meaning::reshape ? known : shape_made_by(*e.from);
  }
  shape shape_made_by(const draft_node& n) {
    const shape known = facts_.shape_of({const_cast<draft_node*>(&n), 0});
    if (known.is_known()) return known;
    const any_tensor* wanted = values_.of(n.inputs[1], facts_);
    return wanted && wanted->shape().rank == 1 ? integers_of(*wanted) : known;
  }
  bool is_over_nothing(const draft_node& n) {
    const any_tensor* axes = values_.of(n.inputs[1], facts_);
    const dtype type = n.outputs[0].type;
    const bool is_exact = is_whole(type) || type == dtype::boolean ||
                          (has_signed_zero(type) && (is_fast_ || meaning_of(n) == op_meaning::reduction));
    return axes && axes->size() == 0 && is_exact;
  }
  // One operand is a constant that does not change the other.
  draft_edge neutral(const draft_node& n) {
    const op_meaning meaning = meaning_of(n);
    const bool is_either = meaning == op_meaning::sum || meaning == op_meaning::product;
    for (std::size_t k = 2; k-- > (is_either ? 0u : 1u);) {
      const any_tensor* c = values_.of(n.inputs[k], facts_);
      if (c && facts_.leaves_shape(*c, n.inputs[1 - k]) && is_neutral(meaning, *c)) return n.inputs[1 - k];
    }
    return {};
  }
  bool is_neutral(op_meaning meaning, const any_tensor& c) const {
    switch (meaning) {
      case op_meaning::product:
      case op_meaning::quotient: return is_all(c, 1);
      case op_meaning::difference: return is_all(c, 0.0) || (is_fast_ && is_all(c, -0.0));
      case op_meaning::sum: return has_signed_zero(c.type()) ? is_all(c, -0.0) || (is_fast_ && is_all(c, 0.0)) : is_all(c, 0.0);
      default: return false;
    }
  }
  // A reshape of a reshape reads the input of the first reshape.
  bool skip_reshape(draft_node& n) {
    if (meaning_of(n) != op_meaning::reshape || !undone_by(n)) return false;
    const draft_node& inner = *n.inputs[0].from;
    if (!shape_made_by(inner).is_known() || !shape_made_by(n).is_known()) return false;
    n.inputs[0] = inner.inputs[0];
    joining_.read_besides(n.inputs[0]);
    return true;
  }

  draft& draft_;
  bool is_fast_;
  draft_facts facts_;
  known_values values_;
  constant_joining joining_;
};

FLOWGRAPH_INLINE std::size_t arithmetic(const further_pass&, draft& d, pass_call& call) { return simplifying(d, call).run(); }

}  // namespace flowgraph::detail

#pragma once

#include <flowgraph/ops/control_flow/cond.hpp>
#include <flowgraph/ops/control_flow/impl/body.hpp>
#include <flowgraph/ops/math/cast.hpp>
#include <flowgraph/ops/math/comparison.hpp>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// A branch reads outside values through Switches, which the two branches share. The value is dead if the branch is not taken.
class branch_scope final : public capturing_scope {
public:
  branch_scope(graph_state& g, std::string_view name, any_out predicate, std::uint32_t side, handles_for& switches, const site& s)
      : capturing_scope(g, name, s), predicate_(predicate), side_(side), switches_(switches) {}

  node* pivot() override {
    if (pivot_) return pivot_;
    auto taken = take(predicate_);
    if (taken) return pivot_ = identity_inside(*taken, "pivot").source;
    refuse_construction(state(), taken.error());
    return pivot_ = &state().poison;
  }

  bool is_guarded_by(any_out predicate, bool side) const override {
    if (side != (side_ == 1)) return false;
    for (const auto& [outside, taken] : switches_)
      if (taken.source && !taken.source->is_poison())
        return taken.source->inputs[1].from == predicate.source && taken.source->inputs[1].port == predicate.port;
    return false;
  }

private:
  result<any_out> take(any_out from) override {
    node*& n = switches_[key_of(from)].source;
    if (!n) {
      const any_out inputs[]{from, predicate_};
      const switch_op by_value;
      const ref_switch_op by_reference;
      node_request r = is_reference(from) ? request_of(flow_table<ref_switch_op>(state(), from), &by_reference, inputs)
                                          : request_of(flow_table<switch_op>(state(), from), &by_value, inputs);
      if (is_reference(from) || from.type() == dtype::resource) r.control_inputs = earlier();
      auto result = add_outside(r);
      if (!result) return result.error();
      n = *result;
    }
    return any_out{n, n->is_poison() ? 0 : side_};
  }

  any_out predicate_;
  std::uint32_t side_;
  handles_for& switches_;  // output 0 of each
  node* pivot_ = nullptr;
};

class cond_builder {
public:
  cond_builder(graph_state& g, any_out predicate, const site& s)
      : g_(g), name_(g.scope_name()), predicate_(predicate), site_{{}, s.location} {
    if (is_reference(predicate_)) predicate_ = identity_of(g, predicate_, {"read", s.location});  // read once
  }

  built_branches build(branch_parts& when_true, branch_parts& when_false) {
    const side yes = branch(when_true, "the true branch", 1), no = branch(when_false, "the false branch", 0);
    const std::size_t count = yes.values.size();
    if (count != no.values.size())
      return refuse(message{"the true branch gives ", count, " values, the false branch ", no.values.size()}, count);
    for (std::size_t i = 0; i < count; ++i) {
      const shape a = yes.values[i].shape(), b = no.values[i].shape();
      if (a.has_rank() && b.has_rank() && a.rank != b.rank)
        return refuse(message{"value ", i, " has the shape ", a, " in the true branch, and ", b, " in the false branch"}, count);
    }
    built_branches result;
    {
      const open_body outside(g_, nullptr, g_.bodies.number);
      const open_to_closed_bodies closed(g_);
      for (std::size_t i = 0; i < count; ++i) result.results.push_back(merged(no.values[i], yes.values[i]));
      result.done = count > 0 ? result.results[0] : merged(no.end, yes.end);
    }
    note_effect(g_, result.done.source, found_, has_loop_);
    for (const any_out& r : result.results) note_effect(g_, r.source, found_, has_loop_);
    return result;
  }

private:
  // Returns the results of a branch or, if it has none, its last node. They are dead if the branch is dead, and come after the
  // effects of the branch.
  struct side {
    any_out_list values;
    any_out end;
  };
  side branch(branch_parts& parts, std::string_view which, std::uint32_t port) {
    branch_scope scope(g_, message{which, " of '", name_, "'"}.string(), predicate_, port, switches_, site_);
    noted_effects notes(g_);
    const open_body inside(g_, &scope, scope.number());
    side result{parts.build(), {}};
    const auto effects = notes.take();
    found_ = std::max(found_, notes.found());
    has_loop_ = has_loop_ || notes.holds_loops();
    auto is_made_here = [&](const any_out& o) {
      return o.is_usable() && !is_free(*o.source) && !is_reference(o) && is_within(g_, o.source->body, scope.number());
    };
    for (any_out& o : result.values)
      if (!effects.empty() || !is_made_here(o)) o = identity_of(g_, o, {"result", site_.location}, effects);
    if (result.values.empty()) result.end = identity_of(g_, {scope.pivot(), 0}, {"done", site_.location}, effects);
    return result;
  }
  any_out merged(any_out no, any_out yes) {
    const any_out sides[]{no, yes};
    return {add_flow(g_, merge_op{}, sides, site_), 0};
  }
  FLOWGRAPH_COLD built_branches refuse(const message& why, std::size_t values) {
    return {refuse_whole(g_, why, name_, "cond", site_, values), target(&g_.poison)};
  }

  graph_state& g_;
  std::string name_;
  any_out predicate_;
  site site_;
  handles_for switches_;
  effect found_ = effect::none;
  bool has_loop_ = false;
};

// Builds some branches of a case_of, from number `first`: one branch, or a choice between two halves.
class case_part final : public branch_parts {
public:
  case_part(out<std::uint32_t> index, std::span<branch_parts* const> branches, std::uint32_t first, const site& s)
      : index_(index), branches_(branches), first_(first), site_(s) {}

  any_out_list build() override { return branches_.size() == 1 ? branches_[0]->build() : choose().results; }
  built_branches choose() {
    const std::size_t half = branches_.size() / 2;
    const auto middle = static_cast<std::uint32_t>(first_ + half);
    const out<std::uint32_t> bound = constant_beside(index_, tensor<std::uint32_t>(middle), site_);
    const out<bool> before = apply(less_op{}, index_, bound, site_);
    case_part low(index_, branches_.first(half), first_, site_), high(index_, branches_.subspan(half), middle, site_);
    return build_cond(before, low, high, site_);
  }

private:
  out<std::uint32_t> index_;
  std::span<branch_parts* const> branches_;
  std::uint32_t first_;
  site site_;
};

}  // namespace detail

FLOWGRAPH_SELDOM detail::built_branches detail::build_cond(any_out predicate, branch_parts& when_true, branch_parts& when_false,
                                                           const site& s) {
  graph_state* const g = graph_of_inputs({&predicate, 1}, "cond", s);
  if (!g) return {};
  const auto named = graph(g->shared_from_this()).in_scope(s.name.empty() ? "cond" : s.name);
  return cond_builder(*g, predicate, s).build(when_true, when_false);
}

FLOWGRAPH_SELDOM detail::built_branches detail::build_case(any_out index, std::span<branch_parts* const> branches,
                                                           const site& s) {
  graph_state* const g = graph_of_inputs({&index, 1}, "case_of", s);
  if (!g) return {};
  const site here{{}, s.location};
  const auto named = graph(g->shared_from_this()).in_scope(s.name.empty() ? "case" : s.name);
  // A negative number is a large one.
  const out<std::int32_t> given{index.source, index.port};
  case_part all(apply_as<std::int32_t, std::uint32_t>(here, cast_op{}, given), branches, 0, here);
  if (branches.size() > 1) return all.choose();
  any_out_list results;
  std::vector<target> effects;
  auto noted = g->bodies.effects;
  auto ends = g->bodies.loop_ends;
  {
    noted_effects notes(*g);
    results = branches[0]->build();
    noted.insert(noted.end(), g->bodies.effects.begin(), g->bodies.effects.end());
    ends.insert(ends.end(), g->bodies.loop_ends.begin(), g->bodies.loop_ends.end());
    for (node* n : notes.take()) effects.push_back(n);
  }
  g->bodies.effects = std::move(noted);  // the branch is no body: its effects are those of the body around
  g->bodies.loop_ends = std::move(ends);
  return {results, group(graph(g->shared_from_this()), effects, here)};
}

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>

#pragma once
// Finds the frame of each record: the root, or the loop that its inputs come from.

#include <flowgraph/core/name_key.hpp>
#include <flowgraph/core/sequence.hpp>
#include <flowgraph/passes/draft.hpp>
#include <flowgraph/runtime/planning/plan.hpp>

#include <algorithm>
#include <set>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

FLOWGRAPH_COLD inline std::string place_of(const draft_node& n, const plan_frame& f, bool fed) {
  const std::string name = message{'\'', n.name, "' is "};
  if (f.parent != no_index) return message{name, "in loop '", f.name, '\''};
  return name + (fed ? "fed and so outside of any loop" : "outside of any loop");
}

// Sets frame and output_frame of every record, and creates the frames. Records are in the order of the draft, so that all inputs
// except back edges come from earlier records; a Merge takes its frame from its Enter. Feeds are in the root. Constants of the plan
// are in every frame.
class frame_finder {
public:
  explicit frame_finder(plan& p) : plan_(p), is_placed_(p.records.size(), false) {}

  error place(const draft_node& n) {
    plan_record& r = plan_.records[n.place];
    is_placed_[n.place] = true;
    if (n.kind == form::feed) return {};
    const result<std::uint32_t> frame = frame_of_inputs(n);
    if (!frame) return frame.error();
    r.frame = r.output_frame = *frame;
    if (r.control == control_flow::enter) return enter(n, r);
    if (r.control == control_flow::exit) {
      if (*frame == 0) return refused(n, "Exit is not inside a loop");
      r.output_frame = plan_.frames[*frame].parent;
    } else if (r.control == control_flow::next_iteration && *frame == 0) {
      return refused(n, "NextIteration is not inside a loop");
    }
    return {};
  }

  // The source of a back edge comes after its Merge, so its frame is checked when all nodes have a frame.
  error check_back_edges(const draft_node& merge) const {
    const std::uint32_t frame = plan_.records[merge.place].frame;
    for (const draft_edge& e : merge.inputs) {
      if (e.from->kind != form::op) continue;
      const std::uint32_t f = plan_.records[e.from->place].output_frame;
      if (f != frame) return fed_from_two(merge, place_of(merge, plan_.frames[frame], false), *e.from, f);
    }
    return {};
  }

private:
  using form = draft_node::form;

  static error refused(const draft_node& n, const std::string& why) {
    return error(error_code::invalid_argument, why).at(n.name, n.table->name(), n.where);
  }
  error fed_from_two(const draft_node& n, std::string_view place, const draft_node& other, std::uint32_t its_frame) const {
    const bool is_fed = other.kind == form::feed;
    return refused(n, message{"node is fed from two frames: ", place, ", ", place_of(other, plan_.frames[its_frame], is_fed)});
  }

  // Returns the frame of a node's inputs; the root for a node without inputs.
  result<std::uint32_t> frame_of_inputs(const draft_node& n) const {
    std::uint32_t frame = no_index;
    const draft_node* from = nullptr;
    error two;
    auto join = [&](const draft_node& input) {
      if (input.kind == form::constant || !is_placed_[input.place]) return;  // not placed yet: a back edge
      const std::uint32_t f = plan_.records[input.place].output_frame;
      if (frame != no_index && f != frame && !two)
        two = fed_from_two(n, place_of(*from, plan_.frames[frame], from->kind == form::feed), input, f);
      frame = f;
      from = &input;
    };
    for (const draft_edge& e : n.inputs) join(*e.from);
    for (const draft_node* c : n.controls) join(*c);
    if (two) return two;
    return frame == no_index ? 0 : frame;
  }

  error enter(const draft_node& n, plan_record& r) {
    const result<std::uint32_t> child = child_of(r.frame, n);
    if (!child) return child.error();
    r.output_frame = *child;
    const attribute_value constant = attribute_of(*n.table, n.attributes, "is_constant");
    const bool* is_constant = constant.get<bool>();
    r.is_constant_enter = is_constant && *is_constant;
    plan_.frames[*child].enters += 1;
    return {};
  }

  // Returns the frame of the loop that the Enter names. The first Enter of a loop creates its frame.
  result<std::uint32_t> child_of(std::uint32_t parent, const draft_node& enter) {
    const attribute_value name = attribute_of(*enter.table, enter.attributes, "frame_name");
    const std::string& wanted = *name.get<std::string>();
    const attribute_value parallel = attribute_of(*enter.table, enter.attributes, "parallel_iterations");
    const std::int64_t* given = parallel.get<std::int64_t>();
    const auto count = static_cast<std::uint32_t>(std::clamp<std::int64_t>(given ? *given : 10, 1, 1 << 20));
    for (const std::uint32_t c : plan_.frames[parent].children) {
      if (plan_.frames[c].name != wanted) continue;
      if (plan_.frames[c].parallel_iterations == count) return c;
      return refused(enter, message{"the loop '", wanted, "' has parallel_iterations ", plan_.frames[c].parallel_iterations,
                                    " by '", opened_by_[c]->name, "', and ", count, " by this node"});
    }
    const auto index = static_cast<std::uint32_t>(plan_.frames.size());
    plan_frame f;
    f.parent = parent;
    f.name = wanted;
    f.name_key = key_of_name(wanted);
    f.parallel_iterations = count;
    f.position = static_cast<std::uint32_t>(plan_.frames[parent].children.size());
    opened_by_.push_back(&enter);
    plan_.frames.push_back(std::move(f));
    plan_.frames[parent].children.push_back(index);
    return index;
  }

  plan& plan_;
  sequence<char> is_placed_;                        // for each record
  sequence<const draft_node*> opened_by_{nullptr};  // the first Enter of each frame
};

// Returns the Enter of the innermost loop that the replaced node of a feed is in; null if it is in none. On the way up, `exits`
// counts the Exits whose Enters have not been passed.
FLOWGRAPH_COLD inline const node* enter_above(const draft_node& feed) {
  struct place {
    const node* of;
    int exits;
  };
  sequence<place> found;
  std::set<const node*> seen;
  const auto add = [&](std::span<const edge> inputs, int exits) {
    for (const edge& e : inputs)
      if (seen.insert(e.from).second) found.push_back({e.from, exits});
  };
  add(feed.written_inputs, feed.written_op->control == control_flow::exit ? 1 : 0);
  for (std::size_t i = 0; i < found.size(); ++i) {
    const auto [of, exits] = found[i];
    const bool enters = of->op->control == control_flow::enter, leaves = of->op->control == control_flow::exit;
    if (enters && exits == 0) return of;
    add(of->inputs, exits + leaves - enters);
  }
  return nullptr;
}

// Returns the error of a plan without frames. If an edge inside of a loop is fed, that is the reason: feeds are outside of loops.
FLOWGRAPH_COLD inline error without_frames(const error& why, const draft& d) {
  for (const draft_node& n : d) {
    const node* const enter = n.kind == draft_node::form::feed ? enter_above(n) : nullptr;
    if (!enter) continue;
    const attribute_value loop = attribute_of(*enter, "frame_name");
    return invalid_argument({"'", n.name, "' is inside the loop '", *loop.get<std::string>(), "' and cannot be fed"})
        .at(n.name, n.written_op->name(), n.where);
  }
  return why;
}

inline error assign_frames(plan& p, const draft& from_draft) {
  frame_finder finder(p);
  for (const draft_node& n : from_draft) {
    if (n.kind == draft_node::form::constant) continue;
    if (error why = finder.place(n)) return without_frames(why, from_draft);
  }
  for (const draft_node& n : from_draft) {
    if (n.kind != draft_node::form::op || n.table->control != control_flow::merge) continue;
    if (error why = finder.check_back_edges(n)) return without_frames(why, from_draft);
  }
  return {};
}

}  // namespace flowgraph::detail

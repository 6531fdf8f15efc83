#pragma once
// Finds the frame of each record: the root, or the loop that its inputs come from.

#include <flowgraph/core/name_key.hpp>
#include <flowgraph/core/sequence.hpp>
#include <flowgraph/passes/draft.hpp>
#include <flowgraph/runtime/planning/plan.hpp>

#include <algorithm>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

namespace detail {

FLOWGRAPH_COLD inline std::string place_of(const draft_node& n, const plan_frame& f, bool fed) {
  const std::string name = message{'\'', n.name, "' is "};
  if (f.parent != no_index) return message{name, "in loop '", f.name, '\''};
  return name + (fed ? "fed and so outside of any loop" : "outside of any loop");
}

// Sets frame and output_frame of every record, and creates the frames. Records are in the order of the draft, so that all inputs
// except back edges come from earlier records; a Merge takes its frame from its Enter. Feeds are in the root. Constants of the plan
// are in every frame.
inline error assign_frames(plan& p, const draft& from_draft) {
  using form = draft_node::form;
  sequence<const draft_node*> opened_by{nullptr};  // the first Enter of each frame
  auto child_of = [&](std::uint32_t parent, const draft_node& enter) -> result<std::uint32_t> {
    const attribute_value name = attribute_of(*enter.table, enter.attributes, "frame_name");
    const std::string& wanted = *name.get<std::string>();
    const attribute_value parallel = attribute_of(*enter.table, enter.attributes, "parallel_iterations");
    const std::int64_t* given = parallel.get<std::int64_t>();
    const auto count = static_cast<std::uint32_t>(std::clamp<std::int64_t>(given ? *given : 10, 1, 1 << 20));
    for (const std::uint32_t c : p.frames[parent].children) {
      if (p.frames[c].name != wanted) continue;
      if (p.frames[c].parallel_iterations == count) return c;
      return error(error_code::invalid_argument,
                   message{"the loop '", wanted, "' has parallel_iterations ", p.frames[c].parallel_iterations, " by '",
                           opened_by[c]->name, "', and ", count, " by this node"})
          .at(enter.name, enter.table->name(), enter.where);
    }
    const auto index = static_cast<std::uint32_t>(p.frames.size());
    plan_frame f;
    f.parent = parent;
    f.name = wanted;
    f.name_key = key_of_name(wanted);
    f.parallel_iterations = count;
    opened_by.push_back(&enter);
    f.position = static_cast<std::uint32_t>(p.frames[parent].children.size());
    p.frames.push_back(std::move(f));
    p.frames[parent].children.push_back(index);
    return index;
  };
  sequence<char> placed(p.records.size(), false);
  for (const draft_node& drafted : from_draft) {
    if (drafted.is == form::constant) continue;
    const std::uint32_t i = drafted.place;
    plan_record& r = p.records[i];
    if (drafted.is == form::feed) {
      placed[i] = true;
      continue;
    }
    const draft_node& n = drafted;
    std::uint32_t frame = no_index;
    const draft_node* from = nullptr;
    error refused;
    auto join = [&](const draft_node& input) {
      if (input.is == form::constant || !placed[input.place]) return;  // not placed yet: a back edge
      const std::uint32_t f = p.records[input.place].output_frame;
      if (frame != no_index && f != frame && !refused)
        refused = error(error_code::invalid_argument,
                        message{"node is fed from two frames: ", place_of(*from, p.frames[frame], from->is == form::feed), ", ",
                                place_of(input, p.frames[f], input.is == form::feed)})
                      .at(n.name, n.table->name(), n.where);
      frame = f;
      from = &input;
    };
    for (const draft_edge& e : drafted.inputs) join(*e.from);
    for (const draft_node* c : drafted.controls) join(*c);
    if (refused) return refused;
    if (frame == no_index) frame = 0;
    r.frame = r.output_frame = frame;
    if (r.control == control_flow::enter) {
      const auto child = child_of(frame, n);
      if (!child) return child.error();
      r.output_frame = *child;
      const attribute_value constant = attribute_of(*n.table, n.attributes, "is_constant");
      const bool* is_constant = constant.get<bool>();
      r.is_constant_enter = is_constant && *is_constant;
      p.frames[r.output_frame].enters += 1;
    } else if (r.control == control_flow::exit) {
      if (frame == 0)
        return error(error_code::invalid_argument, "Exit is not inside a loop").at(n.name, n.table->name(), n.where);
      r.output_frame = p.frames[frame].parent;
    } else if (r.control == control_flow::next_iteration && frame == 0) {
      return error(error_code::invalid_argument, "NextIteration is not inside a loop").at(n.name, n.table->name(), n.where);
    }
    placed[i] = true;
  }
  // The source of a back edge comes after its Merge, so its frame can be checked only now.
  for (const draft_node& merge : from_draft) {
    if (merge.is != form::op || merge.table->control != control_flow::merge) continue;
    const draft_node& n = merge;
    const plan_record& r = p.records[merge.place];
    for (const auto& [from, port] : merge.inputs) {
      if (from->is != form::op) continue;
      const std::uint32_t f = p.records[from->place].output_frame;
      if (f != r.frame)
        return error(error_code::invalid_argument, message{"node is fed from two frames: ", place_of(n, p.frames[r.frame], false),
                                                           ", ", place_of(*from, p.frames[f], false)})
            .at(n.name, n.table->name(), n.where);
    }
  }
  return {};
}

}  // namespace detail

}
}  // namespace flowgraph

#include "loop_frames.hpp"

#include <flowgraph/core/message.hpp>
#include <flowgraph/graph/body_scope.hpp>
#include <flowgraph/graph/graph_state.hpp>

#include <algorithm>

namespace flowgraph::inline FLOWGRAPH_ABI::protobuf {

namespace {

// A constant with more bytes is not copied: the copy would need more space in a file than an Enter node.
constexpr std::size_t largest_copy = 1024;

}  // namespace

loop_frames::loop_frames(const graph& g, std::span<const node* const> nodes) : graph_(g), has_(g.size(), false) {
  for (const node* n : nodes) has_[n->id] = true;
  if (std::any_of(nodes.begin(), nodes.end(), [](const node* n) { return n->op->control == control_flow::enter; }))
    loops_.emplace(g.state());
}

std::uint32_t loop_frames::frame_of_inputs(const node& n) const {
  if (!loops_) return 0;
  if (n.op->control == control_flow::exit) return loops_->frame_of(*n.inputs[0].from);
  const std::uint32_t frame = loops_->frame_of(n);
  return frame != 0 && n.op->control == control_flow::enter ? loops_->loop(frame).parent : frame;
}

std::vector<loop_frames::brought> loop_frames::bring_constants(const node& n, node_def& definition, const write_node& write) {
  std::vector<brought> more;
  const std::uint32_t frame = frame_of_inputs(n);
  if (frame == 0) return more;
  for (std::size_t i = 0; i < n.inputs.size(); ++i)
    if (detail::is_free(*n.inputs[i].from))
      definition.inputs[i] = edge_in(frame, *n.inputs[i].from, message{definition.name, "/input_", i}, write, more);
  for (const node* c : n.control_inputs)  // no node waits for a constant
    if (detail::is_free(*c)) std::erase(definition.inputs, '^' + std::string(c->name));
  return more;
}

std::string loop_frames::edge_in(std::uint32_t frame, const node& constant, const std::string& name, const write_node& write,
                                 std::vector<brought>& result) {
  if (frame == 0) return std::string(constant.name);
  if (const auto at = edges_.find({frame, &constant}); at != edges_.end()) return at->second;
  const detail::loop_of_graph& loop = loops_->loop(frame);
  const auto variable = std::find_if(loop.variables.begin(), loop.variables.end(),
                                     [&](const detail::loop_variable& v) { return has_[v.merge->id]; });
  const std::string own = graph_.state().free_name({}, name);
  if (variable != loop.variables.end() && constant.op->description->constant(constant.attributes)->bytes() <= largest_copy) {
    node_def copy = write(constant);
    copy.name = own;
    copy.inputs.push_back('^' + std::string(variable->merge->name));
    result.emplace_back(&constant, std::move(copy));
  } else if (loop.variables.empty() && loop.constants.empty()) {
    return std::string(constant.name);  // this loop cannot run
  } else {
    const node* like = loop.variables.empty() ? loop.constants[0] : loop.variables[0].enter;
    const std::string from = edge_in(loop.parent, constant, name + "/around", write, result);
    result.emplace_back(nullptr,
                        node_def{own,
                                 "Enter",
                                 std::string(constant.device),
                                 {from},
                                 {{.name = "T", .value = constant.outputs[0].type},
                                  {.name = "frame_name", .value = loop.name},
                                  {.name = "is_constant", .value = true},
                                  {.name = "parallel_iterations", .value = detail::attribute_of(*like, "parallel_iterations")}}});
  }
  return edges_[{frame, &constant}] = own;
}

}  // namespace flowgraph::protobuf

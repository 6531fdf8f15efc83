#include "gradient_arrays.hpp"

#include <flowgraph/core/message.hpp>
#include <flowgraph/graph/graph_state.hpp>

#include <algorithm>

namespace flowgraph::inline FLOWGRAPH_ABI::protobuf {

namespace {

constexpr std::string_view gradient_op = "TensorArrayGradV3";
constexpr int highest_order = 64;

bool is_array_op(const node& n) { return n.op->name().starts_with("TensorArray"); }

// Returns whether the op has no flow as its last input. The other ops use the array only after that flow.
bool is_without_flow(const node& n) { return n.op->name() == "TensorArrayCloseV3" || n.op->name() == "TensorArrayGradWithShape"; }

}  // namespace

gradient_array_writer::gradient_array_writer(const graph& g, const history_map& histories, std::span<const node* const> nodes)
    : graph_(g), histories_(histories) {
  const auto at = std::find_if(nodes.begin(), nodes.end(),
                               [&](const node* n) { return n->op->name() == gradient_op && !source_of(n->inputs[0]).empty(); });
  if (at != nodes.end()) second_order_ = *at;
}

// Returns the node that created the handle on an edge, also if the handle passed through loops, branches and histories. Returns
// null if this is unknown.
const node* gradient_array_writer::maker_of(edge e) const {
  for (std::size_t steps = 0; e.from && steps <= graph_.size(); ++steps) {
    const node& n = *e.from;
    if (n.op->name() == "HistoryValue") e = histories_.pushed(n);
    else if ((n.op->control != control_flow::none || n.op->name() == "Identity") && !n.inputs.empty()) e = n.inputs[0];
    else return &n;
  }
  return nullptr;
}

// If an edge carries the handle of an array of gradients, returns the sources of this array and of the arrays below it, the lowest
// first. Otherwise returns an empty text.
std::string gradient_array_writer::source_of(const edge& e) const {
  std::string sources;
  edge handle = e;
  for (int order = 0; handle.from->outputs[handle.port].type == dtype::resource; ++order) {
    const node* n = maker_of(handle);
    if (!n || n->op->name() != gradient_op) break;
    if (order == highest_order) return {};  // the handle depends on itself
    const attribute_value source = detail::attribute_of(*n, "source");
    sources = sources.empty() ? *source.get<std::string>() : message{*source.get<std::string>(), '/', sources}.string();
    handle = n->inputs[0];
  }
  return sources;
}

error gradient_array_writer::check(std::span<const node* const> nodes, std::size_t first) const {
  if (!second_order_) return {};
  for (const node* n : nodes)
    for (std::size_t i = 0; i < n->inputs.size(); ++i) {
      const bool is_before = n->id < first && first <= second_order_->id && !is_array_op(*n);
      const bool is_strange = n->id >= first && is_without_flow(*n);
      if ((is_before || is_strange) && !source_of(n->inputs[i]).empty())
        return error(error_code::unimplemented, message{"TensorFlow has no gradients of arrays of gradients, and ",
                                                        is_before ? "a node of an earlier file reads the handle of such an array"
                                                                  : "this op cannot be written for such an array"})
            .at(n->name, n->op->name(), n->where);
    }
  return {};
}

void gradient_array_writer::write(const node& n, node_def& definition, std::vector<node_def>& to) {
  if (!second_order_) return;
  for (std::size_t i = 0; i < n.inputs.size(); ++i) {
    const std::string source = source_of(n.inputs[i]);
    if (source.empty()) continue;
    if (n.op->name() == gradient_op) {
      for (attribute_def& a : definition.attributes)
        if (a.name == "source") a.value = source + '/' + *a.value.get<std::string>();
    } else if (is_array_op(n)) {
      if (n.inputs[i].from->op->name() == gradient_op) continue;
      const std::string flow = definition.inputs[n.inputs.size() - 1];
      const std::string name = graph_.state().free_name({}, definition.name + "/gradients");
      to.push_back({name,
                    std::string(gradient_op),
                    definition.device,
                    {definition.inputs[i], flow},
                    {{.name = "source", .value = source}}});
      definition.inputs[i] = name;
      continue;
    }
    definition.inputs[i] = handed_on(n.inputs[i], definition, to);
  }
}

// Returns an edge with the handle of the array of values in place of that of the array of gradients. It is alive under the same
// condition.
std::string gradient_array_writer::handed_on(const edge& handle, const node_def& reader, std::vector<node_def>& to) {
  const node& n = *handle.from;
  if (n.op->name() != gradient_op) return name_of(n, handle.port);
  if (const auto at = arrays_.find(&n); at != arrays_.end()) return at->second;
  const std::string name = graph_.state().free_name({}, reader.name + "/array");
  arrays_[&n] = name;
  const edge& beside = n.inputs[0];
  const std::string values =
      source_of(beside).empty() ? name_of(*beside.from, beside.port) : handed_on(beside, {name, {}, {}}, to);
  to.push_back(
      {name, "Identity", std::string(n.device), {values, '^' + std::string(n.name)}, {{.name = "T", .value = dtype::resource}}});
  return name;
}

}  // namespace flowgraph::protobuf

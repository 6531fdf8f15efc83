#include "lowering.hpp"

#include "placing.hpp"

#include <flowgraph/core/message.hpp>

#include <algorithm>

namespace flowgraph::inline FLOWGRAPH_ABI::protobuf {

namespace {

// Returns whether a device is that of the node, or the only CPU of this program if the node has no device.
bool is_local(std::string device, const std::string& own) {
  if (device.empty() || device == own) return true;
  for (char& c : device)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  for (const std::string_view part : {"/job:localhost", "/replica:0", "/task:0", "/device:cpu:0", "/cpu:0"})
    if (std::string_view(device).starts_with(part)) device.erase(0, part.size());
  return own.empty() && device.empty();
}

class lowering final : placing {
public:
  lowering(const graph_def& file, const registry& ops, const std::string& frame_prefix, std::source_location where,
           const lowering_limits& limits)
      : placing(file, ops, frame_prefix, where, limits), file_(file) {}

  std::optional<graph_def> run() {
    const bool calls = std::any_of(file_.nodes.begin(), file_.nodes.end(), [&](const node_def& n) { return is_called(n); });
    if (!calls) return {};
    for (const node_def& n : file_.nodes) result_.reserve(n);
    surroundings top;
    top.has_primitives = top.in_flow = has_primitives(file_.nodes);
    graph_def lowered = file_;
    for (node_def& n : lowered.nodes)
      if (is_called(n)) n = expand(n, top);
    for (node_def& n : result_) lowered.nodes.push_back(std::move(n));
    return lowered;
  }

private:
  node_def expand(const node_def& n, const surroundings& in) override {
    if (library_.contains(n.op)) return expand_call(n, body(n, {n.op, n.attributes}, nullptr, nullptr), in);
    if (n.op.ends_with("While")) return expand_while(n, at(n, [&] { return types_in(n, "T"); }), in);
    const call_types types = at(n, [&] { return call_types{types_in(n, "Tin"), types_in(n, "Tout")}; });
    if (n.op.ends_with("PartitionedCall")) return expand_call(n, body(n, call_in(n, "f", in), &types.taken, &types.given), in);
    if (n.op == "RemoteCall") return expand_remote(n, types, in);
    if (n.op.ends_with("If")) return expand_if(n, types, in);
    if (n.op.ends_with("Case")) return expand_case(n, types, in);
    return expand_gradient(n, types, in);
  }

  struct call_types {
    std::vector<dtype> taken, given;
  };

  node_def expand_call(const node_def& n, const function_body& b, const surroundings& in) {
    const placed_call placed = place_call(n, b, data_inputs(n, b.arguments.size()), in);
    return result_of(n, placed.body.outputs, b.output_types, placed.body.controls);
  }

  // Puts the function in place, and leaves the node itself to the import. The node then reads the outputs of the function, its
  // arguments, and the gradients of its outputs.
  node_def expand_gradient(const node_def& n, const call_types& types, const surroundings& in) {
    const function_body b = body(n, call_in(n, "f", in), &types.given, nullptr);
    std::vector<dtype> expected = b.argument_types;
    expected.insert(expected.end(), b.output_types.begin(), b.output_types.end());
    if (types.taken != expected)
      refuse(message{"the inputs must be those of function '", b.function, "' and the gradients of its outputs, ",
                     text_of_types(expected), ", found ", text_of_types(types.taken)},
             n);
    strings data = data_inputs(n, types.taken.size());
    const strings gradients(data.begin() + static_cast<std::ptrdiff_t>(b.arguments.size()), data.end());
    data.resize(b.arguments.size());
    const placed_call placed = place_call(n, b, data, in);
    node_def definition{n.name, n.op, n.device, placed.body.outputs};
    for (const strings* more : {&placed.arguments, &gradients})
      definition.inputs.insert(definition.inputs.end(), more->begin(), more->end());
    for (const strings& more : {placed.body.controls, split_inputs(n).controls})
      definition.inputs.insert(definition.inputs.end(), more.begin(), more.end());
    definition.attributes.push_back({.name = "outputs", .value = static_cast<std::int64_t>(b.outputs.size())});
    return definition;
  }

  struct placed_call {
    placed_body body;
    strings arguments;  // names of nodes
  };

  placed_call place_call(const node_def& n, const function_body& b, const strings& data, const surroundings& in) {
    const strings controls = split_inputs(n).controls;
    strings arguments, control_arguments;
    for (std::size_t i = 0; i < data.size(); ++i) {
      std::string name(b.arguments[i]);  // such as "x:0" or "list:2"
      if (name.ends_with(":0")) name.resize(name.size() - 2);
      std::ranges::replace(name, ':', '_');
      strings inputs{data[i]};
      add_once(inputs, controls);
      arguments.push_back(add(n, name, "Identity", inputs, {{.name = "T", .value = b.argument_types[i]}}));
      control_arguments.push_back('^' + arguments.back());
    }
    surroundings around = in;
    if (!controls.empty() || in.has_primitives) around.waits = controls;
    if (in.has_primitives) add_once(around.waits, control_arguments);
    if (around.waits.size() > 1 && !b.nodes.empty()) around.waits = {'^' + add(n, "ready", "NoOp", around.waits, {})};
    placed_body placed = place(n, b, n.name + '/', arguments, control_arguments, around);
    if (placed.outputs.empty()) add_once(placed.controls, around.waits);
    return {std::move(placed), std::move(arguments)};
  }

  // Replaces a call on another device by a call here, if that device is the device of the node.
  node_def expand_remote(const node_def& n, const call_types& types, const surroundings& in) {
    node_def call = n;
    if (call.inputs.empty() || call.inputs.front().starts_with('^'))
      refuse("the call must have a device as its first input, found none", n);
    const std::string* device = result_.text_at(call.inputs.front());
    if (!device)
      refuse(error_code::unimplemented, "the device of the call must be a constant, found '" + call.inputs.front() + "'", n);
    if (!is_local(*device, n.device))
      refuse(error_code::unimplemented, "the call must be on the device of its node, found '" + *device + "'", n);
    call.inputs.erase(call.inputs.begin());
    return expand_call(call, body(n, call_in(n, "f", in), &types.taken, &types.given), in);
  }

  node_def expand_if(const node_def& n, const call_types& types, const surroundings& in) {
    strings data = data_inputs(n, types.taken.size() + 1);
    const attribute_def* type = n.find("Tcond");
    const dtype* condition = type ? type->value.get<dtype>() : nullptr;
    if (!condition) refuse("attribute 'Tcond' is missing, or is not a type", n);
    strings inputs{data[0]};
    add_once(inputs, split_inputs(n).controls);
    std::string truth = add(n, "predicate", "Identity", inputs, {{.name = "T", .value = *condition}});
    if (*condition != dtype::boolean) truth = add_truth(n, truth, *condition);
    data.erase(data.begin());
    return expand_branches(
        n, data, {{"then", call_in(n, "then_branch", in), truth, ":1"}, {"else", call_in(n, "else_branch", in), truth, ""}},
        types, in);
  }

  // An index that names no branch selects the last branch.
  node_def expand_case(const node_def& n, const call_types& types, const surroundings& in) {
    strings data = data_inputs(n, types.taken.size() + 1);
    const std::vector<function_call> calls = calls_in(n, "branches", in);
    strings inputs{data[0]};
    add_once(inputs, split_inputs(n).controls);
    const attribute_def of_integers{.name = "T", .value = dtype::int32};
    const std::string index = add(n, "index", "Identity", inputs, {of_integers});
    std::vector<branch> branches;
    for (std::size_t i = 0; i + 1 < calls.size(); ++i) {
      const std::string own = add_integer(n, message{"branch_", i, "/number"}, static_cast<std::int32_t>(i), index);
      const std::string is_own = add(n, message{"branch_", i, "/predicate"}, "Equal", {index, own}, {of_integers});
      branches.push_back({message{"branch_", i}, calls[i], is_own, ":1"});
    }
    const std::string label = message{"branch_", calls.size() - 1};
    const std::string first = add_integer(n, label + "/first", 0, index);
    const std::string last = add_integer(n, label + "/number", static_cast<std::int32_t>(calls.size() - 1), index);
    const std::string below = add(n, label + "/below", "Less", {index, first}, {of_integers});
    const std::string above = add(n, label + "/above", "GreaterEqual", {index, last}, {of_integers});
    branches.push_back({label, calls.back(), add(n, label + "/predicate", "LogicalOr", {below, above}, {}), ":1"});
    data.erase(data.begin());
    return expand_branches(n, data, branches, types, in);
  }

  struct branch {
    std::string label;
    function_call call;
    std::string truth, side;  // an edge, and the port of its Switch: ":1", or "" for 0
  };

  node_def expand_branches(const node_def& n, const strings& data, const std::vector<branch>& branches, const call_types& types,
                           const surroundings& in) {
    std::vector<strings> outputs(types.given.size());
    strings done, switches;
    std::string pivots;
    bool waits_for_more = types.given.empty();
    const bool one_switch = branches.front().truth == branches.back().truth;
    const attribute_def of_truths{.name = "T", .value = dtype::boolean};
    for (std::size_t k = 0; k < branches.size(); ++k) {
      const branch& b = branches[k];
      const function_body called = body(n, b.call, &types.taken, &types.given);
      if (k == 0 || b.truth != branches[k - 1].truth) {
        const std::string below = one_switch ? std::string() : b.label + '/';
        pivots = add(n, below + "switch", "Switch", {b.truth, b.truth}, {of_truths});
        switches.clear();
        for (std::size_t i = 0; i < data.size(); ++i)
          switches.push_back(
              add(n, message{below, "input_", i}, "Switch", {data[i], b.truth}, {{.name = "T", .value = types.taken[i]}}));
      }
      strings arguments;
      for (const std::string& s : switches) arguments.push_back(s + b.side);
      const std::string pivot = add(n, b.label + "/pivot", "Identity", {pivots + b.side}, {of_truths});
      surroundings around;
      around.waits = {'^' + pivot};
      around.in_flow = in.in_flow;
      const placed_body placed = place(n, called, n.name + '/' + b.label + '/', arguments, around.waits, around);
      for (std::size_t i = 0; i < types.given.size(); ++i) outputs[i].push_back(placed.outputs[i]);
      waits_for_more = waits_for_more || !placed.controls.empty();
      strings ended{pivot};
      add_once(ended, placed.controls);
      done.push_back(placed.controls.empty() ? pivot : add(n, b.label + "/done", "Identity", ended, {of_truths}));
    }
    const attribute_def count{.name = "N", .value = static_cast<std::int64_t>(branches.size())};
    strings edges, after;
    for (std::size_t i = 0; i < types.given.size(); ++i)
      edges.push_back(add(n, message{"output_", i}, "Merge", outputs[i], {{.name = "T", .value = types.given[i]}, count}));
    if (waits_for_more) after = {'^' + add(n, "done", "Merge", done, {of_truths, count})};
    return result_of(n, edges, types.given, after);
  }

  node_def expand_while(const node_def& n, const std::vector<dtype>& types, const surroundings& in) {
    const strings data = data_inputs(n, types.size());
    if (types.empty()) refuse(error_code::unimplemented, "a loop must have one variable or more, found none", n);
    const function_body condition = body(n, call_in(n, "cond", in), &types, nullptr);
    const function_body step = body(n, call_in(n, "body", in), &types, &types);
    if (condition.output_types.size() != 1)
      refuse(message{"function '", condition.function, "' must have one output, found ", condition.output_types.size()}, n);
    const attribute_def* at_once = n.find("parallel_iterations");
    const std::int64_t* parallel = at_once ? at_once->value.get<std::int64_t>() : nullptr;

    const attribute_def frame{.name = "frame_name", .value = frame_prefix_ + n.name};
    const attribute_def iterations{.name = "parallel_iterations", .value = parallel ? *parallel : std::int64_t{10}};
    strings merges, next;
    for (std::size_t i = 0; i < types.size(); ++i) {
      const attribute_def type{.name = "T", .value = types[i]};
      strings first{data[i]};
      add_once(first, split_inputs(n).controls);
      const std::string enter = add(n, message{"enter_", i}, "Enter", first, {type, frame, iterations});
      next.push_back(result_.fresh(message{n.name, "/next_", i}));
      merges.push_back(
          add(n, message{"merge_", i}, "Merge", {enter, next.back()}, {type, {.name = "N", .value = std::int64_t{2}}}));
    }
    surroundings around;
    around.in_flow = true;
    around.waits = {'^' + merges[0]};
    const placed_body asked = place(n, condition, n.name + "/cond/", merges, around.waits, around);
    std::string truth = asked.outputs[0];
    if (condition.output_types[0] != dtype::boolean) truth = add_truth(n, truth, condition.output_types[0]);
    strings decided{truth};
    add_once(decided, asked.effects);
    const std::string goes_on = add(n, "condition", "LoopCond", decided, {});

    strings arguments, exits;
    for (std::size_t i = 0; i < types.size(); ++i) {
      const attribute_def type{.name = "T", .value = types[i]};
      const std::string side = add(n, message{"switch_", i}, "Switch", {merges[i], goes_on}, {type});
      exits.push_back(add(n, message{"exit_", i}, "Exit", {side}, {type}));
      arguments.push_back(side + ":1");
    }
    around.waits = {'^' + add(n, "body/pivot", "Identity", {arguments[0]}, {{.name = "T", .value = types[0]}})};
    placed_body went = place(n, step, n.name + "/body/", arguments, around.waits, around);
    if (went.effects.size() > 1) went.effects = {'^' + add(n, "body/done", "NoOp", went.effects, {})};
    for (std::size_t i = 0; i < types.size(); ++i) {
      strings inputs{went.outputs[i]};
      add_once(inputs, went.effects);
      result_.put({next[i], "NextIteration", n.device, inputs, {{.name = "T", .value = types[i]}}}, n, where_);
    }
    return result_of(n, exits, types, {});
  }

  // Adds a constant that runs in the same branch or loop as `beside`.
  std::string add_integer(const node_def& n, const std::string& name, std::int32_t value, const std::string& beside) {
    return add(n, name, "Const", {'^' + std::string(node_in(beside))},
               {{.name = "dtype", .value = dtype::int32}, {.name = "value", .value = tensor<std::int32_t>(value).erased()}});
  }

  // Adds nodes that convert a value to a condition as TensorFlow does. A scalar number is true if it is not zero, a scalar string
  // if it is not empty, and any other tensor if it has elements.
  std::string add_truth(const node_def& n, const std::string& x, dtype type) {
    const attribute_def of_x{.name = "T", .value = type};
    const attribute_def of_integers{.name = "T", .value = dtype::int32};
    std::string element;
    if (type == dtype::string) {
      const std::string empty =
          add(n, "truth/empty", "Const", {'^' + std::string(node_in(x))},
              {{.name = "dtype", .value = type}, {.name = "value", .value = tensor<std::string>(std::string()).erased()}});
      element = add(n, "truth/element", "NotEqual", {x, empty}, {of_x});
    } else {
      element = add(n, "truth/element", "NotEqual", {x, add(n, "truth/zero", "ZerosLike", {x}, {of_x})}, {of_x});
    }
    const std::string rank = add(n, "truth/rank", "Rank", {x}, {of_x});
    const std::string zero = add_integer(n, "truth/start", 0, rank), one = add_integer(n, "truth/step", 1, rank);
    const std::string is_list = add(n, "truth/is_list", "Greater", {rank, zero}, {of_integers});
    const std::string counts = add(n, "truth/counts", "LogicalOr", {element, is_list}, {});
    const std::string axes = add(n, "truth/axes", "Range", {zero, rank, one}, {{.name = "Tidx", .value = dtype::int32}});
    return add(n, "truth", "Any", {counts, axes}, {{.name = "Tidx", .value = dtype::int32}});
  }

  const graph_def& file_;
};

}  // namespace

result<std::optional<graph_def>> lower_calls(const graph_def& file, const registry& ops, const std::string& frame_prefix,
                                             std::source_location where, const lowering_limits& limits) {
  try {
    return lowering(file, ops, frame_prefix, where, limits).run();
  } catch (const error& why) { return why.at(where); } catch (const protozero::exception& why) {
    return error(error_code::data_loss, message{"the file's functions: ", why.what()}).at(where);
  } catch (const std::bad_alloc&) {
    return error(error_code::resource_exhausted, "not enough memory for the nodes that the file's calls become").at(where);
  }
}

}  // namespace flowgraph::protobuf

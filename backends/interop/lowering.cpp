#include "lowering.hpp"

#include "function_body.hpp"
#include "lowering_nodes.hpp"

#include <flowgraph/core/words.hpp>

#include <algorithm>
#include <map>
#include <span>

namespace flowgraph::inline FLOWGRAPH_ABI::wire {

namespace {

using strings = std::vector<std::string>;

// What the nodes of a graph, or of a function's body, find around them.
struct surroundings {
  const std::vector<attribute_def>* attributes = nullptr;  // of the function; null in the graph itself
  strings waits = {};           // "^node": what a node waits for that has no input to tell it where, and whether, it runs
  bool in_flow = false;         // in a branch or loop: constants have to wait as well
  bool has_primitives = false;  // beside Switch, Enter and others, so that inputs of one node may differ in being alive
};

// The data inputs of a node, and its control inputs.
struct split_inputs {
  strings data, controls;

  explicit split_inputs(const node_def& n) {
    for (const std::string& i : n.inputs) (i.starts_with('^') ? controls : data).push_back(i);
  }
};

// A body that stands in the graph.
struct placed_body {
  strings outputs;   // edges
  strings controls;  // "^node"
};

// Whether a device is the one of this program that has no name, or that of the node.
bool is_local(std::string device, const std::string& own) {
  if (device.empty() || device == own) return true;
  for (char& c : device)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  for (const std::string_view part : {"/job:localhost", "/replica:0", "/task:0", "/device:cpu:0", "/cpu:0"})
    if (std::string_view(device).starts_with(part)) device.erase(0, part.size());
  return own.empty() && device.empty();
}

void add_once(strings& to, const strings& what) {
  for (const std::string& each : what)
    if (std::find(to.begin(), to.end(), each) == to.end()) to.push_back(each);
}

class lowering {
public:
  lowering(const graph_def& file, const registry& ops, const std::string& frame_prefix, std::source_location where,
           const lowering_limits& limits)
      : file_(file), ops_(ops), frame_prefix_(frame_prefix), where_(where), limits_(limits), library_(file), made_(limits.nodes) {}

  std::optional<graph_def> run() {
    const bool calls = std::any_of(file_.nodes.begin(), file_.nodes.end(), [&](const node_def& n) { return is_called(n); });
    if (!calls) return {};
    for (const node_def& n : file_.nodes) made_.reserve(n);
    surroundings top;
    top.has_primitives = top.in_flow = has_primitives(file_.nodes);
    graph_def lowered = file_;
    for (node_def& n : lowered.nodes)
      if (is_called(n)) n = expand(n, top);
    for (node_def& n : made_) lowered.nodes.push_back(std::move(n));
    return lowered;
  }

private:
  bool is_called(const node_def& n) const {
    return library_.contains(n.op) || (is_call(n.op) && ops_.tables(n.op).empty());
  }

  bool has_primitives(std::span<const node_def> nodes) const {
    return std::any_of(nodes.begin(), nodes.end(), [&](const node_def& n) {
      const auto tables = ops_.tables(n.op);
      return !tables.empty() && tables.front()->control != control_flow::none;
    });
  }

  [[noreturn]] void refuse(error_code code, std::string why, const node_def& n) const {
    for (std::size_t i = 0; i < chain_.size(); ++i) why += (i == 0 ? "; called by " : " -> ") + chain_[i];
    throw error(code, why).at(n.name, n.op, where_);
  }
  [[noreturn]] void refuse(const std::string& why, const node_def& n) const { refuse(error_code::invalid_argument, why, n); }

  // Runs f, whose errors get to know the node.
  template <class F> auto at(const node_def& n, F&& f) const {
    try {
      return f();
    } catch (const error& why) {
      refuse(why.code(), std::string(why.message()), n);
    }
  }

  // What one attribute of a call names.
  std::vector<function_call> calls_in(const node_def& n, std::string_view attribute, const surroundings& in) const {
    const attribute_def* a = n.find(attribute);
    std::vector<function_call> made = a ? functions_in(*a) : std::vector<function_call>();
    if (made.empty()) refuse(words{"attribute '", attribute, "' names no function"}, n);
    for (function_call& call : made)
      for (attribute_def& own : call.attributes) {
        const std::string from = placeholder_in(own);
        if (from.empty() || !in.attributes) continue;
        const auto value = std::find_if(in.attributes->begin(), in.attributes->end(), [&](const attribute_def& v) { return v.name == from; });
        if (value == in.attributes->end()) refuse(words{"attribute '", from, "' has no value"}, n);
        const std::string name = own.name;
        own = *value;
        own.name = name;
      }
    return made;
  }
  function_call call_in(const node_def& n, std::string_view attribute, const surroundings& in) const {
    return calls_in(n, attribute, in).front();
  }

  // The body of what a node calls, checked against the types that the node has; null: it does not say.
  function_body body(const node_def& n, const function_call& call, const std::vector<dtype>* inputs, const std::vector<dtype>* outputs) {
    function_body made = at(n, [&] { return body_of(call, library_, ops_); });
    auto compare = [&](std::string_view what, const std::vector<dtype>& found, const std::vector<dtype>* expected) {
      if (expected && found != *expected)
        refuse(words{"function '", call.name, "' must have ", what, ' ', text_of_types(*expected), ", found ", text_of_types(found)}, n);
    };
    compare("inputs", made.argument_types, inputs);
    compare("outputs", made.output_types, outputs);
    return made;
  }

  static std::string text_of_types(const std::vector<dtype>& types) {
    std::string text = "(";
    for (const dtype t : types) text += (text.size() > 1 ? ", " : "") + std::string(name_of(t));
    return text + ')';
  }

  strings data_inputs(const node_def& n, std::size_t expected) const {
    strings data = split_inputs(n).data;
    if (data.size() != expected) refuse(words{"the call must have ", expected, " inputs, found ", data.size()}, n);
    return data;
  }

  // A function may be called while it is not being called already: what is within it would never end.
  void enter(const std::string& function, const node_def& n) {
    chain_.push_back(function);
    if (std::find(chain_.begin(), chain_.end() - 1, function) != chain_.end() - 1)
      refuse(error_code::unimplemented, "function '" + function + "' calls itself, and calls are put in place when a graph is imported", n);
    if (chain_.size() > limits_.calls)
      refuse(error_code::resource_exhausted, words{"calls within each other go deeper than ", limits_.calls}, n);
  }

  // Puts a body into the graph. `control_arguments`: what to wait for instead of an argument.
  placed_body place(const node_def& caller, const function_body& b, const std::string& prefix, std::span<const std::string> arguments,
                    const strings& control_arguments, const surroundings& around) {
    enter(b.function, caller);
    std::map<std::string, std::string, std::less<>> names, edges;
    for (std::size_t i = 0; i < arguments.size(); ++i) edges.emplace(b.arguments[i], arguments[i]);
    for (const node_def& n : b.nodes) names.emplace(n.name, made_.fresh(prefix + n.name));
    auto renamed = [&](const std::string& edge) -> std::string {
      if (const auto argument = edges.find(edge); argument != edges.end()) return argument->second;
      const std::string_view name = node_in(edge);
      return names.find(name)->second + edge.substr(name.size());
    };
    strings free_constants;
    for (const node_def& n : b.nodes) {
      if (n.op == "Const" && n.inputs.empty() && !around.in_flow) free_constants.push_back(n.name);
      made_.remember_text(n, names.find(n.name)->second);
    }
    const auto is_free = [&](std::string_view edge) {
      return std::find(free_constants.begin(), free_constants.end(), node_in(edge)) != free_constants.end();
    };

    surroundings inner = around;
    inner.attributes = &b.attributes;
    inner.has_primitives = has_primitives(b.nodes);
    inner.in_flow = around.in_flow || inner.has_primitives;
    for (const node_def& n : b.nodes) {
      node_def made = n;
      made.name = names.find(n.name)->second;
      if (made.device.empty()) made.device = caller.device;
      made.inputs.clear();
      for (const std::string& input : n.inputs) {
        if (!input.starts_with('^')) made.inputs.push_back(renamed(input));
        else if (const auto own = names.find(std::string_view(input).substr(1)); own != names.end()) add_once(made.inputs, {'^' + own->second});
        else add_once(made.inputs, control_arguments);
      }
      if (!is_free(n.name) && std::all_of(n.inputs.begin(), n.inputs.end(), is_free)) add_once(made.inputs, around.waits);
      colocate(made, names);
      name_frame(made, prefix);
      made_.put(is_called(n) ? expand(made, inner) : made, caller, where_);
    }
    placed_body placed;
    for (const std::string& edge : b.outputs) placed.outputs.push_back(renamed(edge));
    for (const std::string& name : b.controls) placed.controls.push_back('^' + names.find(name)->second);
    chain_.pop_back();
    return placed;
  }

  // A loop that stands in the body is another one at each call.
  static void name_frame(node_def& n, const std::string& prefix) {
    if (n.op != "Enter" && n.op != "RefEnter") return;
    for (attribute_def& a : n.attributes)
      if (const auto* frame = a.value.get<std::string>(); frame && a.name == "frame_name") a.value = prefix + *frame;
  }

  // Colocation names nodes of the body.
  static void colocate(node_def& n, const std::map<std::string, std::string, std::less<>>& names) {
    for (attribute_def& a : n.attributes) {
      const auto* classes = a.name == "_class" ? a.value.get<strings>() : nullptr;
      if (!classes) continue;
      strings made;
      for (const std::string& c : *classes)
        if (const auto with = names.find(c.substr(std::min<std::size_t>(5, c.size()))); c.starts_with("loc:@") && with != names.end())
          made.push_back("loc:@" + with->second);
      a.value = made;
    }
  }

  // What stands under the call's name.
  node_def result_of(const node_def& n, const strings& edges, const std::vector<dtype>& types, const strings& controls) const {
    node_def made{n.name, edges.empty() ? "NoOp" : edges.size() == 1 ? "Identity" : "IdentityN", n.device, edges};
    add_once(made.inputs, controls);
    add_once(made.inputs, split_inputs(n).controls);
    if (edges.size() == 1) made.attributes.push_back({.name = "T", .value = types[0]});
    else if (!edges.empty()) made.attributes.push_back({.name = "T", .value = types});
    if (const attribute_def* with = n.find("_class")) made.attributes.push_back(*with);
    made.rest = n.rest;
    return made;
  }

  // The node that stands in the call's place; its body is put beside it.
  node_def expand(const node_def& n, const surroundings& in) {
    if (library_.contains(n.op)) return expand_call(n, body(n, {n.op, n.attributes}, nullptr, nullptr), in);
    return at_types(n, [&](std::string_view inputs, std::string_view outputs) {
      const std::vector<dtype> taken = at(n, [&] { return types_in(n, inputs); });
      const std::vector<dtype> given = at(n, [&] { return types_in(n, outputs); });
      if (n.op.ends_with("PartitionedCall")) return expand_call(n, body(n, call_in(n, "f", in), &taken, &given), in);
      if (n.op == "RemoteCall") return expand_remote(n, taken, given, in);
      if (n.op.ends_with("If")) return expand_if(n, taken, given, in);
      if (n.op.ends_with("Case")) return expand_case(n, taken, given, in);
      if (n.op.ends_with("While")) return expand_while(n, taken, in);
      return expand_gradient(n, taken, given, in);
    });
  }
  template <class F> static node_def at_types(const node_def& n, F&& f) {
    return n.op.ends_with("While") ? f("T", "T") : f("Tin", "Tout");
  }

  node_def expand_call(const node_def& n, const function_body& b, const surroundings& in) {
    const placed_call placed = place_call(n, b, data_inputs(n, b.arguments.size()), in);
    return result_of(n, placed.body.outputs, b.output_types, placed.body.controls);
  }

  // The function is put in place, and the node is left to the import: it reads what the function gives, what it takes, and the
  // gradients of what it gives.
  node_def expand_gradient(const node_def& n, const std::vector<dtype>& taken, const std::vector<dtype>& given, const surroundings& in) {
    const function_body b = body(n, call_in(n, "f", in), &given, nullptr);
    std::vector<dtype> expected = b.argument_types;
    expected.insert(expected.end(), b.output_types.begin(), b.output_types.end());
    if (taken != expected)
      refuse(words{"the inputs must be those of function '", b.function, "' and the gradients of its outputs, ", text_of_types(expected),
                   ", found ", text_of_types(taken)}, n);
    strings data = data_inputs(n, taken.size());
    const strings gradients(data.begin() + static_cast<std::ptrdiff_t>(b.arguments.size()), data.end());
    data.resize(b.arguments.size());
    const placed_call placed = place_call(n, b, data, in);
    node_def made{n.name, n.op, n.device, placed.body.outputs};
    for (const strings* more : {&placed.arguments, &gradients}) made.inputs.insert(made.inputs.end(), more->begin(), more->end());
    for (const strings& more : {placed.body.controls, split_inputs(n).controls}) made.inputs.insert(made.inputs.end(), more.begin(), more.end());
    made.attributes.push_back({.name = "outputs", .value = static_cast<std::int64_t>(b.outputs.size())});
    return made;
  }

  struct placed_call {
    placed_body body;
    strings arguments;  // nodes
  };

  placed_call place_call(const node_def& n, const function_body& b, const strings& data, const surroundings& in) {
    const strings controls = split_inputs(n).controls;
    strings arguments, control_arguments;
    for (std::size_t i = 0; i < data.size(); ++i) {
      std::string name(b.arguments[i]);  // "x:0", "list:2"
      name = name.ends_with(":0") ? name.substr(0, name.size() - 2) : name.replace(name.rfind(':'), 1, "_");
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

  // What a call on a device does is done here, where that is where the graph is.
  node_def expand_remote(const node_def& n, const std::vector<dtype>& taken, const std::vector<dtype>& given, const surroundings& in) {
    node_def call = n;
    if (call.inputs.empty() || call.inputs.front().starts_with('^')) refuse("the call must have a device as its first input, found none", n);
    const std::string* device = made_.text_at(call.inputs.front());
    if (!device) refuse(error_code::unimplemented, "the device of the call must be a constant, found '" + call.inputs.front() + "'", n);
    if (!is_local(*device, n.device))
      refuse(error_code::unimplemented, "the call must be on the device of its node, found '" + *device + "'", n);
    call.inputs.erase(call.inputs.begin());
    return expand_call(call, body(n, call_in(n, "f", in), &taken, &given), in);
  }

  node_def expand_if(const node_def& n, const std::vector<dtype>& taken, const std::vector<dtype>& given, const surroundings& in) {
    strings data = data_inputs(n, taken.size() + 1);
    const attribute_def* type = n.find("Tcond");
    const dtype* condition = type ? type->value.get<dtype>() : nullptr;
    if (!condition) refuse("attribute 'Tcond' is missing, or no type", n);
    strings inputs{data[0]};
    add_once(inputs, split_inputs(n).controls);
    std::string truth = add(n, "predicate", "Identity", inputs, {{.name = "T", .value = *condition}});
    if (*condition != dtype::boolean) truth = add_truth(n, truth, *condition);
    data.erase(data.begin());
    return expand_branches(n, data, {{"then", call_in(n, "then_branch", in), truth, ":1"}, {"else", call_in(n, "else_branch", in), truth, ""}},
                           taken, given);
  }

  // Any index that names no branch takes the last one.
  node_def expand_case(const node_def& n, const std::vector<dtype>& taken, const std::vector<dtype>& given, const surroundings& in) {
    strings data = data_inputs(n, taken.size() + 1);
    const std::vector<function_call> calls = calls_in(n, "branches", in);
    strings inputs{data[0]};
    add_once(inputs, split_inputs(n).controls);
    const attribute_def of_integers{.name = "T", .value = dtype::int32};
    const std::string index = add(n, "index", "Identity", inputs, {of_integers});
    std::vector<branch> branches;
    for (std::size_t i = 0; i + 1 < calls.size(); ++i) {
      const std::string own = add_integer(n, words{"branch_", i, "/number"}, static_cast<std::int32_t>(i), index);
      const std::string is_own = add(n, words{"branch_", i, "/predicate"}, "Equal", {index, own}, {of_integers});
      branches.push_back({words{"branch_", i}, calls[i], is_own, ":1"});
    }
    const std::string label = words{"branch_", calls.size() - 1};
    const std::string first = add_integer(n, label + "/first", 0, index);
    const std::string last = add_integer(n, label + "/number", static_cast<std::int32_t>(calls.size() - 1), index);
    const std::string below = add(n, label + "/below", "Less", {index, first}, {of_integers});
    const std::string above = add(n, label + "/above", "GreaterEqual", {index, last}, {of_integers});
    branches.push_back({label, calls.back(), add(n, label + "/predicate", "LogicalOr", {below, above}, {}), ":1"});
    data.erase(data.begin());
    return expand_branches(n, data, branches, taken, given);
  }

  struct branch {
    std::string label;
    function_call call;
    std::string truth, side;  // an edge, and the port of a Switch by it: ":1", or "" for 0
  };

  node_def expand_branches(const node_def& n, const strings& data, const std::vector<branch>& branches, const std::vector<dtype>& taken,
                           const std::vector<dtype>& given) {
    std::vector<strings> outputs(given.size());
    strings done, switches;
    std::string pivots;
    bool waits_for_more = given.empty();
    const bool one_switch = branches.front().truth == branches.back().truth;
    const attribute_def of_truths{.name = "T", .value = dtype::boolean};
    for (std::size_t k = 0; k < branches.size(); ++k) {
      const branch& b = branches[k];
      const function_body called = body(n, b.call, &taken, &given);
      if (k == 0 || b.truth != branches[k - 1].truth) {
        const std::string below = one_switch ? std::string() : b.label + '/';
        pivots = add(n, below + "switch", "Switch", {b.truth, b.truth}, {of_truths});
        switches.clear();
        for (std::size_t i = 0; i < data.size(); ++i)
          switches.push_back(add(n, words{below, "input_", i}, "Switch", {data[i], b.truth}, {{.name = "T", .value = taken[i]}}));
      }
      strings arguments;
      for (const std::string& s : switches) arguments.push_back(s + b.side);
      const std::string pivot = add(n, b.label + "/pivot", "Identity", {pivots + b.side}, {of_truths});
      surroundings around;
      around.waits = {'^' + pivot};
      around.in_flow = true;
      const placed_body placed = place(n, called, n.name + '/' + b.label + '/', arguments, around.waits, around);
      for (std::size_t i = 0; i < given.size(); ++i) outputs[i].push_back(placed.outputs[i]);
      waits_for_more = waits_for_more || !placed.controls.empty();
      strings ended{pivot};
      add_once(ended, placed.controls);
      done.push_back(placed.controls.empty() ? pivot : add(n, b.label + "/done", "Identity", ended, {of_truths}));
    }
    const attribute_def count{.name = "N", .value = static_cast<std::int64_t>(branches.size())};
    strings edges, after;
    for (std::size_t i = 0; i < given.size(); ++i)
      edges.push_back(add(n, words{"output_", i}, "Merge", outputs[i], {{.name = "T", .value = given[i]}, count}));
    if (waits_for_more) after = {'^' + add(n, "done", "Merge", done, {of_truths, count})};
    return result_of(n, edges, given, after);
  }

  node_def expand_while(const node_def& n, const std::vector<dtype>& types, const surroundings& in) {
    const strings data = data_inputs(n, types.size());
    if (types.empty()) refuse(error_code::unimplemented, "a loop must have one variable or more, found none", n);
    const function_body condition = body(n, call_in(n, "cond", in), &types, nullptr), step = body(n, call_in(n, "body", in), &types, &types);
    if (condition.output_types.size() != 1)
      refuse(words{"function '", condition.function, "' must have one output, found ", condition.output_types.size()}, n);
    const attribute_def* at_once = n.find("parallel_iterations");
    const std::int64_t* parallel = at_once ? at_once->value.get<std::int64_t>() : nullptr;

    const attribute_def frame{.name = "frame_name", .value = frame_prefix_ + n.name};
    const attribute_def iterations{.name = "parallel_iterations", .value = parallel ? *parallel : std::int64_t{10}};
    strings merges, next;
    for (std::size_t i = 0; i < types.size(); ++i) {
      const attribute_def type{.name = "T", .value = types[i]};
      strings first{data[i]};
      add_once(first, split_inputs(n).controls);
      const std::string enter = add(n, words{"enter_", i}, "Enter", first, {type, frame, iterations});
      next.push_back(made_.fresh(words{n.name, "/next_", i}));
      merges.push_back(add(n, words{"merge_", i}, "Merge", {enter, next.back()}, {type, {.name = "N", .value = std::int64_t{2}}}));
    }
    surroundings around;
    around.in_flow = true;
    around.waits = {'^' + merges[0]};
    const placed_body asked = place(n, condition, n.name + "/cond/", merges, around.waits, around);
    std::string truth = asked.outputs[0];
    if (condition.output_types[0] != dtype::boolean) truth = add_truth(n, truth, condition.output_types[0]);
    strings decided{truth};
    add_once(decided, asked.controls);
    const std::string goes_on = add(n, "condition", "LoopCond", decided, {});

    strings arguments, exits;
    for (std::size_t i = 0; i < types.size(); ++i) {
      const attribute_def type{.name = "T", .value = types[i]};
      const std::string side = add(n, words{"switch_", i}, "Switch", {merges[i], goes_on}, {type});
      exits.push_back(add(n, words{"exit_", i}, "Exit", {side}, {type}));
      arguments.push_back(side + ":1");
    }
    around.waits = {'^' + add(n, "body/pivot", "Identity", {arguments[0]}, {{.name = "T", .value = types[0]}})};
    const placed_body went = place(n, step, n.name + "/body/", arguments, around.waits, around);
    for (std::size_t i = 0; i < types.size(); ++i) {
      strings inputs{went.outputs[i]};
      add_once(inputs, went.controls);
      made_.put({next[i], "NextIteration", n.device, inputs, {{.name = "T", .value = types[i]}}}, n, where_);
    }
    return result_of(n, exits, types, {});
  }

  std::string add(const node_def& n, const std::string& name, const std::string& op, strings inputs, std::vector<attribute_def> attributes) {
    std::string full = made_.fresh(words{n.name, '/', name});
    made_.put({full, op, n.device, std::move(inputs), std::move(attributes)}, n, where_);
    return full;
  }

  // A constant that is where `beside` is.
  std::string add_integer(const node_def& n, const std::string& name, std::int32_t value, const std::string& beside) {
    return add(n, name, "Const", {'^' + std::string(node_in(beside))},
               {{.name = "dtype", .value = dtype::int32}, {.name = "value", .value = tensor<std::int32_t>(value).erased()}});
  }

  // True are a scalar that is not zero, nor an empty string, and any other tensor that has elements.
  std::string add_truth(const node_def& n, const std::string& x, dtype type) {
    const attribute_def of_x{.name = "T", .value = type};
    const attribute_def of_integers{.name = "T", .value = dtype::int32};
    std::string element;
    if (type == dtype::string) {
      const std::string empty = add(n, "truth/empty", "Const", {'^' + std::string(node_in(x))},
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
  const registry& ops_;
  const std::string& frame_prefix_;
  std::source_location where_;
  lowering_limits limits_;
  function_library library_;
  node_list made_;
  strings chain_;
};

}  // namespace

result<std::optional<graph_def>> lower_calls(const graph_def& file, const registry& ops, const std::string& frame_prefix,
                                             std::source_location where, const lowering_limits& limits) {
  try {
    return lowering(file, ops, frame_prefix, where, limits).run();
  } catch (const error& why) {
    return why.at(where);
  } catch (const protozero::exception& why) {
    return error(error_code::data_loss, words{"the file's functions: ", why.what()}).at(where);
  } catch (const std::bad_alloc&) {
    return error(error_code::resource_exhausted, "no memory for what the file's calls become").at(where);
  }
}

}  // namespace flowgraph

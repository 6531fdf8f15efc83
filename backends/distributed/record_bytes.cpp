#include "record_bytes.hpp"

#include <flowgraph/io/detail/program_line.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::distributed {

namespace {

constexpr int most_causes = 16;

// ---- attributes

void put(byte_writer& to, std::int64_t v) { to.number(v); }
void put(byte_writer& to, float v) { to.number(v); }
void put(byte_writer& to, bool v) { to.number(v); }
void put(byte_writer& to, dtype v) { to.number(v); }
void put(byte_writer& to, const std::string& v) { to.text(v); }
void put(byte_writer& to, const function_name& v) { to.text(v.name); }
void put(byte_writer& to, const shape& v) {
  to.number(static_cast<std::int8_t>(v.rank));
  for (int i = 0; i < v.rank; ++i) to.number(static_cast<std::int64_t>(v.dims[i]));
}

void get(byte_reader& from, std::int64_t& v) { v = from.number<std::int64_t>(); }
void get(byte_reader& from, float& v) { v = from.number<float>(); }
void get(byte_reader& from, dtype& v) { v = from.number<dtype>(); }
void get(byte_reader& from, std::string& v) { v = from.text(); }
void get(byte_reader& from, function_name& v) { v.name = from.text(); }
void get(byte_reader& from, shape& v) {
  const auto rank = from.number<std::int8_t>();
  if (rank < -1 || rank > shape::max_rank) return from.fail();
  v = shape::unknown();
  v.rank = rank;
  for (int i = 0; i < rank; ++i) {
    v.dims[i] = from.number<std::int64_t>();
    if (v.dims[i] < -1) return from.fail();
  }
}

// Writes attributes. A tensor is written as its index among the tensors of the frame.
struct attribute_writer {
  byte_writer& to;
  recycled_tensors& tensors;

  template <class T> void operator()(const T& v) { put(to, v); }
  void operator()(const any_tensor& v) {
    to.number(static_cast<std::uint32_t>(tensors.size()));
    tensors.push_back(v);
  }
  template <class T> void list(const attribute_value& held) {
    const auto& all = *held.get<std::vector<T>>();
    to.number(static_cast<std::uint64_t>(all.size()));
    for (const auto& v : all) (*this)(static_cast<const T&>(v));
  }
};
struct attribute_reader {
  byte_reader& from;
  std::span<const any_tensor> tensors;

  template <class T> T one() {
    T v{};
    get(from, v);
    return v;
  }
  template <class T> attribute_value list() {
    std::vector<T> all;
    for (auto left = from.count(1); left > 0 && from.ok(); --left) all.push_back(one<T>());
    return attribute_value(std::move(all));
  }
};
template <> bool attribute_reader::one<bool>() { return from.number<std::uint8_t>() != 0; }
template <> any_tensor attribute_reader::one<any_tensor>() {
  const auto number = from.number<std::uint32_t>();
  if (number < tensors.size()) return tensors[number];
  from.fail();
  return {};
}

void write_attribute(attribute_writer put_one, const attribute_value& v) {
  put_one.to.number(v.kind());
  using enum attribute_kind;
  switch (v.kind()) {
    case integer: return put_one(*v.get<std::int64_t>());
    case real: return put_one(*v.get<float>());
    case boolean: return put_one(*v.get<bool>());
    case string: return put_one(*v.get<std::string>());
    case type: return put_one(*v.get<dtype>());
    case attribute_kind::shape: return put_one(*v.get<flowgraph::shape>());
    case tensor: return put_one(*v.get<any_tensor>());
    case function: return put_one(*v.get<function_name>());
    case list_of_integers: return put_one.list<std::int64_t>(v);
    case list_of_reals: return put_one.list<float>(v);
    case list_of_booleans: return put_one.list<bool>(v);
    case list_of_strings: return put_one.list<std::string>(v);
    case list_of_types: return put_one.list<dtype>(v);
    case list_of_shapes: return put_one.list<flowgraph::shape>(v);
    case list_of_tensors: return put_one.list<any_tensor>(v);
    case list_of_functions: return put_one.list<function_name>(v);
  }
}
attribute_value read_attribute(attribute_reader next) {
  using enum attribute_kind;
  switch (next.from.number<attribute_kind>()) {
    case integer: return next.one<std::int64_t>();
    case real: return next.one<float>();
    case boolean: return next.one<bool>();
    case string: return next.one<std::string>();
    case type: return next.one<dtype>();
    case attribute_kind::shape: return next.one<flowgraph::shape>();
    case tensor: return next.one<any_tensor>();
    case function: return next.one<function_name>();
    case list_of_integers: return next.list<std::int64_t>();
    case list_of_reals: return next.list<float>();
    case list_of_booleans: return next.list<bool>();
    case list_of_strings: return next.list<std::string>();
    case list_of_types: return next.list<dtype>();
    case list_of_shapes: return next.list<flowgraph::shape>();
    case list_of_tensors: return next.list<any_tensor>();
    case list_of_functions: return next.list<function_name>();
  }
  next.from.fail();
  return {};
}

template <class List, class F> void write_list(byte_writer& to, const List& list, F&& write_one) {
  to.number(static_cast<std::uint64_t>(list.size()));
  for (const auto& one : list) write_one(one);
}
// Reads a list. `least` is the smallest number of bytes of an element.
template <class F> void read_list(byte_reader& from, std::size_t least, F&& read_one) {
  for (auto left = from.count(least); left > 0 && from.ok(); --left) read_one();
}

void write_node(byte_writer& to, recycled_tensors& tensors, const node_record& n) {
  to.text(n.op);
  to.text(n.name);
  write_list(to, n.attributes, [&](const auto& a) {
    to.text(a.first);
    write_attribute({to, tensors}, a.second);
  });
  write_edges(to, n.inputs);
  write_numbers(to, n.list_sizes);
  write_numbers(to, n.control_inputs);
  to.text(n.device);
  write_list(to, n.colocated_with, [&](const std::string& name) { to.text(name); });
  to.number(n.line);
  to.number(n.body);
  put(to, n.variable_shape);
}
node_record read_node(byte_reader& from, std::span<const any_tensor> tensors) {
  node_record n;
  n.op = from.text();
  n.name = from.text();
  read_list(from, 9, [&] {
    std::string name(from.text());
    n.attributes.emplace_back(std::move(name), read_attribute({from, tensors}));
  });
  n.inputs = read_edges(from);
  n.list_sizes = read_numbers(from);
  n.control_inputs = read_numbers(from);
  n.device = from.text();
  read_list(from, 8, [&] { n.colocated_with.emplace_back(from.text()); });
  n.line = from.number<std::uint32_t>();
  n.body = from.number<std::uint32_t>();
  get(from, n.variable_shape);
  return n;
}

}  // namespace

void write_edges(byte_writer& to, std::span<const edge_record> edges) {
  write_list(to, edges, [&](const edge_record& e) {
    to.number(e.node);
    to.number(e.port);
  });
}
std::vector<edge_record> read_edges(byte_reader& from) {
  std::vector<edge_record> made;
  read_list(from, 8, [&] {
    const auto node = from.number<std::uint32_t>();
    made.push_back({node, from.number<std::uint32_t>()});
  });
  return made;
}
void write_numbers(byte_writer& to, std::span<const std::uint32_t> numbers) {
  write_list(to, numbers, [&](std::uint32_t n) { to.number(n); });
}
std::vector<std::uint32_t> read_numbers(byte_reader& from) {
  std::vector<std::uint32_t> made;
  read_list(from, 4, [&] { made.push_back(from.number<std::uint32_t>()); });
  return made;
}

void write_graph(byte_writer& to, recycled_tensors& tensors, const graph_record& graph) {
  to.number(graph.first);
  to.number(graph.seed);
  write_list(to, graph.lines, [&](const line_record& l) {
    to.text(l.file);
    to.text(l.function);
    to.number(l.line);
    to.number(l.column);
  });
  write_list(to, graph.bodies, [&](const body_record& b) {
    to.text(b.name);
    to.number(b.around);
  });
  write_list(to, graph.variables, [&](const variable_record& v) {
    to.number(v.of.node);
    to.number(v.of.port);
    to.number(v.is_trainable);
  });
  write_numbers(to, graph.initializers);
  write_list(to, graph.names, [&](const auto& name) {
    to.text(name.first);
    to.number(name.second);
  });
  write_list(to, graph.nodes, [&](const node_record& n) { write_node(to, tensors, n); });
}

graph_record read_graph(byte_reader& from, std::span<const any_tensor> tensors) {
  graph_record made;
  made.first = from.number<std::uint32_t>();
  made.seed = from.number<std::int64_t>();
  read_list(from, 24, [&] {
    line_record& l = made.lines.emplace_back();
    l.file = from.text();
    l.function = from.text();
    l.line = from.number<std::uint32_t>();
    l.column = from.number<std::uint32_t>();
  });
  read_list(from, 12, [&] {
    std::string name(from.text());
    made.bodies.push_back({std::move(name), from.number<std::uint32_t>()});
  });
  read_list(from, 9, [&] {
    variable_record& v = made.variables.emplace_back();
    v.of.node = from.number<std::uint32_t>();
    v.of.port = from.number<std::uint32_t>();
    v.is_trainable = from.number<std::uint8_t>() != 0;
  });
  made.initializers = read_numbers(from);
  read_list(from, 12, [&] {
    std::string name(from.text());
    made.names.emplace_back(std::move(name), from.number<std::uint32_t>());
  });
  read_list(from, 60, [&] { made.nodes.push_back(read_node(from, tensors)); });
  return made;
}

void write_error(byte_writer& to, const error& why) {
  int causes = 0;
  for (const error* e = &why; e && *e && causes < most_causes; e = e->cause(), ++causes) {
    to.number(e->code());
    to.text(e->message());
    to.text(e->node());
    to.text(e->op());
    const std::source_location at = e->where();
    to.text(at.file_name());
    to.text(at.function_name());
    to.number(static_cast<std::uint32_t>(at.line()));
    to.number(static_cast<std::uint32_t>(at.column()));
  }
  to.number(error_code::ok);
}

error read_error(byte_reader& from) {
  std::vector<error> chain;
  for (auto code = from.number<error_code>(); code != error_code::ok && from.ok(); code = from.number<error_code>()) {
    if (code > error_code::unauthenticated || chain.size() == most_causes) {
      from.fail();
      break;
    }
    const std::string text(from.text()), node(from.text()), op(from.text());
    const std::string_view file = from.text(), function = from.text();
    const auto line = from.number<std::uint32_t>(), column = from.number<std::uint32_t>();
    error e(code, text);
    const bool has_line = line != 0;
    const auto at = has_line ? detail::location_of(file, function, line, column, {}) : std::source_location();
    if (!node.empty() || !op.empty()) e = e.at(node, op, at);
    else if (has_line) e = e.at(at);
    chain.push_back(std::move(e));
  }
  error made;
  for (auto e = chain.rbegin(); e != chain.rend(); ++e) made = made ? e->because(made) : *e;
  return made;
}

}  // namespace flowgraph::distributed

// Prints the standard registry's facts about each op, a line an op, fields apart by tabs: name, element types by type attribute,
// attributes with their defaults, gradient, types of inputs and outputs, shapes. tools/reference makes docs/ops.md of it.

#include "../harness/op_value.hpp"

#include <flowgraph/op/registry.hpp>
#include <flowgraph/ops/standard.hpp>

#include <algorithm>
#include <cstdio>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace {

namespace fg = flowgraph;

template <class List> struct types_in;
template <class... T> struct types_in<fg::type_list<T...>> {
  static std::vector<fg::dtype> all() {
    std::vector<fg::dtype> made{fg::dtype_of<T>...};
    std::ranges::sort(made);
    return made;
  }
};

// A list of types by the name that the library has for it, or type by type.
std::string names_of(std::vector<fg::dtype> types) {
  static const std::pair<const char*, std::vector<fg::dtype>> known[] = {
      {"floating", types_in<fg::floating>::all()},
      {"complex_numbers", types_in<fg::complex_numbers>::all()},
      {"signed_integers", types_in<fg::signed_integers>::all()},
      {"integers", types_in<fg::integers>::all()},
      {"real_numbers", types_in<fg::real_numbers>::all()},
      {"numbers", types_in<fg::numbers>::all()},
      {"differentiable_numbers", types_in<fg::differentiable_numbers>::all()},
      {"plain_types", types_in<fg::plain_types>::all()},
      {"all_types", types_in<fg::all_types>::all()},
      {"edge_types", types_in<fg::edge_types>::all()}};
  std::ranges::sort(types);
  types.erase(std::unique(types.begin(), types.end()), types.end());
  for (const auto& [name, list] : known)
    if (list == types) return name;
  std::string made;
  for (const fg::dtype t : types) made += (made.empty() ? "" : ", ") + std::string(fg::name_of(t));
  return made;
}

std::string types_of(std::span<const fg::op_table* const> tables) {
  std::string made;
  for (std::size_t i = 0; i < tables[0]->types().size(); ++i) {
    std::vector<fg::dtype> types;
    for (const fg::op_table* t : tables) types.push_back(t->types()[i].type);
    made += (made.empty() ? "" : "; ") + std::string(tables[0]->types()[i].attribute) + ": " + names_of(std::move(types));
  }
  return made;
}

std::string on_one_line(std::string text) {
  for (std::size_t at = 0; (at = text.find_first_of("\n\t", at)) != std::string::npos;)
    text.replace(at, 1, text[at] == '\n' ? "\\n" : "\\t");
  return text;
}

std::string attributes_of(const fg::op_table& t) {
  const harness::op_value op(t);
  std::string made;
  for (const fg::attribute_info& a : t.attributes()) {
    made += (made.empty() ? "" : ", ") + std::string(a.name);
    if (!a.required) made += " = " + on_one_line(fg::to_string(a.get(op.get())));
  }
  return made;
}

const char* gradient_of(std::span<const fg::op_table* const> tables) {
  for (const fg::op_table* t : tables)
    if (t->gradient) return "yes";
  return "-";
}

std::string type_of(const fg::op_table& t, const fg::argument& a) {
  const std::string element = a.type_parameter >= 0 ? std::string(t.types()[static_cast<std::size_t>(a.type_parameter)].attribute)
                              : a.fixed == fg::dtype::invalid ? (a.is_index ? "integers" : "any type")
                                                              : std::string(fg::name_of(a.fixed));
  return (a.is_reference ? "reference to " : "") + std::string(a.kind == fg::argument::form::single ? "" : "list of ") + element;
}

std::string arguments_of(const fg::op_table& t) {
  std::string made;
  for (const fg::argument& a : t.inputs()) made += (made.empty() ? "" : ", ") + type_of(t, a);
  made += made.empty() ? "->" : " ->";
  for (std::size_t i = 0; i < t.outputs().size(); ++i) made += (i ? ", " : " ") + type_of(t, t.outputs()[i]);
  return made;
}

// The shapes of the outputs for these shapes of inputs, as a text; empty where they are not known.
std::string inferred(const fg::op_table& t, const std::vector<fg::shape>& in) {
  const harness::op_value op(t);
  std::vector<const fg::shape*> shapes;
  std::string made;
  for (const fg::shape& s : in) {
    shapes.push_back(&s);
    made += (made.empty() ? "" : ", ") + fg::to_string(s);
  }
  std::vector<fg::shape> out(t.outputs().size(), fg::shape::unknown());
  fg::shape_context context;
  t.infer(op.get(), context, {shapes, nullptr}, out);
  if (context.failed()) return {};
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (!out[i].is_known()) return {};
    made += (i ? ", " : " -> ") + fg::to_string(out[i]);
  }
  return made;
}

// Whether the shapes of an op's inputs say those of its outputs: single tensors, and attributes that all have defaults.
bool may_try_shapes(const fg::op_table& t) {
  const auto is_tensor = [](const fg::argument& a) {
    return a.kind == fg::argument::form::single && !a.is_handle && !a.is_reference && a.fixed != fg::dtype::resource;
  };
  return t.infer && !t.inputs().empty() && !t.outputs().empty() && std::ranges::all_of(t.inputs(), is_tensor) &&
         std::ranges::all_of(t.outputs(), is_tensor) &&
         std::ranges::none_of(t.attributes(), [](const fg::attribute_info& a) { return a.required; });
}

// How the shapes of outputs follow from those of inputs: a rule, and an example where the op broadcasts or has a rule of its own.
std::string shapes_of(const fg::op_table& t) {
  std::string made = t.elementwise ? "the output has the inputs' shape" : "";
  if (!may_try_shapes(t) || (t.elementwise && t.inputs().size() == 1)) return made;
  static const std::vector<std::vector<fg::shape>> tried = {
      {{3, 5}},          {{5, 5}},           {{2, 8, 8, 3}},          {{4}},        {{3, 5}, {5}},
      {{3, 5}, {5, 7}},  {{3, 5}, {3, 5}},   {{3, 5}, {4}},           {{3, 5}, {}}, {{2, 8, 8, 3}, {3}},
      {{3, 5}, {4}, {}}, {{3, 5}, {5}, {5}}, {{3, 5}, {3, 5}, {3, 5}}};
  for (const std::vector<fg::shape>& in : tried)
    if (in.size() == t.inputs().size())
      if (const std::string example = inferred(t, in); !example.empty()) return made + (made.empty() ? "" : "; ") + example;
  return made;
}

}  // namespace

int main() {
  fg::registry ops;
  fg::add_standard_ops(ops).value();
  for (const std::string_view name : ops.names()) {
    const auto tables = ops.tables(name);
    std::printf("%.*s\t%s\t%s\t%s\t%s\t%s\n", static_cast<int>(name.size()), name.data(), types_of(tables).c_str(),
                attributes_of(*tables[0]).c_str(), gradient_of(tables), arguments_of(*tables[0]).c_str(),
                shapes_of(*tables[0]).c_str());
  }
}

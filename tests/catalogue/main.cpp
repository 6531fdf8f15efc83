// Prints what the standard registry says of each op, a line an op, fields apart by tabs: name, element types by type attribute, attributes
// with their defaults, gradient. tools/reference makes docs/ops.md of it.

#include "../harness/op_value.hpp"

#include <flowgraph/op/registry.hpp>
#include <flowgraph/ops/standard.hpp>

#include <algorithm>
#include <cstdio>
#include <string>
#include <utility>

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
  for (std::size_t at = 0; (at = text.find('\n', at)) != std::string::npos;) text.replace(at, 1, "\\n");
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

}  // namespace

int main() {
  fg::registry ops;
  fg::add_standard_ops(ops).value();
  for (const std::string_view name : ops.names()) {
    const auto tables = ops.tables(name);
    std::printf("%.*s\t%s\t%s\t%s\n", static_cast<int>(name.size()), name.data(), types_of(tables).c_str(),
                attributes_of(*tables[0]).c_str(), gradient_of(tables));
  }
}

#pragma once

#include <flowgraph/core/sequence.hpp>
#include <flowgraph/graph/by_name.hpp>

#include <algorithm>
#include <memory>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

inline const attribute_value* find_attribute(const named_node& wanted, std::string_view name) {
  for (const auto& [key, value] : wanted.attributes)
    if (key == name) return &value;
  return nullptr;
}

// Returns the element type that type attribute `p` has according to the inputs.
inline dtype type_from_inputs(const op_table& table, const named_node& wanted, std::size_t p) {
  std::size_t singles = 0;
  for (const argument& a : table.inputs()) singles += a.kind == argument::form::single ? 1 : 0;
  std::size_t at = 0, list = 0;
  for (const argument& a : table.inputs()) {
    std::size_t size = 1;
    if (a.kind != argument::form::single)
      size = list < wanted.list_sizes.size() ? wanted.list_sizes[list++]
                                             : wanted.inputs.size() - std::min(singles, wanted.inputs.size());
    if (a.type_parameter == static_cast<int>(p) && size > 0 && at < wanted.inputs.size() && wanted.inputs[at].source)
      return wanted.inputs[at].type();
    at += size;
  }
  return dtype::invalid;
}

// Binds all type attributes: to the given type, or that of the inputs, or the only type that exists.
inline result<sequence<type_binding>> bind_types(std::span<const op_table* const> tables, const named_node& wanted) {
  sequence<type_binding> bound;
  for (std::size_t p = 0; p < tables.front()->types().size(); ++p) {
    const std::string_view name = tables.front()->types()[p].attribute;
    dtype type = dtype::invalid;
    if (const attribute_value* given = find_attribute(wanted, name)) {
      const dtype* value = given->get<dtype>();
      if (!value)
        return invalid_argument({"attribute '", name, "' of ", wanted.op, " must be a type, found ", to_string(*given)});
      type = *value;
    } else {
      type = type_from_inputs(*tables.front(), wanted, p);
    }
    if (type == dtype::invalid) {
      const auto other = [&](const op_table* t) { return t->types()[p].type != tables.front()->types()[p].type; };
      if (std::any_of(tables.begin(), tables.end(), other))
        return invalid_argument({"attribute '", name, "' of ", wanted.op, " is missing"});
      type = tables.front()->types()[p].type;
    }
    bound.push_back({name, type});
  }
  return bound;
}

inline error set_attributes(const op_table& table, const named_node& wanted, void* op) {
  for (const auto& [name, value] : wanted.attributes) {
    if (name.starts_with('_')) continue;
    if (std::any_of(table.types().begin(), table.types().end(), [&](const type_binding& t) { return t.attribute == name; }))
      continue;
    const auto info = std::find_if(table.attributes().begin(), table.attributes().end(),
                                   [&](const attribute_info& a) { return a.name == name; });
    if (info == table.attributes().end()) return invalid_argument({table.name(), " has no attribute '", name, "'"});
    if (!info->set(op, value))
      return invalid_argument(
          {"attribute '", name, "' of ", table.name(), " must be of kind ", name_of(info->kind), ", found ", to_string(value)});
  }
  for (const attribute_info& a : table.attributes())
    if (a.required && !find_attribute(wanted, a.name))
      return invalid_argument({"attribute '", a.name, "' of ", table.name(), " is missing"});
  return {};
}

}  // namespace detail

FLOWGRAPH_SELDOM result<node*> add_by_name(const graph& g, const registry& r, const named_node& wanted, const site& s) {
  const std::string_view name = s.name.empty() ? std::string_view(wanted.op) : s.name;
  const auto tables = r.tables(wanted.op);
  if (tables.empty())
    return error(error_code::not_found, message{"op '", wanted.op, "' is not registered"}).at(name, wanted.op, s.location);
  auto types = detail::bind_types(tables, wanted);
  if (!types) return types.error().at(name, wanted.op, s.location);
  auto table = r.find(wanted.op, *types);
  if (!table) return table.error().at(name, wanted.op, s.location);

  const op_table& t = **table;
  struct alignas(64) block {
    std::byte bytes[64];
  };
  const auto memory = std::make_unique<block[]>((t.description->size + sizeof(block) - 1) / sizeof(block));
  void* op = memory.get();
  t.construct(op);
  result<node*> outcome = [&]() -> result<node*> {
    if (error why = detail::set_attributes(t, wanted, op)) return why.at(name, wanted.op, s.location);
    node_request request;
    request.table = &t;
    request.op = op;
    request.inputs = wanted.inputs;
    request.list_sizes = wanted.list_sizes;
    request.control_inputs = wanted.control_inputs;
    request.keep_name = wanted.keep_name;
    request.is_of_part = wanted.is_of_part;
    return graph(g).try_add(request, s);
  }();
  t.destroy(op);
  const bool is_variable = t.of_variable == variable_role::reference || t.of_variable == variable_role::handle;
  if (outcome && is_variable && !wanted.keep_name) graph(g).add_variable({*outcome, 0}, false);
  return outcome;
}

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>

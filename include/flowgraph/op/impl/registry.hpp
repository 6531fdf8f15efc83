#pragma once

#include <flowgraph/core/sequence.hpp>
#include <flowgraph/op/registry.hpp>

#include <algorithm>
#include <map>
#include <string>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

template <class Bindings> bool same_types(const op_table& table, const Bindings& wanted) {
  const type_bindings types = table.types();
  return std::all_of(types.begin(), types.end(), [&](const type_binding& t) {
    return std::any_of(wanted.begin(), wanted.end(),
                       [&](const type_binding& w) { return w.attribute == t.attribute && w.type == t.type; });
  });
}

inline std::string place(std::source_location where) { return message{where.file_name(), ":", where.line()}; }

}  // namespace detail

struct registry::state {
  struct entry {
    detail::sequence<const op_table*> tables;
    detail::sequence<std::source_location> places;
  };
  std::map<std::string, entry, std::less<>> entries;
};

FLOWGRAPH_SELDOM registry::registry() : state_(new state) {}
FLOWGRAPH_SELDOM registry::~registry() = default;
FLOWGRAPH_SELDOM registry::registry(registry&&) noexcept = default;
FLOWGRAPH_SELDOM registry& registry::operator=(registry&&) noexcept = default;

FLOWGRAPH_SELDOM result<void> registry::add(const op_table& table, std::source_location where) {
  state::entry& e = state_->entries.try_emplace(std::string(table.name())).first->second;
  for (std::size_t i = 0; i < e.tables.size(); ++i) {
    if (is_same_op(*e.tables[i], table)) return {};
    if (!detail::same_types(*e.tables[i], table.types())) continue;
    return error(error_code::already_exists, message{"op ", to_string(table), " is registered twice: at ",
                                                     detail::place(e.places[i]), " and at ", detail::place(where)});
  }
  e.tables.push_back(&table);
  e.places.push_back(where);
  return {};
}

FLOWGRAPH_SELDOM result<void> registry::add(std::span<const std::span<const op_table* const>> ops, std::source_location where) {
  result<void> verdict;
  for (const auto tables : ops)
    for (const op_table* t : tables)
      if (auto added = add(*t, where); !added && verdict) verdict = added;
  return verdict;
}

FLOWGRAPH_SELDOM result<const op_table*> registry::find(std::string_view name, std::span<const type_binding> types) const {
  const auto all = tables(name);
  if (all.empty()) return error(error_code::not_found, message{"op '", name, "' is not registered"});
  for (const op_table* t : all)
    if (detail::same_types(*t, types)) return t;
  std::string wanted, known;
  for (const type_binding& t : types) wanted += message{(wanted.empty() ? "" : ", "), t.attribute, "=", name_of(t.type)};
  for (const op_table* t : all) known += (known.empty() ? "" : ", ") + to_string(*t);
  return error(error_code::not_found, message{"no kernel of op '", name, "' for ", wanted, "; registered: ", known});
}

FLOWGRAPH_SELDOM std::span<const op_table* const> registry::tables(std::string_view name) const {
  const auto at = state_->entries.find(name);
  return at == state_->entries.end() ? std::span<const op_table* const>() : at->second.tables;
}

FLOWGRAPH_SELDOM std::vector<std::string_view> registry::names() const {
  std::vector<std::string_view> list;
  for (const auto& [name, e] : state_->entries) list.push_back(name);
  return list;
}

}  // namespace flowgraph

#pragma once
// The ops that a program can look up by name, for imports and workers. A program that only uses typed functions needs no
// registry.
//
//     fg::registry r;
//     fg::add_ops<fg::standard_ops>(r);
//     fg::add_op<swish>(r);

#include <flowgraph/core/error.hpp>
#include <flowgraph/core/owned.hpp>
#include <flowgraph/op/table.hpp>

#include <source_location>
#include <span>
#include <string_view>
#include <vector>

namespace flowgraph::inline FLOWGRAPH_ABI {

// A registry of ops by name, each with its tables for all element types.
class registry {
public:
  registry();
  ~registry();
  registry(registry&&) noexcept;
  registry& operator=(registry&&) noexcept;

  // Adds a table. If a different table with the same name and types has been added, returns an error that names both source
  // lines.
  result<void> add(const op_table& table, std::source_location where);
  // Adds all tables of several ops. If some tables cannot be added, adds the others and returns the first error.
  result<void> add(std::span<const std::span<const op_table* const>> ops, std::source_location where);

  // Returns the table of an op for these type bindings, which may be in any order. If there is no such table, returns an error
  // that lists the existing bindings.
  result<const op_table*> find(std::string_view name, std::span<const type_binding> types) const;
  // Returns all tables of an op, or an empty span if the op is unknown.
  std::span<const op_table* const> tables(std::string_view name) const;
  // Returns the names of all ops.
  std::vector<std::string_view> names() const;

private:
  struct state;
  owned<state> state_;
};

}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/op/impl/registry.hpp>
#endif

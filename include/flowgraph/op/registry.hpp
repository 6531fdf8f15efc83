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

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

// Ops by name, each with its tables for all element types.
class registry {
public:
  registry();
  ~registry();
  registry(registry&&) noexcept;
  registry& operator=(registry&&) noexcept;

  // Adds a table. If another table with the same name and types was added elsewhere, the error names both places.
  result<void> add(const op_table& table, std::source_location where);
  // Adds all tables of several ops. It adds all tables that can be added, and returns the first error.
  result<void> add(std::span<const std::span<const op_table* const>> ops, std::source_location where);

  // Returns the table of an op for these type bindings, in any order. If it does not exist, the error lists the existing
  // bindings.
  result<const op_table*> find(std::string_view name, std::span<const type_binding> types) const;
  // Returns all tables of an op; empty if the op is unknown.
  std::span<const op_table* const> tables(std::string_view name) const;
  // Returns the names of all ops.
  std::vector<std::string_view> names() const;

private:
  struct state;
  owned<state> state_;
};

}
}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/op/impl/registry.hpp>
#endif

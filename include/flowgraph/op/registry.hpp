#pragma once
// The ops that a program can look up by name: for import, and for workers. A typed program needs none.
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

// The ops that a program can name, each for all its element types.
class registry {
public:
  registry();
  ~registry();
  registry(registry&&) noexcept;
  registry& operator=(registry&&) noexcept;

  // Refuses a table whose name and types are there already from another place; names both.
  result<void> add(const op_table& table, std::source_location where);
  // All tables of several ops, op by op. What can be added is; tells the first refusal.
  result<void> add(std::span<const std::span<const op_table* const>> ops, std::source_location where);

  // The table of an op for these bindings, in any order. If there is none, the error lists the existing ones.
  result<const op_table*> find(std::string_view name, std::span<const type_binding> types) const;
  // All tables of one op, empty when it is unknown.
  std::span<const op_table* const> tables(std::string_view name) const;
  // The names of all ops.
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

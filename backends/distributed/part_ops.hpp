#pragma once
// The ops that a task can run: those of its program, and those that masters add when they cut a plan into parts.

#include <flowgraph/graph/registration.hpp>
#include <flowgraph/op/registry.hpp>
#include <flowgraph/ops/array/constant.hpp>
#include <flowgraph/ops/control_flow/control_flow.hpp>
#include <flowgraph/ops/exchange.hpp>
#include <flowgraph/ops/math/cast.hpp>

#include <algorithm>
#include <vector>

namespace flowgraph::inline FLOWGRAPH_ABI::distributed {

// The registry of the program's ops, and of the ops that masters add to parts.
class part_ops {
public:
  explicit part_ops(const registry& given) {
    const auto own = own_tables();
    const auto is_given = [&](const op_table* t) {
      std::vector<type_binding> types;
      for (const type_binding b : t->types()) types.push_back(b);
      return given.find(t->name(), types).has_value();
    };
    if (std::ranges::all_of(own, is_given)) {
      used_ = &given;
      return;
    }
    // If the program has an op itself, the table of the program is used.
    for (const std::string_view name : given.names())
      for (const op_table* t : given.tables(name)) (void)all_.add(*t, {});
    for (const op_table* t : own) (void)all_.add(*t, {});
  }
  const registry& all() const noexcept { return *used_; }

private:
  // Returns tables without gradients: a task does not build gradients, and their tables would add further ops to the program.
  static std::vector<const op_table*> own_tables() {
    std::vector<const op_table*> result{&forward_table<cast_op, float, bfloat16>, &forward_table<cast_op, bfloat16, float>,
                                        &forward_table<enter_op, bool>,           &forward_table<merge_op, bool>,
                                        &forward_table<switch_op, bool>,          &forward_table<next_iteration_op, bool>};
    result.insert(result.end(), tables_of<const_op>.begin(), tables_of<const_op>.end());
    result.insert(result.end(), tables_of<placeholder_op>.begin(), tables_of<placeholder_op>.end());
    for (const op_table& t : exchange_tables()) result.push_back(&t);
    return result;
  }

  // Send and receive ops have no kernels, and their tables differ only in the element type. They are created at run time, since 32
  // tables in the program would take 9 KB.
  static const std::vector<op_table>& exchange_tables() {
    static const std::vector<op_table> all = [] {
      std::vector<op_table> result;
      for (op_table t : {forward_table<send_op, float>, forward_table<receive_op, float>})
        [&]<class... T>(type_list<T...>) { ((result.emplace_back(t).bound_types[0] = dtype_of<T>), ...); }(edge_types{});
      return result;
    }();
    return all;
  }

  registry all_;
  const registry* used_ = &all_;
};

}  // namespace flowgraph::distributed

#pragma once
// A device of another kind than the CPU: a library brings one with the kernels it has, and sessions are given it.
//
//     fg::device accelerator("accel");
//     accelerator.add<swish, float>(&my_kernel);
//     fg::session s{g, {.devices = list}};
//
// Kernels are keyed by op name and element types; the op structs need not know of them. Outlives its sessions.

#include <flowgraph/core/error.hpp>
#include <flowgraph/op/table.hpp>

#include <string>
#include <utility>
#include <vector>

namespace flowgraph::inline FLOWGRAPH_ABI {

class device {
public:
  explicit device(std::string kind, std::pmr::memory_resource* memory = std::pmr::new_delete_resource())
      : kind_(std::move(kind)), memory_(memory) {}

  // "cuda" of "/device:cuda:0".
  std::string_view kind() const noexcept { return kind_; }
  std::pmr::memory_resource* memory() const noexcept { return memory_; }

  // `kernel` runs nodes of op `name` for these element types, in the order of the op's type attributes.
  result<void> add(std::string_view name, std::vector<dtype> types, op_table::kernel_function kernel) {
    if (find(name, types))
      return error(error_code::already_exists, "device '" + kind_ + "' has a kernel of op " + std::string(name) + " for these types already");
    kernels_.push_back({std::string(name), std::move(types), kernel});
    return {};
  }

  op_table::kernel_function find(const op_table& table) const {
    std::vector<dtype> types;
    for (const type_binding& t : table.types) types.push_back(t.type);
    return find(table.name, types);
  }
  // "Swish<float>, Swish<double>": what it has of an op.
  std::string list(std::string_view name) const {
    std::string text;
    for (const entry& e : kernels_) {
      if (e.name != name) continue;
      if (!text.empty()) text += ", ";
      text += e.name;
      for (std::size_t i = 0; i < e.types.size(); ++i) text += (i ? ", " : "<") + std::string(name_of(e.types[i]));
      if (!e.types.empty()) text += '>';
    }
    return text;
  }

private:
  struct entry {
    std::string name;
    std::vector<dtype> types;
    op_table::kernel_function kernel;
  };
  op_table::kernel_function find(std::string_view name, const std::vector<dtype>& types) const {
    for (const entry& e : kernels_)
      if (e.name == name && e.types == types) return e.kernel;
    return nullptr;
  }

  std::string kind_;
  std::pmr::memory_resource* memory_;
  std::vector<entry> kernels_;
};

}  // namespace flowgraph

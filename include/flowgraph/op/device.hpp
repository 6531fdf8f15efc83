#pragma once
// A device of another kind than the CPU: a library brings one with the kernels it has, and sessions are given it.
//
//     fg::device accelerator("accel");
//     accelerator.add("Swish", {fg::dtype::float32}, &my_kernel);  // a function of (const void* op, fg::detail::kernel_call&)
//     fg::session s{g, {.devices = list}};
//
// Kernels are keyed by op name and element types; the op structs need not know of them. Outlives its sessions.

#include <flowgraph/core/error.hpp>
#include <flowgraph/op/table.hpp>

#include <string>
#include <vector>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

class device {
public:
  explicit device(std::string kind, std::pmr::memory_resource* memory = std::pmr::new_delete_resource());
  ~device();
  device(const device&) = delete;
  device& operator=(const device&) = delete;

  // "cuda" of "/device:cuda:0".
  std::string_view kind() const noexcept { return kind_; }
  std::pmr::memory_resource* memory() const noexcept { return memory_; }

  // `kernel` runs nodes of op `name` for these element types, in the order of the op's type attributes.
  result<void> add(std::string_view name, std::vector<dtype> types, op_table::kernel_function kernel);

  op_table::kernel_function find(const op_table& table) const;
  // "Swish<float>, Swish<double>": what it has of an op.
  std::string list(std::string_view name) const;

private:
  struct entry;
  op_table::kernel_function find(std::string_view name, std::span<const dtype> types) const;

  std::string kind_;
  std::pmr::memory_resource* memory_;
  std::vector<entry> kernels_;
};

}
}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/op/impl/device.hpp>
#endif

#pragma once
// The kernel of an op for certain element types on one kind of device, with the facts that a run must know to call it. An op's own
// kernel is in its table (op/table.hpp); the kernels of other devices are in their kernel sets (op/kernel_set.hpp).

#include <flowgraph/config.hpp>

#include <cstddef>

namespace flowgraph::inline FLOWGRAPH_ABI {

class done;
struct shape_inputs;
namespace detail {
struct kernel_call;
}

// Facts of a kernel. Each kernel states its own facts: the kernel of another device does not have those of the op's own kernel.
struct kernel_facts {
  bool in_place = false;   // the kernel may get an output in the memory of an input of the same size
  bool expensive = false;  // worth its own thread for tensors of any size
  bool finishes = false;   // for floats, the kernel applies run_services::finish to its result
};

// A kernel without its types: the functions get the op struct of the node as `op`.
struct kernel_entry {
  using run_function = void (*)(const void* op, detail::kernel_call& call);
  using start_function = void (*)(const void* op, detail::kernel_call& call, done answer);
  using scratch_function = std::size_t (*)(const void* op, const shape_inputs& in);

  run_function run = nullptr;          // null: there is no kernel, or the kernel is asynchronous
  start_function start = nullptr;      // the asynchronous kernel; null: there is no such kernel
  scratch_function scratch = nullptr;  // returns the bytes of working memory that a call needs; null: none
  kernel_facts facts = {};

  // Returns whether there is a kernel.
  bool exists() const noexcept { return run || start; }
};

}  // namespace flowgraph

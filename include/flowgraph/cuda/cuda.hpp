#pragma once
// GPUs as devices of sessions, by CUDA. A program that includes this header links flowgraph::cuda.
//
//     auto gpu = fg::cuda::open(0);
//     if (!gpu) std::fputs(gpu.error().what(), stderr);   // for example: there is no driver; the program decides how to continue
//     else (*gpu)->set_priority(1);                       // nodes that request no device run there if it has a kernel for them
//
// The docs page cuda.md lists the ops that have a kernel. All other ops run on the CPU.

#include <flowgraph/core/error.hpp>
#include <flowgraph/cuda/memory_functions.hpp>
#include <flowgraph/op/device.hpp>

#include <memory>
#include <string>
#include <string_view>

namespace flowgraph::inline FLOWGRAPH_ABI::cuda {

// Options of a GPU.
struct open_options {
  std::string_view name = {};    // the name of the device; empty: "gpu:" and the index
  std::size_t memory_limit = 0;  // the largest number of bytes in use at the same time; 0: no limit
  // A cudaStream_t in which all kernels of the device run. It must outlive the device. Null: the device creates a stream.
  void* stream = nullptr;
  // Functions that allocate the memory of all tensors; the struct is copied. Null: a pool of the device.
  const memory_functions* memory = nullptr;
  // True: each node waits until its kernel has run, so an error of the GPU names the node whose kernel caused it. This is slow;
  // use it to find errors. False: such an error is found later, and names another node or no node.
  bool synchronous = false;
  // True: cuBLASLt computes products of matrices of floating-point numbers. If this library is not found, open() returns an error
  // that names it. The last digits of the results then depend on the version of the library. False: the device uses its own
  // kernels.
  bool libraries = false;
};

// Opens a GPU by its index in CUDA. If there is no driver, no such GPU, or no kernel for its architecture, returns an error that
// names the missing part. Several devices may use one GPU; each has its own memory, streams and limit. The device must outlive
// its sessions, and the containers of these sessions. A fork of the process cannot use it.
result<std::unique_ptr<device>> open(int index, const open_options& options = {});

// Returns the libraries that a device uses, with their versions, for example "cuBLASLt 13.1.0". Empty: the device uses none, or
// it is not a GPU of open().
std::string libraries_of(const device& d);

}  // namespace flowgraph::cuda

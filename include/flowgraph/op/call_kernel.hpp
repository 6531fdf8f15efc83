#pragma once
// Calls a kernel. An exception that the kernel throws becomes the error of its node.

#include <flowgraph/op/kernel.hpp>
#include <flowgraph/op/kernel_entry.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

#ifdef FLOWGRAPH_EXCEPTIONS
// Returns the error for the exception that is being handled. `thrower`: "the kernel", for example.
FLOWGRAPH_COLD error error_of_exception(const char* thrower);
FLOWGRAPH_COLD void report_exception(kernel_call& call);
#endif

FLOWGRAPH_ALWAYS_INLINE void call_kernel(kernel_entry::run_function run, const void* op, kernel_call& call) {
#ifdef FLOWGRAPH_EXCEPTIONS
  try {
    run(op, call);
  } catch (...) { report_exception(call); }
#else
  run(op, call);
#endif
}

}  // namespace flowgraph::detail

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/op/impl/call_kernel.hpp>
#endif

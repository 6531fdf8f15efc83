#pragma once
// The interface through which kernels of a traced run report events during their calls.

#include <flowgraph/core/function.hpp>

#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <string_view>

namespace flowgraph::inline FLOWGRAPH_ABI {

struct call_site;

namespace detail {

struct kernel_call;

// The trace of a run. Any thread may call these functions until the run has ended. Times are in nanoseconds of the steady clock.
class kernel_trace {
public:
  virtual std::int64_t now() const = 0;
  // Runs the blocks as cpu::parallel_for does without tracing.
  virtual void run_blocks(const kernel_call& call, std::int64_t blocks, function_ref<void(std::int64_t)> block) = 0;
  // Reports that an asynchronous kernel has waited since the time `since` at the resource `name` of kind `kind`, for example
  // 'batches' of kind 'FIFOQueue'.
  virtual void waited(const kernel_call& call, std::string_view kind, std::string_view name, std::int64_t since) = 0;
  // Reports that an output was copied for the caller of the run. The copy began at the time `since`.
  virtual void copied(const call_site& from, std::size_t bytes, std::int64_t since) = 0;
  // Returns memory that allocates from `from`, the memory of a device, and reports the allocations.
  virtual std::pmr::memory_resource* memory_over(std::pmr::memory_resource* from) = 0;

protected:
  ~kernel_trace() = default;
};

}  // namespace detail

}  // namespace flowgraph

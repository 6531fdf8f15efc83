#pragma once
// Creates the executors that run plans without a schedule.

#include <flowgraph/config.hpp>

#include <memory>

namespace flowgraph::inline FLOWGRAPH_ABI {

struct run_services;

namespace detail {

struct plan;
class plan_runner;

using runner_function = std::shared_ptr<plan_runner> (*)(std::shared_ptr<const plan> p, const run_services& services);

// Creates an executor with a ready queue. session::run, and ops that no schedule can run, refer to this function. A program that
// only runs prepared steps therefore does not link it.
FLOWGRAPH_INLINE std::shared_ptr<plan_runner> make_executor(std::shared_ptr<const plan> p, const run_services& services);
// Creates an executor with a ready queue that also supports asynchronous kernels. Asynchronous ops and lists of devices refer to
// this function.
FLOWGRAPH_INLINE std::shared_ptr<plan_runner> make_answering_executor(std::shared_ptr<const plan> p,
                                                                      const run_services& services);
inline constexpr runner_function ready_queue_runner = FLOWGRAPH_FROM_ABOVE(make_executor),
                                 answering_runner = FLOWGRAPH_FROM_ABOVE(make_answering_executor);

}  // namespace detail

}  // namespace flowgraph

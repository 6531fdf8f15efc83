#pragma once
// Who runs the plans that no schedule runs.

#include <flowgraph/config.hpp>

#include <memory>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

struct run_services;

namespace detail {

struct plan;
class plan_runner;

using runner_function = std::shared_ptr<plan_runner> (*)(std::shared_ptr<const plan> p, const run_services& services);

// Makes an executor, with the queue of ready records. Ops that no schedule runs refer to it, and so does session::run: a program that runs
// prepared steps alone does not link it.
FLOWGRAPH_INLINE std::shared_ptr<plan_runner> make_executor(std::shared_ptr<const plan> p, const run_services& services);
// The same with what calls of kernels take that answer later: asynchronous ops refer to it, and lists of devices.
FLOWGRAPH_INLINE std::shared_ptr<plan_runner> make_answering_executor(std::shared_ptr<const plan> p,
                                                                      const run_services& services);
inline constexpr runner_function ready_queue_runner = FLOWGRAPH_FROM_ABOVE(make_executor),
                                 answering_runner = FLOWGRAPH_FROM_ABOVE(make_answering_executor);

}  // namespace detail

}
}  // namespace flowgraph

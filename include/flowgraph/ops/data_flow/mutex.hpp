#pragma once
// Locks that nodes take, in one run or in several at once: while one holds a mutex, others wait for it without holding a thread.

#include <flowgraph/graph/apply.hpp>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

// A handle that names a mutex of the session's container.
struct mutex_v2_op {
  static constexpr std::string_view name = "MutexV2";
  static constexpr bool not_differentiable = true, stateful = true;
  std::string container = {}, shared_name = {};
  static constexpr auto attrs =
      flowgraph::attrs(attr("container", &mutex_v2_op::container), attr("shared_name", &mutex_v2_op::shared_name));

  flowgraph::shape shape() const { return {}; }
  void operator()(cpu ctx, unsized<resource> y) const;
};

// Waits for a mutex, in the order of asking. It is held until nobody has the lock any more: ConsumeMutexLock is to be the last.
struct mutex_lock_op {
  static constexpr std::string_view name = "MutexLock";
  static constexpr bool not_differentiable = true, stateful = true, outputs_stay = true;

  flowgraph::shape shape(const flowgraph::shape&) const { return {}; }
  void operator()(cpu ctx, view<const resource> mutex, view<variant> lock, done answer) const;
};

// Holds a mutex's lock until it runs: what must be done under the lock comes before.
struct consume_mutex_lock_op {
  static constexpr std::string_view name = "ConsumeMutexLock";
  static constexpr bool not_differentiable = true, stateful = true;

  void operator()(cpu ctx, view<const variant> lock) const;
};

using mutex_ops = type_list<mutex_v2_op, mutex_lock_op, consume_mutex_lock_op>;

}
}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/data_flow/detail/mutex.hpp>
#endif

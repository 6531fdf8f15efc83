#pragma once
// Locks that nodes acquire. The nodes may belong to one run or to several runs at a time. A node that waits for a mutex does
// not block a thread.

#include <flowgraph/graph/apply.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

// Returns a handle to a mutex in the session's container.
struct mutex_v2_op {
  static constexpr std::string_view name = "MutexV2";
  static constexpr op_facts facts{.not_differentiable = true, .stateful = true};
  std::string container = {}, shared_name = {};
  static constexpr auto attrs =
      flowgraph::attrs(attr("container", &mutex_v2_op::container), attr("shared_name", &mutex_v2_op::shared_name));

  flowgraph::shape shape() const { return {}; }
  void operator()(cpu ctx, unsized<resource> y) const;
};

// Acquires a mutex. Nodes that wait for a mutex acquire it in the order of their requests. The mutex is released when the lock
// value is freed, so ConsumeMutexLock must be the last node that uses the lock.
struct mutex_lock_op {
  static constexpr std::string_view name = "MutexLock";
  static constexpr op_facts facts{.not_differentiable = true, .stateful = true, .outputs_stay = true};

  flowgraph::shape shape(const flowgraph::shape&) const { return {}; }
  void operator()(cpu ctx, view<const resource> mutex, view<variant> lock, done answer) const;
};

// Keeps a mutex locked until this node runs. Nodes that must run under the lock must run before this node.
struct consume_mutex_lock_op {
  static constexpr std::string_view name = "ConsumeMutexLock";
  static constexpr op_facts facts{.not_differentiable = true, .stateful = true};

  void operator()(cpu ctx, view<const variant> lock) const;
};

using mutex_ops = type_list<mutex_v2_op, mutex_lock_op, consume_mutex_lock_op>;

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/data_flow/detail/mutex.hpp>
#endif

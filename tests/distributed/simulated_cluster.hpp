#pragma once
// A cluster on a simulated network: its hosts are called a, b, c and so on, a task each.

#include <flowgraph/flowgraph.hpp>

#include <flowgraph/distributed/connection.hpp>
#include <flowgraph/distributed/simulated_network.hpp>
#include <flowgraph/distributed/task.hpp>
#include <flowgraph/ops/exchange.hpp>
#ifdef FLOWGRAPH_BY_NAME
#include <flowgraph/ops/standard.hpp>
#endif

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace flowgraph_test {

namespace fg = flowgraph;

// What the graphs of these tests have: where the library has no ops by name, few of them, so that builds with sanitizers are short.
using cluster_op_list =
    fg::type_list<fg::const_op, fg::placeholder_op, fg::identity_op, fg::add_v2_op, fg::mul_op, fg::sub_op, fg::neg_op,
                  fg::less_op, fg::mat_mul_op, fg::sum_op, fg::variable_v2_op, fg::zeros_like_op, fg::broadcast_gradient_args_op,
                  fg::reshape_op, fg::shape_op, fg::assign_op, fg::assign_add_op, fg::assign_sub_op, fg::no_op, fg::enter_op,
                  fg::exit_op, fg::merge_op, fg::switch_op, fg::next_iteration_op, fg::loop_cond_op, fg::random_uniform_op,
                  fg::fifo_queue_v2_op, fg::queue_enqueue_v2_op, fg::queue_dequeue_v2_op>;

inline const fg::registry& cluster_ops() {
  static const fg::registry all = [] {
    fg::registry made;
#ifdef FLOWGRAPH_BY_NAME
    fg::add_standard_ops(made).value();
#else
    fg::add_ops<cluster_op_list>(made).value();
#endif
    fg::add_exchange_ops(made).value();
    return made;
  }();
  return all;
}

class simulated_cluster {
public:
  explicit simulated_cluster(std::uint32_t tasks, std::uint64_t seed = 1, const fg::registry& ops = cluster_ops(),
                             const fg::task_options& options = {})
      : net(seed), ops_(ops), options_(options) {
    fg::cluster::job workers{"worker", {}};
    for (std::uint32_t i = 0; i < tasks; ++i) workers.addresses.push_back(host(i) + ":1");
    all = fg::cluster({workers});
    for (std::uint32_t i = 0; i < tasks; ++i) tasks_.push_back(make(i));
  }
  ~simulated_cluster() { tasks_.clear(); }

  static std::string host(std::uint32_t task) { return std::string(1, static_cast<char>('a' + task)); }
  fg::task& operator[](std::uint32_t task) { return *tasks_[task]; }

  // As a process that is killed, and one that is started in its place.
  void kill(std::uint32_t task) {
    net.kill(host(task));
    tasks_[task].reset();
  }
  void restart(std::uint32_t task) { tasks_[task] = make(task); }

  fg::session_target connect(std::uint32_t master = 0, const fg::connect_options& options = {}) {
    return fg::connect(net.host("client"), host(master) + ":1", options);
  }

  fg::simulated_network net;
  fg::cluster all;

private:
  std::unique_ptr<fg::task> make(std::uint32_t task) {
    return fg::task::make(net.host(host(task)), all, "worker", task, ops_, options_).value();
  }
  const fg::registry& ops_;
  const fg::task_options options_;
  std::vector<std::unique_ptr<fg::task>> tasks_;
};

}  // namespace flowgraph_test

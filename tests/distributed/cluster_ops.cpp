#include "cluster_ops.hpp"

#include <flowgraph/flowgraph.hpp>

#include <flowgraph/ops/exchange.hpp>

#ifdef FLOWGRAPH_BY_NAME

#include <flowgraph/ops/standard.hpp>

#else

#include <flowgraph/graph/registration.hpp>
#include <flowgraph/ops/checkpoint/tensor_bundle.hpp>
#include <flowgraph/ops/control_flow/history.hpp>
#include <flowgraph/ops/data_flow/fifo_queue.hpp>
#include <flowgraph/ops/data_flow/random_shuffle_queue.hpp>
#include <flowgraph/ops/random/random.hpp>

#endif

namespace flowgraph_test {

namespace fg = flowgraph;

#ifdef FLOWGRAPH_BY_NAME

static fg::registry make_ops() {
  fg::registry made;
  fg::add_standard_ops(made).value();
  fg::add_exchange_ops(made).value();
  return made;
}

#else

namespace {

// Gradients belong to the client: a task needs only the ops that compute.
template <class Op, class... Ts> void add(fg::registry& to) {
  to.add(fg::forward_table<Op, Ts...>, std::source_location::current()).value();
}
template <class T, class... Op> void add_all(fg::registry& to) { (add<Op, T>(to), ...); }

// Adds the ops of loops, for each type of a loop's variables.
template <class T> void add_loop_ops(fg::registry& to) {
  add_all<T, fg::enter_op, fg::merge_op, fg::switch_op, fg::next_iteration_op, fg::exit_op>(to);
}

}  // namespace

static fg::registry make_ops() {
  fg::registry r;
  add_all<float, fg::add_v2_op, fg::sub_op, fg::mul_op, fg::real_div_op, fg::neg_op, fg::square_op, fg::add_n_op, fg::mat_mul_op>(
      r);
  add_all<float, fg::identity_op, fg::zeros_like_op, fg::history_value_op>(r);
  add_all<float, fg::variable_v2_op, fg::assign_op, fg::assign_add_op, fg::assign_sub_op, fg::apply_gradient_descent_op>(r);
  add_all<std::int32_t, fg::add_v2_op, fg::less_op, fg::div_op, fg::maximum_op, fg::broadcast_gradient_args_op>(r);
  add<fg::shape_op, float, std::int32_t>(r);
  add<fg::size_op, float, std::int32_t>(r);
  add<fg::sum_op, float, std::int32_t>(r);
  add<fg::mean_op, float, std::int32_t>(r);
  add<fg::reshape_op, float, std::int32_t>(r);
  add<fg::broadcast_to_op, float, std::int32_t>(r);
  add<fg::cast_op, std::int32_t, float>(r);
  add<fg::random_uniform_op, float, std::int32_t>(r);
  add_loop_ops<float>(r);
  add_loop_ops<std::int32_t>(r);
  add_loop_ops<fg::resource>(r);
  add<fg::loop_cond_op>(r);
  add<fg::empty_history_op>(r);
  add<fg::push_history_op>(r);
  add<fg::pop_history_op>(r);
  add<fg::has_history_op>(r);
  add<fg::no_op>(r);
  // Savers also save texts.
  add_all<std::string, fg::variable_v2_op, fg::assign_op, fg::identity_op, fg::const_op, fg::placeholder_op>(r);
  fg::add_ops<fg::tensor_bundle_ops>(r).value();
  // Tasks have the other ops that parts need; tests without a task need these.
  add_all<float, fg::const_op, fg::placeholder_op, fg::send_op, fg::receive_op>(r);
  add_all<std::int32_t, fg::const_op>(r);
  add<fg::fifo_queue_v2_op>(r);
  add<fg::queue_enqueue_v2_op>(r);
  add<fg::queue_dequeue_v2_op>(r);
  add<fg::random_shuffle_queue_v2_op>(r);
  add<fg::queue_enqueue_many_v2_op>(r);
  add<fg::queue_dequeue_many_v2_op>(r);
  add<fg::queue_size_v2_op>(r);
  add<fg::queue_close_v2_op>(r);
  add<fg::greater_equal_op, float>(r);
  add<fg::cast_op, bool, float>(r);
  return r;
}

#endif

const fg::registry& cluster_ops() {
  static const fg::registry all = make_ops();
  return all;
}

}  // namespace flowgraph_test

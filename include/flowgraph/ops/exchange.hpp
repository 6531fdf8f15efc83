#pragma once
// The ops that TensorFlow inserts into graphs that it partitions: they send and receive values between the graphs, and replace
// feeds and fetches. They are not standard ops: a program adds them to a registry.
//
//     fg::add_exchange_ops(registry).value();   // then import the graphs, and run them: runtime/joint_run.hpp

#include <flowgraph/graph/apply.hpp>
#include <flowgraph/graph/registration.hpp>
#include <flowgraph/op/registry.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

// The attributes that identify a value that is sent from one graph to another.
struct exchange_name {
  std::string tensor_name = {}, send_device = {}, recv_device = {};
  std::int64_t send_device_incarnation = 0;
  bool client_terminated = false;
  static constexpr op_facts base_facts{.not_differentiable = true, .stateful = true};
  template <class Op> static constexpr auto attrs_of() {
    return flowgraph::attrs(required("tensor_name", &Op::tensor_name), required("send_device", &Op::send_device),
                            attr("send_device_incarnation", &Op::send_device_incarnation),
                            required("recv_device", &Op::recv_device), attr("client_terminated", &Op::client_terminated));
  }
};

// Sends its input or, if the input is dead, sends this fact.
struct send_op : exchange_name {
  static constexpr std::string_view name = "_Send";
  using types = edge_types;
  static constexpr op_facts facts{.engine = {.control = control_flow::send}};
  static constexpr auto attrs = attrs_of<send_op>();
  template <class T> using signature = void(view<const T>);
};

// Returns a value that another graph sent.
struct receive_op : exchange_name {
  static constexpr std::string_view name = "_Recv";
  using types = type_attrs<type_attr<"tensor_type", edge_types>>;
  static constexpr op_facts facts{.engine = {.control = control_flow::receive}};
  static constexpr auto attrs = attrs_of<receive_op>();
  flowgraph::shape shape() const { return flowgraph::shape::unknown(); }
  template <class T> using signature = void(view<T>);
};

// Sends its input from the host's memory.
struct host_send_op : send_op {
  static constexpr std::string_view name = "_HostSend";
  static constexpr auto host_inputs = flowgraph::host_inputs(0);
};

// Receives a value into the host's memory.
struct host_receive_op : receive_op {
  static constexpr std::string_view name = "_HostRecv";
  static constexpr auto host_outputs = flowgraph::host_outputs(0);
};

// Returns feed number `index` of the whole graph.
struct argument_op {
  static constexpr std::string_view name = "_Arg";
  using types = edge_types;
  static constexpr op_facts facts{.not_differentiable = true};
  std::int64_t index = 0;
  flowgraph::shape declared = flowgraph::shape::unknown();
  static constexpr auto attrs = flowgraph::attrs(required("index", &argument_op::index));

  const flowgraph::shape& placeholder() const { return declared; }
  flowgraph::shape shape() const { return declared; }
  template <class T> using signature = void(view<T>);
};

// Returns its input as fetch number `index` of the whole graph.
struct returned_op {
  static constexpr std::string_view name = "_Retval";
  using types = edge_types;
  static constexpr op_facts facts{.not_differentiable = true, .stateful = true};
  std::int64_t index = 0;
  static constexpr auto attrs = flowgraph::attrs(required("index", &returned_op::index));

  template <class T> void operator()(cpu, view<const T>) const {}
};

using exchange_ops = type_list<send_op, receive_op, host_send_op, host_receive_op, argument_op, returned_op>;

// Adds these ops to a registry, so that graphs that TensorFlow partitioned can be imported with it.
inline result<void> add_exchange_ops(registry& to, std::source_location where = std::source_location::current()) {
  return add_ops<exchange_ops>(to, where);
}

}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/runtime/parts/impl/exchange.hpp>
#endif

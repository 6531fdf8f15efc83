#pragma once
// Calls a kernel through its table, as an executor does.

#include <flowgraph/op/completion.hpp>
#include <flowgraph/op/make_table.hpp>

#include <memory>
#include <string>
#include <vector>

namespace test {

namespace fg = flowgraph;

// The table of an op without a gradient.
template <class Op, class... Ts> fg::op_table table_for() {
  fg::op_table t = fg::detail::describe_op<Op>();
  t.bound_types = {fg::dtype_of<Ts>...};
  fg::detail::bind_kernel<Op>(t, fg::detail::kernel_types<Op, Ts...>{});
  return t;
}

class kernel_caller {
public:
  explicit kernel_caller(std::vector<fg::edge_value> in, std::vector<fg::edge_value> out = {})
      : inputs(std::move(in)), outputs(std::move(out)) {
    services.memory = std::pmr::new_delete_resource();
    services.resources = &resources;
  }

  std::vector<fg::edge_value> inputs, outputs;
  fg::run_services services;
  fg::container resources;
  std::vector<std::uint32_t> list_sizes;
  std::vector<std::byte> scratch;
  fg::error failure;

  fg::detail::kernel_call& call() {
    in_.clear();
    out_.clear();
    for (const auto& e : inputs) in_.push_back(&e);
    for (auto& e : outputs) out_.push_back(&e);
    call_.inputs = in_.data();
    call_.outputs = out_.data();
    call_.input_count = static_cast<std::uint32_t>(in_.size());
    call_.output_count = static_cast<std::uint32_t>(out_.size());
    call_.list_sizes = list_sizes.empty() ? nullptr : list_sizes.data();
    call_.run = &services;
    call_.scratch = scratch.data();
    call_.failure = &failure;
    return call_;
  }
  template <class Op, class... Ts> void run(const Op& op) { table_for<Op, Ts...>().kernel.run(&op, call()); }
  template <class T> std::vector<T> output(std::size_t i) const {
    const auto v = outputs[i].tensor.as<T>();
    return {v.begin(), v.end()};
  }

private:
  fg::detail::kernel_call call_;
  std::vector<const fg::edge_value*> in_;
  std::vector<fg::edge_value*> out_;
};

template <class T> fg::edge_value edge(const fg::shape& shape, std::initializer_list<T> values) {
  return {fg::tensor<T>(shape, values).erased()};
}
template <class T> fg::edge_value room(const fg::shape& shape) { return {fg::tensor<T>(shape).erased()}; }

}  // namespace test

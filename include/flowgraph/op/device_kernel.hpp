#pragma once
// Kernels of devices, typed as the op's own is:
//
//     accelerator.add<swish, float>([](const swish& op, fg::cpu, fg::view<const float> x, fg::view<float> y) { ... });
//     accelerator.add<swish, double>();  // the op's own, which then runs on the device's memory

#include <flowgraph/op/device.hpp>
#include <flowgraph/op/make_table.hpp>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

namespace detail {

template <class Op, class F, class... Ts> struct device_thunk {
  using signature = signature_of<Op>;
  using maker = parameter_maker<signature>;
  using parameters = typename parameters_for<Op, Ts...>::list;

  template <class... P, std::size_t... I>
  static void invoke(const Op& op, kernel_call& call, parameter_list<P...>, std::index_sequence<I...>) {
    [[maybe_unused]] const auto& places = maker::places(call);
    F{}(op, cpu(call), maker::make(type_tag<P>{}, call, places[I])...);
  }
  static void run(const void* op, kernel_call& call) {
    if constexpr (writes_of<signature> > 0) {
      write_locks<writes_of<signature>> locks(call, type_tag<signature>{});
      if (*call.failure) return;
      invoke(*static_cast<const Op*>(op), call, parameters{}, std::make_index_sequence<parameters::size>{});
    } else {
      invoke(*static_cast<const Op*>(op), call, parameters{}, std::make_index_sequence<parameters::size>{});
    }
  }
};

}  // namespace detail

template <class Op, class... Ts, class F> result<void> device::add(F) {
  static_assert(std::is_empty_v<F> && std::is_default_constructible_v<F>,
                "flowgraph: a device's kernel is a lambda without captures, or an object without members");
  static_assert(!detail::signature_of<Op>::asynchronous, "flowgraph: a typed kernel of a device is synchronous");
  return add(Op::name, {dtype_of<Ts>...}, &detail::device_thunk<Op, F, Ts...>::run);
}

template <class Op, class... Ts> result<void> device::add() {
  static_assert(!detail::signature_of<Op>::asynchronous, "flowgraph: a typed kernel of a device is synchronous");
  return add(Op::name, {dtype_of<Ts>...}, &detail::kernel_thunk<Op, Ts...>::run);
}

}
}  // namespace flowgraph

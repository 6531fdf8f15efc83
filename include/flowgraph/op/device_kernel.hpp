#pragma once
// Registers kernels of devices. A kernel has the same parameter types as the op's own kernel:
//
//     accelerator.add<swish, float>([](const swish& op, fg::cpu, fg::view<const float> x, fg::view<float> y) { ... });
//     accelerator.add<swish, double>();  // the op's own kernel, with the device's memory
//     accelerator.add<swish, fg::half>([](const swish& op, fg::cpu, fg::view<const fg::half> x, fg::view<fg::half> y, fg::done answer) { ... });

#include <flowgraph/op/device.hpp>
#include <flowgraph/op/make_table.hpp>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

namespace detail {

template <class Op, class F, class... Ts> struct device_thunk {
  using signature = signature_of<Op>;
  using maker = parameter_maker<typename signature::arguments>;
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

  // Returns whether `F` is asynchronous: it has a parameter fg::done, at the same position as in the op's own kernel or, if the
  // op's own kernel has no such parameter, as the last parameter.
  template <class... P> static constexpr bool answers_later(parameter_list<P...>) {
    if constexpr (signature::asynchronous) return true;
    else return std::is_invocable_v<F, const Op&, cpu, P..., done>;
  }
  static constexpr bool is_asynchronous = answers_later(parameters{});

  template <class... P, std::size_t... I>
  static void start(const Op& op, kernel_call& call, done answer, parameter_list<P...>, std::index_sequence<I...>) {
    [[maybe_unused]] const auto& places = maker::places(call);
    [[maybe_unused]] const auto make = [&]<class T>(type_tag<T> tag, [[maybe_unused]] parameter_place p) -> decltype(auto) {
      if constexpr (std::is_same_v<T, done>) return std::move(answer);
      else return maker::make(tag, call, p);
    };
    if constexpr (signature::asynchronous) F{}(op, cpu(call), make(type_tag<P>{}, places[I])...);
    else F{}(op, cpu(call), make(type_tag<P>{}, places[I])..., std::move(answer));
  }
  static void run_async(const void* op, kernel_call& call, done answer) {
    start(*static_cast<const Op*>(op), call, std::move(answer), parameters{}, std::make_index_sequence<parameters::size>{});
  }
};

}  // namespace detail

template <class Op, class... Ts, class F> result<void> device::add(F) {
  static_assert(std::is_empty_v<F> && std::is_default_constructible_v<F>,
                "flowgraph: a device's kernel is a lambda without captures, or an object without members");
  using thunk = detail::device_thunk<Op, F, Ts...>;
  if constexpr (thunk::is_asynchronous) {
    static_assert(detail::writes_of<typename thunk::signature> == 0,
                  "flowgraph: a kernel that changes a variable is done when it returns");
    return add(Op::name, {dtype_of<Ts>...}, &thunk::run_async);
  } else {
    return add(Op::name, {dtype_of<Ts>...}, &thunk::run);
  }
}

template <class Op, class... Ts> result<void> device::add() {
  if constexpr (detail::signature_of<Op>::asynchronous)
    return add(Op::name, {dtype_of<Ts>...}, &detail::kernel_thunk<Op, Ts...>::run_async);
  else return add(Op::name, {dtype_of<Ts>...}, &detail::kernel_thunk<Op, Ts...>::run);
}

}
}  // namespace flowgraph

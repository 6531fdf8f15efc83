#pragma once
// Adds kernels to devices and to sets of kernels. A kernel has the same parameter types as the op's own kernel, after the op and the
// context:
//
//     accelerator.add<swish, float>([](const swish& op, fg::cpu, fg::view<const float> x, fg::view<float> y) { ... });
//     accelerator.add<swish, float>(own_swish, {.in_place = true});
//     kernels->add<swish, float>([](const swish& op, accel_context ctx, fg::view<const float> x, fg::view<float> y) { ... });
//     accelerator.add<swish, double>();  // the op's own kernel, with the device's memory
//     accelerator.add<swish, fg::half>([](const swish& op, fg::cpu, fg::view<const fg::half> x, fg::view<fg::half> y, fg::done answer) { ... });

#include <flowgraph/op/device.hpp>
#include <flowgraph/op/device_context.hpp>
#include <flowgraph/op/make_table.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

template <class Op> struct kernel_header {};

// The context that a kernel takes as its second parameter; fg::cpu if the kernel is a generic lambda.
template <class Call> struct second_parameter;
template <class F, class R, class Op, class Context, class... P> struct second_parameter<R (F::*)(Op, Context, P...) const> {
  using type = std::remove_cvref_t<Context>;
};
template <class F> struct context_of {
  using type = cpu;
};
template <class F>
  requires requires { &F::operator(); } struct context_of<F> : second_parameter<decltype(&F::operator())> {};

template <class Op, class F, class... Ts> struct device_thunk {
  using signature = signature_of<Op>;
  using maker = parameter_maker<typename signature::arguments>;
  using parameters = typename parameters_for<Op, Ts...>::list;

  using context = typename context_of<F>::type;

  template <class... P, std::size_t... I>
  static void invoke(const Op& op, kernel_call& call, parameter_list<P...>, std::index_sequence<I...>) {
    [[maybe_unused]] const auto& places = maker::places(call);
    F{}(op, context(call), maker::make(type_tag<P>{}, call, places[I])...);
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
    else return std::is_invocable_v<F, const Op&, context, P..., done>;
  }
  static constexpr bool is_asynchronous = answers_later(parameters{});

  template <class... P, std::size_t... I>
  static void start(const Op& op, kernel_call& call, done answer, parameter_list<P...>, std::index_sequence<I...>) {
    [[maybe_unused]] const auto& places = maker::places(call);
    [[maybe_unused]] const auto make = [&]<class T>(type_tag<T> tag, [[maybe_unused]] parameter_place p) -> decltype(auto) {
      if constexpr (std::is_same_v<T, done>) return std::move(answer);
      else return maker::make(tag, call, p);
    };
    if constexpr (signature::asynchronous) F{}(op, context(call), make(type_tag<P>{}, places[I])...);
    else F{}(op, context(call), make(type_tag<P>{}, places[I])..., std::move(answer));
  }
  static void run_async(const void* op, kernel_call& call, done answer) {
    start(*static_cast<const Op*>(op), call, std::move(answer), parameters{}, std::make_index_sequence<parameters::size>{});
  }

  static kernel_entry entry(const kernel_facts& facts) {
    static_assert(std::is_empty_v<F> && std::is_default_constructible_v<F>,
                  "flowgraph: a device's kernel is a lambda without captures, or an object without members");
    if constexpr (is_asynchronous) {
      static_assert(writes_of<signature> == 0, "flowgraph: a kernel that changes a variable is done when it returns");
      return {.start = &run_async, .facts = facts};
    } else {
      return {.run = &run, .facts = facts};
    }
  }
};

}  // namespace detail

template <class Op, class... Ts, class F> result<void> kernel_set::add_kernel(F, kernel_facts facts) {
  return add(Op::name, {dtype_of<Ts>...}, detail::device_thunk<Op, F, Ts...>::entry(facts));
}

template <class Op, class... Ts, class F, detail::scratch_rule Scratch>
result<void> kernel_set::add_kernel(F, Scratch, kernel_facts facts) {
  static_assert(std::is_empty_v<Scratch> && std::is_default_constructible_v<Scratch>,
                "flowgraph: the scratch rule of a device's kernel is a lambda without captures");
  kernel_entry result = detail::device_thunk<Op, F, Ts...>::entry(facts);
  result.scratch = [](const void* op, const shape_inputs& in) -> std::size_t {
    return detail::rule_caller<Op>::scratch(op, in, Scratch{});
  };
  return add(Op::name, {dtype_of<Ts>...}, result);
}

template <class Op, class... Ts> result<void> kernel_set::add_kernel() {
  op_table result = detail::description_without_types<Op>;
  detail::bind_kernel<Op>(result, detail::kernel_types<Op, Ts...>{});
  return add(Op::name, {dtype_of<Ts>...}, result.kernel);
}

}  // namespace flowgraph

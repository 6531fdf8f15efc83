#pragma once
// Emits a family of ops into flowgraph::compiled: for each op its description, its shape rule, and a kernel for every combination
// of its element types that has its own kernel.
//
//     #include <flowgraph/ops/shared/detail/instantiate.hpp>
//
//     #include <flowgraph/ops/math/math.hpp>
//     #include <flowgraph/ops/math/detail/math.hpp>
//
//     [[gnu::used]] static constexpr detail::emitted_family<math_ops> math_kernels{};
//
// Only sources of the archive include this header, and before the ops: a header of ops that names a table names its description.
// Nothing refers to the object, which contains addresses: with --gc-sections a program drops it, and keeps the kernels that it
// names.

#include <flowgraph/op/make_table.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

template <class Op, class... Ts> void stored_kernel(const void* op, kernel_call& call) {
  caller_of_kernel<Op, Ts...>::run(op, call);
}
template <class Op, class... Ts> void stored_async_kernel(const void* op, kernel_call& call, done answer) {
  caller_of_kernel<Op, Ts...>::run_async(op, call, std::move(answer));
}

// Returns the operator itself for ops that tables name only by their functions, such as an optimizer's.
template <class Op, class... Ts> consteval auto emitted_kernel() {
  if constexpr (is_stored<Op, Ts...> && signature_of<Op>::asynchronous) return &stored_async_kernel<Op, Ts...>;
  else if constexpr (is_stored<Op, Ts...>) return &stored_kernel<Op, Ts...>;
  else if constexpr (sizeof...(Ts) == 0) return &Op::operator();
  else return &Op::template operator()<Ts...>;
}

// A kernel of indices of any width is emitted with the types of the narrow ones.
template <class List> struct emitting_types;
template <class... Ts> struct emitting_types<type_list<Ts...>> {
  using list = type_list<std::conditional_t<std::is_same_v<Ts, any_index>, std::int32_t, Ts>...>;
};
template <class Op, class... Ts>
concept has_own_kernel = parameters_for<Op, Ts...>::has_kernel &&
                         std::is_same_v<typename emitting_types<kernel_types<Op, Ts...>>::list, type_list<Ts...>>;

template <class Op, class... Ts> consteval auto emitted_kernel(type_list<Ts...>) { return emitted_kernel<Op, Ts...>(); }
template <class Op, class... Ts> consteval kernel_entry::run_function kernel_or_null(type_list<Ts...>) {
  if constexpr (has_own_kernel<Op, Ts...>) return emitted_kernel<Op>(kernel_types<Op, Ts...>{});
  else return nullptr;
}

template <class Op, class Types> struct emitted_kernel_of {};
template <class Op, class... Ts>
  requires has_own_kernel<Op, Ts...> struct emitted_kernel_of<Op, type_list<Ts...>> {
  using types = kernel_types<Op, Ts...>;
  decltype(emitted_kernel<Op>(types{})) kernel = emitted_kernel<Op>(types{});
};

// Most kernels have one type, and are in an array.
template <class Op> concept has_stored_kernels = table_source<Op> != 0 && !signature_of<Op>::asynchronous;
template <class Op, class Combinations> struct emitted_op;
template <class Op, class... C> struct emitted_op<Op, type_list<C...>> : emitted_kernel_of<Op, C>... {};
template <has_stored_kernels Op, class... C> struct emitted_op<Op, type_list<C...>> {
  kernel_entry::run_function kernels[sizeof...(C)]{kernel_or_null<Op>(C{})...};
};

template <class Op>
  requires(table_source<Op> != 0) inline constexpr op_description stored_description<Op> = make_description<Op>();
template <class Op> void stored_shape_rule(const void* op, shape_context& context, const shape_inputs& in, std::span<shape> out) {
  rule_caller<Op>::template infer<>(op, context, in, out);
}
template <class Op> std::size_t stored_scratch_rule(const void* op, const shape_inputs& in) {
  return run_scratch_rule<Op>(op, in);
}

// The common parts of the tables of an op, if it has tables.
template <class Op> struct emitted_facts {};
template <class Op>
  requires(table_source<Op> != 0) struct emitted_facts<Op> {
  const op_description* description = &find_description<Op>();
  op_table::shape_function rule = find_shape_rule<Op>();
  kernel_entry::scratch_function scratch = find_scratch_rule<Op>();
};

template <class List> struct emitted_family;
template <class... Op> struct emitted_family<type_list<Op...>> : emitted_op<Op, combinations_of<Op>>..., emitted_facts<Op>... {};

}  // namespace flowgraph::detail

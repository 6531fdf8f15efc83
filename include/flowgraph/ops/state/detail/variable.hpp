#pragma once

#include <flowgraph/graph/graph_state.hpp>
#include <flowgraph/ops/shared/detail/elementwise.hpp>
#include <flowgraph/ops/state/detail/variable_access.hpp>
#include <flowgraph/ops/state/variable.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// A variable that is declared as a scalar may have an unknown shape, so the kernel checks the shape of its value.
inline flowgraph::shape changed_shape(shape_context& c, const flowgraph::shape& ref, const flowgraph::shape& value) {
  if (ref.rank == 0) return value;
  return fits(ref, value) ? merged(ref, value) : c.fail(message{"expected a value of the variable's shape ", ref});
}

// A variable without elements has a value from the beginning, because an initializer could not give it anything.
inline void give_no_elements(variable_state& v, const flowgraph::shape& declared) {
  v.lock();
  if (!v.value().has_value()) v.value().emplace(v.type(), declared, v.memory());
  v.unlock();
}

}  // namespace detail

template <class T> void variable_v2_op::operator()(cpu ctx, reference_out<T> y) const {
  const resource held = detail::find_variable(ctx, dtype_of<T>, declared, container, shared_name);
  if (!held.base) return;
  auto* const v = held.as<variable_state>();
  if (declared.is_known() && declared.size() == 0) detail::give_no_elements(*v, declared);
  y.set(v);
}

template <class T> void is_variable_initialized_op::operator()(cpu, reference_in<T> ref, view<bool> y) const {
  y.scalar() = ref.state().read().has_value();
}

FLOWGRAPH_KERNEL_INLINE flowgraph::shape assign_op::shape(shape_context& c, const flowgraph::shape& ref,
                                                          const flowgraph::shape& value) const {
  return validate_shape ? detail::changed_shape(c, ref, value) : value;
}
template <class T> void assign_op::operator()(cpu ctx, reference<T> ref, view<const T>, reference_out<T>) const {
  detail::assign_value(ctx, ref.state(), ctx.input(1), validate_shape);
}

FLOWGRAPH_KERNEL_INLINE flowgraph::shape assign_add_op::shape(shape_context& c, const flowgraph::shape& ref,
                                                              const flowgraph::shape& value) const {
  return detail::changed_shape(c, ref, value);
}
template <class T> void assign_add_op::operator()(cpu ctx, reference<T> ref, view<const T> value, reference_out<T>) const {
  detail::change_value<functor::add>(ctx, ref, value);
}

FLOWGRAPH_KERNEL_INLINE flowgraph::shape assign_sub_op::shape(shape_context& c, const flowgraph::shape& ref,
                                                              const flowgraph::shape& value) const {
  return detail::changed_shape(c, ref, value);
}
template <class T> void assign_sub_op::operator()(cpu ctx, reference<T> ref, view<const T> value, reference_out<T>) const {
  detail::change_value<functor::sub>(ctx, ref, value);
}

FLOWGRAPH_KERNEL_INLINE detail::owned_nodes::owned_nodes(const node& owner, std::string_view part)
    : state_(owner.graph), outside_(*state_, nullptr, 0) {
  state_->push();
  state_->scope.prefix = message{owner.name, '/'};
  if (!part.empty()) state_->scope.prefix = state_->unique_name(message{state_->scope.prefix, part}) + '/';
}
FLOWGRAPH_KERNEL_INLINE detail::owned_nodes::~owned_nodes() { state_->pop(); }

FLOWGRAPH_KERNEL_INLINE detail::unordered_nodes::unordered_nodes(graph_state& state)
    : state_(&state), outside_(state, nullptr, 0) {
  state_->push();
}
FLOWGRAPH_KERNEL_INLINE detail::unordered_nodes::~unordered_nodes() { state_->pop(); }

}  // namespace flowgraph

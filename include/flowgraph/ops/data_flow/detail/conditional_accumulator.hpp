#pragma once

#include <flowgraph/ops/data_flow/conditional_accumulator.hpp>
#include <flowgraph/ops/data_flow/detail/accumulator_state.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

FLOWGRAPH_KERNEL_INLINE void check_accumulator(shape_context& c, const accumulator_attributes& a) {
  if (a.type != dtype::float16 && a.type != dtype::float32 && a.type != dtype::float64)
    c.fail("accumulators are of type half, float or double");
  if (a.reduction_type != "MEAN" && a.reduction_type != "SUM") c.fail("reduction_type must be MEAN or SUM");
}
FLOWGRAPH_KERNEL_INLINE void check_scalar(shape_context& c, const shape& s, const char* why) {
  if (!fits(s, {})) c.fail(why);
}

FLOWGRAPH_KERNEL_INLINE resource find_accumulator(cpu ctx, const accumulator_attributes& a, std::string_view kind,
                                                  bool is_sparse) {
  return find_accumulator(ctx, accumulator_description{kind, a.type, a.accumulated, a.reduction_type == "MEAN", is_sparse},
                          a.container, a.shared_name);
}

template <class Handle>
template <class T>
void accumulator_apply<Handle>::operator()(cpu ctx, typename Handle::parameter, view<const std::int64_t> local_step,
                                           view<const T>) const {
  const resource found = named_accumulator(ctx, dtype_of<T>, false);
  if (ctx.failed()) return;
  if (error why = found.as<accumulator_state>()->add(ctx, local_step.scalar(), {{}, ctx.input(2)}, nullptr)) ctx.fail(why);
}

template <class Handle>
template <class T>
void accumulator_take<Handle>::operator()(cpu ctx, typename Handle::parameter, view<const std::int32_t> num_required, unsized<T>,
                                          done answer) const {
  take_gradient(ctx, dtype_of<T>, false, num_required, std::move(answer));
}

template <class Handle>
void accumulator_count<Handle>::operator()(cpu ctx, typename Handle::parameter, view<std::int32_t> num_accumulated) const {
  const resource found = named_accumulator(ctx);
  if (!ctx.failed()) num_accumulated.scalar() = found.as<accumulator_state>()->count();
}

template <class Handle>
void accumulator_set_step<Handle>::operator()(cpu ctx, typename Handle::parameter,
                                              view<const std::int64_t> new_global_step) const {
  const resource found = named_accumulator(ctx);
  if (!ctx.failed()) found.as<accumulator_state>()->set_step(new_global_step.scalar());
}

}  // namespace detail

FLOWGRAPH_KERNEL_INLINE void resource_conditional_accumulator_op::operator()(cpu ctx, unsized<resource> handle) const {
  detail::hand_out(ctx, detail::find_accumulator(ctx, *this, "ConditionalAccumulator", false), handle);
}
FLOWGRAPH_KERNEL_INLINE void conditional_accumulator_op::operator()(cpu ctx, reference_out<std::string> handle) const {
  detail::find_accumulator(ctx, *this, "ConditionalAccumulator", false);
  detail::hand_out(ctx, container, shared_name, handle);
}
FLOWGRAPH_KERNEL_INLINE void sparse_conditional_accumulator_op::operator()(cpu ctx, reference_out<std::string> handle) const {
  detail::find_accumulator(ctx, *this, "SparseConditionalAccumulator", true);
  detail::hand_out(ctx, container, shared_name, handle);
}

FLOWGRAPH_KERNEL_INLINE shape_list sparse_accumulator_apply_gradient_op::shape(shape_context& c, const flowgraph::shape&,
                                                                               const flowgraph::shape& local_step,
                                                                               const flowgraph::shape& indices,
                                                                               const flowgraph::shape& values,
                                                                               const flowgraph::shape& gradient_shape) const {
  detail::check_scalar(c, local_step, "local_step must be a scalar");
  if (indices.has_rank() && indices.rank != 1) c.fail("gradient_indices must be a vector");
  if (values.rank == 0) c.fail("gradient_values must be rows, of rank 1 or more");
  if (gradient_shape.has_rank() && gradient_shape.rank != 1) c.fail("gradient_shape must be a vector");
  if (indices.rank == 1 && values.rank > 0 && indices[0] >= 0 && values[0] >= 0 && indices[0] != values[0])
    c.fail("there must be an index for each row of gradient_values");
  return {};
}
template <class T>
void sparse_accumulator_apply_gradient_op::operator()(cpu ctx, reference_in<std::string>, view<const std::int64_t> local_step,
                                                      view<const std::int64_t> gradient_indices, view<const T>,
                                                      view<const std::int64_t> gradient_shape) const {
  const resource found = detail::named_accumulator(ctx, dtype_of<T>, true);
  if (ctx.failed()) return;
  flowgraph::shape said;
  if (has_known_shape && gradient_shape.size() > static_cast<std::size_t>(flowgraph::shape::max_rank))
    return ctx.fail(message{"gradient_shape has too many extents: ", gradient_shape.size()});
  for (std::size_t k = 0; has_known_shape && k < gradient_shape.size(); ++k) said.push_back(gradient_shape[k]);
  detail::accumulated_slices slices{{gradient_indices.begin(), gradient_indices.end()}, ctx.input(3)};
  auto& state = *found.as<detail::accumulator_state>();
  if (error why = state.add(ctx, local_step.scalar(), std::move(slices), has_known_shape ? &said : nullptr)) ctx.fail(why);
}

FLOWGRAPH_KERNEL_INLINE shape_list sparse_accumulator_take_gradient_op::shape(shape_context& c, const flowgraph::shape&,
                                                                              const flowgraph::shape& num_required) const {
  detail::check_scalar(c, num_required, "num_required must be a scalar");
  return {{any.extent}, flowgraph::shape::unknown(), {any.extent}};
}
template <class T>
void sparse_accumulator_take_gradient_op::operator()(cpu ctx, reference_in<std::string>, view<const std::int32_t> num_required,
                                                     unsized<std::int64_t>, unsized<T>, unsized<std::int64_t>,
                                                     done answer) const {
  detail::take_gradient(ctx, dtype_of<T>, true, num_required, std::move(answer));
}

}  // namespace flowgraph

#pragma once
// Accumulators, which add up the gradients of several replicas. They return the mean or the sum when there are enough
// gradients. If a gradient was computed for an earlier step than the accumulator's current step, it is dropped.
//
//     fg::conditional_accumulator<float> mean(g, {.shape = {784, 10}});
//     auto give = mean.apply_gradient(gradient, local_step);   // run by each replica
//     auto step = mean.take_gradient(8);                       // waits for 8 gradients; the accumulator's step increases by 1
//
// Gradients are added in the order of arrival.

#include <flowgraph/graph/apply.hpp>
#include <flowgraph/ops/array/constant.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

using accumulated_types = type_list<half, float, double>;

// The ways in which an op refers to its accumulator: a resource, or a reference to two strings.
struct accumulator_handle {
  using parameter = view<const resource>;
};
struct accumulator_reference {
  using parameter = reference_in<std::string>;
};

struct accumulator_attributes {
  static constexpr op_facts base_facts{.not_differentiable = true, .stateful = true};
  dtype type = dtype::invalid;
  flowgraph::shape accumulated = flowgraph::shape::unknown();             // the known part of the shape
  std::string container = {}, shared_name = {}, reduction_type = "MEAN";  // or `SUM`
  static constexpr auto attrs = flowgraph::attrs(
      required("dtype", &accumulator_attributes::type), required("shape", &accumulator_attributes::accumulated),
      attr("container", &accumulator_attributes::container), attr("shared_name", &accumulator_attributes::shared_name),
      attr("reduction_type", &accumulator_attributes::reduction_type));
};
// Reports an error if the attributes are invalid.
void check_accumulator(shape_context& c, const accumulator_attributes& a);
// Reports an error if an input is known not to be a scalar.
void check_scalar(shape_context& c, const shape& s, const char* why);

template <class Handle> struct accumulator_apply {
  using types = type_attrs<type_attr<"dtype", accumulated_types>>;
  static constexpr op_facts base_facts{.not_differentiable = true, .stateful = true};

  shape_list shape(shape_context& c, const flowgraph::shape&, const flowgraph::shape& local_step, const flowgraph::shape&) const {
    check_scalar(c, local_step, "local_step must be a scalar");
    return {};
  }
  template <class T>
  void operator()(cpu ctx, typename Handle::parameter accumulator, view<const std::int64_t> local_step,
                  view<const T> gradient) const;
};

template <class Handle> struct accumulator_take {
  using types = type_attrs<type_attr<"dtype", accumulated_types>>;
  static constexpr auto host_inputs = flowgraph::host_inputs(1);
  static constexpr op_facts base_facts{.not_differentiable = true, .stateful = true};

  flowgraph::shape shape(shape_context& c, const flowgraph::shape&, const flowgraph::shape& num_required) const {
    check_scalar(c, num_required, "num_required must be a scalar");
    return flowgraph::shape::unknown();
  }
  template <class T>
  void operator()(cpu ctx, typename Handle::parameter accumulator, view<const std::int32_t> num_required, unsized<T> average,
                  done answer) const;
};

template <class Handle> struct accumulator_count {
  static constexpr op_facts base_facts{.not_differentiable = true, .stateful = true};

  flowgraph::shape shape(const flowgraph::shape&) const { return {}; }
  void operator()(cpu ctx, typename Handle::parameter accumulator, view<std::int32_t> num_accumulated) const;
};

template <class Handle> struct accumulator_set_step {
  static constexpr op_facts base_facts{.not_differentiable = true, .stateful = true};

  shape_list shape(shape_context& c, const flowgraph::shape&, const flowgraph::shape& new_global_step) const {
    check_scalar(c, new_global_step, "new_global_step must be a scalar");
    return {};
  }
  void operator()(cpu ctx, typename Handle::parameter accumulator, view<const std::int64_t> new_global_step) const;
};

}  // namespace detail

// Returns a handle to an accumulator in the session's container.
struct resource_conditional_accumulator_op : detail::accumulator_attributes {
  static constexpr std::string_view name = "ResourceConditionalAccumulator";

  flowgraph::shape shape(shape_context& c) const {
    detail::check_accumulator(c, *this);
    return {};
  }
  void operator()(cpu ctx, unsized<resource> handle) const;
};

// Adds a gradient to an accumulator, unless the gradient was computed for an earlier step than the accumulator's current step.
struct resource_accumulator_apply_gradient_op : detail::accumulator_apply<detail::accumulator_handle> {
  static constexpr std::string_view name = "ResourceAccumulatorApplyGradient";
};

// Takes the mean or the sum of the gradients from an accumulator, and advances the accumulator to the next step. Waits until
// there are at least `num_required` gradients.
struct resource_accumulator_take_gradient_op : detail::accumulator_take<detail::accumulator_handle> {
  static constexpr std::string_view name = "ResourceAccumulatorTakeGradient";
};

// Returns the number of gradients that an accumulator has added up.
struct resource_accumulator_num_accumulated_op : detail::accumulator_count<detail::accumulator_handle> {
  static constexpr std::string_view name = "ResourceAccumulatorNumAccumulated";
};

// Sets the step of an accumulator.
struct resource_accumulator_set_global_step_op : detail::accumulator_set_step<detail::accumulator_handle> {
  static constexpr std::string_view name = "ResourceAccumulatorSetGlobalStep";
};

// Returns a reference to the handle of an accumulator in the session's container.
struct conditional_accumulator_op : detail::accumulator_attributes {
  static constexpr std::string_view name = "ConditionalAccumulator";

  flowgraph::shape shape(shape_context& c) const {
    detail::check_accumulator(c, *this);
    return {2};
  }
  void operator()(cpu ctx, reference_out<std::string> handle) const;
};

// Adds a gradient to an accumulator that is passed by reference, unless the gradient was computed for an earlier step than the
// accumulator's current step.
struct accumulator_apply_gradient_op : detail::accumulator_apply<detail::accumulator_reference> {
  static constexpr std::string_view name = "AccumulatorApplyGradient";
};

// Takes the mean or the sum of the gradients from an accumulator that is passed by reference, and advances the accumulator to
// the next step. Waits until there are at least `num_required` gradients.
struct accumulator_take_gradient_op : detail::accumulator_take<detail::accumulator_reference> {
  static constexpr std::string_view name = "AccumulatorTakeGradient";
};

// Returns the number of gradients that an accumulator has added up. The accumulator is passed by reference.
struct accumulator_num_accumulated_op : detail::accumulator_count<detail::accumulator_reference> {
  static constexpr std::string_view name = "AccumulatorNumAccumulated";
};

// Sets the step of an accumulator that is passed by reference.
struct accumulator_set_global_step_op : detail::accumulator_set_step<detail::accumulator_reference> {
  static constexpr std::string_view name = "AccumulatorSetGlobalStep";
};

// Returns a reference to the handle of an accumulator for sparse gradients (slices of rows) in the session's container.
struct sparse_conditional_accumulator_op : detail::accumulator_attributes {
  static constexpr std::string_view name = "SparseConditionalAccumulator";

  flowgraph::shape shape(shape_context& c) const {
    detail::check_accumulator(c, *this);
    return {2};
  }
  void operator()(cpu ctx, reference_out<std::string> handle) const;
};

// Adds a sparse gradient to an accumulator, unless the gradient was computed for an earlier step than the accumulator's
// current step. The indices of the gradient must be ascending.
struct sparse_accumulator_apply_gradient_op {
  static constexpr std::string_view name = "SparseAccumulatorApplyGradient";
  using types = type_attrs<type_attr<"dtype", detail::accumulated_types>>;
  static constexpr op_facts facts{.not_differentiable = true, .stateful = true};
  bool has_known_shape = false;  // whether gradient_shape contains the shape of the dense gradient
  static constexpr auto attrs =
      flowgraph::attrs(required("has_known_shape", &sparse_accumulator_apply_gradient_op::has_known_shape));

  shape_list shape(shape_context& c, const flowgraph::shape& accumulator, const flowgraph::shape& local_step,
                   const flowgraph::shape& indices, const flowgraph::shape& values, const flowgraph::shape& gradient_shape) const;
  template <class T>
  void operator()(cpu ctx, reference_in<std::string> accumulator, view<const std::int64_t> local_step,
                  view<const std::int64_t> gradient_indices, view<const T> gradient_values,
                  view<const std::int64_t> gradient_shape) const;
};

// Takes the mean or the sum from an accumulator of sparse gradients. To compute the mean, divides each row by the number of
// gradients that contain the row.
struct sparse_accumulator_take_gradient_op {
  static constexpr std::string_view name = "SparseAccumulatorTakeGradient";
  using types = type_attrs<type_attr<"dtype", detail::accumulated_types>>;
  static constexpr auto host_inputs = flowgraph::host_inputs(1);
  static constexpr op_facts facts{.not_differentiable = true, .stateful = true};

  shape_list shape(shape_context& c, const flowgraph::shape& accumulator, const flowgraph::shape& num_required) const;
  template <class T>
  void operator()(cpu ctx, reference_in<std::string> accumulator, view<const std::int32_t> num_required,
                  unsized<std::int64_t> indices, unsized<T> values, unsized<std::int64_t> shape_of_whole, done answer) const;
};

using conditional_accumulator_ops =
    type_list<resource_conditional_accumulator_op, resource_accumulator_apply_gradient_op, resource_accumulator_take_gradient_op,
              resource_accumulator_num_accumulated_op, resource_accumulator_set_global_step_op, conditional_accumulator_op,
              accumulator_apply_gradient_op, accumulator_take_gradient_op, accumulator_num_accumulated_op,
              accumulator_set_global_step_op, sparse_conditional_accumulator_op, sparse_accumulator_apply_gradient_op,
              sparse_accumulator_take_gradient_op>;

// Options of a conditional_accumulator.
struct conditional_accumulator_options {
  flowgraph::shape shape = flowgraph::shape::unknown();  // the known shape of the gradients
  bool sum = false;                                      // true: take_gradient returns the sum instead of the mean
  std::string container = {};                            // nodes with the same container and shared_name share an accumulator
  std::string shared_name = {};                          // the shared name; empty: the node has its own accumulator
};

// An accumulator that adds up gradients of type T until their mean or sum is taken. It is a handle, which is cheap to copy.
template <class T> class conditional_accumulator {
public:
  conditional_accumulator() = default;
  explicit conditional_accumulator(const graph& g, const conditional_accumulator_options& o = {}, site s = {}) : shape_(o.shape) {
    resource_conditional_accumulator_op op;
    op.type = dtype_of<T>;
    op.accumulated = o.shape;
    op.container = o.container;
    op.shared_name = o.shared_name;
    if (o.sum) op.reduction_type = "SUM";
    handle_ = apply_in<>(g, op, s);
  }

  // Returns the handle of the accumulator.
  out<resource> handle() const { return handle_; }

  // Adds a gradient that was computed for step `local_step`.
  target apply_gradient(out<T> gradient, out<std::int64_t> local_step, site s = {}) const {
    return apply(resource_accumulator_apply_gradient_op{}, handle_, local_step, gradient, s);
  }
  // Returns the mean or the sum of the gradients. Waits until there are at least `num_required` gradients. Afterwards the
  // accumulator is empty, and its step has increased by 1.
  out<T> take_gradient(out<std::int32_t> num_required, site s = {}) const {
    const out<T> taken = apply_as<T>(s, resource_accumulator_take_gradient_op{}, handle_, num_required);
    if (shape_.has_rank()) detail::know_shape(taken, shape_);
    return taken;
  }
  out<T> take_gradient(std::int32_t num_required, site s = {}) const {
    if (!handle_.source) return {};
    return take_gradient(graph_of(*handle_.source).constant(num_required, {.location = s.location}), s);
  }
  // Returns the number of gradients that were added up.
  out<std::int32_t> num_accumulated(site s = {}) const { return apply(resource_accumulator_num_accumulated_op{}, handle_, s); }
  // Sets the step of the accumulator. Afterwards the accumulator drops gradients of earlier steps.
  target set_global_step(out<std::int64_t> step, site s = {}) const {
    return apply(resource_accumulator_set_global_step_op{}, handle_, step, s);
  }

private:
  out<resource> handle_;
  flowgraph::shape shape_ = flowgraph::shape::unknown();
};

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/data_flow/detail/conditional_accumulator.hpp>
#endif

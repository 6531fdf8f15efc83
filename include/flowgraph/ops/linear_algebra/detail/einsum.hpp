#pragma once

#include <flowgraph/ops/shared/detail/move.hpp>
#include <flowgraph/ops/shared/detail/product.hpp>
#include <flowgraph/ops/reduction/detail/reduction.hpp>
#include <flowgraph/ops/linear_algebra/einsum.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// One axis of the calculation: a letter, or an axis of the ellipsis, counted from its end.
using einsum_label = int;
inline constexpr einsum_label first_ellipsis_label = 3 * shape::max_rank;
inline constexpr int einsum_labels = first_ellipsis_label + shape::max_rank;
inline constexpr int most_listed = 2 * shape::max_rank;

// Labels in order.
struct label_list {
  int size = 0;
  std::int8_t at[most_listed];

  void push(einsum_label l) { at[size++] = static_cast<std::int8_t>(l); }
  bool has(einsum_label l) const { return std::find(begin(), end(), l) != end(); }
  const std::int8_t* begin() const { return at; }
  const std::int8_t* end() const { return at + size; }
  // Returns each label once.
  label_list distinct() const {
    label_list labels;
    for (const einsum_label l : *this)
      if (!labels.has(l)) labels.push(l);
    return labels;
  }
};

// The distance, in elements, that each label advances in a tensor.
struct label_steps {
  std::int64_t along[einsum_labels] = {};
  bool moves[einsum_labels] = {};  // false: the tensor has no such axis, or repeats along it
};

// The layout of a matrix as an operand of the product: its rows, or its columns, are `step` apart.
struct matrix_layout {
  std::int64_t step;
  bool transposed, fits;
};

// The steps of the calculation, and their places in the working memory: offsets in bytes, -1 for steps that are not needed.
struct einsum_plan {
  struct operand {
    label_list order;  // the axes, each once
    label_steps steps;
    std::int64_t size = 0;  // number of elements
    std::int64_t diagonal = -1, sum = -1, packed = -1;
    label_list diagonal_order, packed_order;
    label_steps diagonal_steps;  // of the diagonal's axes in the given tensor
    shape summed_shape, summed_axes;
    label_steps packed_from;  // of the packed axes in the previous tensor
  };
  enum class form { copy, multiply, product };

  std::int64_t extents[einsum_labels];
  form what = form::copy;
  int inputs = 0;
  operand in[2];
  label_list output;            // as written, so labels may be repeated
  label_list order;             // of the result, each label once
  label_steps result;           // in the result
  std::int64_t result_at = -1;  // the place of the result if it is not computed in the output
  bool repeats = false;         // labels of the output are repeated
  bool sums_to_output = false;  // the sums of the only operand are the result
  bool is_zero = false;
  std::int64_t product_at = -1, products = 1;
  kernel::product_shape product{};
  bool swapped = false;
  label_list stack;  // labels of the stack of products
  std::size_t bytes = 0;

  std::int64_t extent_of(const label_list& list) const {
    std::int64_t n = 1;
    for (const einsum_label l : list) n *= extents[l];
    return n;
  }
  shape shape_of(const label_list& list, const label_steps& steps) const {
    shape s;
    for (const einsum_label l : list) s.push_back(steps.moves[l] ? extents[l] : 1);
    return s;
  }
};

// Fails with a message if the equation or the shapes are invalid. Shapes may be partly known.
shape einsum_shape(shape_context& c, std::string_view equation, std::span<const shape> inputs);
// Plans the calculation for known shapes that einsum_shape accepts.
void plan_einsum(einsum_plan& plan, std::string_view equation, std::span<const shape* const> inputs);

// Reads labels in an order, from a tensor in which they advance by these steps.
void copy_labels(cpu ctx, element_layout e, const einsum_plan& plan, const void* from, const label_steps& steps,
                 const label_list& order, void* to);
// Writes the result if labels of the output are repeated: the other elements are zeros.
void put_on_diagonal(cpu ctx, element_layout e, const einsum_plan& plan, const void* from, void* y);

// Computes the diagonals and sums of an operand, and puts its axes in the order of the calculation.
template <class T> const T* prepare_operand(cpu ctx, const einsum_plan& plan, const einsum_plan::operand& o, const T* x, T* y) {
  const auto room = [&](std::int64_t at) { return reinterpret_cast<T*>(ctx.scratch() + at); };
  if (o.diagonal >= 0) {
    copy_labels(ctx, layout_of<T>, plan, x, o.diagonal_steps, o.diagonal_order, room(o.diagonal));
    x = room(o.diagonal);
  }
  if (o.sum >= 0) {
    T* sums = plan.sums_to_output ? y : room(o.sum);
    run_reduction(ctx, reducer_of<sum_reduction, T>::all, o.summed_shape, o.summed_axes, x, sums, o.size);
    x = sums;
  }
  if (o.packed >= 0) {
    copy_labels(ctx, layout_of<T>, plan, x, o.packed_from, o.packed_order, room(o.packed));
    x = room(o.packed);
  }
  return x;
}

// Returns the offset of a product of the stack in a tensor.
inline std::int64_t stack_offset(const einsum_plan& plan, const label_steps& steps, std::int64_t index) {
  std::int64_t at = 0;
  for (int i = plan.stack.size - 1; i >= 0; --i) {
    const einsum_label l = plan.stack.at[i];
    if (steps.moves[l]) at += index % plan.extents[l] * steps.along[l];
    index /= plan.extents[l];
  }
  return at;
}

template <class T> void multiply_stack(cpu ctx, const einsum_plan& plan, const T* x, const T* y, T* z) {
  const kernel::product_shape& p = plan.product;
  std::byte* room = ctx.scratch() + plan.product_at;
  const auto one = [&](std::int64_t i, auto&& multiply) {
    const T* a = x + stack_offset(plan, plan.in[0].steps, i);
    const T* b = y + stack_offset(plan, plan.in[1].steps, i);
    T* c = z + stack_offset(plan, plan.result, i);
    if (plan.swapped) multiply(b, a, c);
    else multiply(a, b, c);
  };
  if (product_grid(p).blocks() > 1 || plan.products == 1) {
    for (std::int64_t i = 0; i < plan.products; ++i)
      one(i, [&](const T* a, const T* b, T* c) { parallel_product(ctx, p, a, b, c, room); });
    return;
  }
  const std::int64_t per_block = products_per_block(p, plan.products);
  const std::size_t share = product_scratch(p);
  ctx.parallel_ranges(plan.products, per_block, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i)
      one(i,
          [&](const T* a, const T* b, T* c) { product(p, a, b, c, room + static_cast<std::size_t>(first / per_block) * share); });
  });
}

template <class T> void run_einsum(cpu ctx, const einsum_plan& plan, const T* const* inputs, view<T> y) {
  if (plan.is_zero) return std::fill(y.begin(), y.end(), T(0));
  T* outcome = plan.result_at >= 0 ? reinterpret_cast<T*>(ctx.scratch() + plan.result_at) : y.data();
  const T* x = prepare_operand(ctx, plan, plan.in[0], inputs[0], y.data());
  if (plan.sums_to_output) return;
  if (plan.what == einsum_plan::form::copy) {
    if (!plan.repeats) return copy_labels(ctx, layout_of<T>, plan, x, plan.in[0].steps, plan.order, y.data());
    copy_labels(ctx, layout_of<T>, plan, x, plan.in[0].steps, plan.order, outcome);
  } else {
    const T* other = prepare_operand(ctx, plan, plan.in[1], inputs[1], y.data());
    if (plan.what == einsum_plan::form::product) {
      multiply_stack(ctx, plan, x, other, outcome);
    } else {
      const shape a = plan.shape_of(plan.order, plan.in[0].steps), b = plan.shape_of(plan.order, plan.in[1].steps);
      shape whole;
      for (const einsum_label l : plan.order) whole.push_back(plan.extents[l]);
      run_binary(ctx, {x, other, outcome, &a, &b, &whole, sizeof(T), sizeof(T)}, &binary_row_of<functor::mul, T>);
    }
  }
  if (plan.repeats) put_on_diagonal(ctx, layout_of<T>, plan, outcome, y.data());
  else if (plan.result_at >= 0) copy_labels(ctx, layout_of<T>, plan, outcome, plan.result, plan.order, y.data());
}

}  // namespace detail

template <class T> void einsum_op::operator()(cpu ctx, view_list<const T> inputs, view<T> y) const {
  if (y.size() == 0) return;
  const view<const T> first = inputs[0], second = inputs[inputs.size() - 1];
  const flowgraph::shape* shapes[]{&first.shape(), &second.shape()};
  const T* data[]{first.data(), second.data()};
  detail::einsum_plan plan;
  detail::plan_einsum(plan, equation, {shapes, inputs.size()});
  detail::run_einsum(ctx, plan, data, y);
}

}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/ops/linear_algebra/impl/einsum.hpp>
#endif

#pragma once

#include <flowgraph/ops/image/detail/sampling_kernel.hpp>
#include <flowgraph/ops/shared/detail/shape_rule.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

FLOWGRAPH_COLD inline bool are_pairs_of_numbers(shape_context& c, const shape& scale, const shape& translation) {
  if (fits(scale, shape{2}) && fits(translation, shape{2})) return true;
  return fail_check(c, "scale and translation must have two elements");
}

FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE shape scaled_shape(shape_context& c, const shape& x, const shape& size, const shape& scale,
                                                          const shape& translation) {
  return are_pairs_of_numbers(c, scale, translation) ? resized_shape(c, x, size) : shape::unknown();
}

FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE shape scale_gradient_shape(shape_context& c, const shape& dy, const shape& x,
                                                                  const shape& scale, const shape& translation) {
  const shape four = shape::unknown_of_rank(4);
  if (!are_pairs_of_numbers(c, scale, translation)) return four;
  if (!fits(dy, four) || !fits(x, four)) return c.fail("grads and original_image must have four axes");
  shape result = merged(x, four);
  result[0] = merged(dy, four)[0];
  result[3] = merged(dy, four)[3];
  return result;
}

// Returns the memory for sources that are images, or the gradient. It begins with the normalizations of its rows and columns.
FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE std::size_t scale_scratch(const shape& source) {
  return static_cast<std::size_t>(source[1] + source[2] + span_floats_of_parts(source)) * sizeof(float);
}

FLOWGRAPH_COLD inline bool are_positive_scales(cpu ctx, view<const float> scale) {
  if (scale[0] > 0 && scale[1] > 0) return true;
  return fail_check(ctx, message{"scale must be positive, found ", std::to_string(scale[0]), " and ", std::to_string(scale[1])});
}

inline void scale_images(cpu ctx, const scale_attributes& a, const shape& from, view<const float> scale,
                         view<const float> translation, const span_sources& images, view<float> y) {
  if (!are_positive_scales(ctx, scale) || y.size() == 0) return;
  const forward_spans rows{{a, from[1], y.dim(1), scale[0], translation[0]}};
  const forward_spans columns{{a, from[2], y.dim(2), scale[1], translation[1]}};
  sum_spans(ctx, rows, columns, from[0], from[3], images, 1.0f, ctx.scratch<float>(), y.data());
}

}  // namespace detail

template <class T>
void scale_and_translate_op::operator()(cpu ctx, view<const T> x, view<const std::int32_t>, view<const float> scale,
                                        view<const float> translation, view<float> y) const {
  detail::scale_images(ctx, *this, x.shape(), scale, translation, detail::span_sources::of(x.data()), y);
}

template <class T>
void scale_and_translate_grad_op::operator()(cpu ctx, view<const T> dy, view<const T>, view<const float> scale,
                                             view<const float> translation, view<T> dx) const {
  if (!detail::are_positive_scales(ctx, scale) || dx.size() == 0) return;
  float *const row_factors = ctx.scratch<float>(), *const column_factors = row_factors + dy.dim(1);
  const detail::backward_spans rows{{*this, dx.dim(1), dy.dim(1), scale[0], translation[0]}, row_factors};
  const detail::backward_spans columns{{*this, dx.dim(2), dy.dim(2), scale[1], translation[1]}, column_factors};
  for (std::int64_t i = 0; i < dy.dim(1); ++i) row_factors[i] = rows.axis.normalization(i);
  for (std::int64_t i = 0; i < dy.dim(2); ++i) column_factors[i] = columns.axis.normalization(i);
  detail::sum_spans(ctx, rows, columns, dx.dim(0), dx.dim(3), detail::span_sources::of(dy.data()), 1.0f,
                    column_factors + dy.dim(2), dx.data());
}

}  // namespace flowgraph

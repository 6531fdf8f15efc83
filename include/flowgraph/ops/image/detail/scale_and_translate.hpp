#pragma once

#include <flowgraph/ops/image/detail/sampling_kernel.hpp>
#include <flowgraph/ops/shared/detail/shape_rule.hpp>

#include <flowgraph/hide_names.hpp>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

namespace detail {

FLOWGRAPH_COLD inline bool are_pairs_of_numbers(shape_context& c, const shape& scale, const shape& translation) {
  if (fits(scale, shape{2}) && fits(translation, shape{2})) return true;
  c.fail("scale and translation must have two elements");
  return false;
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
  shape made = merged(x, four);
  made[0] = merged(dy, four)[0];
  made[3] = merged(dy, four)[3];
  return made;
}

// The weights of columns that are computed together.
inline std::int64_t floats_of_weights(std::int64_t sources) { return std::max<std::int64_t>(sources, 4096); }
// The memory of a part: the weights of a row and of columns, and a mixed row.
inline std::int64_t scale_floats(std::int64_t rows, std::int64_t columns, std::int64_t depth) {
  return rows + floats_of_weights(columns) + columns * depth;
}

// The sources are images, or the gradient. The first elements are the normalizations of its rows and columns.
FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE std::size_t scale_scratch(const shape& source) {
  return static_cast<std::size_t>(source[1] + source[2] + most_parts * scale_floats(source[1], source[2], source[3])) *
         sizeof(float);
}

template <class T> void add_scaled_row(const void* row, std::int64_t begin, std::int64_t n, float weight, float* __restrict y) {
  const T* const x = static_cast<const T*>(row) + begin;
  for (std::int64_t i = 0; i < n; ++i) y[i] += weight * static_cast<float>(x[i]);
}

// A source of floats for columns, and the columns that are computed from it.
struct column_spans {
  std::int64_t count = 0;
  pixel_span at[most_columns];
  float* weights[most_columns];
  pixel_span all;  // that any of them needs

  // As many columns as there is memory for, at least one.
  template <class Spans> void set(const Spans& columns, std::int64_t first, float* memory) {
    const std::int64_t room = floats_of_weights(columns.sources());
    std::int64_t used = 0;
    all = {};
    for (count = 0; count < most_columns && first + count < columns.made(); ++count) {
      if (count > 0 && used + columns.sources() > room) break;
      const pixel_span s = columns.find(first + count, memory + used);
      at[count] = s;
      weights[count] = memory + used;
      used += s.end - s.begin;
      if (s.begin == s.end) continue;
      all = all.begin == all.end ? s : pixel_span{std::min(all.begin, s.begin), std::max(all.end, s.end)};
    }
  }
};

// Weights the pixels of a mixed row, which begins with the first pixel that a column needs. If Depth is not 0, it is the number of
// channels.
template <std::int64_t Depth> void mix_spans_of(const column_spans& spans, const float* mixed, std::int64_t depth, float* y) {
  for (std::int64_t i = 0; i < spans.count; ++i, y += depth) {
    const pixel_span s = spans.at[i];
    const float* const weights = spans.weights[i];
    const float* from = mixed + (s.begin - spans.all.begin) * depth;
    if constexpr (Depth == 0) {
      std::fill_n(y, depth, 0.0f);
      for (std::int64_t k = 0; k < s.end - s.begin; ++k, from += depth) add_scaled_row<float>(from, 0, depth, weights[k], y);
    } else {
      float sums[static_cast<std::size_t>(Depth)] = {};
      for (std::int64_t k = 0; k < s.end - s.begin; ++k, from += Depth)
        for (std::int64_t c = 0; c < Depth; ++c) sums[c] += weights[k] * from[c];
      std::copy_n(sums, Depth, y);
    }
  }
}
inline void mix_spans(const column_spans& spans, const float* mixed, std::int64_t depth, float* y) {
  switch (depth) {
    case 1: return mix_spans_of<1>(spans, mixed, depth, y);
    case 3: return mix_spans_of<3>(spans, mixed, depth, y);
    case 4: return mix_spans_of<4>(spans, mixed, depth, y);
    default: return mix_spans_of<0>(spans, mixed, depth, y);
  }
}

using row_adder = void (*)(const void* row, std::int64_t begin, std::int64_t n, float weight, float* y);

// Rows are mixed first, then columns, as in TensorFlow.
template <class Spans>
void gather_spans(cpu ctx, const Spans& rows, const Spans& columns, std::int64_t images, std::int64_t depth, const std::byte* x,
                  std::size_t bytes_per_element, row_adder add, float* memory, float* y) {
  const std::int64_t width = columns.sources() * depth, floats = scale_floats(rows.sources(), columns.sources(), depth);
  const std::int64_t work = 4 * (width + columns.made() * depth);
  for_parts_of_rows(ctx, images * rows.made(), work, [&](std::int64_t part, std::int64_t first, std::int64_t last) {
    float* const row_weights = memory + part * floats;
    float* const column_weights = row_weights + rows.sources();
    float* const mixed = column_weights + floats_of_weights(columns.sources());
    column_spans spans;
    for (std::int64_t column = 0; column < columns.made(); column += spans.count) {
      spans.set(columns, column, column_weights);
      const std::int64_t begin = spans.all.begin, n = (spans.all.end - begin) * depth;
      for (std::int64_t row = first; row < last; ++row) {
        const pixel_span from = rows.find(row % rows.made(), row_weights);
        std::fill_n(mixed, n, 0.0f);
        for (std::int64_t k = from.begin; k < from.end; ++k) {
          const std::size_t at = static_cast<std::size_t>((row / rows.made() * rows.sources() + k) * width) * bytes_per_element;
          add(x + at, begin * depth, n, row_weights[k - from.begin], mixed);
        }
        float* to = y + (row * columns.made() + column) * depth;
        for (std::int64_t i = 0; i < spans.count; ++i, to += depth) {
          std::fill_n(to, depth, 0.0f);
          const pixel_span s = spans.at[i];
          for (std::int64_t k = s.begin; k < s.end; ++k)
            add_scaled_row<float>(mixed, (k - begin) * depth, depth, spans.weights[i][k - s.begin], to);
        }
      }
    }
  });
}

FLOWGRAPH_COLD inline bool are_positive_scales(cpu ctx, view<const float> scale) {
  if (scale[0] > 0 && scale[1] > 0) return true;
  ctx.fail(error_code::invalid_argument,
           message{"scale must be positive, found ", std::to_string(scale[0]), " and ", std::to_string(scale[1])});
  return false;
}

inline void scale_images(cpu ctx, const scale_attributes& a, const shape& from, view<const float> scale,
                         view<const float> translation, const void* x, std::size_t bytes_per_element, row_adder add,
                         view<float> y) {
  if (!are_positive_scales(ctx, scale) || y.size() == 0) return;
  const forward_spans rows{{a, from[1], y.dim(1), scale[0], translation[0]}};
  const forward_spans columns{{a, from[2], y.dim(2), scale[1], translation[1]}};
  gather_spans(ctx, rows, columns, from[0], from[3], static_cast<const std::byte*>(x), bytes_per_element, add,
               ctx.scratch<float>(), y.data());
}

}  // namespace detail

template <class T>
void scale_and_translate_op::operator()(cpu ctx, view<const T> x, view<const std::int32_t>, view<const float> scale,
                                        view<const float> translation, view<float> y) const {
  detail::scale_images(ctx, *this, x.shape(), scale, translation, x.data(), sizeof(T), &detail::add_scaled_row<T>, y);
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
  detail::gather_spans(ctx, rows, columns, dx.dim(0), dx.dim(3), reinterpret_cast<const std::byte*>(dy.data()), sizeof(T),
                       &detail::add_scaled_row<T>, column_factors + dy.dim(2), dx.data());
}

}
}  // namespace flowgraph

#include <flowgraph/show_names.hpp>

#pragma once

#include <flowgraph/ops/shared/detail/elementwise.hpp>
#include <flowgraph/ops/nn/batch_norm.hpp>

#include <algorithm>
#include <cmath>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// Columns that are treated at a time, and elements that stay in a cache while they are read twice.
inline constexpr std::int64_t slab_columns = 512, slab_elements = 1 << 14;

// A matrix within a tensor: each column is of one channel, and rows lie `step` apart.
struct channel_slab {
  std::int64_t at, rows, columns, step;

  // Rows that lie behind each other go several at once, as one.
  std::int64_t together() const { return columns == step ? std::clamp<std::int64_t>(slab_columns / columns, 1, rows) : 1; }
  // Calls f(offset, elements) for them.
  template <class F> void for_each_run(F&& f) const {
    const std::int64_t some = together();
    for (std::int64_t row = 0; row < rows; row += some) f(at + row * step, std::min(some, rows - row) * columns);
  }
};

// A number a column, repeated for rows that go together.
struct channel_row {
  alignas(64) float elements[slab_columns];

  void fill(const channel_slab& s, const float* of_columns) {
    if (s.columns == 1) std::fill_n(elements, s.together(), *of_columns);
    else
      for (std::int64_t i = 0; i < s.together(); ++i) std::copy_n(of_columns, s.columns, elements + i * s.columns);
  }
  void clear(const channel_slab& s) { std::fill_n(elements, s.together() * s.columns, 0.f); }
};

// How a tensor is cut, by its shape alone: a task has some channels, and a part of their elements.
struct channel_tasks {
  static constexpr std::int64_t most_parts = 64, least_elements = 1 << 15;
  bool channels_first;
  std::int64_t outer = 1, channels = 0, inner = 1, chunk = 1, chunks = 0, parts = 1;

  channel_tasks(const shape& x, bool first) : channels_first(first) {
    const int axis = first ? 1 : x.rank - 1;
    channels = x[axis];
    for (int i = 0; i < axis; ++i) outer *= x[i];
    for (int i = axis + 1; i < x.rank; ++i) inner *= x[i];
    const std::int64_t each = outer * inner;
    if (channels == 0 || each == 0) return;
    chunk = std::min(channels, slab_columns);
    if (first) chunk = std::min(chunk, std::max<std::int64_t>(1, slab_elements / each));
    chunks = (channels + chunk - 1) / chunk;
    parts = std::clamp<std::int64_t>(each / least_elements * chunk + each % least_elements * chunk / least_elements, 1,
                                     std::min(most_parts, outer));
  }
  std::int64_t size() const { return chunks * parts; }
  std::int64_t count() const { return outer * inner; }  // of elements a channel
  std::int64_t part(std::int64_t task) const { return task / chunks; }
  std::int64_t first_channel(std::int64_t task) const { return task % chunks * chunk; }
  std::int64_t channels_of(std::int64_t task) const { return std::min(chunk, channels - first_channel(task)); }

  // Calls f(slab, column of the task that is the slab's first one), in order.
  template <class F> void for_each_slab(std::int64_t task, F&& f) const {
    const std::int64_t each = (outer + parts - 1) / parts, begin = part(task) * each, end = std::min(begin + each, outer);
    const std::int64_t first = first_channel(task), n = channels_of(task);
    if (!channels_first) {
      const std::int64_t rows = std::max<std::int64_t>(1, slab_elements / n);
      for (std::int64_t row = begin; row < end; row += rows)
        f(channel_slab{row * channels + first, std::min(rows, end - row), n, channels}, 0);
      return;
    }
    for (std::int64_t column = 0; column < n; ++column)
      for (std::int64_t i = begin; i < end; ++i)
        for (std::int64_t row = 0; row < inner; row += slab_elements)
          f(channel_slab{(i * channels + first + column) * inner + row, std::min(slab_elements, inner - row), 1, 1}, column);
  }
};

// Loops over floats at the level of the processor.
struct float_loops {
  using loop = void (*)(const float*, const float*, float*, std::int64_t);
  loop add = kernel::binary_loop<functor::add, float>().both, sub = kernel::binary_loop<functor::sub, float>().both,
       mul = kernel::binary_loop<functor::mul, float>().both,
       squared_difference = kernel::binary_loop<functor::squared_difference, float>().both;

  void add_row(float* total, const float* x, std::int64_t n) const { add(total, x, total, n); }

  // Adds up what goes together: a sum a column is left.
  void fold(const channel_slab& s, channel_row& sums) const {
    for (std::int64_t some = s.together(); some > 1;) {
      const std::int64_t half = (some + 1) / 2;
      add_row(sums.elements, sums.elements + half * s.columns, (some - half) * s.columns);
      some = half;
    }
  }
};

// n elements as floats: where they are, or in `room`.
template <class T> const float* as_floats(const T* x, std::int64_t n, channel_row& room) {
  if constexpr (std::is_same_v<T, float>) {
    return x;
  } else {
    widen(x, room.elements, n);
    return room.elements;
  }
}
template <class T> float* floats_of(T* y, channel_row& room) {
  if constexpr (std::is_same_v<T, float>) return y;
  else return room.elements;
}
template <class T> void put_floats(const float* from, T* y, std::int64_t n) {
  if constexpr (!std::is_same_v<T, float>) narrow(from, y, n);
}

// How many elements were seen, their mean, and the sum of their squared distances from it.
struct moments {
  double count = 0, mean = 0, squares = 0;

  void join(double n, double other_mean, double other_squares) {
    const double distance = other_mean - mean, both = count + n;
    mean += distance * (n / both);
    squares += other_squares + distance * distance * (count * n / both);
    count = both;
  }
};
// Sums of the gradient, and of its products with the distances from the mean.
struct gradient_sums {
  double sum = 0, product = 0;
};

template <class T> void find_moments(const float_loops& loops, const channel_slab& s, const T* x, moments* of_columns) {
  channel_row sums, squares, room;
  sums.clear(s);
  s.for_each_run([&](std::int64_t at, std::int64_t n) { loops.add_row(sums.elements, as_floats(x + at, n, room), n); });
  loops.fold(s, sums);
  float means[slab_columns];
  for (std::int64_t i = 0; i < s.columns; ++i) means[i] = sums.elements[i] / static_cast<float>(s.rows);
  sums.fill(s, means);
  squares.clear(s);
  s.for_each_run([&](std::int64_t at, std::int64_t n) {
    loops.squared_difference(as_floats(x + at, n, room), sums.elements, room.elements, n);
    loops.add_row(squares.elements, room.elements, n);
  });
  loops.fold(s, squares);
  for (std::int64_t i = 0; i < s.columns; ++i)
    of_columns[i].join(static_cast<double>(s.rows), static_cast<double>(means[i]), static_cast<double>(squares.elements[i]));
}

template <class T>
void find_gradient_sums(const float_loops& loops, const channel_slab& s, const T* dy, const T* x, const float* means,
                        gradient_sums* of_columns) {
  channel_row mean, sums, products, room, dy_room;
  mean.fill(s, means);
  sums.clear(s);
  products.clear(s);
  s.for_each_run([&](std::int64_t at, std::int64_t n) {
    const float* arrived = as_floats(dy + at, n, dy_room);
    loops.add_row(sums.elements, arrived, n);
    loops.sub(as_floats(x + at, n, room), mean.elements, room.elements, n);
    loops.mul(room.elements, arrived, room.elements, n);
    loops.add_row(products.elements, room.elements, n);
  });
  loops.fold(s, sums);
  loops.fold(s, products);
  for (std::int64_t i = 0; i < s.columns; ++i) {
    of_columns[i].sum += static_cast<double>(sums.elements[i]);
    of_columns[i].product += static_cast<double>(products.elements[i]);
  }
}

// y = (x - shift) * factor + offset, by channels
template <class T>
void normalize(const float_loops& loops, const channel_slab& s, const T* x, const float* shifts, const float* factors,
               const float* offsets, T* y) {
  channel_row shift, factor, offset, room;
  shift.fill(s, shifts);
  factor.fill(s, factors);
  offset.fill(s, offsets);
  s.for_each_run([&](std::int64_t at, std::int64_t n) {
    float* to = floats_of(y + at, room);
    loops.sub(as_floats(x + at, n, room), shift.elements, to, n);
    loops.mul(to, factor.elements, to, n);
    loops.add(to, offset.elements, to, n);
    put_floats(to, y + at, n);
  });
}

// What stands in the way of the gradient: dx = (dy - mean - (x - shift) slope) factor, by channels.
struct gradient_terms {
  const float *means, *shifts, *slopes, *factors;
};
template <class T>
void pass_gradient(const float_loops& loops, const channel_slab& s, const T* dy, const T* x, const gradient_terms& t, T* dx) {
  channel_row mean, shift, slope, factor, room, dy_room;
  mean.fill(s, t.means);
  shift.fill(s, t.shifts);
  slope.fill(s, t.slopes);
  factor.fill(s, t.factors);
  s.for_each_run([&](std::int64_t at, std::int64_t n) {
    const float* arrived = as_floats(dy + at, n, dy_room);
    loops.sub(as_floats(x + at, n, room), shift.elements, room.elements, n);
    loops.mul(room.elements, slope.elements, room.elements, n);
    loops.sub(arrived, room.elements, room.elements, n);
    loops.sub(room.elements, mean.elements, room.elements, n);
    float* to = floats_of(dx + at, room);
    loops.mul(room.elements, factor.elements, to, n);
    put_floats(to, dx + at, n);
  });
}

// Statistics are vectors of floats, an element a channel.
struct batch_statistics {
  const float *scale = nullptr, *offset = nullptr, *mean = nullptr, *variance = nullptr;
  float *new_mean = nullptr, *new_variance = nullptr, *saved_mean = nullptr, *saved_variance = nullptr;
};
struct batch_norm_room {
  moments* parts;  // gradient_sums, too: they are smaller
  float *first, *second, *third;

  batch_norm_room(cpu ctx, const channel_tasks& t) : parts(ctx.scratch<moments>()) {
    first = reinterpret_cast<float*>(parts + t.parts * t.channels);
    second = first + t.channels;
    third = second + t.channels;
  }
};
// Means and variances of the batch, and the averages with them.
void finish_statistics(const batch_norm_settings& s, const channel_tasks& t, const moments* parts, const batch_statistics& b);
// Scales and offsets' gradients from the sums of all parts, and the terms of dx.
void finish_gradient(const batch_norm_settings& s, const channel_tasks& t, const gradient_sums* parts, const batch_statistics& b,
                     const batch_norm_room& room, float* dscale, float* doffset);
void without_elements(const batch_statistics& b, std::int64_t channels);

template <class T> void run_batch_norm(cpu ctx, const batch_norm_settings& s, view<const T> x, const batch_statistics& b, T* y) {
  const channel_tasks tasks(x.shape(), s.channels_first);
  if (x.size() == 0) return without_elements(b, tasks.channels);
  const float_loops loops;
  const batch_norm_room room(ctx, tasks);
  if (s.training) {
    ctx.parallel_for(tasks.size(), [&](std::int64_t task) {
      moments* of_task = room.parts + tasks.part(task) * tasks.channels + tasks.first_channel(task);
      std::fill_n(of_task, tasks.channels_of(task), moments());
      tasks.for_each_slab(
          task, [&](const channel_slab& slab, std::int64_t column) { find_moments(loops, slab, x.data(), of_task + column); });
    });
  }
  finish_statistics(s, tasks, room.parts, b);
  const float* mean = s.training ? b.saved_mean : b.mean;
  const float* variance = s.training ? b.saved_variance : b.variance;
  for (std::int64_t c = 0; c < tasks.channels; ++c) room.first[c] = b.scale[c] / std::sqrt(variance[c] + s.epsilon);
  ctx.parallel_for(tasks.size(), [&](std::int64_t task) {
    tasks.for_each_slab(task, [&](const channel_slab& slab, std::int64_t column) {
      const std::int64_t c = tasks.first_channel(task) + column;
      normalize(loops, slab, x.data(), mean + c, room.first + c, b.offset + c, y);
    });
  });
}

template <class T>
void run_batch_norm_gradient(cpu ctx, const batch_norm_settings& s, view<const T> dy, view<const T> x, const batch_statistics& b,
                             T* dx, float* dscale, float* doffset) {
  const channel_tasks tasks(x.shape(), s.channels_first);
  if (x.size() == 0) {
    std::fill_n(dscale, tasks.channels, 0.f);
    std::fill_n(doffset, tasks.channels, 0.f);
    return;
  }
  const float_loops loops;
  const batch_norm_room room(ctx, tasks);
  auto* parts = reinterpret_cast<gradient_sums*>(room.parts);
  ctx.parallel_for(tasks.size(), [&](std::int64_t task) {
    const std::int64_t first = tasks.first_channel(task);
    gradient_sums* of_task = parts + tasks.part(task) * tasks.channels + first;
    std::fill_n(of_task, tasks.channels_of(task), gradient_sums());
    tasks.for_each_slab(task, [&](const channel_slab& slab, std::int64_t column) {
      find_gradient_sums(loops, slab, dy.data(), x.data(), b.mean + first + column, of_task + column);
    });
  });
  finish_gradient(s, tasks, parts, b, room, dscale, doffset);
  ctx.parallel_for(tasks.size(), [&](std::int64_t task) {
    tasks.for_each_slab(task, [&](const channel_slab& slab, std::int64_t column) {
      const std::int64_t c = tasks.first_channel(task) + column;
      pass_gradient(loops, slab, dy.data(), x.data(), {room.first + c, b.mean + c, room.second + c, room.third + c}, dx);
    });
  });
}

}  // namespace detail

template <class T>
void fused_batch_norm_op::operator()(cpu ctx, view<const T> x, view<const T> scale, view<const T> offset, view<const T> mean,
                                     view<const T> variance, view<T> y, view<T> new_mean, view<T> new_variance,
                                     view<T> saved_mean, view<T> saved_variance) const {
  detail::run_batch_norm(ctx, settings(), x,
                         {scale.data(), offset.data(), mean.data(), variance.data(), new_mean.data(), new_variance.data(),
                          saved_mean.data(), saved_variance.data()},
                         y.data());
}
template <class T, class U>
void fused_batch_norm_v2_op::operator()(cpu ctx, view<const T> x, view<const U> scale, view<const U> offset, view<const U> mean,
                                        view<const U> variance, view<T> y, view<U> new_mean, view<U> new_variance,
                                        view<U> saved_mean, view<U> saved_variance) const {
  detail::run_batch_norm(ctx, settings(), x,
                         {scale.data(), offset.data(), mean.data(), variance.data(), new_mean.data(), new_variance.data(),
                          saved_mean.data(), saved_variance.data()},
                         y.data());
}
template <class T, class U>
void fused_batch_norm_v3_op::operator()(cpu ctx, view<const T> x, view<const U> scale, view<const U> offset, view<const U> mean,
                                        view<const U> variance, view<T> y, view<U> new_mean, view<U> new_variance,
                                        view<U> saved_mean, view<U> saved_variance, view<U> unused) const {
  unused.scalar() = 0;
  detail::run_batch_norm(ctx, settings(), x,
                         {scale.data(), offset.data(), mean.data(), variance.data(), new_mean.data(), new_variance.data(),
                          saved_mean.data(), saved_variance.data()},
                         y.data());
}

template <class T>
void fused_batch_norm_grad_op::operator()(cpu ctx, view<const T> dy, view<const T> x, view<const T> scale, view<const T> mean,
                                          view<const T> variance, view<T> dx, view<T> dscale, view<T> doffset, view<T>,
                                          view<T>) const {
  detail::run_batch_norm_gradient(ctx, settings(), dy, x, {scale.data(), nullptr, mean.data(), variance.data()}, dx.data(),
                                  dscale.data(), doffset.data());
}
template <class T, class U>
void fused_batch_norm_grad_v2_op::operator()(cpu ctx, view<const T> dy, view<const T> x, view<const float> scale,
                                             view<const U> mean, view<const U> variance, view<T> dx, view<U> dscale,
                                             view<U> doffset, view<U>, view<U>) const {
  detail::run_batch_norm_gradient(ctx, settings(), dy, x, {scale.data(), nullptr, mean.data(), variance.data()}, dx.data(),
                                  dscale.data(), doffset.data());
}
template <class T, class U>
void fused_batch_norm_grad_v3_op::operator()(cpu ctx, view<const T> dy, view<const T> x, view<const float> scale,
                                             view<const U> mean, view<const U> variance, view<const U>, view<T> dx,
                                             view<U> dscale, view<U> doffset, view<U>, view<U>) const {
  detail::run_batch_norm_gradient(ctx, settings(), dy, x, {scale.data(), nullptr, mean.data(), variance.data()}, dx.data(),
                                  dscale.data(), doffset.data());
}

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/ops/nn/impl/batch_norm.hpp>
#endif

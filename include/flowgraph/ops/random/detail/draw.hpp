#pragma once
// The beginning of a call in its random stream, and tensors filled from there, in any number of threads.

#include <flowgraph/core/name_key.hpp>
#include <flowgraph/graph/node.hpp>
#include <flowgraph/ops/random/detail/philox.hpp>
#include <flowgraph/ops/kernel/dispatch.hpp>
#include <flowgraph/ops/random/random.hpp>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

// Blocks of the stream that one element reserves, as in TensorFlow, used or not.
inline constexpr std::uint64_t blocks_per_element = 256;
inline constexpr std::int64_t drawn_per_block = 1 << 12;

// Returns the stream of a node without a seed. It depends on the node's name.
inline std::uint64_t stream_of_name(cpu ctx) { return key_of_name(ctx.at() ? ctx.at()->name : std::string_view()); }

// Returns the stream at the beginning of this call of the node, which reserves `blocks` of it.
inline philox source_with(cpu ctx, const random_seeds& seeds, std::uint64_t blocks) {
  auto key = static_cast<std::uint64_t>(seeds.seed), stream = static_cast<std::uint64_t>(seeds.seed2);
  if (key == 0 && stream == 0) stream = stream_of_name(ctx);
  philox source(key ^ ctx.iteration(), stream);
  // Calls use successive parts of one stream, as in TensorFlow. In a loop, each later iteration has its own stream.
  source.skip(ctx.iteration() == 0 ? ctx.set_aside(blocks) : ctx.ordinal() * blocks);
  return source;
}
inline philox source_of(cpu ctx, const random_seeds& seeds, std::size_t size) {
  return source_with(ctx, seeds, size * blocks_per_element);
}

// Fills y in groups of numbers_per_block<T>. draw(first) returns a function that makes the groups from `first` on, in order.
template <class T, class Draw> void fill_in_groups(cpu ctx, view<T> y, const Draw& draw) {
  constexpr std::int64_t each = numbers_per_block<T>;
  const auto size = static_cast<std::int64_t>(y.size());
  ctx.parallel_ranges((size + each - 1) / each, drawn_per_block / each, [&](std::int64_t first, std::int64_t last) {
    auto fill = draw(first);
    for (std::int64_t group = first; group < last; ++group) {
      if ((group + 1) * each <= size) {
        fill(group, y.data() + group * each);
      } else {
        T last_group[std::uint64_t{each}];
        fill(group, last_group);
        for (std::int64_t i = group * each; i < size; ++i) y[static_cast<std::size_t>(i)] = last_group[i - group * each];
      }
    }
  });
}

template <class T, class Distribution>
void draw_blocks(cpu ctx, const philox& start, view<T> y, const Distribution& distribution) {
  fill_in_groups(ctx, y, [&](std::int64_t first) {
    philox source = start;
    source.skip(static_cast<std::uint64_t>(first));
    return [&distribution, source](std::int64_t, T* drawn) mutable { distribution.draw(source(), drawn); };
  });
}

// Fewer numbers are drawn one by one, because kernels make 256 at a time.
inline constexpr std::size_t few_numbers = 64;

// Draws the same numbers as normal_distribution<float>, many at a time.
inline void draw_normal_floats(cpu ctx, const philox& start, view<float> y) {
  constexpr std::int64_t each = numbers_per_block<float>;
  const auto size = static_cast<std::int64_t>(y.size());
  const auto normal = kernel::dispatch([]<class L>(L) { return &L::template normal<float>; });
  ctx.parallel_ranges((size + each - 1) / each, drawn_per_block / each, [&](std::int64_t first, std::int64_t last) {
    philox source = start;
    source.skip(static_cast<std::uint64_t>(first));
    const std::int64_t whole = std::min(last, size / each);
    normal(source.key(), source.place_low(), source.place_high(), y.data() + first * each, whole - first);
    if (whole == last) return;
    source.skip(static_cast<std::uint64_t>(whole - first));
    float rest[each];
    normal(source.key(), source.place_low(), source.place_high(), rest, 1);
    std::copy_n(rest, size - whole * each, y.data() + whole * each);
  });
}

template <class T> void draw_normal(cpu ctx, const philox& start, view<T> y) {
  if constexpr (std::is_same_v<T, float>)
    if (y.size() > few_numbers) return draw_normal_floats(ctx, start, y);
  draw_blocks(ctx, start, y, normal_distribution<T>{});
}

template <class T> void draw_truncated(cpu ctx, const philox& start, view<T> y) {
  fill_in_groups(ctx, y, [&](std::int64_t) {
    return [&start](std::int64_t group, T* drawn) {
      philox source = start;
      source.skip(static_cast<std::uint64_t>(group) * numbers_per_block<T> * blocks_per_element / 4);
      truncated_distribution<T>::draw(source, drawn);
    };
  });
}

template <drawn_distribution Distribution, class T> void draw_numbers(cpu ctx, const philox& start, view<T> y) {
  if constexpr (Distribution == drawn_distribution::unit) draw_blocks(ctx, start, y, unit_distribution<T>{});
  else if constexpr (Distribution == drawn_distribution::normal) draw_normal(ctx, start, y);
  else if constexpr (Distribution == drawn_distribution::truncated) draw_truncated(ctx, start, y);
  else draw_blocks(ctx, start, y, bits_distribution<T>{});
}

// Draws from [first, end), which is not empty.
template <class T> void draw_range(cpu ctx, const philox& start, T first, T end, view<T> y) {
  using bits = std::make_unsigned_t<T>;
  const auto size = static_cast<bits>(static_cast<bits>(end) - static_cast<bits>(first));
  draw_blocks(ctx, start, y, range_distribution<T>{first, size});
}
template <class T> bool check_bounds(cpu ctx, T first, T end) {
  if (first < end) return true;
  return fail_check(ctx, message{"need minval < maxval, found ", first, " and ", end});
}

}  // namespace flowgraph::detail

#include <flowgraph/show_names.hpp>

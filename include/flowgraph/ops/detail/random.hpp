#pragma once

#include <flowgraph/graph/node.hpp>
#include <flowgraph/ops/detail/philox.hpp>
#include <flowgraph/ops/detail/shape_rule.hpp>
#include <flowgraph/ops/kernel/dispatch.hpp>
#include <flowgraph/ops/random/random.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// As many blocks of the stream belong to one element as TensorFlow sets aside, whether they are used or not.
inline constexpr std::uint64_t blocks_per_element = 256;
inline constexpr std::int64_t drawn_per_block = 1 << 12;

// Where this call of the node begins to draw.
inline philox source_of(cpu ctx, const random_seeds& seeds, std::size_t size) {
  auto key = static_cast<std::uint64_t>(seeds.seed), stream = static_cast<std::uint64_t>(seeds.seed2);
  if (key == 0 && stream == 0) {  // unseeded nodes differ by their names
    stream = 0xcbf29ce484222325u;
    if (ctx.at())
      for (const char c : ctx.at()->name) stream = (stream ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  }
  philox source(key ^ ctx.iteration(), stream);
  // One stream after the other, as in TensorFlow; of a loop's later iterations each has a stream of its own.
  const std::uint64_t blocks = size * blocks_per_element;
  source.skip(ctx.iteration() == 0 ? ctx.set_aside(blocks) : ctx.ordinal() * blocks);
  return source;
}

// Fills y in groups of numbers_per_block<T>: draw(first) gives what makes group after group from there.
template <class T, class Draw> void fill_in_groups(cpu ctx, view<T> y, const Draw& draw) {
  constexpr std::int64_t each = numbers_per_block<T>;
  const auto size = static_cast<std::int64_t>(y.size());
  ctx.parallel_ranges((size + each - 1) / each, drawn_per_block / each, [&](std::int64_t first, std::int64_t last) {
    auto fill = draw(first);
    for (std::int64_t group = first; group < last; ++group) {
      if ((group + 1) * each <= size) {
        fill(group, y.data() + group * each);
      } else {
        T last_group[each];
        fill(group, last_group);
        for (std::int64_t i = group * each; i < size; ++i) y[static_cast<std::size_t>(i)] = last_group[i - group * each];
      }
    }
  });
}

template <class T, class Distribution>
void draw_blocks(cpu ctx, const random_seeds& seeds, view<T> y, const Distribution& distribution) {
  const philox start = source_of(ctx, seeds, y.size());
  fill_in_groups(ctx, y, [&](std::int64_t first) {
    philox source = start;
    source.skip(static_cast<std::uint64_t>(first));
    return [&distribution, source](std::int64_t, T* drawn) mutable { distribution.draw(source(), drawn); };
  });
}

// Fewer are drawn one by one: kernels make 256 at a time.
inline constexpr std::size_t few_numbers = 64;

// The same numbers as normal_distribution<float>, many at a time.
inline void draw_normal_floats(cpu ctx, const random_seeds& seeds, view<float> y) {
  constexpr std::int64_t each = 4;
  const philox start = source_of(ctx, seeds, y.size());
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

}  // namespace detail

FLOWGRAPH_INLINE detail::random_seeds detail::seeds_in(const graph& g, std::optional<std::int64_t> own) {
  random_seeds seeds{g.seed(), own ? *own : static_cast<std::int64_t>(g.size())};
  if (seeds.seed == 0 && seeds.seed2 == 0) seeds.seed2 = 0x7fffffff;  // both 0 would mean no seed
  return seeds;
}

FLOWGRAPH_INLINE flowgraph::shape detail::random_shape(shape_context& c, const flowgraph::shape& dims) {
  const flowgraph::shape extents = vector_of_integers(c, 0, dims, "the shape");
  if (c.failed()) return extents;
  if (!extents.has_rank())
    return dims.rank == 1 && dims[0] >= 0 ? shape::unknown_of_rank(static_cast<int>(dims[0])) : shape::unknown();
  for (const std::int64_t extent : extents)
    if (extent < 0) return c.fail(words{"extents must not be negative, found ", extent});
  return extents;
}

FLOWGRAPH_INLINE out<std::int32_t> detail::dims_in(const graph& g, const shape& extents, std::string_view kind, const site& s) {
  const std::string name = words{s.name.empty() ? kind : s.name, "/shape"};
  tensor<std::int32_t> values(shape{extents.rank < 0 ? 0 : extents.rank});
  for (int i = 0; i < extents.rank; ++i) values.writable()[static_cast<std::size_t>(i)] = static_cast<std::int32_t>(extents[i]);
  return constant_in(g.state(), values, {name, s.location});
}

template <class T, class I> void random_uniform_op::operator()(cpu ctx, view<const I>, view<T> y) const {
  detail::draw_blocks(ctx, *this, y, detail::unit_distribution<T>{});
}

template <class T, class I> void random_standard_normal_op::operator()(cpu ctx, view<const I>, view<T> y) const {
  if constexpr (std::is_same_v<T, float>)
    if (y.size() > detail::few_numbers) return detail::draw_normal_floats(ctx, *this, y);
  detail::draw_blocks(ctx, *this, y, detail::normal_distribution<T>{});
}

template <class T, class I> void truncated_normal_op::operator()(cpu ctx, view<const I>, view<T> y) const {
  const detail::philox start = detail::source_of(ctx, *this, y.size());
  detail::fill_in_groups(ctx, y, [&](std::int64_t) {
    return [&start](std::int64_t group, T* drawn) {
      detail::philox source = start;
      source.skip(static_cast<std::uint64_t>(group) * detail::numbers_per_block<T> * detail::blocks_per_element / 4);
      detail::truncated_distribution<T>::draw(source, drawn);
    };
  });
}

template <class T, class I>
void random_uniform_int_op::operator()(cpu ctx, view<const I>, view<const T> minval, view<const T> maxval, view<T> y) const {
  const T first = minval.scalar(), end = maxval.scalar();
  if (first >= end) return ctx.fail(error_code::invalid_argument, words{"need minval < maxval, found ", first, " and ", end});
  using bits = std::make_unsigned_t<T>;
  const auto size = static_cast<bits>(static_cast<bits>(end) - static_cast<bits>(first));
  detail::draw_blocks(ctx, *this, y, detail::range_distribution<T>{first, size});
}

}  // namespace flowgraph

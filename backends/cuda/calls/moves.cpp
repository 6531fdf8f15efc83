// Calls of moves: each copies elements with steps that follow from the op and from its arguments on the host.
#include <cuda/calls/gpu_call.hpp>
#include <cuda/calls/layout.hpp>

#include <flowgraph/cuda/pack.hpp>
#include <flowgraph/ops/array/detail/strided.hpp>

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {
namespace cuda {

namespace {

using moved_axes = axes<2, max_moved_axes>;

void* address(const any_tensor& t, std::int64_t element) {
  return static_cast<char*>(const_cast<void*>(t.data())) + element * static_cast<std::int64_t>(size_of(t.type()));
}

void move(const gpu_call& c, const moved_axes& all, const void* x, void* y, std::int64_t size) {
  move_arguments m;
  m.x = x;
  m.y = y;
  m.size = size;
  all.write(m.rank, m.extents);
  all.write_steps(0, m.from_steps);
  all.write_steps(1, m.to_steps);
  c.launch_each(c.record().function, size, m);
}

// Moves x as a whole: `axis(i, step)` returns the source's step and its first element along axis i of y.
struct source_axis {
  std::int64_t step, first = 0;
};
template <class F> void move_to_whole(const gpu_call& c, F&& axis) {
  const any_tensor& y = c.out();
  const steps_of to(y.shape());
  moved_axes all;
  std::int64_t first = 0;
  for (int i = 0; i < y.shape().rank; ++i) {
    const source_axis from = axis(i);
    all.add(y.shape()[i], {from.step, to[i]});
    first += from.first;
  }
  move(c, all, address(c.in(0), y.size() == 0 ? 0 : first), c.out().data(), size_of_tensor(y));
}

// If the elements that follow each other in x are along another axis than the last one of y, both axes are cut into tiles.
bool move_tiles(const gpu_call& c, const moved_axes& all) {
  const std::int64_t side = size_of(c.out().type()) <= 4 ? 32 : 16;
  move_arguments m;
  m.x = c.in(0).data();
  m.y = c.out().data();
  all.write(m.rank, m.extents);
  all.write_steps(0, m.from_steps);
  all.write_steps(1, m.to_steps);
  const int last = m.rank - 1;
  int inner = 0;
  while (inner < last && m.from_steps[inner] != 1) ++inner;
  if (inner >= last || m.extents[inner] < side / 2 || m.extents[last] < side / 2) return false;
  for (std::int64_t* const axes : {m.extents, m.from_steps, m.to_steps}) std::rotate(axes + inner, axes + inner + 1, axes + last);
  const auto tiles = [&](int axis) { return gpu_call::parts_of(m.extents[axis], side); };
  std::int64_t blocks = tiles(last - 1) * tiles(last);
  for (int i = 0; i < last - 1; ++i) blocks *= m.extents[i];
  c.launch(c.record().second, blocks, m);
  return true;
}

void transpose(const gpu_call& c) {
  const shape& y = c.out().shape();
  const steps_of from(c.in(0).shape()), to(y);
  const any_indices order = c.integers(1);
  moved_axes all;
  for (int i = 0; i < y.rank; ++i) all.add(y[i], {from[static_cast<int>(order[i] < 0 ? order[i] + y.rank : order[i])], to[i]});
  if (y.size() == 0 || move_tiles(c, all)) return;
  move(c, all, c.in(0).data(), c.out().data(), size_of_tensor(c.out()));
}

void slice(const gpu_call& c) {
  const steps_of from(c.in(0).shape());
  const any_indices begin = c.integers(1);
  move_to_whole(c, [&](int i) { return source_axis{from[i], begin[i] * from[i]}; });
}

void broadcast_to(const gpu_call& c) {
  const shape& x = c.in(0).shape();
  const steps_of from(x);
  move_to_whole(c, [&](int i) { return source_axis{broadcast_step(x, from, i, c.out().shape().rank)}; });
}

void reverse(const gpu_call& c) {
  const shape& x = c.in(0).shape();
  const steps_of from(x);
  const any_indices named = c.integers(1);
  bool turned[shape::max_rank] = {};
  for (std::size_t i = 0; i < named.size(); ++i) turned[named[i] < 0 ? named[i] + x.rank : named[i]] = true;
  move_to_whole(c, [&](int i) { return turned[i] ? source_axis{-from[i], (x[i] - 1) * from[i]} : source_axis{from[i]}; });
}

void pad(const gpu_call& c) {
  const any_tensor &x = c.in(0), &y = c.out();
  const any_indices paddings = c.integers(1);
  fill_arguments filled{nullptr, c.out().data(), size_of_tensor(y)};
  if (c.input_count() == 3) std::memcpy(filled.value, c.in(2).data(), size_of(y.type()));  // a scalar on the host
  c.launch_each(c.record().second, size_of_tensor(y), filled);
  const steps_of from(x.shape()), to(y.shape());
  moved_axes all;
  std::int64_t first = 0;
  for (int i = 0; i < x.shape().rank; ++i) {
    all.add(x.shape()[i], {from[i], to[i]});
    first += paddings[2 * i] * to[i];
  }
  if (x.size() > 0) move(c, all, x.data(), address(y, first), size_of_tensor(x));
}

// Copies a slice with steps out of x; or copies dy to the place of the slice in a tensor of zeros (`into_place`).
void strided(const gpu_call& c, const slice_masks& masks, bool into_place) {
  detail::strided_plan plan;
  const any_tensor& whole = into_place ? c.out() : c.in(0);
  if (!detail::plan_strided(cpu(c.call()), masks, whole.shape(), plan)) return;
  const any_tensor& part = into_place ? c.in(4) : c.out();
  if (into_place) {
    const std::int64_t size = size_of_tensor(c.out());
    c.launch_each(c.record().second, size, fill_arguments{nullptr, c.out().data(), size});
    if (plan.slice != part.shape())
      return c.fail(message{"dy must have the slice's shape ", plan.slice, ", found ", part.shape()});
  }
  if (part.size() == 0) return;
  const steps_of dense(part.shape());
  moved_axes all;
  for (int i = 0; i < part.shape().rank; ++i)
    all.add(part.shape()[i],
            into_place ? moved_axes::steps{dense[i], plan.steps[i]} : moved_axes::steps{plan.steps[i], dense[i]});
  if (into_place) move(c, all, part.data(), address(whole, plan.first), size_of_tensor(part));
  else move(c, all, address(whole, plan.first), c.out().data(), size_of_tensor(part));
}

void tile(const gpu_call& c) {
  const shape& x = c.in(0).shape();
  const steps_of from(x), to(c.out().shape());
  const any_indices multiples = c.integers(1);
  moved_axes all;
  for (int i = 0; i < x.rank; ++i) {
    all.add(multiples[i], {0, x[i] * to[i]});
    all.add(x[i], {from[i], to[i]});
  }
  move(c, all, c.in(0).data(), c.out().data(), size_of_tensor(c.out()));
}

// Both tensors consist of `outer` blocks. Copies `length` elements of each block.
void move_part(const gpu_call& c, const any_tensor& x, std::int64_t from_length, const any_tensor& y, std::int64_t to_length,
               std::int64_t from_first, std::int64_t to_first, std::int64_t outer, std::int64_t length) {
  if (outer * length == 0) return;
  moved_axes all;
  all.add(outer, {from_length, to_length});
  all.add(length, {1, 1});
  move(c, all, address(x, from_first), address(y, to_first), outer * length);
}

int axis_in(std::int64_t axis, int rank) { return static_cast<int>(axis < 0 ? axis + rank : axis); }

// Concatenates `count` inputs along an axis, from input `first` on. Pack adds this axis.
void join(const gpu_call& c, std::uint32_t first, std::uint32_t count, int axis) {
  const shape& y = c.out().shape();
  const std::int64_t outer = product_of(y, 0, axis), whole = product_of(y, axis, y.rank);
  std::int64_t at = 0;
  for (std::uint32_t i = first; i < first + count; ++i) {
    const std::int64_t length = outer == 0 ? 0 : size_of_tensor(c.in(i)) / outer;
    move_part(c, c.in(i), length, c.out(), whole, 0, at, outer, length);
    at += length;
  }
}

// Splits an input along an axis into the outputs.
void cut(const gpu_call& c, const any_tensor& x, int axis) {
  const std::int64_t outer = product_of(x.shape(), 0, axis), whole = product_of(x.shape(), axis, x.shape().rank);
  std::int64_t at = 0;
  for (std::uint32_t i = 0; i < c.output_count(); ++i) {
    const std::int64_t length = outer == 0 ? 0 : size_of_tensor(c.out(i)) / outer;
    move_part(c, x, whole, c.out(i), length, at, 0, outer, length);
    at += length;
  }
}

// Moves the pixels of each block to channels of one pixel, or back. `deep` has more channels, `wide` more pixels.
void move_depth(const gpu_call& c, bool into_channels) {
  const std::int64_t block = c.attribute<std::int64_t>("block_size");
  const bool first = c.attribute<std::string>("data_format") == "NCHW";
  const shape& deep = into_channels ? c.out().shape() : c.in(0).shape();
  const shape& wide = into_channels ? c.in(0).shape() : c.out().shape();
  const steps_of of_deep(deep), of_wide(wide);
  const int rows = first ? 2 : 1, columns = first ? 3 : 2, channels = first ? 1 : 3;
  const std::int64_t depth = wide[channels];
  moved_axes all;
  const auto add = [&](std::int64_t extent, std::int64_t deep_step, std::int64_t wide_step) {
    all.add(extent, into_channels ? moved_axes::steps{wide_step, deep_step} : moved_axes::steps{deep_step, wide_step});
  };
  add(deep[0], of_deep[0], of_wide[0]);
  add(deep[rows], of_deep[rows], block * of_wide[rows]);
  add(deep[columns], of_deep[columns], block * of_wide[columns]);
  add(block, block * depth * of_deep[channels], of_wide[rows]);
  add(block, depth * of_deep[channels], of_wide[columns]);
  add(depth, of_deep[channels], of_wide[channels]);
  move(c, all, c.in(0).data(), c.out().data(), size_of_tensor(c.out()));
}

}  // namespace

void run_one_hot(const gpu_call& c) {
  const shape& y = c.out().shape();
  const int axis = axis_in(c.attribute<std::int64_t>("axis"), y.rank);
  one_hot_arguments h;
  h.index = c.in(0).data();
  h.on = c.in(2).data();
  h.off = c.in(3).data();
  h.y = c.out().data();
  h.size = size_of_tensor(c.out());
  h.depth = y[axis];
  h.inner = product_of(y, axis + 1, y.rank);
  c.launch_each(c.record().function, h.size, h);
}

void run_band(const gpu_call& c) {
  const shape& x = c.in(0).shape();
  band_arguments m;
  m.x = c.in(0).data();
  m.y = c.out().data();
  m.size = size_of_tensor(c.out());
  m.rows = x[-2];
  m.columns = x[-1];
  m.lower = c.integers(1).scalar();
  m.upper = c.integers(2).scalar();
  c.launch_each(c.record().function, m.size, m);
}

void run_slices(const gpu_call& c) {
  const bool reads = c.record().form == kernel_form::gather_slices;
  const any_tensor &index = c.in(reads ? 1 : 0), &x = c.in(reads ? 0 : 1);
  const shape& whole = reads ? x.shape() : c.out().shape();
  const steps_of steps(whole);
  vector_arguments v;
  v.x = x.data();
  v.index = index.data();
  v.y = c.out().data();
  v.depth = static_cast<int>(index.shape()[-1]);
  v.ignores = c.attribute<std::string>("bad_indices_policy") == "IGNORE";
  v.count = product_of(index.shape(), 0, index.shape().rank - 1);
  v.inner = product_of(whole, v.depth, whole.rank);
  v.stripes = stripes_of_rows(v.inner);
  for (int i = 0; i < v.depth; ++i) v.extents[i] = whole[i], v.steps[i] = steps[i];
  if (!reads) {
    const std::int64_t size = size_of_tensor(c.out());
    c.launch_each(c.record().second, size, fill_arguments{nullptr, c.out().data(), size});
  }
  if (v.count == 0 || v.inner == 0) return;
  if (reads && x.size() == 0) return c.fail(message{"found no elements in params of shape ", whole});
  const std::int64_t blocks = reads ? gpu_call::parts_of(v.count * v.inner, elements_per_block)
                                    : gpu_call::parts_of(v.inner * v.stripes, threads_per_block);
  c.launch_checked(c.record().function, blocks, v, "indices", message{"the shape ", whole}.string());
}

void run_move(const gpu_call& c) {
  const int rank_of_first = c.in(0).shape().rank;
  switch (c.record().form) {
    case kernel_form::transpose: return transpose(c);
    case kernel_form::slice: return slice(c);
    case kernel_form::broadcast_to: return broadcast_to(c);
    case kernel_form::reverse: return reverse(c);
    case kernel_form::pad: return pad(c);
    case kernel_form::strided: return strided(c, c.op<strided_slice_op>(), false);
    case kernel_form::strided_gradient: return strided(c, c.op<strided_slice_grad_op>(), true);
    case kernel_form::tile: return tile(c);
    case kernel_form::concat: {
      const std::uint32_t count = c.input_count() - 1, first = c.record().op == "Concat" ? 1 : 0;
      return join(c, first, count, axis_in(c.integers(first == 0 ? count : 0).scalar(), c.out().shape().rank));
    }
    case kernel_form::space_to_depth: return move_depth(c, true);
    case kernel_form::depth_to_space: return move_depth(c, false);
    case kernel_form::pack: return join(c, 0, c.input_count(), axis_in(c.attribute<std::int64_t>("axis"), rank_of_first + 1));
    case kernel_form::split: {
      const bool has_sizes = c.record().op == "SplitV";
      const any_tensor& x = c.in(has_sizes ? 0 : 1);
      return cut(c, x, axis_in(c.integers(has_sizes ? 2 : 0).scalar(), x.shape().rank));
    }
    default: return cut(c, c.in(0), axis_in(c.attribute<std::int64_t>("axis"), rank_of_first));
  }
}

void run_fill(const gpu_call& c) {
  fill_arguments f{nullptr, c.out().data(), size_of_tensor(c.out()), {c.record().value[0], c.record().value[1]}};
  if (c.record().form == kernel_form::fill) f.x = c.in(1).data();
  c.launch_each(c.record().function, f.size, f);
}

void run_gather(const gpu_call& c) {
  const any_tensor &x = c.in(0), &index = c.in(1);
  int batch = 0, axis = 0;
  if (c.input_count() == 3) {
    axis = axis_in(c.integers(2).scalar(), x.shape().rank);
    batch = axis_in(c.attribute<std::int64_t>("batch_dims"), index.shape().rank);
    if (axis < batch || axis >= x.shape().rank)
      return c.fail(message{"axis ", c.integers(2).scalar(), " is not an axis of params"});
  }
  if (c.out().size() == 0 && index.size() == 0) return;
  gather_arguments g;
  g.x = x.data();
  g.index = index.data();
  g.y = c.out().data();
  g.batches = product_of(x.shape(), 0, batch);
  g.outer = product_of(x.shape(), batch, axis);
  g.rows = x.shape()[axis];
  g.inner = product_of(x.shape(), axis + 1, x.shape().rank);
  g.count = g.batches == 0 ? 0 : size_of_tensor(index) / g.batches;
  launch_gather(c, g, size_of(x.type()));
}

void launch_gather(const gpu_call& c, gather_arguments g, std::size_t element_bytes) {
  const std::int64_t rows = g.batches * g.outer * g.count, bytes = g.inner * static_cast<std::int64_t>(element_bytes);
  const void* function = c.record().function;
  std::int64_t blocks = gpu_call::parts_of(rows * g.inner, elements_per_block);
  if (g.outer * g.inner == 0) blocks = gpu_call::parts_of(g.batches * g.count, elements_per_block);  // checks the indices
  if (bytes >= 16 && bytes % 16 == 0 && is_packed(g.x) && is_packed(g.y)) {
    function = c.record().second;
    g.inner = bytes / 16;
    while (g.lanes < threads_per_block && g.lanes < g.inner) g.lanes *= 2;
    g.segments = gpu_call::parts_of(g.inner, g.lanes * packs_of_gather);
    blocks = gpu_call::parts_of(rows, threads_per_block / g.lanes) * g.segments;
  }
  c.launch_checked(function, blocks, g, "indices", range_of_rows(g.rows));
}

// The host must know the last id, because it determines the shape of the result. So it waits for the GPU.
void run_sorted_segments(const gpu_call& c) {
  const any_tensor &x = c.in(0), &ids = c.in(1);
  scatter_arguments s;
  s.index = ids.data();
  s.count = size_of_tensor(ids);
  if (s.count > 0) {
    if (!c.memory().wait([&] { return cpu(c.call()).stop_requested(); }))
      return c.fail(error_code::cancelled, message{"the run ends"});
    const std::size_t width = size_of(ids.type());
    std::int32_t narrow = 0;
    std::int64_t last = 0;
    void* const found = width == 4 ? static_cast<void*>(&narrow) : &last;
    if (error why = c.memory().copy_out(address(ids, s.count - 1), found, width)) return c.fail(std::move(why));
    s.rows = (width == 4 ? narrow : last);
    if (s.rows < 0 || s.rows == std::numeric_limits<std::int64_t>::max())
      return c.fail(message{"expected segment_ids in ascending order from 0, found ", s.rows, " at position ", s.count - 1});
    ++s.rows;
  }
  shape result = x.shape();
  result[0] = s.rows;
  const cpu host(c.call());
  auto rows = any_tensor::allocate(x.type(), result, host.memory());
  if (!rows) return c.fail(rows.error());
  host.set_output(0, *std::move(rows));
  s.x = x.data();
  s.y = c.out().data();
  s.inner = product_of(x.shape(), 1, x.shape().rank);
  c.launch_checked(c.record().check, gpu_call::parts_of(s.count, elements_per_block), s, "segment_ids", "ascending order from 0");
  c.launch_each(c.record().function, s.rows * s.inner, s);
}

void run_segments(const gpu_call& c) {
  const any_tensor &x = c.in(0), &ids = c.in(1);
  const std::int64_t size = size_of_tensor(c.out());
  c.launch_each(c.record().second, size,
                fill_arguments{nullptr, c.out().data(), size, {c.record().value[0], c.record().value[1]}});
  if (ids.size() == 0) return;
  scatter_arguments s;
  s.x = x.data();
  s.index = ids.data();
  s.y = c.out().data();
  s.rows = c.out().shape()[0];
  s.count = size_of_tensor(ids);
  s.inner = size_of_tensor(x) / s.count;
  s.stripes = stripes_of_rows(s.inner);
  c.launch_checked(c.record().function, gpu_call::parts_of(s.inner * s.stripes, threads_per_block), s, "segment_ids",
                   range_of_rows(s.rows));
}

}
}
}  // namespace flowgraph::cuda

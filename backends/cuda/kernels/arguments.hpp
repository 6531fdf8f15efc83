#pragma once
// The arguments of the kernels, which a launch copies. Pointers are addresses of the device. Steps count elements.

#include <flowgraph/config.hpp>

#include <cstdint>
#include <new>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {
namespace cuda {

// As many axes as a shape has; Tile cuts each of them in two.
inline constexpr int max_axes = 12, max_moved_axes = 2 * max_axes;

// y[i] = f(a[i], b[i]) for `size` elements. An operand whose step is 0 is a single number. A kernel of one operand ignores b.
struct map_arguments {
  const void* a = nullptr;
  const void* b = nullptr;
  void* y = nullptr;
  std::int64_t size = 0;
  std::int64_t a_step = 1, b_step = 1;
  bool truncates = false;  // Cast to fewer digits cuts them off
  float slope = 0;         // of LeakyRelu
};

// y = f(x[0], x[1], ...) for operands that are broadcast: the steps are 0 along the axes that repeat.
struct broadcast_arguments {
  static constexpr int most_operands = 3;

  const void* x[most_operands] = {};
  void* y = nullptr;
  std::int64_t size = 0;
  int rank = 0;
  std::int64_t extents[max_axes] = {};
  std::int64_t steps[most_operands][max_axes] = {};
};

// y[r] is the reduction of `count` elements of x. Kept axes lead to the first element of a result, reduced axes to the others.
struct reduce_arguments {
  const void* x = nullptr;
  void* y = nullptr;
  std::int64_t results = 0, count = 0;
  int kept_rank = 0, reduced_rank = 0;
  std::int64_t kept_extents[max_axes] = {}, kept_steps[max_axes] = {};
  std::int64_t reduced_extents[max_axes] = {}, reduced_steps[max_axes] = {};
  // If several blocks reduce the elements of a result: their number, the elements of each, and one partial result for each.
  std::int64_t parts = 1, part = 0;
  void* partial = nullptr;
};

// Copies `size` elements from x to y, each with its own steps.
struct move_arguments {
  const void* x = nullptr;
  void* y = nullptr;
  std::int64_t size = 0;
  int rank = 0;
  std::int64_t extents[max_moved_axes] = {}, from_steps[max_moved_axes] = {}, to_steps[max_moved_axes] = {};
};

// Every element of y becomes *x or, if x is null, the element whose bytes are `value`.
struct fill_arguments {
  const void* x = nullptr;
  void* y = nullptr;
  std::int64_t size = 0;
  std::uint64_t value[2] = {};
};

// A thread of a gather copies at most this number of packs of a row.
inline constexpr std::int64_t packs_of_gather = 16;

// y[o][i][k] = x[o][index[i]][k]: `outer` blocks of `rows` rows with `inner` elements; `count` indices. With `batches`, each
// batch has its own indices and blocks.
struct gather_arguments {
  const void* x = nullptr;
  const void* index = nullptr;
  void* y = nullptr;
  void* fault = nullptr;
  std::uint32_t call = 0;
  std::int64_t batches = 1, outer = 1, rows = 0, count = 0, inner = 0;
  // If elements are packs: `lanes` threads, a power of two, copy a row, and each row has `segments` blocks.
  std::int64_t lanes = 1, segments = 1;
};

// Changes y[index[i]][k] by x[i][k], in the order of i. The threads of stripe row % stripes change a row of y. If `x_row` is 0,
// one element of x changes all elements.
struct scatter_arguments {
  const void* x = nullptr;
  const void* index = nullptr;
  void* y = nullptr;
  void* fault = nullptr;
  std::uint32_t call = 0;
  std::int64_t rows = 0, count = 0, inner = 0, stripes = 1;
  std::int64_t x_row = 0, x_column = 1;
};

// Index vectors of `depth` numbers. Each vector names a slice of `inner` elements. A gather copies x[vector] to y[i]. A scatter
// adds x[i] to y[vector], in stripes as in scatter_arguments. A vector outside of the tensor is a fault, unless `ignores` is
// true.
struct vector_arguments {
  const void* x = nullptr;
  const void* index = nullptr;
  void* y = nullptr;
  void* fault = nullptr;
  std::uint32_t call = 0;
  int depth = 0;
  bool ignores = false;
  std::int64_t count = 0, inner = 0, stripes = 1;
  std::int64_t extents[max_axes] = {}, steps[max_axes] = {};
};

// y[o][d][i] = d == index[o][i] ? *on : *off
struct one_hot_arguments {
  const void* index = nullptr;
  const void* on = nullptr;
  const void* off = nullptr;
  void* y = nullptr;
  std::int64_t size = 0, depth = 0, inner = 0;
};

// Keeps the elements that are at most `lower` below and at most `upper` above the diagonals of matrices. -1: keeps all.
struct band_arguments {
  const void* x = nullptr;
  void* y = nullptr;
  std::int64_t size = 0, rows = 0, columns = 0, lower = 0, upper = 0;
};

// y[s][i][j] = the sum of a[s][i][k] b[s][k][j] for stacks of matrices.
struct product_arguments {
  const void* a = nullptr;
  const void* b = nullptr;
  void* y = nullptr;
  std::int64_t rows = 0, columns = 0, inner = 0;
  std::int64_t a_row = 0, a_column = 0, b_row = 0, b_column = 0;
  int rank = 0;  // of the axes before the matrices
  std::int64_t extents[max_axes] = {}, a_steps[max_axes] = {}, b_steps[max_axes] = {};
};

// Rows of a matrix: softmax, and losses by it. `labels` are probabilities with their own steps, or the indices of classes.
struct row_arguments {
  const void* x = nullptr;
  const void* labels = nullptr;
  void* y = nullptr;
  void* loss = nullptr;
  void* fault = nullptr;
  std::uint32_t call = 0;
  std::int64_t rows = 0, columns = 0;
  std::int64_t x_row = 0, x_column = 1, label_row = 0, label_column = 1;
};

// The windows along one axis. Window o covers `size` elements with distance `dilation`; the first is o * step - start.
struct window_axis {
  std::int64_t extent = 1, outputs = 1, size = 1, step = 1, dilation = 1, start = 0;
};

// Pools and convolutions of volumes; an image is a volume of one plane. Steps lead to the next volume, plane, row, column and
// channel. A filter is [planes, rows, columns, inputs, outputs]. Channels form groups: a group has `group_inputs` channels of x
// and `group_outputs` channels of y.
struct window_arguments {
  const void* x = nullptr;
  const void* y = nullptr;
  const void* filter = nullptr;  // for the gradients of MaxPool: the gradient that arrives
  void* output = nullptr;
  std::int64_t volumes = 0, channels = 0, outputs = 0;  // channels of x and of y
  std::int64_t group_inputs = 1, group_outputs = 1;
  window_axis planes, rows, columns, depth;
  std::int64_t x_steps[5] = {}, y_steps[5] = {};
};

// The step of an optimizer: changes `size` elements of the variables by the gradient. Nothing changes after a fault.
struct update_arguments {
  static constexpr int most_variables = 4, most_scalars = 7;

  void* variables[most_variables] = {};
  const void* gradient = nullptr;
  const void* scalars[most_scalars] = {};
  void* fault = nullptr;
  std::uint32_t call = 0;
  std::int64_t size = 0;
  bool flag = false;  // use_nesterov, update_slots or multiply_linear_by_lr
  // For a sparse gradient: row i of the gradient changes row index[i], in the order of i (scatter_arguments).
  const void* index = nullptr;
  std::int64_t rows = 0, count = 0, inner = 0, stripes = 1;
};

// Cumulative sums and products of x, which is outer x count x inner, along the axis in the middle.
struct scan_arguments {
  const void* x = nullptr;
  void* y = nullptr;
  std::int64_t outer = 0, count = 0, inner = 0;
  bool exclusive = false, reverse = false;
};

// Sorts rows of x. `order` has room for `room` indices of each row; `room` is a power of two. Elements [first, first + kept) of
// the sorted row are written to y, and their indices to `numbers` unless it is null.
struct rank_arguments {
  const void* x = nullptr;
  void* order = nullptr;
  void* y = nullptr;
  void* numbers = nullptr;
  std::int64_t rows = 0, columns = 0, room = 0, first = 0, kept = 0;
};

// Whether the target of each row is among the `kept` largest of the row.
struct top_arguments {
  const void* x = nullptr;
  const void* targets = nullptr;
  void* y = nullptr;
  std::int64_t rows = 0, columns = 0, kept = 0;
};

// Batch normalization of x, which is outer x channels x inner, with a statistic for each channel.
struct batch_norm_arguments {
  const void* x = nullptr;
  const void* dy = nullptr;
  void* y = nullptr;  // or dx
  const float* scale = nullptr;
  const float* offset = nullptr;
  const float* mean = nullptr;
  const float* variance = nullptr;
  float* new_mean = nullptr;
  float* new_variance = nullptr;
  float* saved_mean = nullptr;
  float* saved_variance = nullptr;
  float* unused = nullptr;
  float* scale_gradient = nullptr;
  float* offset_gradient = nullptr;
  std::int64_t outer = 0, channels = 0, inner = 0;
  float epsilon = 0, new_share = 1;
  bool training = false;
};

// Random numbers from blocks of Philox. `low` and `high` are the position of the first block. If `counter` is not null, the
// device reads the position from `counter` and the key from `key_at`. Integers are first_value + k with k below `values`; 0: any
// k.
struct random_arguments {
  void* y = nullptr;
  std::int64_t size = 0;
  std::uint64_t key = 0, low = 0, high = 0;
  const std::uint64_t* key_at = nullptr;
  const std::uint64_t* counter = nullptr;
  std::int64_t first_value = 0;
  std::uint64_t values = 0;
};

// One axis of images of `from` pixels that are resized to `to` pixels.
struct resize_axis {
  std::int64_t from = 0, to = 0;
  float scale = 1;
};

// Images x of `depth` channels are resized to y. For gradients, x is the gradient of the resized images, and y that of the others.
struct resize_arguments {
  const void* x = nullptr;
  void* y = nullptr;
  std::int64_t size = 0, depth = 1;  // the elements of y
  resize_axis rows, columns;
  bool at_centers = false;  // half_pixel_centers
  bool rounds = false;      // align_corners: the nearest pixel is a rounded place
};

// The arguments of any kernel.
union kernel_arguments {
  map_arguments map;
  broadcast_arguments broadcast;
  reduce_arguments reduce;
  move_arguments move;
  fill_arguments fill;
  gather_arguments gather;
  scatter_arguments scatter;
  product_arguments product;
  row_arguments row;
  window_arguments window;
  update_arguments update;
  vector_arguments vectors;
  one_hot_arguments one_hot;
  band_arguments band;
  scan_arguments scan;
  rank_arguments rank;
  top_arguments top;
  batch_norm_arguments batch_norm;
  random_arguments random;
  resize_arguments resize;

  kernel_arguments() : map() {}
  template <class Arguments> explicit kernel_arguments(const Arguments& a) : map() {
    ::new (static_cast<void*>(this)) Arguments(a);
  }
};

}
}
}  // namespace flowgraph::cuda

// Calls of batch normalization, scans and sorted rows.
#include <cuda/calls/gpu_call.hpp>

#include <limits>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {
namespace cuda {

namespace {

float* floats_of(const gpu_call& c, std::uint32_t output) { return static_cast<float*>(c.out(output).data()); }

// Returns the arguments that batch normalization and its gradient have in common.
batch_norm_arguments begin_batch_norm(const gpu_call& c, const shape& x) {
  const bool channels_first = c.attribute<std::string>("data_format").starts_with("NC");
  const int axis = channels_first ? 1 : x.rank - 1;
  batch_norm_arguments n;
  n.outer = product_of(x, 0, axis);
  n.channels = x[axis];
  n.inner = product_of(x, axis + 1, x.rank);
  n.epsilon = c.attribute<float>("epsilon");
  n.training = c.attribute<bool>("is_training");
  n.y = c.out().data();
  return n;
}
const float* statistic(const gpu_call& c, std::uint32_t input) { return static_cast<const float*>(c.in(input).data()); }

// A block scans each column that has at least `scanned_by_block` elements. If there are at least `columns_for_threads` columns, a
// thread scans each column instead.
constexpr std::int64_t scanned_by_block = 1024, columns_for_threads = 1 << 12;

}  // namespace

void run_batch_norm(const gpu_call& c) {
  batch_norm_arguments n = begin_batch_norm(c, c.in(0).shape());
  n.x = c.in(0).data();
  n.scale = statistic(c, 1);
  n.offset = statistic(c, 2);
  n.mean = statistic(c, 3);
  n.variance = statistic(c, 4);
  n.new_mean = floats_of(c, 1);
  n.new_variance = floats_of(c, 2);
  n.saved_mean = floats_of(c, 3);
  n.saved_variance = floats_of(c, 4);
  if (c.output_count() == 6) n.unused = floats_of(c, 5);
  n.new_share = c.attribute<float>("exponential_avg_factor");
  c.launch(c.record().function, n.unused && n.channels == 0 ? 1 : n.channels, n);
  c.launch_each(c.record().second, size_of_tensor(c.in(0)), n);
}

void run_batch_norm_gradient(const gpu_call& c) {
  batch_norm_arguments n = begin_batch_norm(c, c.in(1).shape());
  n.dy = c.in(0).data();
  n.x = c.in(1).data();
  n.scale = statistic(c, 2);
  n.mean = statistic(c, 3);
  n.variance = statistic(c, 4);
  n.scale_gradient = floats_of(c, 1);
  n.offset_gradient = floats_of(c, 2);
  c.launch(c.record().function, n.channels, n);
  c.launch_each(c.record().second, size_of_tensor(c.in(1)), n);
}

void run_scan(const gpu_call& c) {
  const shape& x = c.in(0).shape();
  const std::int64_t named = c.integers(1).scalar();
  const int axis = static_cast<int>(named < 0 ? named + x.rank : named);
  scan_arguments s;
  s.x = c.in(0).data();
  s.y = c.out().data();
  s.outer = product_of(x, 0, axis);
  s.count = x[axis];
  s.inner = product_of(x, axis + 1, x.rank);
  s.exclusive = c.attribute<bool>("exclusive");
  s.reverse = c.attribute<bool>("reverse");
  if (x.size() == 0) return;
  const std::int64_t columns = s.outer * s.inner;
  if (s.count >= scanned_by_block && columns < columns_for_threads) c.launch(c.record().second, columns, s);
  else c.launch_each(c.record().function, columns, s);
}

void run_rank(const gpu_call& c) {
  const any_tensor& x = c.in(0);
  rank_arguments r;
  r.x = x.data();
  r.columns = x.shape()[-1];
  r.rows = r.columns == 0 ? 0 : size_of_tensor(x) / r.columns;
  if (r.columns > std::numeric_limits<std::int32_t>::max() / 2)
    return c.fail(error_code::unimplemented, message{"the GPU orders no rows of ", r.columns, " elements"});
  if (c.output_count() == 1) {  // NthElement
    const std::int64_t n = c.integers(1).scalar();
    r.first = c.attribute<bool>("reverse") ? n : r.columns - 1 - n;
    r.kept = 1;
  } else {
    r.kept = c.input_count() == 2 ? c.integers(1).scalar() : c.attribute<std::int64_t>("k");
    r.numbers = c.out(1).data();
  }
  if (r.rows == 0 || r.kept == 0) return;
  for (r.room = 1; r.room < r.columns;) r.room *= 2;
  const gpu_scratch order(c, static_cast<std::size_t>(r.rows * r.room) * sizeof(std::int32_t));
  r.order = order.data();
  r.y = c.out().data();
  c.launch(c.record().function, r.rows, r);
}

void run_in_top(const gpu_call& c) {
  top_arguments t;
  t.x = c.in(0).data();
  t.targets = c.in(1).data();
  t.y = c.out().data();
  t.rows = c.in(0).shape()[0];
  t.columns = c.in(0).shape()[1];
  t.kept = c.input_count() == 3 ? c.integers(2).scalar() : c.attribute<std::int64_t>("k");
  c.launch_each(c.record().function, t.rows, t);
}

}
}
}  // namespace flowgraph::cuda

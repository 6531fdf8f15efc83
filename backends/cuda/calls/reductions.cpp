// Calls of reductions, and of the functions of rows.
#include <cuda/calls/gpu_call.hpp>
#include <cuda/calls/layout.hpp>

#include <algorithm>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {
namespace cuda {

namespace {

// A block computes a result of at least this number of elements; a thread computes a result of fewer elements.
constexpr std::int64_t elements_for_block = 64;
// If there are fewer than `results_by_blocks` results, several blocks compute each of them, each for `elements_of_part` elements.
constexpr std::int64_t elements_of_part = 1 << 15, results_by_blocks = 1 << 11;
// If at least `columns_for_strips` results are columns of a matrix, blocks compute strips of columns, each for at least
// `rows_of_part` rows. There are at most `most_row_parts` parts of the rows. A stack of matrices has strips for each matrix.
constexpr std::int64_t columns_for_strips = 32, rows_of_part = 256, most_row_parts = 128;

// Requests the kernels of a reduction by partial results. Returns false if the sizes do not call for them.
bool reduce_in_parts(const gpu_call& c, reduce_arguments r) {
  const kernel_record& k = c.record();
  if (!k.by_parts || r.count < elements_for_block || r.results == 0) return false;
  const std::int64_t columns = r.kept_rank > 0 && r.kept_steps[r.kept_rank - 1] == 1 ? r.kept_extents[r.kept_rank - 1] : 0;
  const bool are_columns = columns >= columns_for_strips;
  if (!are_columns && (r.count < 2 * elements_of_part || r.results >= results_by_blocks)) return false;
  r.part = are_columns ? std::max(rows_of_part, gpu_call::parts_of(r.count, most_row_parts)) : elements_of_part;
  r.parts = gpu_call::parts_of(r.count, r.part);
  const gpu_scratch partial(c, static_cast<std::size_t>(r.results * r.parts) * sizeof(double));
  r.partial = partial.data();
  if (are_columns) {
    c.launch(k.by_columns, r.results / columns * gpu_call::parts_of(columns, k.columns) * r.parts, r);
    c.launch_each(k.of_columns, r.results, r);
  } else {
    c.launch(k.by_parts, r.results * r.parts, r);
    c.launch(k.of_parts, r.results, r);
  }
  return true;
}

std::int64_t step_of_row(const shape& s) { return s[0] == 1 ? 0 : s[1]; }
std::int64_t step_of_column(const shape& s) { return s[1] == 1 ? 0 : 1; }

}  // namespace

void run_reduction(const gpu_call& c) {
  const shape& x = c.in(0).shape();
  bool reduced[shape::max_rank] = {};
  if (c.record().form == kernel_form::bias_sum) {
    const int kept = c.attribute<std::string>("data_format") == "NCHW" ? 1 : x.rank - 1;
    for (int i = 0; i < x.rank; ++i) reduced[i] = i != kept;
  } else if (c.record().form == kernel_form::sum_of_squares) {
    std::fill_n(reduced, x.rank, true);
  } else {
    const any_indices named = c.integers(1);
    for (std::size_t i = 0; i < named.size(); ++i) reduced[named[i] < 0 ? named[i] + x.rank : named[i]] = true;
  }
  const steps_of steps(x);
  axes<1, max_axes> kept, gone;
  reduce_arguments r;
  r.x = c.in(0).data();
  r.y = c.out().data();
  r.results = size_of_tensor(c.out());
  r.count = 1;
  for (int i = 0; i < x.rank; ++i) {
    (reduced[i] ? gone : kept).add(x[i], {steps[i]});
    if (reduced[i]) r.count *= x[i];
  }
  kept.write(r.kept_rank, r.kept_extents);
  kept.write_steps(0, r.kept_steps);
  gone.write(r.reduced_rank, r.reduced_extents);
  gone.write_steps(0, r.reduced_steps);
  if (reduce_in_parts(c, r)) return;
  if (r.count < elements_for_block || !c.record().second) c.launch_each(c.record().function, r.results, r);
  else c.launch(c.record().second, r.results, r);
}

void run_rows(const gpu_call& c) {
  const kernel_form form = c.record().form;
  const any_tensor& y = c.out(form == kernel_form::softmax ? 0 : 1);
  if (y.size() == 0 && form == kernel_form::softmax) return;
  row_arguments r;
  r.x = c.in(0).data();
  r.y = const_cast<void*>(y.data());
  r.columns = y.shape()[-1];
  r.x_row = r.columns;
  if (form == kernel_form::softmax) {
    r.rows = size_of_tensor(y) / r.columns;
    return c.launch(c.record().function, r.rows, r);
  }
  r.rows = y.shape()[0];
  r.labels = c.in(1).data();
  r.loss = c.out(0).data();
  if (form == kernel_form::loss_by_class)
    return c.launch_checked(c.record().function, r.rows, r, "labels", range_of_rows(r.columns));
  r.x_row = step_of_row(c.in(0).shape());
  r.x_column = step_of_column(c.in(0).shape());
  r.label_row = step_of_row(c.in(1).shape());
  r.label_column = step_of_column(c.in(1).shape());
  c.launch(c.record().function, r.rows, r);
}

}
}
}  // namespace flowgraph::cuda

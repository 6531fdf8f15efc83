// Calls of maps: unary, binary, paired, casts, selection, sums of lists.
#include <cuda/calls/gpu_call.hpp>
#include <cuda/calls/layout.hpp>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {
namespace cuda {

namespace {

template <std::size_t Operands>
void run_broadcast(const gpu_call& c, const void* function, const std::array<const any_tensor*, Operands>& x,
                   const std::array<shape, Operands>& shapes) {
  const shape& result = c.out().shape();
  broadcast_arguments a;
  a.y = c.out().data();
  a.size = size_of_tensor(c.out());
  axes<Operands, max_axes> all;
  for (int axis = 0; axis < result.rank; ++axis) {
    typename axes<Operands, max_axes>::steps by;
    for (std::size_t k = 0; k < Operands; ++k) by[k] = broadcast_step(shapes[k], steps_of(shapes[k]), axis, result.rank);
    all.add(result[axis], by);
  }
  all.write(a.rank, a.extents);
  for (std::size_t k = 0; k < Operands; ++k) {
    a.x[k] = x[k]->data();
    all.write_steps(k, a.steps[k]);
  }
  c.launch_each(function, a.size, a);
}

// Returns the shape of a vector along one axis of `of`; the vector is repeated along all other axes.
shape along(const shape& of, int axis) {
  shape result;
  for (int i = 0; i < of.rank; ++i) result.push_back(i == axis ? of[i] : 1);
  return result;
}

void run_bias(const gpu_call& c) {
  const shape& x = c.in(0).shape();
  const int axis = c.attribute<std::string>("data_format") == "NCHW" ? 1 : x.rank - 1;
  run_broadcast<2>(c, c.record().function, {&c.in(0), &c.in(1)}, {x, along(x, axis)});
}

}  // namespace

void run_map(const gpu_call& c) {
  if (c.record().form == kernel_form::bias) return run_bias(c);
  const std::int64_t size = size_of_tensor(c.out());
  map_arguments m{c.in(0).data(), nullptr, c.out().data(), size};
  if (c.record().form == kernel_form::leaky) m.slope = c.attribute<float>("alpha");
  if (c.record().form == kernel_form::cast) m.truncates = c.attribute<bool>("Truncate");
  if (c.input_count() == 2) {
    const any_tensor &a = c.in(0), &b = c.in(1);
    m.b = b.data();
    if (c.record().form == kernel_form::binary) {
      shape joint;
      if (!broadcast(a.shape(), b.shape(), joint)) {  // Equal and NotEqual of shapes that do not fit
        const bool differs = c.call().at->op->name() == "NotEqual";
        return c.memory().copy_in(&differs, c.out().data(), sizeof differs);
      }
      const bool fits = (size_of_tensor(a) == size || a.size() == 1) && (size_of_tensor(b) == size || b.size() == 1);
      if (!fits) return run_broadcast<2>(c, c.record().second, {&a, &b}, {a.shape(), b.shape()});
    }
    m.a_step = size_of_tensor(a) == size ? 1 : 0;
    m.b_step = size_of_tensor(b) == size ? 1 : 0;
  }
  c.launch_each(c.record().function, size, m);
}

void run_select(const gpu_call& c) {
  const any_tensor &condition = c.in(0), &a = c.in(1), &b = c.in(2);
  // The condition of Select may be a vector that chooses rows.
  const bool by_rows = c.call().at->op->name() == "Select" && condition.shape().rank == 1 && a.shape().rank > 1;
  const shape chosen = by_rows ? along(a.shape(), 0) : condition.shape();
  run_broadcast<3>(c, c.record().function, {&condition, &a, &b}, {chosen, a.shape(), b.shape()});
}

void run_clip(const gpu_call& c) {
  const any_tensor &x = c.in(0), &low = c.in(1), &high = c.in(2);
  run_broadcast<3>(c, c.record().function, {&x, &low, &high}, {x.shape(), low.shape(), high.shape()});
}

void run_sum_of_list(const gpu_call& c) {
  void* const y = c.out().data();
  if (c.input_count() == 1) return c.copy(c.in(0), y);
  const std::int64_t size = size_of_tensor(c.out());
  for (std::uint32_t i = 1; i < c.input_count(); ++i)
    c.launch_each(c.record().function, size, map_arguments{i == 1 ? c.in(0).data() : y, c.in(i).data(), y, size});
}

}
}
}  // namespace flowgraph::cuda

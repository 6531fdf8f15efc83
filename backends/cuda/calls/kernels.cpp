// The kernels of GPUs, as sessions find them.
#include <cuda/calls/gpu_call.hpp>

#include <flowgraph/cuda/cuda.hpp>
#include <flowgraph/op/device_kernel.hpp>
#include <flowgraph/ops/data_flow/optional.hpp>
#include <flowgraph/ops/state/detail/variable_access.hpp>
#include <flowgraph/ops/state/resource_variable.hpp>
#include <flowgraph/ops/state/variable.hpp>

#include <array>
#include <utility>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {
namespace cuda {

namespace {

// At least the number of records in all lists.
constexpr std::size_t most_kernels = 2048;

void run_record(const void* op, detail::kernel_call& call, std::size_t number) {
  const gpu_call c(op, call, number);
  switch (c.record().form) {
    case kernel_form::unary:
    case kernel_form::binary:
    case kernel_form::paired:
    case kernel_form::bias:
    case kernel_form::leaky:
    case kernel_form::cast: return run_map(c);
    case kernel_form::clip: return run_clip(c);
    case kernel_form::one_hot: return run_one_hot(c);
    case kernel_form::band: return run_band(c);
    case kernel_form::gather_slices:
    case kernel_form::scatter_slices: return run_slices(c);
    case kernel_form::select: return run_select(c);
    case kernel_form::add_n: return run_sum_of_list(c);
    case kernel_form::reduce:
    case kernel_form::bias_sum:
    case kernel_form::sum_of_squares:
    case kernel_form::search: return run_reduction(c);
    case kernel_form::fill:
    case kernel_form::fill_like: return run_fill(c);
    case kernel_form::gather: return run_gather(c);
    case kernel_form::gather_variable: return run_gather_variable(c);
    case kernel_form::segment_sum: return run_segments(c);
    case kernel_form::sorted_segments: return run_sorted_segments(c);
    case kernel_form::resize: return run_resize(c);
    case kernel_form::product: return run_product(c);
    case kernel_form::softmax:
    case kernel_form::loss_by_class:
    case kernel_form::loss_by_probability: return run_rows(c);
    case kernel_form::pool:
    case kernel_form::max_pool_gradient:
    case kernel_form::mean_pool_gradient: return run_pool(c);
    case kernel_form::convolution:
    case kernel_form::convolution_by_input:
    case kernel_form::convolution_by_filter: return run_convolution(c);
    case kernel_form::update:
    case kernel_form::sparse_update: return run_update(c);
    case kernel_form::scatter: return run_scatter(c);
    case kernel_form::batch_norm: return run_batch_norm(c);
    case kernel_form::batch_norm_gradient: return run_batch_norm_gradient(c);
    case kernel_form::scan: return run_scan(c);
    case kernel_form::rank: return run_rank(c);
    case kernel_form::in_top: return run_in_top(c);
    case kernel_form::random:
    case kernel_form::random_range: return run_random(c);
    default: return run_move(c);
  }
}

template <std::size_t Number> void run_numbered(const void* op, detail::kernel_call& call) { run_record(op, call, Number); }
template <std::size_t... Number> constexpr auto make_functions(std::index_sequence<Number...>) {
  return std::array<kernel_entry::run_function, sizeof...(Number)>{&run_numbered<Number>...};
}

// Returns how many type attributes specify only the width of integers on the host.
std::size_t further_types(const kernel_record& k) {
  switch (k.form) {
    case kernel_form::reduce:
    case kernel_form::transpose:
    case kernel_form::slice:
    case kernel_form::pad:
    case kernel_form::tile:
    case kernel_form::broadcast_to:
    case kernel_form::reverse:
    case kernel_form::strided:
    case kernel_form::strided_gradient:
    case kernel_form::search:
    case kernel_form::band:
    case kernel_form::fill:
    case kernel_form::scan:
    case kernel_form::segment_sum: return 1;
    case kernel_form::gather: return k.op == "GatherV2" ? 1 : 0;
    case kernel_form::concat: return k.op == "ConcatV2" ? 1 : 0;
    case kernel_form::split: return k.op == "SplitV" ? 1 : 0;
    case kernel_form::convolution_by_input: return k.op == "Conv3DBackpropInputV2" ? 1 : 0;
    case kernel_form::rank: return k.op == "TopKV2" ? 1 : 0;
    case kernel_form::random:
    case kernel_form::random_range: return k.op.starts_with("Stateless") && !k.op.ends_with("V2") ? 2 : 1;
    default: return 0;
  }
}
// Returns whether the type of integers on the host precedes the type of integers on the device.
bool has_type_between(const kernel_record& k) { return k.form == kernel_form::search || k.op == "TopKV2"; }

// Adds the entry once for each combination of types of integers on the host. `further`: the number of these types.
void add_entries(kernel_set& set, const kernel_record& k, const kernel_entry& entry, std::vector<dtype> types,
                 std::size_t further) {
  if (further == 0) return set.add(k.op, types, entry).value();
  const bool may_be_short = k.form == kernel_form::strided || k.op == "ArgMax" || k.op == "TopKV2";
  for (const dtype index : {dtype::int32, dtype::int64, dtype::int16}) {
    if (index == dtype::int16 && !may_be_short) continue;
    auto all = types;
    all.insert(has_type_between(k) ? all.begin() + 1 : all.end(), index);
    add_entries(set, k, entry, std::move(all), further - 1);
  }
}

// Returns whether the kernel may overwrite an operand of the same size with the result.
bool is_in_place(const kernel_record& k) {
  switch (k.form) {
    case kernel_form::unary:
    case kernel_form::paired:
    case kernel_form::bias:
    case kernel_form::leaky:
    case kernel_form::band:
    case kernel_form::fill_like:
    case kernel_form::binary: return !k.makes_bools;
    default: return false;
  }
}

// The variable is in the memory of the GPU, its handle in the memory of the host.
template <class T> struct variable_by_handle {
  void operator()(const var_handle_op& op, device_context ctx, unsized<resource> y) const {
    const resource named = detail::find_variable(cpu(ctx.call()), dtype_of<T>, op.declared, op.container, op.shared_name);
    if (!named.base) return;
    auto handle = any_tensor::allocate(dtype::resource, shape{});
    if (!handle) return ctx.fail(handle.error());
    handle->template as_writable<resource>().scalar() = named;
    y.share(*std::move(handle));
  }
};

template <class T> void add_variables(kernel_set& set) {
  set.add<variable_v2_op, T>().value();
  set.add<variable_op, T>().value();
  set.add<is_variable_initialized_op, T>().value();
  set.add<var_handle_op, T>(variable_by_handle<T>{}).value();
  set.add<assign_op, T>().value();
  set.add<assign_variable_op, T>().value();
  set.add<read_variable_op, T>().value();
}

std::shared_ptr<const kernel_set> make_kernels(std::span<const kernel_record> records) {
  static constexpr auto functions = make_functions(std::make_index_sequence<most_kernels>());
  auto set = std::make_shared<kernel_set>();
  for (std::size_t i = 0; i < records.size() && i < most_kernels; ++i) {
    const kernel_record& k = records[i];
    std::vector<dtype> types;
    for (const dtype t : k.types)
      if (t != dtype::invalid) types.push_back(t);
    const kernel_entry entry{.run = functions[i], .facts = {.in_place = is_in_place(k)}};
    add_entries(*set, k, entry, std::move(types), further_types(k));
  }
  add_variables<float>(*set);
  add_variables<double>(*set);
  add_variables<half>(*set);
  add_variables<std::int32_t>(*set);
  add_variables<std::int64_t>(*set);
  add_variables<bool>(*set);
  set->add<var_is_initialized_op>().value();
  // For tensors that stay on the GPU between runs (cuda/device_tensor.hpp).
  set->add<optional_from_value_op>().value();
  set->add<optional_get_value_op>().value();
  return set;
}

}  // namespace

std::shared_ptr<const kernel_set> shared_kernels(std::span<const kernel_record> records) {
  static const std::shared_ptr<const kernel_set> all = make_kernels(records);
  return all;
}

result<std::unique_ptr<device>> make_device(std::string_view name, std::unique_ptr<driver> by, const memory_options& options,
                                            bool libraries) {
  auto memory = device_memory::make(std::move(by), options);
  if (!memory) return memory.error();
  std::unique_ptr<product_library> products;
  if (libraries) {
    auto opened = product_library::open((*memory)->by());
    if (!opened) return opened.error();
    products = *std::move(opened);
  }
  const auto kernels = shared_kernels((*memory)->by().kernels());
  return std::unique_ptr<device>(std::make_unique<gpu>(name, kernels, *std::move(memory), std::move(products)));
}

std::string libraries_of(const device& d) {
  const device_memory* const memory = device_memory::find(d.memory());
  if (!memory || memory->owner() != &d) return {};
  const product_library* const products = static_cast<const gpu&>(d).products();
  return products ? products->name() : std::string();
}

}
}
}  // namespace flowgraph::cuda

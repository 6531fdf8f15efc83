#pragma once
// The table of the kernels: one record per op and element type.

#include <flowgraph/core/type.hpp>

#include <initializer_list>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {
namespace cuda {

// Lists of element types.
using reals = type_list<float, double, half>;
using integers = type_list<std::int32_t, std::int64_t>;
using all_numbers = type_list<float, double, half, std::int32_t, std::int64_t>;
using full_reals = type_list<float, double>;
using full_numbers = type_list<float, double, std::int32_t, std::int64_t>;
using cast_types = type_list<float, double, half, std::int32_t, std::int64_t, bool>;
using moved_types = type_list<float, double, half, bfloat16, std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t,
                              std::uint16_t, std::uint32_t, std::uint64_t, bool, complex64, complex128>;

// How the host calls the functions of a record.
enum class kernel_form : std::uint8_t {
  unary,
  binary,  // operands are broadcast
  paired,
  bias,
  cast,
  select,
  reduce,
  bias_sum,
  sum_of_squares,
  search,
  transpose,
  slice,
  pad,
  tile,
  broadcast_to,
  reverse,
  strided,
  strided_gradient,
  concat,
  split,
  pack,
  unpack,
  fill,
  fill_like,
  add_n,
  gather,
  gather_variable,
  segment_sum,
  sorted_segments,
  resize,
  product,
  softmax,
  loss_by_class,
  loss_by_probability,
  pool,
  max_pool_gradient,
  mean_pool_gradient,
  convolution,
  convolution_by_input,
  convolution_by_filter,
  update,
  sparse_update,
  leaky,
  clip,
  one_hot,
  band,
  gather_slices,
  scatter_slices,
  space_to_depth,
  depth_to_space,
  scatter,
  batch_norm,
  batch_norm_gradient,
  scan,
  rank,
  in_top,
  random,
  random_range
};

// The difference between results on a GPU and on the CPU, apart from other orders of additions.
enum class accuracy : std::uint8_t {
  bits,     // none
  library,  // the last digits, because the kernel calls functions of the C++ library
  series    // more digits, because the errors of these functions grow in sums, or near zeros of the op
};
// Returns the accuracy of an op.
constexpr accuracy accuracy_of(std::string_view op, dtype type) {
  for (const std::string_view of_series : {"Betainc", "Igamma", "IgammaGradA", "Igammac", "Polygamma", "Zeta"})
    if (op == of_series) return accuracy::series;
  for (const std::string_view by_library :
       {"Acos",   "Acosh",  "Asin",       "Asinh",      "Atan",   "Atan2", "Atanh", "Cos", "Cosh", "Dawsn",  "Digamma",
        "Erfinv", "Expint", "FresnelCos", "FresnelSin", "Lgamma", "Ndtri", "Pow",   "Sin", "Sinh", "Spence", "Tan"})
    if (op == by_library) return accuracy::library;
  for (const std::string_view part : {"Bessel", "Ftrl", "PowerSign"})
    if (op.find(part) != op.npos) return accuracy::library;
  const bool is_normal = op.find("Normal") != op.npos;
  return is_normal && type == dtype::float64 ? accuracy::library : accuracy::bits;
}

// The functions of one op for its element types, in the order of its type attributes. A driver can launch the functions: they are
// kernels of CUDA, or of the emulation.
struct kernel_record {
  std::string_view op;
  kernel_form form = kernel_form::unary;
  dtype types[2] = {dtype::invalid, dtype::invalid};  // invalid: any index type, or no further type attribute
  const void* function = nullptr;
  const void* second = nullptr;      // a second form of the function, for example for operands that are broadcast
  std::uint64_t value[2] = {};       // for fill_like: the bytes of an element
  std::uint8_t after_gradient = 0;   // for optimizers: the number of scalars after the gradient
  bool makes_bools = false;          // the elements of the result are not those of the operands
  bool by_channel = false;           // for convolutions: each channel has its own filters
  bool wants_columns = false;        // for sparse gradients: a row without elements is an error
  const void* check = nullptr;       // for changes of rows and for sorted segments: reports bad indices
  const void* by_parts = nullptr;    // for reductions: several blocks reduce the elements of a result
  const void* of_parts = nullptr;    // for reductions: makes results of these partial results
  const void* by_columns = nullptr;  // for reductions of columns: makes partial results
  const void* of_columns = nullptr;  // for reductions of columns: makes results of these partial results
  std::uint16_t columns = 0;         // for reductions of columns: the number of columns of a block
  const void* scalars = nullptr;     // for sparse gradients: reports scalars that the op does not accept
  accuracy of_results = accuracy::bits;
};

// Records of several ops, in the order in which they are added.
class kernel_records {
public:
  kernel_record& add(std::string_view op, kernel_form form, std::initializer_list<dtype> types, const void* function,
                     const void* second = nullptr) {
    kernel_record result{op, form, {}, function, second};
    std::size_t at = 0;
    for (const dtype t : types) result.types[at++] = t;
    result.of_results = accuracy_of(op, result.types[0]);
    all_.push_back(result);
    return all_.back();
  }
  std::vector<kernel_record> take() { return std::move(all_); }

protected:
  std::vector<kernel_record> all_;
};

// The records of several lists.
inline std::vector<kernel_record> joined_records(std::initializer_list<std::vector<kernel_record>> lists) {
  std::vector<kernel_record> all;
  for (const std::vector<kernel_record>& list : lists) all.insert(all.end(), list.begin(), list.end());
  return all;
}

// Calls f(std::type_identity<T>()) for each type.
template <class... T, class F> void each_type(type_list<T...>, const F& f) { (f(std::type_identity<T>()), ...); }

// nvcc compiles the lists in parts: list.hpp, network_list.hpp and special_list.hpp have several parts, and row_list.hpp is one
// part.
inline constexpr int part_count = 14, general_parts = 7, network_parts = 3, special_parts = 3, all_parts = -1;
static_assert(part_count == general_parts + network_parts + special_parts + 1);
template <int Part> std::vector<kernel_record> device_kernels_of_part();

// Returns the kernels that nvcc compiled.
std::span<const kernel_record> device_kernels();

}
}
}  // namespace flowgraph::cuda

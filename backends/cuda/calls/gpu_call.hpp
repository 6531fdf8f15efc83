#pragma once
// One call of a kernel of a GPU: its tensors, the op's attributes, and the launches that it requests.

#include <cuda/device/gpu.hpp>

#include <flowgraph/core/index_view.hpp>
#include <flowgraph/core/memory.hpp>
#include <flowgraph/graph/node.hpp>
#include <flowgraph/op/device_context.hpp>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {
namespace cuda {

class gpu_call {
public:
  gpu_call(const void* op, detail::kernel_call& call, std::size_t number)
      : op_(op), call_(call), gpu_(static_cast<const gpu&>(*call.run->on)), record_(gpu_.kernel(number)) {}

  // Returns the op struct of the node.
  template <class Op> const Op& op() const noexcept { return *static_cast<const Op*>(op_); }
  const kernel_record& record() const noexcept { return record_; }
  device_memory& memory() const noexcept { return gpu_.own_memory(); }
  // Returns the library that computes products of matrices, or null.
  product_library* products() const noexcept { return gpu_.products(); }
  detail::kernel_call& call() const noexcept { return call_; }

  const any_tensor& in(std::uint32_t i) const noexcept { return call_.inputs[i]->tensor; }
  any_tensor& out(std::uint32_t i = 0) const noexcept { return call_.outputs[i]->tensor; }
  std::uint32_t input_count() const noexcept { return call_.input_count; }
  std::uint32_t output_count() const noexcept { return call_.output_count; }
  // Returns an input that is on the host, as integers.
  any_indices integers(std::uint32_t i) const noexcept { return {in(i).data(), in(i).size(), in(i).shape(), in(i).type()}; }

  // Returns an attribute of the op, or `otherwise` if the op has no such attribute.
  template <class T> T attribute(std::string_view name, T otherwise = {}) const {
    for (const attribute_info& a : call_.at->op->attributes())
      if (a.name == name) {
        const attribute_value value = a.get(op_);
        if (const T* const found = value.get<T>()) return *found;
      }
    return otherwise;
  }

  void fail(error_code code, const message& text) const { cpu(call_).fail(code, text); }
  void fail(const error& why) const { cpu(call_).fail(why); }
  void fail(const message& text) const { cpu(call_).fail(text); }
  bool failed() const noexcept { return static_cast<bool>(*call_.failure); }

  // Requests a kernel with `blocks` blocks.
  template <class Arguments> void launch(const void* function, std::int64_t blocks, const Arguments& arguments) const {
    device_memory::launches all(memory());
    launch_in(all, function, blocks, arguments);
  }
  // Requests one of several kernels in a row.
  template <class Arguments>
  void launch_in(device_memory::launches& all, const void* function, std::int64_t blocks, const Arguments& arguments) const {
    if (blocks == 0 || failed()) return;
    if (const error why = all.launch(function, blocks, arguments)) fail(why);
  }
  // Requests a kernel that works on `size` elements.
  template <class Arguments> void launch_each(const void* function, std::int64_t size, const Arguments& arguments) const {
    launch(function, parts_of(size, elements_per_block), arguments);
  }
  // Requests work of a library, which gets the stream of the kernels.
  void request(function_ref<error(stream)> work) const {
    if (failed()) return;
    if (const error why = memory().launch(work)) fail(why);
  }
  // Requests a kernel that reports the positions at which the input `subject` is not in the range `expected`.
  template <class Arguments>
  void launch_checked(const void* function, std::int64_t blocks, const Arguments& arguments, std::string_view subject,
                      std::string expected) const {
    device_memory::launches all(memory());
    launch_checked_in(all, function, blocks, arguments, subject, std::move(expected));
  }
  template <class Arguments>
  void launch_checked_in(device_memory::launches& all, const void* function, std::int64_t blocks, const Arguments& arguments,
                         std::string_view subject, std::string expected) const {
    if (blocks == 0 || failed()) return;
    const call_site& n = *call_.at;
    checked_call call{detail::invalid_argument("").at(n.name, n.op->name(), n.where), std::string(subject), std::move(expected)};
    if (const error why = all.launch(function, blocks, arguments, std::move(call))) fail(why);
  }
  // Copies `t` to the address `to` on the device.
  void copy(const any_tensor& t, void* to) const {
    if (t.bytes() > 0) memory().copy_within(t.data(), to, t.bytes());
  }

  static std::int64_t parts_of(std::int64_t size, std::int64_t part) { return (size + part - 1) / part; }

private:
  const void* op_;
  detail::kernel_call& call_;
  const gpu& gpu_;
  const kernel_record& record_;
};

// Memory for the kernels of one call. It is freed after these kernels.
class gpu_scratch {
public:
  gpu_scratch(const gpu_call& c, std::size_t bytes)
      : memory_(c.memory()), bytes_(bytes), data_(detail::allocate_or_null(&memory_, bytes)) {
    if (!data_)
      c.fail(error_code::resource_exhausted, message{"there is no memory for ", bytes, " bytes of intermediate results"});
  }
  ~gpu_scratch() {
    if (data_) memory_.deallocate(data_, bytes_);
  }
  gpu_scratch(const gpu_scratch&) = delete;
  gpu_scratch& operator=(const gpu_scratch&) = delete;
  void* data() const { return data_; }

private:
  device_memory& memory_;
  std::size_t bytes_;
  void* data_;
};

// Returns the range of valid row indices, for error messages.
inline std::string range_of_rows(std::int64_t rows) { return message{"[0, ", rows, ")"}.string(); }
inline std::int64_t product_of(const shape& s, int first, int last) {
  std::int64_t result = 1;
  for (int i = first; i < last; ++i) result *= s[i];
  return result;
}
// Returns the number of stripes for rows of `inner` elements: kernels/scatters.hpp.
inline std::int64_t stripes_of_rows(std::int64_t inner) {
  return inner == 0 || inner >= threads_per_block ? 1 : threads_per_block / inner;
}

// Chooses the kernel of a gather: by packs if rows and addresses are multiples of 16 bytes; requests it.
void launch_gather(const gpu_call& c, gather_arguments g, std::size_t element_bytes);

inline std::int64_t size_of_tensor(const any_tensor& t) { return static_cast<std::int64_t>(t.size()); }

// How to call the functions of a record of each form.
void run_map(const gpu_call& c);
void run_select(const gpu_call& c);
void run_sum_of_list(const gpu_call& c);
void run_reduction(const gpu_call& c);
void run_move(const gpu_call& c);
void run_fill(const gpu_call& c);
void run_gather(const gpu_call& c);
void run_gather_variable(const gpu_call& c);
void run_segments(const gpu_call& c);
void run_sorted_segments(const gpu_call& c);
void run_resize(const gpu_call& c);
void run_product(const gpu_call& c);
void run_rows(const gpu_call& c);
void run_pool(const gpu_call& c);
void run_convolution(const gpu_call& c);
void run_clip(const gpu_call& c);
void run_one_hot(const gpu_call& c);
void run_band(const gpu_call& c);
void run_slices(const gpu_call& c);
void run_update(const gpu_call& c);
void run_scatter(const gpu_call& c);
void run_batch_norm(const gpu_call& c);
void run_batch_norm_gradient(const gpu_call& c);
void run_scan(const gpu_call& c);
void run_rank(const gpu_call& c);
void run_in_top(const gpu_call& c);
void run_random(const gpu_call& c);

}
}
}  // namespace flowgraph::cuda

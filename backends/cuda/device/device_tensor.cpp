// Tensors of a GPU outside of runs, and their exchange by DLPack.
#include <cuda/device/gpu.hpp>

#include <flowgraph/cuda/dlpack.hpp>
#include <flowgraph/ops/shared/detail/variant_value.hpp>

#include <algorithm>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {
namespace detail {

// Returns an error unless `t` is a tensor of this type in the memory of a device.
static error refuse_device_tensor(const any_tensor& t, dtype type) {
  if (!t.has_value() || t.type() != type)
    return invalid_argument({"expected a tensor of ", name_of(type), ", found ", name_of(t.type())});
  if (!t.is_far())
    return error(error_code::failed_precondition,
                 message{"the tensor ", name_of(type), t.shape(), " is in the memory of the host, not of a device"});
  return {};
}

}  // namespace detail

result<any_tensor> detail::copied_to_device(const any_tensor& host, const device& gpu) {
  if (!is_plain(host.type())) return detail::invalid_argument({"a device has no tensors of ", name_of(host.type())});
  return host.copy(gpu.memory());
}

result<any_tensor> detail::copied_from_device(const any_tensor& there) {
  auto result = there.copy();
  if (!there.is_far()) return result;
  error why = far_memory::from(there.owner()->memory())->finish();
  if (result && why) return why;
  return result;
}

result<any_tensor> detail::fetched_device_tensor(const any_tensor& fetched, dtype type) {
  any_tensor found = fetched;
  if (fetched.type() == dtype::variant) {
    const auto* const held = fetched.size() == 1 ? fetched.as<variant>().data()->as<optional_value>() : nullptr;
    if (!held || held->values.size() != 1) return detail::invalid_argument("expected an optional with one tensor of a device");
    found = held->values[0];
  }
  if (error why = refuse_device_tensor(found, type)) return why;
  return found;
}

any_tensor detail::fed_device_tensor(const any_tensor& there) {
  any_tensor result = any_tensor::allocate(dtype::variant, shape{}).value();
  auto* const held = new optional_value(there.has_value(), there.has_value() ? 1 : 0);
  result.as_writable<variant>().scalar() = variant(held);
  if (there.has_value()) held->values[0] = there;
  return result;
}

namespace cuda {

namespace dlpack {

namespace {

// A tensor that another library uses, and the array to which its description refers.
struct exported {
  any_tensor held;
  device_memory& memory;
  void* consumer;  // the stream that reads the elements, or null
  managed_tensor managed;
  std::int64_t extents[shape::max_rank] = {};
};
static_assert(sizeof(void*) != 8 || (sizeof(plain_tensor) == 48 && sizeof(managed_tensor) == 64));

element_type described(dtype type) {
  const auto bits = static_cast<std::uint8_t>(8 * size_of(type));
  switch (type) {
    case dtype::float16:
    case dtype::float32:
    case dtype::float64: return {number_kind::real, bits, 1};
    case dtype::bfloat16: return {number_kind::bfloat, bits, 1};
    case dtype::complex64:
    case dtype::complex128: return {number_kind::complex, bits, 1};
    case dtype::boolean: return {number_kind::boolean, bits, 1};
    case dtype::uint8:
    case dtype::uint16:
    case dtype::uint32:
    case dtype::uint64: return {number_kind::unsigned_integer, bits, 1};
    default: return {number_kind::signed_integer, bits, 1};
  }
}
dtype type_of(const element_type& found) {
  for (const dtype t :
       {dtype::float32, dtype::float64, dtype::float16, dtype::bfloat16, dtype::int8, dtype::int16, dtype::int32, dtype::int64,
        dtype::uint8, dtype::uint16, dtype::uint32, dtype::uint64, dtype::boolean, dtype::complex64, dtype::complex128}) {
    const element_type known = described(t);
    if (known.kind == found.kind && known.bits == found.bits && found.lanes == 1) return t;
  }
  return dtype::invalid;
}

bool is_row_major(const plain_tensor& t) {
  if (!t.strides) return true;
  std::int64_t step = 1;
  for (std::int32_t i = t.rank - 1; i >= 0; --i) {
    if (t.extents[i] == 0) return true;
    if (t.extents[i] != 1 && t.strides[i] != step) return false;
    step *= t.extents[i];
  }
  return true;
}

// Returns the alignment of elements in bytes. Kernels that move elements read words of at most 8 bytes.
std::size_t alignment_of(dtype type) { return std::min<std::size_t>(size_of(type), 8); }

error refused(const message& why) { return error(error_code::invalid_argument, why); }

// Returns whether the elements are not on this GPU.
bool is_elsewhere(const device_place& d, const device_memory& memory) {
  return d.kind != device_kind::cuda || d.index != memory.by().index();
}

// Returns an error if this memory cannot take over the tensor of another library; writes its shape to `extents`.
error check(const managed_tensor* given, const device_memory& memory, shape& extents) {
  if (!given) return refused({"expected a tensor of DLPack, found null"});
  const plain_tensor& t = given->tensor;
  if (is_elsewhere(t.device, memory))
    return refused({"the tensor of DLPack is on device ", t.device.index, " of kind ", static_cast<std::int32_t>(t.device.kind),
                    ", expected GPU ", memory.by().index(), " (kind 2)"});
  if (type_of(t.type) == dtype::invalid)
    return refused({"the library has no elements of DLPack's kind ", static_cast<int>(t.type.kind), " with ", int{t.type.bits},
                    " bits and ", int{t.type.lanes}, " lanes"});
  if (t.rank < 0 || t.rank > shape::max_rank || (t.rank > 0 && !t.extents))
    return refused({"a tensor of DLPack has ", t.rank, " axes, expected at most ", shape::max_rank});
  for (std::int32_t i = 0; i < t.rank; ++i) {
    if (t.extents[i] < 0) return refused({"a tensor of DLPack has the extent ", t.extents[i]});
    extents.push_back(t.extents[i]);
  }
  if (!is_row_major(t)) return refused({"a tensor of DLPack has gaps or another order of axes, expected row-major order"});
  if (!t.data && extents.size() > 0) return refused({"a tensor of DLPack has no elements, expected shape ", extents});
  const auto address = reinterpret_cast<std::uintptr_t>(t.data) + t.byte_offset;
  const dtype type = type_of(t.type);
  if (const std::size_t wanted = alignment_of(type); extents.size() > 0 && address % wanted != 0)
    return refused({"the elements of a tensor of DLPack are at ", address % wanted, " bytes behind a multiple of ", wanted,
                    ", expected a multiple for ", name_of(type)});
  return {};
}

}  // namespace

result<managed_tensor*> to_dlpack(const any_tensor& t, void* consumer) {
  if (error why = detail::refuse_device_tensor(t, t.type())) return why;
  device_memory* const memory = device_memory::find(t.owner()->memory());
  if (!memory) return detail::invalid_argument("the tensor is not in the memory of a GPU");
  if (error why = consumer ? memory->let_wait(consumer) : memory->finish()) return why;
  auto* const result = new exported{t, *memory, consumer, {}, {}};
  for (int i = 0; i < t.shape().rank; ++i) result->extents[i] = t.shape()[i];
  plain_tensor& out = result->managed.tensor;
  out.data = const_cast<void*>(t.data());
  out.device.index = memory->by().index();
  out.rank = t.shape().rank;
  out.type = described(t.type());
  out.extents = result->extents;
  result->managed.context = result;
  result->managed.deleter = [](managed_tensor* self) {
    const std::unique_ptr<exported> ended(static_cast<exported*>(self->context));
    if (ended->consumer) ended->memory.release_after(ended->consumer);  // the block is freed when the consumer has read it
  };
  return &result->managed;
}

result<any_tensor> from_dlpack(managed_tensor* t, const device& gpu, void* producer) {
  device_memory* const memory = device_memory::find(gpu.memory());
  if (!memory) return refused({"the device ", to_string(gpu.name()), " is no GPU"});
  shape extents;
  if (error why = check(t, *memory, extents)) return why;
  if (producer)
    if (error why = memory->wait_for(producer)) return why;
  // Nothing reads the address of a tensor without elements, but it must not be null.
  void* const elements = extents.size() == 0 ? memory->fault() : static_cast<char*>(t->tensor.data) + t->tensor.byte_offset;
  return memory->adopt(type_of(t->tensor.type), extents, elements, [t] {
    if (t->deleter) t->deleter(t);
  });
}

}
}
}
}  // namespace flowgraph::cuda::dlpack

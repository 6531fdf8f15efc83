#pragma once
// The elements of variant tensors, their sums and their zeros: lists of tensors, and optional tensors.

#include <flowgraph/op/kernel.hpp>
#include <flowgraph/ops/shared/detail/limited_list.hpp>

#include <span>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

// A list of tensors of one type, each with a value or without. The holder of the only count may change it; others copy it first,
// which shares the elements. A sparse list is small, because it stores only the elements from the first to the last value.
class list_value final : public resource_base {
public:
  list_value(dtype element, const flowgraph::shape& declared, std::pmr::memory_resource* memory)
      : resource_base(kind_of<list_value>()), type(element), element_shape(declared), kept_(memory) {}
  FLOWGRAPH_INLINE ~list_value() override;

  const dtype type;
  flowgraph::shape element_shape;  // as far as it is declared
  std::int64_t most = -1;          // greatest number of elements; negative: any number

  std::int64_t size() const noexcept { return size_; }
  // Returns null if the element has no value. Precondition: 0 <= i < size().
  const any_tensor* find(std::int64_t i) const noexcept;
  // Returns the stored elements, some of them without a value. The first is element first().
  std::span<const any_tensor> kept() const noexcept { return {kept_.begin(), kept_.size()}; }
  std::span<any_tensor> kept() noexcept { return {kept_.begin(), kept_.size()}; }
  std::int64_t first() const noexcept { return first_; }

  // New elements have no value. Precondition: size >= 0.
  void resize(std::int64_t size) noexcept;
  // Returns false, and leaves the list unchanged, if there is no memory. Precondition: 0 <= i < size().
  bool set(std::int64_t i, any_tensor value);
  bool push(any_tensor value) {
    resize(size_ + 1);
    if (set(size_ - 1, std::move(value))) return true;
    resize(size_ - 1);
    return false;
  }
  // Returns a copy that shares the elements, or null if there is no memory.
  variant copy(std::pmr::memory_resource* memory) const;
  FLOWGRAPH_INLINE bool copy_tensors(std::pmr::memory_resource* memory, resource& object) const override;

private:
  bool keep(std::int64_t first, std::int64_t last);

  std::int64_t size_ = 0, first_ = 0;
  limited_list<any_tensor> kept_;
};

// Tensors of any types, or none. Never changed.
class optional_value final : public resource_base {
public:
  optional_value(bool is_there, std::size_t size) : resource_base(kind_of<optional_value>()), has_value(is_there), values(size) {}
  FLOWGRAPH_INLINE ~optional_value() override;
  FLOWGRAPH_INLINE bool copy_tensors(std::pmr::memory_resource* memory, resource& object) const override;

  const bool has_value;
  std::vector<any_tensor> values;
};

// An empty variant counts as zero. For a variant that contains neither of these classes there are no sums and no zeros: the
// kernel fails.

// Returns the same structure with zeros as values.
variant zeros_like_variant(cpu ctx, const variant& x);
// Adds `x` to `sum`, in place if no other handle exists. A value that is missing on one side counts as zero.
void add_to_variant(cpu ctx, variant& sum, const variant& x);
// Adds tensors of one shape, in their order. The sum may be in the memory of an input.
void add_variants(cpu ctx, const view_list<const variant>& inputs, view<variant> sum);

}  // namespace flowgraph::detail

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/ops/shared/impl/variant_value.hpp>
#endif

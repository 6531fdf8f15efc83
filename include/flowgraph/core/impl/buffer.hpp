#pragma once

#include <flowgraph/core/buffer.hpp>
#include <flowgraph/core/memory.hpp>
#include <flowgraph/core/resource.hpp>
#include <flowgraph/core/shape_limit.hpp>

#include <memory>
#include <new>
#include <string>
#ifdef __linux__
#include <sys/mman.h>
#endif

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

FLOWGRAPH_COLD inline error out_of_memory(std::size_t elements, dtype type) {
  return error(error_code::resource_exhausted, message{"no memory for ", elements, " elements of ", name_of(type)});
}

}  // namespace detail

FLOWGRAPH_ALWAYS_INLINE buffer* buffer::allocate_or_null(dtype type, std::size_t elements, std::pmr::memory_resource* from,
                                                         large_memory* kept) noexcept {
  const std::size_t size = size_of(type);
  if (size != 0 && elements > detail::most_bytes / size) return nullptr;
  if (far_memory* const far = far_memory::from(from)) [[unlikely]]
    return allocate_far(type, elements * size, *far);
  if (elements * size >= large_memory::smallest && kept && kept->source() == from) [[unlikely]]
    from = kept;
  void* memory = detail::allocate_or_null(from, overhead(elements * size));
  if (!memory) return nullptr;
  if (elements * size >= large_page && from == std::pmr::new_delete_resource()) [[unlikely]]
    request_large_pages(memory, elements * size);
  buffer* b = ::new (memory) buffer;
  b->type_ = type;
  b->data_ = reinterpret_cast<void*>((reinterpret_cast<std::uintptr_t>(b + 1) + alignment - 1) / alignment * alignment);
  b->bytes_ = elements * size;
  b->origin_ = from;
  if (type == dtype::string) std::uninitialized_default_construct_n(static_cast<std::string*>(b->data_), elements);
  if (is_counted(type)) std::uninitialized_default_construct_n(static_cast<resource*>(b->data_), elements);
  return b;
}

FLOWGRAPH_COLD FLOWGRAPH_INLINE void buffer::request_large_pages([[maybe_unused]] void* memory,
                                                                 [[maybe_unused]] std::size_t bytes) noexcept {
#if defined(__linux__) && defined(MADV_HUGEPAGE)
  const auto begin = reinterpret_cast<std::uintptr_t>(memory);
  const std::uintptr_t first = (begin + large_page - 1) / large_page * large_page,
                       last = (begin + bytes) / large_page * large_page;
  if (first < last) static_cast<void>(madvise(reinterpret_cast<void*>(first), last - first, MADV_HUGEPAGE));
#endif
}

// Strings and resources cannot be in this memory, because the host creates and destroys them.
FLOWGRAPH_COLD FLOWGRAPH_INLINE buffer* buffer::allocate_far(dtype type, std::size_t bytes, far_memory& from) noexcept {
  if (type == dtype::string || is_counted(type)) return nullptr;
  auto* const b = static_cast<buffer*>(::operator new(sizeof(buffer), std::nothrow));
  if (!b) return nullptr;
  void* const elements = detail::allocate_or_null(&from, bytes, alignment);
  if (!elements) {
    ::operator delete(b);
    return nullptr;
  }
  ::new (b) buffer;
  b->type_ = type;
  b->is_far_ = true;
  b->data_ = elements;
  b->bytes_ = bytes;
  b->origin_ = &from;
  return b;
}

FLOWGRAPH_INLINE result<buffer*> buffer::allocate(dtype type, std::size_t elements, std::pmr::memory_resource* from) {
  if (buffer* b = allocate_or_null(type, elements, from)) return b;
  return detail::out_of_memory(elements, type);
}

FLOWGRAPH_INLINE buffer* buffer::borrow(void* data, std::size_t bytes, unique_function<void()> release) {
  buffer* b = new buffer;
  b->data_ = data;
  b->bytes_ = bytes;
  if (release) b->on_release_ = new unique_function<void()>(std::move(release));
  return b;
}

FLOWGRAPH_INLINE void buffer::destroy() noexcept {
  if (is_borrowed()) {
    if (on_release_) (*on_release_)();
    delete on_release_;
    delete this;
    return;
  }
  if (type_ == dtype::string) std::destroy_n(static_cast<std::string*>(data_), bytes_ / sizeof(std::string));
  if (is_counted(type_)) std::destroy_n(static_cast<resource*>(data_), bytes_ / sizeof(resource));
  std::pmr::memory_resource* from = origin_;
  if (is_far_) [[unlikely]] {
    from->deallocate(data_, bytes_, alignment);
    this->~buffer();
    ::operator delete(this);
    return;
  }
  const std::size_t bytes = overhead(bytes_);
  this->~buffer();
  from->deallocate(this, bytes);
}

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>

// Without exceptions too: what the library takes from the heap goes back by the operator that belongs to it. Windows needs that.

#include <flowgraph/core/memory.hpp>

#include <cstdio>
#include <cstdlib>

#ifdef FLOWGRAPH_EXCEPTIONS
#error "this test is for builds without exceptions"
#endif

namespace {

enum class way { none, plain, aligned };
way made_by = way::none, given_back_by = way::none;

void* memory_by(way w, std::size_t bytes, std::size_t alignment) {
  made_by = w;
  return std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
}
void give_back(way w, void* p) {
  given_back_by = w;
  std::free(p);
}

}  // namespace

void* operator new(std::size_t n) { return memory_by(way::plain, n, alignof(std::max_align_t)); }
void* operator new(std::size_t n, const std::nothrow_t&) noexcept { return memory_by(way::plain, n, alignof(std::max_align_t)); }
void* operator new(std::size_t n, std::align_val_t a) { return memory_by(way::aligned, n, static_cast<std::size_t>(a)); }
void* operator new(std::size_t n, std::align_val_t a, const std::nothrow_t&) noexcept {
  return memory_by(way::aligned, n, static_cast<std::size_t>(a));
}
void operator delete(void* p) noexcept { give_back(way::plain, p); }
void operator delete(void* p, std::size_t) noexcept { give_back(way::plain, p); }
void operator delete(void* p, std::align_val_t) noexcept { give_back(way::aligned, p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { give_back(way::aligned, p); }

int main() {
  std::pmr::memory_resource* const heap = std::pmr::new_delete_resource();
  for (const std::size_t alignment : {std::size_t{8}, alignof(std::max_align_t), std::size_t{64}}) {
    made_by = given_back_by = way::none;
    void* const memory = flowgraph::detail::allocate_or_null(heap, 40, alignment);
    heap->deallocate(memory, 40, alignment);
    if (made_by == way::none || made_by != given_back_by) {
      std::printf("alignment %zu: made by operator %d, given back by operator %d\n", alignment, static_cast<int>(made_by),
                  static_cast<int>(given_back_by));
      return 1;
    }
  }
}

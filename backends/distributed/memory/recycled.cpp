#include <flowgraph/distributed/recycled.hpp>

#include <array>
#include <bit>
#include <mutex>
#include <new>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

namespace {

#if defined(__has_feature)
#define FLOWGRAPH_HAS_FEATURE(name) __has_feature(name)
#else
#define FLOWGRAPH_HAS_FEATURE(name) 0
#endif
// A sanitizer that looks for use after free cannot find it in blocks that are used again.
#if defined(__SANITIZE_ADDRESS__) || FLOWGRAPH_HAS_FEATURE(address_sanitizer)
constexpr bool recycles = false;
#else
constexpr bool recycles = true;
#endif

constexpr std::size_t spacing = 64, most_small = 2048;      // sizes of small blocks
constexpr std::size_t most_large = std::size_t{1} << 28;    // larger blocks go back to the heap
constexpr std::size_t kept_small = std::size_t{1} << 20;    // of one size, for all threads together
constexpr std::size_t kept_large = std::size_t{256} << 20;  // for all sizes together
constexpr std::size_t batch = 8;                            // blocks that move at once between a thread and the common shelf

struct pile {
  struct block {
    block* next;
  };
  block* first = nullptr;
  std::size_t count = 0;

  void put(void* at) noexcept {
    first = ::new (at) block{first};
    ++count;
  }
  // Returns null if the pile is empty.
  void* take() noexcept {
    block* const taken = first;
    if (taken == nullptr) return nullptr;
    first = taken->next;
    --count;
    return taken;
  }
};

// Blocks of one size that no thread has in its own pile.
class small_shelf {
public:
  void fill(pile& of_thread) noexcept {
    const std::lock_guard lock(mutex_);
    while (of_thread.count < batch && blocks_.count != 0) of_thread.put(blocks_.take());
  }
  void take_over(pile& of_thread, std::size_t count, std::size_t size) noexcept {
    pile dropped;
    {
      const std::lock_guard lock(mutex_);
      for (; count > 0; --count) (blocks_.count * size < kept_small ? blocks_ : dropped).put(of_thread.take());
    }
    while (void* const block = dropped.take()) ::operator delete(block);
  }

private:
  std::mutex mutex_;
  pile blocks_;
};

// Blocks of sizes from 2 KB up. There are eight sizes from each power of two to the next.
class large_shelves {
public:
  static std::size_t size_for(std::size_t bytes) noexcept {
    const std::size_t step = std::bit_floor(bytes) / 8;
    return (bytes + step - 1) / step * step;
  }
  // Returns null if there is no block of that size.
  void* take(std::size_t size) noexcept {
    const std::lock_guard lock(mutex_);
    void* const block = blocks_[place_of(size)].take();
    if (block != nullptr) kept_ -= size;
    return block;
  }
  // Returns false if the shelves are full.
  bool put(void* block, std::size_t size) noexcept {
    const std::lock_guard lock(mutex_);
    if (kept_ + size > kept_large) return false;
    blocks_[place_of(size)].put(block);
    kept_ += size;
    return true;
  }

private:
  static constexpr int least_bits = static_cast<int>(std::bit_width(most_small)),
                       most_bits = static_cast<int>(std::bit_width(most_large));
  static std::size_t place_of(std::size_t size) noexcept {
    const int bits = static_cast<int>(std::bit_width(size));
    return static_cast<std::size_t>(bits - least_bits) * 8 + (size >> (bits - 4)) % 8;
  }

  std::mutex mutex_;
  std::array<pile, static_cast<std::size_t>(most_bits - least_bits + 1) * 8> blocks_;
  std::size_t kept_ = 0;
};

constexpr std::size_t sizes = most_small / spacing;
std::size_t place_of_small(std::size_t bytes) noexcept { return bytes == 0 ? 0 : (bytes - 1) / spacing; }
constexpr std::size_t size_at(std::size_t place) noexcept { return (place + 1) * spacing; }

struct shelves_of_all {
  std::array<small_shelf, sizes> small;
  large_shelves large;
};
shelves_of_all& common() {
  static auto* const all = new shelves_of_all;  // never destroyed: tensors may be freed last
  return *all;
}

// The idle blocks of one thread. After the end of the thread it keeps none: other thread_local objects of the thread may still free
// blocks then.
struct at_hand {
  std::array<pile, sizes> small;
  bool has_ended;
};
thread_local constinit at_hand own{};
struct end_of_thread {
  bool is_coming = true;
  ~end_of_thread() {
    own.has_ended = true;
    for (std::size_t p = 0; p < sizes; ++p) common().small[p].take_over(own.small[p], own.small[p].count, size_at(p));
  }
};
thread_local end_of_thread end;

}  // namespace

void* take_block(std::size_t bytes) {
  if (!recycles || bytes > most_large) return ::operator new(bytes);
  if (bytes > most_small) {
    const std::size_t size = large_shelves::size_for(bytes);
    void* const block = common().large.take(size);
    return block != nullptr ? block : ::operator new(size);
  }
  const std::size_t place = place_of_small(bytes);
  if (!own.has_ended) {
    pile& mine = own.small[place];
    if (mine.first == nullptr && end.is_coming) common().small[place].fill(mine);
    if (void* const block = mine.take()) return block;
  }
  return ::operator new(size_at(place));
}

void give_back_block(void* block, std::size_t bytes) noexcept {
  if (!recycles || bytes > most_large) return ::operator delete(block);
  if (bytes > most_small) {
    if (!common().large.put(block, large_shelves::size_for(bytes))) ::operator delete(block);
    return;
  }
  if (own.has_ended || !end.is_coming) return ::operator delete(block);
  const std::size_t place = place_of_small(bytes);
  pile& mine = own.small[place];
  mine.put(block);
  if (mine.count > 2 * batch) common().small[place].take_over(mine, batch, size_at(place));
}

}  // namespace flowgraph::detail

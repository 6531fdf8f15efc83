#pragma once
// A memory resource that limits the number of bytes that are in use at the same time.

#include <flowgraph/core/memory.hpp>
#include <flowgraph/core/message.hpp>

#include <atomic>
#include <string>

namespace flowgraph::inline FLOWGRAPH_ABI {

// Memory that its owner keeps for later use, and can free for other users.
class spare_memory {
public:
  // Frees the memory. Returns its bytes.
  virtual std::size_t free_idle() noexcept = 0;

protected:
  ~spare_memory() = default;
};

// A memory resource with a limit. It counts exactly, and any thread may use it. Its creator must call close(). The object is
// deleted when it is closed and its last byte has been freed, so tensors may outlive the session that limits their memory.
class memory_budget final : public std::pmr::memory_resource {
public:
  static constexpr std::size_t unlimited = static_cast<std::size_t>(-1) / 2;  // a limit for a resource that only counts

  // Creates a resource. `whose` is the name of the limit in error messages.
  static memory_budget* make(std::size_t limit, std::pmr::memory_resource* from,
                             std::string whose = "session_options::memory_limit") {
    return new memory_budget(limit, from, std::move(whose));
  }
  void close() noexcept { give_back(1); }
  // Sets memory of this budget that is freed before the budget refuses a request; null: none. Precondition: no other thread
  // allocates.
  void set_spare(spare_memory* kept) noexcept { spare_ = kept; }

  std::size_t in_use() const noexcept { return used_.load(std::memory_order_relaxed) - 1; }
  std::size_t limit() const noexcept { return limit_; }
  const std::string& whose() const noexcept { return whose_; }

private:
  memory_budget(std::size_t limit, std::pmr::memory_resource* from, std::string whose)
      : limit_(limit), from_(from), whose_(std::move(whose)) {}
  ~memory_budget() override = default;

  void give_back(std::size_t bytes) noexcept {
    if (used_.fetch_sub(bytes, std::memory_order_acq_rel) == bytes) delete this;
  }
  bool reserve(std::size_t bytes) noexcept {
    if (used_.fetch_add(bytes, std::memory_order_relaxed) + bytes <= limit_ + 1) return true;
    used_.fetch_sub(bytes, std::memory_order_relaxed);
    return false;
  }
  void* do_allocate(std::size_t bytes, std::size_t alignment) override {
    while (!reserve(bytes))
      if (!spare_ || spare_->free_idle() == 0) return detail::refuse_memory();
    if (void* const result = detail::allocate_or_null(from_, bytes, alignment)) return result;
    used_.fetch_sub(bytes, std::memory_order_relaxed);
    return detail::refuse_memory();
  }
  void do_deallocate(void* p, std::size_t bytes, std::size_t alignment) override {
    from_->deallocate(p, bytes, alignment);
    give_back(bytes);
  }
  bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override { return this == &other; }

  std::size_t limit_;
  std::pmr::memory_resource* from_;
  const std::string whose_;
  std::atomic<std::size_t> used_{1};  // one byte represents the creator
  spare_memory* spare_ = nullptr;
};

namespace detail {

// Returns the end of an error message about missing memory: the name of the limit, the limit and the bytes in use. If there is no
// limit, returns an empty text.
FLOWGRAPH_COLD inline std::string limit_in_words(const memory_budget* b) {
  if (!b || b->limit() == memory_budget::unlimited) return {};
  return message{"; ", b->whose(), " is ", b->limit(), ", of which ", b->in_use(), " are in use"};
}

}  // namespace detail

}  // namespace flowgraph

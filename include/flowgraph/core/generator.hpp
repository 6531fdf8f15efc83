#pragma once
// A range whose values are computed by a coroutine. Each value is computed when it is requested.
//
//     fg::generator<fg::tensor<float>> measured() {
//       while (sensor.is_on()) co_yield sensor.next();
//     }
//     for (fg::tensor<float>& sample : measured()) ...
//
// This is std::generator for C++20. It can be iterated once, by one thread at a time. If the coroutine throws an exception, the
// request for the next value throws it.

#include <flowgraph/config.hpp>

#include <coroutine>
#include <cstddef>
#include <exception>
#include <iterator>
#include <memory>
#include <utility>

namespace flowgraph::inline FLOWGRAPH_ABI {

// The return type of such a coroutine: an input range of T. The values of the range may be moved. The coroutine starts when begin()
// is called.
template <class T> class [[nodiscard]] generator {
public:
  class promise_type;
  class iterator;

  generator() = default;
  generator(generator&& other) noexcept : routine_(std::exchange(other.routine_, nullptr)) {}
  generator& operator=(generator&& other) noexcept {
    std::swap(routine_, other.routine_);
    return *this;
  }
  ~generator() {
    if (routine_) routine_.destroy();
  }

  // Computes the first value. Call it only once.
  iterator begin() {
    if (routine_) promise_type::resume(routine_);
    return iterator(routine_);
  }
  std::default_sentinel_t end() const noexcept { return {}; }

private:
  using handle = std::coroutine_handle<promise_type>;
  explicit generator(handle routine) noexcept : routine_(routine) {}

  handle routine_;
};

// The coroutine's promise. It refers to the current value, which exists until the next value is requested.
template <class T> class generator<T>::promise_type {
public:
  generator get_return_object() noexcept { return generator(handle::from_promise(*this)); }
  std::suspend_always initial_suspend() const noexcept { return {}; }
  std::suspend_always final_suspend() const noexcept { return {}; }
  std::suspend_always yield_value(T& value) noexcept {
    value_ = std::addressof(value);
    return {};
  }
  std::suspend_always yield_value(T&& value) noexcept { return yield_value(value); }
  void return_void() const noexcept {}
#ifdef FLOWGRAPH_EXCEPTIONS
  void unhandled_exception() noexcept { thrown_ = std::current_exception(); }
#else
  void unhandled_exception() const noexcept { std::terminate(); }
#endif
  void await_transform() = delete;  // the coroutine can yield, but not await

private:
  friend class generator;
  static void resume(handle routine) {
    routine.resume();
#ifdef FLOWGRAPH_EXCEPTIONS
    if (std::exception_ptr thrown = std::exchange(routine.promise().thrown_, nullptr)) std::rethrow_exception(thrown);
#endif
  }

  T* value_ = nullptr;
#ifdef FLOWGRAPH_EXCEPTIONS
  std::exception_ptr thrown_;
#endif
};

template <class T> class generator<T>::iterator {
public:
  using value_type = T;
  using difference_type = std::ptrdiff_t;
  using iterator_concept = std::input_iterator_tag;

  iterator() = default;
  T& operator*() const noexcept { return *routine_.promise().value_; }
  iterator& operator++() {
    promise_type::resume(routine_);
    return *this;
  }
  void operator++(int) { ++*this; }
  friend bool operator==(const iterator& a, std::default_sentinel_t) noexcept { return !a.routine_ || a.routine_.done(); }

private:
  friend class generator;
  explicit iterator(handle routine) noexcept : routine_(routine) {}

  handle routine_;
};

}  // namespace flowgraph

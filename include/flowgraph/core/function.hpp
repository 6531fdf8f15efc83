#pragma once
// Callables for the engine: a move-only owner of any callable, and a reference to a callable.

#include <flowgraph/config.hpp>

#include <cstddef>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// Kernels pass thousands of callables, and this concept compiles faster than std::is_invocable_r.
template <class F, class R, class... A>
concept callable_as = requires(F& f, A&&... a) { f(static_cast<A&&>(a)...); } &&
                      (std::is_void_v<R> || requires(F& f, A&&... a, void (*take)(R)) { take(f(static_cast<A&&>(a)...)); });

}  // namespace detail

// A reference to a callable for the duration of a call. It consists of two words and never allocates.
template <class Signature> class function_ref;

template <class R, class... A> class function_ref<R(A...)> {
public:
  template <class F>
    requires(!std::is_same_v<std::remove_cvref_t<F>, function_ref> && detail::callable_as<std::remove_reference_t<F>, R, A...>)
  function_ref(F&& f) noexcept
      : object_(const_cast<void*>(reinterpret_cast<const void*>(std::addressof(f)))),
        call_(&call_object<std::remove_reference_t<F>>) {}

  R operator()(A... a) const { return call_(object_, std::forward<A>(a)...); }

private:
  template <class F> static R call_object(void* object, A... a) { return (*reinterpret_cast<F*>(object))(std::forward<A>(a)...); }

  void* object_;
  R (*call_)(void*, A...);
};

// A move-only owner of a callable. Small callables are stored inside the object.
template <class Signature> class unique_function;

template <class R, class... A> class unique_function<R(A...)> {
public:
  unique_function() noexcept = default;

  template <class F>
    requires(!std::is_same_v<std::remove_cvref_t<F>, unique_function> && std::is_invocable_r_v<R, std::decay_t<F>&, A...>)
  unique_function(F&& f) {
    using T = std::decay_t<F>;
    if constexpr (sizeof(T) <= sizeof(storage_) && alignof(T) <= alignof(std::max_align_t) &&
                  std::is_nothrow_move_constructible_v<T>) {
      ::new (static_cast<void*>(storage_)) T(std::forward<F>(f));
      call_ = [](void* s, A... a) -> R { return (*static_cast<T*>(s))(std::forward<A>(a)...); };
      manage_ = [](void* from, void* to) noexcept {
        if (to) ::new (to) T(std::move(*static_cast<T*>(from)));
        static_cast<T*>(from)->~T();
      };
    } else {
      ::new (static_cast<void*>(storage_)) T*(new T(std::forward<F>(f)));
      call_ = [](void* s, A... a) -> R { return (**static_cast<T**>(s))(std::forward<A>(a)...); };
      manage_ = [](void* from, void* to) noexcept {
        if (to) ::new (to) T*(*static_cast<T**>(from));
        else delete *static_cast<T**>(from);
      };
    }
  }

  unique_function(unique_function&& other) noexcept { take(other); }
  unique_function& operator=(unique_function&& other) noexcept {
    if (this != &other) {
      reset();
      take(other);
    }
    return *this;
  }
  ~unique_function() { reset(); }

  explicit operator bool() const noexcept { return call_ != nullptr; }
  R operator()(A... a) { return call_(storage_, std::forward<A>(a)...); }

  void reset() noexcept {
    if (manage_) manage_(storage_, nullptr);
    call_ = nullptr;
    manage_ = nullptr;
  }

private:
  void take(unique_function& other) noexcept {
    call_ = std::exchange(other.call_, nullptr);
    manage_ = std::exchange(other.manage_, nullptr);
    if (manage_) manage_(other.storage_, storage_);
  }

  alignas(std::max_align_t) std::byte storage_[48];
  R (*call_)(void*, A...) = nullptr;
  void (*manage_)(void* from, void* to) noexcept = nullptr;
};

}  // namespace flowgraph

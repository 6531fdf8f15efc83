#pragma once
// The building blocks of the engine's tests: plain arithmetic, kernels made of a lambda, loops, and checks of errors.

#include <flowgraph/core/thread_pool.hpp>
#include <flowgraph/graph/apply.hpp>
#include <flowgraph/ops/array/constant.hpp>
#include <flowgraph/ops/control_flow/control_flow.hpp>
#include <flowgraph/ops/array/identity.hpp>
#include <flowgraph/ops/state/variable.hpp>
#include <flowgraph/runtime/session.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <memory_resource>
#include <new>
#include <string>
#include <vector>
#ifndef FLOWGRAPH_NO_THREADS
#include <mutex>
#include <thread>
#endif

namespace engine {

namespace fg = flowgraph;
using fg::error_code;

// ---- arithmetic: equal shapes, or one operand with one element

struct arithmetic {
  static constexpr fg::op_facts base_facts{.not_differentiable = true, .in_place = true};

  fg::shape shape(fg::shape_context& c, const fg::shape& a, const fg::shape& b) const {
    if (b.rank == 0) return a;
    if (a.rank == 0) return b;
    return fits(a, b) ? merged(a, b) : c.fail("expected equal shapes or a scalar");
  }
  template <class F, class T> static void each(fg::view<const T> a, fg::view<const T> b, fg::view<T> y, F f) {
    const std::size_t step_a = a.size() == 1 ? 0 : 1, step_b = b.size() == 1 ? 0 : 1;
    for (std::size_t i = 0; i < y.size(); ++i) y[i] = f(a[i * step_a], b[i * step_b]);
  }
};
struct add_op : arithmetic {
  static constexpr std::string_view name = "TestAdd";
  void operator()(fg::cpu, fg::view<const float> a, fg::view<const float> b, fg::view<float> y) const {
    each(a, b, y, std::plus<>{});
  }
};
struct multiply_op : arithmetic {
  static constexpr std::string_view name = "TestMultiply";
  void operator()(fg::cpu, fg::view<const float> a, fg::view<const float> b, fg::view<float> y) const {
    each(a, b, y, std::multiplies<>{});
  }
};
struct less_op {
  static constexpr std::string_view name = "TestLess";
  static constexpr fg::op_facts facts{.not_differentiable = true};
  fg::shape shape(const fg::shape&, const fg::shape&) const { return {}; }
  void operator()(fg::cpu, fg::view<const float> a, fg::view<const float> b, fg::view<bool> y) const { y.scalar() = a[0] < b[0]; }
};

inline fg::out<float> add(fg::out<float> a, fg::out<float> b, fg::site s = {}) { return fg::apply(add_op{}, a, b, s); }
inline fg::out<float> multiply(fg::out<float> a, fg::out<float> b, fg::site s = {}) { return fg::apply(multiply_op{}, a, b, s); }
inline fg::out<bool> less(fg::out<float> a, fg::out<float> b, fg::site s = {}) { return fg::apply(less_op{}, a, b, s); }
// Computes x + 1, possibly in the memory of x.
struct raise_op {
  static constexpr std::string_view name = "Raise";
  static constexpr fg::op_facts facts{.not_differentiable = true, .in_place = true};
  fg::shape shape(const fg::shape& x) const { return x; }
  void operator()(fg::cpu, fg::view<const float> x, fg::view<float> y) const {
    for (std::size_t i = 0; i < x.size(); ++i) y[i] = x[i] + 1;
  }
};
// Returns the number 0, computed from x: in the body of a loop, a value of each iteration.
struct nothing_op {
  static constexpr std::string_view name = "Nothing";
  static constexpr fg::op_facts facts{.not_differentiable = true};
  fg::shape shape(const fg::shape&) const { return {}; }
  void operator()(fg::cpu, fg::view<const float>, fg::view<float> y) const { y.scalar() = 0; }
};
inline fg::out<float> raised(fg::out<float> x, fg::site s = {}) { return fg::apply(raise_op{}, x, s); }
inline fg::out<float> nothing(fg::out<float> x, fg::site s = {}) { return fg::apply(nothing_op{}, x, s); }
// Returns x + x + ... in `length` nodes.
inline fg::out<float> chain(fg::out<float> x, int length) {
  fg::out<float> y = x;
  for (int i = 0; i < length; ++i) y = add(y, x);
  return y;
}

// ---- kernels made of a lambda: they hand their input on and call `body`

using kernel_body = std::function<void(fg::cpu)>;
using async_body = std::function<void(fg::cpu, fg::done)>;

struct probe_op {
  static constexpr std::string_view name = "Probe";
  static constexpr fg::op_facts facts{.not_differentiable = true, .stateful = true};
  kernel_body body;
  fg::shape shape(const fg::shape& x) const { return x; }
  void operator()(fg::cpu ctx, fg::view<const float> x, fg::view<float> y) const {
    std::copy(x.begin(), x.end(), y.begin());
    body(ctx);
  }
};
// An op that counts its runs. It is not stateful, so a pass may fold it.
struct pure_probe_op {
  static constexpr std::string_view name = "PureProbe";
  static constexpr fg::op_facts facts{.not_differentiable = true};
  std::atomic<int>* runs = nullptr;
  fg::shape shape(const fg::shape& x) const { return x; }
  void operator()(fg::cpu, fg::view<const float> x, fg::view<float> y) const {
    ++*runs;
    std::copy(x.begin(), x.end(), y.begin());
  }
};
// An op that is worth a thread of its own from 8 KiB of input on.
struct expensive_probe_op : probe_op {
  static constexpr std::string_view name = "ExpensiveProbe";
  static constexpr fg::op_facts facts = probe_op::facts.with({.expensive = true});
};
struct async_probe_op {
  static constexpr std::string_view name = "AsyncProbe";
  static constexpr fg::op_facts facts{.not_differentiable = true, .stateful = true};
  async_body body;
  fg::shape shape(const fg::shape& x) const { return x; }
  void operator()(fg::cpu ctx, fg::view<const float> x, fg::view<float> y, fg::done answer) const {
    std::copy(x.begin(), x.end(), y.begin());
    body(ctx, std::move(answer));
  }
};

inline fg::out<float> probe(fg::out<float> x, kernel_body f, fg::site s = {}) { return fg::apply(probe_op{std::move(f)}, x, s); }
inline fg::out<float> expensive_probe(fg::out<float> x, kernel_body f, fg::site s = {}) {
  return fg::apply(expensive_probe_op{{std::move(f)}}, x, s);
}
inline fg::out<float> async_probe(fg::out<float> x, async_body f, fg::site s = {}) {
  return fg::apply(async_probe_op{std::move(f)}, x, s);
}
inline fg::out<float> counted(fg::out<float> x, std::atomic<int>& runs, fg::site s = {}) {
  return probe(
      x, [&runs](fg::cpu) { ++runs; }, s);
}
inline fg::out<float> failing(fg::out<float> x, fg::site s = {}) {
  return probe(
      x, [](fg::cpu ctx) { ctx.fail(error_code::data_loss, "the kernel refuses"); }, s);
}
#ifndef FLOWGRAPH_NO_THREADS
// Threads that answer for asynchronous kernels. The destructor waits for all of them.
class answering_threads {
public:
  async_body after(std::chrono::microseconds delay, fg::error why = {}) {
    return [this, delay, why](fg::cpu, fg::done answer) {
      std::lock_guard lock(mutex_);
      threads_.emplace_back([delay, why, answer = std::move(answer)]() mutable {
        std::this_thread::sleep_for(delay);
        answer(why);
      });
    };
  }
  ~answering_threads() {
    for (std::thread& t : threads_) t.join();
  }

private:
  std::mutex mutex_;
  std::vector<std::thread> threads_;
};
#endif

// ---- control flow

struct loop_options {
  std::string name = "loop";
  std::int64_t parallel_iterations = 10;
};
inline fg::out<float> enter(fg::out<float> x, const loop_options& o = {}, fg::site s = {}) {
  return fg::apply(fg::enter_op{o.name, false, o.parallel_iterations}, x, s);
}
// Returns a value that is the same in every iteration.
inline fg::out<float> invariant(fg::out<float> x, const loop_options& o = {}, fg::site s = {}) {
  return fg::apply(fg::enter_op{o.name, true, o.parallel_iterations}, x, s);
}

using values = std::vector<fg::out<float>>;

// Builds while (condition(v...)) v... = step(v...), with Enter, Merge, Switch, NextIteration and Exit.
inline values loop(const values& initial, const std::function<fg::out<bool>(const values&)>& condition,
                   const std::function<values(const values&)>& step, const loop_options& o = {}) {
  fg::graph g = fg::graph_of(*initial[0].source);
  values merges, inside, exits;
  for (const auto& v : initial) {
    const auto first = enter(v, o);
    merges.push_back(fg::merge({first, first}).value);
  }
  const auto go_on = fg::apply(fg::loop_cond_op{}, condition(merges));
  for (const auto& m : merges) {
    const auto b = fg::switch_(m, go_on);
    inside.push_back(fg::identity(b.if_true));
    exits.push_back(fg::apply(fg::exit_op{}, b.if_false));
  }
  const values next = step(inside);
  for (std::size_t i = 0; i < merges.size(); ++i)
    g.set_back_edge(merges[i].source, 1, fg::apply(fg::next_iteration_op{}, next[i]));
  return exits;
}
// Builds for (i = first; i < limit; i += by), and returns i.
inline fg::out<float> counting_loop(fg::out<float> first, fg::out<float> limit, fg::out<float> by, const loop_options& o = {}) {
  fg::out<float> end, step;
  return loop(
      {first},
      [&](const values& v) {
        end = invariant(limit, o);
        step = invariant(by, o);
        return less(v[0], end);
      },
      [&](const values& v) { return values{add(v[0], step)}; }, o)[0];
}

// ---- checks

// Checks an error: its code, the node's name and op, and that its message contains every one of `parts`.
inline void check_error(const fg::error& e, error_code code, std::string_view node, std::string_view op,
                        std::initializer_list<std::string_view> parts = {}) {
  CHECK(e.code() == code);
  CHECK(e.node() == node);
  CHECK(e.op() == op);
  for (const std::string_view part : parts) {
    const bool found = e.message().find(part) != std::string_view::npos;
    CHECK_MESSAGE(found, std::string(part), " is missing in: ", std::string(e.what()));
  }
}
// Checks that the error names the line of this file, also in its text.
inline void check_place(const fg::error& e, unsigned line, std::string_view file) {
  CHECK(e.where().line() == line);
  const std::string place = std::string(file.substr(file.rfind('/') + 1)) + ':' + std::to_string(line);
  const bool found = std::string_view(e.what()).find(place) != std::string_view::npos;
  CHECK_MESSAGE(found, place, " is missing in: ", std::string(e.what()));
}

// A memory resource that counts the blocks in use, and may refuse allocations.
class counting_memory final : public std::pmr::memory_resource {
public:
  std::size_t in_use() const { return in_use_; }
  std::size_t most_in_use() const { return most_; }
  std::size_t allocations() const { return allocations_; }
  // Refuses the nth allocation from now on; 0: none.
  void refuse(std::size_t nth) { left_ = static_cast<std::int64_t>(nth); }
  bool has_refused() const { return left_ == refused; }

private:
  static constexpr std::int64_t refused = -1;

  bool refuses() {
    std::int64_t left = left_;
    while (left > 0 && !left_.compare_exchange_weak(left, left == 1 ? refused : left - 1)) {}
    return left == 1;
  }
  void* do_allocate(std::size_t bytes, std::size_t alignment) override {
    if (refuses()) {
#ifdef FLOWGRAPH_EXCEPTIONS
      throw std::bad_alloc();
#else
      return nullptr;
#endif
    }
    const std::size_t now = in_use_ += bytes;
    for (std::size_t most = most_; most < now && !most_.compare_exchange_weak(most, now);) {}
    ++allocations_;
    return std::pmr::new_delete_resource()->allocate(bytes, alignment);
  }
  void do_deallocate(void* p, std::size_t bytes, std::size_t alignment) override {
    in_use_ -= bytes;
    std::pmr::new_delete_resource()->deallocate(p, bytes, alignment);
  }
  bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override { return this == &other; }

  std::atomic<std::size_t> in_use_{0}, most_{0}, allocations_{0};
  std::atomic<std::int64_t> left_{0};
};

inline fg::tensor<float> zeros(std::size_t n) { return fg::tensor<float>(fg::shape{n}); }
inline fg::tensor<float> filled(std::size_t size, float with) {
  fg::tensor<float> t(fg::shape{size});
  for (float& f : t.writable()) f = with;
  return t;
}
inline std::vector<float> to_vector(const fg::tensor<float>& t) { return {t.begin(), t.end()}; }

// Checks that a session still works after earlier errors: this run returns 2 * 3.
inline void check_usable(fg::session& s, fg::out<float> x, fg::out<float> twice) {
  auto made = s.try_run(fg::fetch(twice), {{x, 3.f}});
  REQUIRE(made.has_value());
  CHECK(made->scalar() == 6.f);
}

}  // namespace engine

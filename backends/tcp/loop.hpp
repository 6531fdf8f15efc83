#pragma once
// An I/O thread and its connections. Only this thread uses them.

#include "patience.hpp"

#include <flowgraph/core/function.hpp>
#include <flowgraph/distributed/recycled.hpp>

#include <asio/executor_work_guard.hpp>
#include <asio/io_context.hpp>
#include <asio/ip/tcp.hpp>
#include <asio/post.hpp>
#include <asio/steady_timer.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <unordered_set>
#include <utility>
#include <vector>

namespace flowgraph::inline FLOWGRAPH_ABI::tcp {

class tcp_link;

// Asio types for the only kind of executor that is used. Asio's default types accept any executor, which makes programs larger.
using io_executor = asio::io_context::executor_type;
using io_socket = asio::basic_stream_socket<asio::ip::tcp, io_executor>;
using io_acceptor = asio::basic_socket_acceptor<asio::ip::tcp, io_executor>;
using io_timer = asio::basic_waitable_timer<std::chrono::steady_clock, asio::wait_traits<std::chrono::steady_clock>, io_executor>;

// A callable for Asio, which copies it into a recycled block. Asio itself recycles only a few blocks, and only on its own threads.
template <class F> struct recycled_handler {
  using allocator_type = recycled_allocator<void>;
  F call;

  allocator_type get_allocator() const noexcept { return {}; }
  template <class... A> void operator()(A&&... a) { call(std::forward<A>(a)...); }
};
template <class F> recycled_handler(F) -> recycled_handler<F>;

class loop : public std::enable_shared_from_this<loop> {
public:
  explicit loop(bool busy_polling) : is_busy_(busy_polling) {}

  // Starts the thread. The thread keeps this object alive until stop() has ended it.
  void start();
  // Ends the thread and all its links. Scheduled calls are dropped.
  void stop();

  asio::io_context& io() noexcept { return io_; }
  template <class F> void post(F f) { asio::post(io_, recycled_handler{std::move(f)}); }
  void call_at(std::chrono::steady_clock::time_point when, unique_function<void()> f);

  // Returns whether the caller is on the thread of this loop.
  bool is_here() const noexcept { return std::this_thread::get_id() == id_.load(std::memory_order_relaxed); }
  // These functions must be called on the thread of this loop.
  void add(std::shared_ptr<tcp_link> link);
  void remove(const std::shared_ptr<tcp_link>& link);
  // Registers a function that runs when the loop ends, to end operations that wait here.
  void at_end(unique_function<void()> f);
  bool has_ended() const noexcept { return has_ended_; }
  // Counts frames that have arrived over a link of this loop.
  void count(std::uint64_t frames) noexcept { frames_ += frames; }

private:
  void run();
  void wait_for_work();
  void end();

  bool is_busy_, has_ended_ = false;
  patience patience_;
  std::uint64_t frames_ = 0;  // since the last wait
  asio::io_context io_{1};
  asio::executor_work_guard<asio::io_context::executor_type> work_ = asio::make_work_guard(io_);
  std::unordered_set<std::shared_ptr<tcp_link>> links_;
  std::vector<unique_function<void()>> at_end_;
  std::mutex mutex_;  // guards the timers
  std::unordered_set<std::shared_ptr<io_timer>, std::hash<std::shared_ptr<io_timer>>, std::equal_to<>,
                     recycled_allocator<std::shared_ptr<io_timer>>>
      timers_;
  bool drops_timers_ = false;
  std::thread thread_;
  std::atomic<std::thread::id> id_;
};

}  // namespace flowgraph::tcp

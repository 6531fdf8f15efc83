#pragma once
// A TCP connection. Everything except send() and close() happens on the thread of its loop.

#include "loop.hpp"
#include "secure_stream.hpp"

#include <distributed/frame_bytes.hpp>
#include <flowgraph/distributed/tcp.hpp>

#include <asio/buffer.hpp>
#include <asio/ip/tcp.hpp>

#include <array>
#include <atomic>
#include <mutex>
#include <optional>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {
namespace tcp {

class tcp_link final : public link, public std::enable_shared_from_this<tcp_link> {
public:
  tcp_link(std::shared_ptr<loop> on, const transport_options& options, std::string address);

  void send(frame f) override { send_all({&f, 1}); }
  void send_all(std::span<frame> frames) override;
  void close(const error& why) override;
  std::string address() const override { return address_; }
  std::string binding() const override { return binding_; }
  error admit() override;
  bool sign_with(unique_function<void(frame&)> sign) override;
  std::chrono::nanoseconds heard() const override { return std::chrono::nanoseconds(heard_.load(std::memory_order_relaxed)); }

  // Connects: tries the addresses one after another.
  void connect(std::vector<asio::ip::tcp::endpoint> to, std::shared_ptr<link_user> user);
  // Begins an accepted connection. If `user` is null, refuses it.
  void begin(io_socket socket, std::shared_ptr<link_user> user);
  // Reports an error from before the connection began.
  void fail(std::shared_ptr<link_user> user, const error& why);
  // Ends the link without waiting for pending writes.
  void abort(const error& why);
  // Calls abort() on the thread of the loop, after earlier posted work. Thread-safe.
  void abort_later(const error& why);

  // Returns whether the other end has sent nothing yet. Thread-safe.
  bool is_silent() const noexcept { return is_silent_.load(std::memory_order_relaxed); }

  // For an accepted link: `on_admit` checks whether the peer is let in, and `on_end` runs after the connection was closed.
  unique_function<error()> on_admit;
  unique_function<void()> on_end;

private:
  void try_next(std::size_t at, const asio::error_code& before);
  void connected(const std::string& host);
  void encrypt(const std::string& host);
  void opened();
  void read();
  void wait_for(std::size_t bytes);
  void watch();
  void has_read(const asio::error_code& why, std::size_t bytes);
  void append(std::span<frame> frames);
  void append_queued();
  void flush();
  void write();
  void end(const error& why);
  void finish();
  bool has_stream() const noexcept { return socket_ || secure_; }
  void end_writing();
  error broken(const asio::error_code& why) const;

  const std::shared_ptr<loop> loop_;
  const std::string address_;
  const std::shared_ptr<const encryption> encryption_;
  std::optional<io_socket> socket_;
  std::shared_ptr<secure_stream> secure_;  // replaces socket_
  std::shared_ptr<link_user> user_;
  std::vector<asio::ip::tcp::endpoint> endpoints_;

  std::mutex mutex_;  // guards what other threads use
  std::vector<frame> queue_;
  bool is_woken_ = false;
  error cause_;  // from close()
  std::atomic<bool> is_ending_{false}, has_queued_{false};

  std::vector<frame> batch_;
  distributed::frame_writer writer_;
  unique_function<void(frame&)> sign_;
  distributed::outgoing_bytes writes_, next_;
  bool is_writing_ = true;  // not connected yet, or a write is in progress
  bool is_lost_ = false, is_connected_ = false;
  bool is_reading_ = false;  // within has_read()
  error unwritten_;          // why a frame could not be converted; no frame follows it

  distributed::frame_parser parser_;
  std::vector<std::byte> in_;  // small until the peer is known
  bool is_known_ = true;
  std::atomic<bool> is_silent_{true};
  std::string binding_;
  std::size_t room_ = 0, brought_ = 0;  // requested bytes of a tensor; bytes of the last read
  std::size_t awaited_ = 1;             // bytes that the system gathers before it wakes this thread
  bool is_watched_ = false;
  std::chrono::steady_clock::time_point read_at_{};
  std::array<asio::mutable_buffer, 2> reads_;
  std::vector<asio::const_buffer> pieces_;
  std::atomic<std::int64_t> heard_{0};
  std::size_t unheard_ = 0;  // bytes since then
};

}
}
}  // namespace flowgraph::tcp

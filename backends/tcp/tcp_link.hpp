#pragma once
// A TCP connection. Everything except send() and close() happens on the thread of its loop.

#include "loop.hpp"
#include "secure_stream.hpp"

#include <distributed/frame_bytes.hpp>
#include <distributed/memory/tensor_memory.hpp>
#include <flowgraph/distributed/tcp.hpp>

#include <asio/buffer.hpp>
#include <asio/ip/tcp.hpp>

#include <array>
#include <atomic>
#include <mutex>
#include <optional>

namespace flowgraph::inline FLOWGRAPH_ABI::tcp {

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
  std::chrono::nanoseconds heard() const override { return std::chrono::nanoseconds(in_.heard.load(std::memory_order_relaxed)); }

  // Registers a connecting link with its loop, so that its user is told of its end from now on.
  void expect(std::shared_ptr<link_user> user);
  // Connects: tries the addresses one after another.
  void connect(std::vector<asio::ip::tcp::endpoint> to);
  // Begins an accepted connection. If `user` is null, refuses it.
  void begin(io_socket socket, std::shared_ptr<link_user> user);
  // Ends the link. Frames that were sent before are still written for a while, since they may contain the reason of the end.
  void end(const error& why);
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
  void look_at_speed();
  void has_read(const asio::error_code& why, std::size_t bytes);
  // Call a function on the thread of the loop: after earlier posted work, or at a time if the link then exists.
  void call_later(void (tcp_link::*what)());
  void call_at(std::chrono::steady_clock::time_point time, void (tcp_link::*what)());
  void end_later(void (tcp_link::*how)(const error&), const error& why);
  void append(std::span<frame> frames);
  void append_queued();
  void flush();
  void write();
  void finish();
  bool has_stream() const noexcept { return socket_ || secure_; }
  void end_writing();
  error broken(const asio::error_code& why) const;

  // Frames that send() has accepted, until this link's thread takes them.
  struct sent_frames {
    std::mutex mutex;
    std::vector<frame> frames;
    bool is_woken = false;  // the thread will look for frames
    error cause;            // from close()
    std::atomic<bool> any{false};
  };
  struct outgoing {
    explicit outgoing(bool checksums) : writer(checksums) {}

    std::vector<frame> batch;
    distributed::frame_writer writer;
    unique_function<void(frame&)> sign;
    distributed::outgoing_bytes bytes, next;
    std::vector<asio::const_buffer> pieces;
    bool is_busy = true;  // not connected yet, or a write is in progress
    error refused;        // why a frame could not be converted; no frame follows it
  };
  struct incoming {
    incoming(const frame_limits& limits, bool checksums) : parser(limits, checksums, distributed::tensor_memory()) {}

    distributed::frame_parser parser;
    std::vector<std::byte> small;  // for small frames; short until the peer is known
    std::size_t requested = 0;     // bytes of a tensor
    std::size_t last = 0;          // bytes of the last read
    std::size_t awaited = 1;       // bytes that the system gathers before it wakes this thread
    bool is_watched = false;
    bool is_busy = false;  // within has_read()
    std::chrono::steady_clock::time_point at{};
    std::array<asio::mutable_buffer, 2> buffers;
    std::atomic<std::int64_t> heard{0};
    std::size_t unheard = 0;  // bytes since then
  };

  const std::shared_ptr<loop> loop_;
  const std::string address_;
  const std::shared_ptr<const encryption> encryption_;
  const frame_limits limits_;
  std::optional<io_socket> socket_;
  std::shared_ptr<secure_stream> secure_;  // replaces socket_
  std::shared_ptr<link_user> user_;
  std::vector<asio::ip::tcp::endpoint> endpoints_;
  bool is_lost_ = false, is_connected_ = false, is_known_ = true;
  std::string binding_;
  std::atomic<bool> is_ending_{false}, is_silent_{true};

  sent_frames sent_;
  outgoing out_;
  incoming in_;
};

}  // namespace flowgraph::tcp

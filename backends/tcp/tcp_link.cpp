#include "tcp_link.hpp"

#include "receive_memory.hpp"

#include <flowgraph/core/message.hpp>

#include <algorithm>
#include <span>
#include <utility>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {
namespace tcp {

namespace {

using namespace std::chrono_literals;
using asio_tcp = asio::ip::tcp;

constexpr std::size_t read_bytes = 1 << 16;     // at a time, of small frames
constexpr std::size_t straight_bytes = 4096;    // of a payload, from which it is read into its tensor
constexpr std::size_t behind_bytes = 4096;      // and what is read with its end of what follows
constexpr std::size_t most_straight = 1 << 18;  // at a time: what is read next is still in the cache of who wrote it
constexpr std::size_t most_written = 1 << 19;   // at a time: with less, a reader sleeps between pieces
constexpr std::size_t turn_bytes = 1 << 20;     // then others of the loop have their turn
constexpr auto farewell_time = 1s;

std::int64_t nanoseconds_now() { return std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count(); }

}  // namespace

tcp_link::tcp_link(std::shared_ptr<loop> on, const transport_options& options, std::string address)
    : loop_(std::move(on)), address_(std::move(address)), writer_(options.checksums),
      parser_(options.limits, options.checksums, receive_memory()), in_(read_bytes) {}

error tcp_link::broken(const asio::error_code& why) const {
  if (why == asio::error::eof) return {error_code::unavailable, message{address_, " closed the connection"}};
  return {error_code::unavailable, message{"the connection to ", address_, " broke: ", why.message()}};
}

void tcp_link::send(frame f) {
  {
    const std::lock_guard lock(mutex_);
    if (is_ending_) return;
    queue_.push_back(std::move(f));
    if (std::exchange(is_woken_, true)) return;
    loop_->post([self = shared_from_this()] { self->flush(); });
  }
}

void tcp_link::close(const error& why) {
  const std::lock_guard lock(mutex_);
  if (std::exchange(is_ending_, true)) return;
  cause_ = why;
  loop_->post([self = shared_from_this(), why] { self->end(why); });
}

void tcp_link::connect(std::vector<asio_tcp::endpoint> to, std::shared_ptr<link_user> user) {
  user_ = std::move(user);
  endpoints_ = std::move(to);
  loop_->add(shared_from_this());
  try_next(0, asio::error::host_not_found);
}

void tcp_link::try_next(std::size_t at, const asio::error_code& before) {
  if (is_lost_) return;
  if (loop_->has_ended()) return end(error(error_code::cancelled, "the transport has ended"));
  if (at == endpoints_.size()) {
    const bool is_refused = before == asio::error::connection_refused;
    const error why(error_code::unavailable, is_refused
                                                 ? message{"nobody listens at ", address_}.string()
                                                 : message{"cannot connect to ", address_, ": ", before.message()}.string());
    return end(why);
  }
  socket_.emplace(loop_->io());
  socket_->async_connect(endpoints_[at], [self = shared_from_this(), at](const asio::error_code& why) {
    if (self->is_lost_) return;
    if (why) return self->try_next(at + 1, why);
    self->opened();
  });
}

void tcp_link::begin(asio_tcp::socket socket, std::shared_ptr<link_user> user) {
  if (user == nullptr) return;  // and the socket is closed
  user_ = std::move(user);
  if (loop_->has_ended()) return end(error(error_code::cancelled, "the transport has ended"));
  socket_.emplace(std::move(socket));
  loop_->add(shared_from_this());
  opened();
}

void tcp_link::fail(std::shared_ptr<link_user> user, const error& why) {
  user_ = std::move(user);
  end(why);
}

void tcp_link::opened() {
  asio::error_code ignored;
  socket_->set_option(asio_tcp::no_delay(true), ignored);
  socket_->non_blocking(true, ignored);
  is_connected_ = true;
  is_writing_ = false;
  user_->open({});
  flush();
  read();
}

void tcp_link::read() {
  const std::span<std::byte> room = is_lost_ ? std::span<std::byte>() : parser_.room();
  std::size_t buffers = 1;
  room_ = 0;
  if (room.size() >= straight_bytes) {
    room_ = std::min(room.size(), most_straight);
    reads_ = {asio::mutable_buffer(room.data(), room_), asio::mutable_buffer(in_.data(), behind_bytes)};
    buffers = room_ == room.size() ? 2 : 1;
  } else {
    reads_[0] = asio::mutable_buffer(in_.data(), in_.size());
  }
  socket_->async_read_some(
      std::span<const asio::mutable_buffer>(reads_.data(), buffers),
      [self = shared_from_this()](const asio::error_code& why, std::size_t bytes) { self->has_read(why, bytes); });
}

void tcp_link::has_read(const asio::error_code& why, std::size_t bytes) {
  if (!socket_) return;
  if (is_lost_) return why ? finish() : read();  // what came after the end
  if (why) {
    is_connected_ = false;
    return end(broken(why));
  }
  heard_.store(nanoseconds_now(), std::memory_order_relaxed);
  {
    const std::lock_guard lock(mutex_);
    is_woken_ = true;  // what is sent meanwhile is written below
  }
  const std::size_t straight = std::min(bytes, room_);
  error wrong = parser_.filled(straight, *user_);
  if (!wrong) wrong = parser_.take(std::span(in_).first(bytes - straight), *user_);
  flush();
  if (wrong) end(wrong.because(error(error_code::unavailable, message{"on the connection to ", address_})));
  if (socket_) read();
}

void tcp_link::flush() {
  {
    const std::lock_guard lock(mutex_);
    is_woken_ = false;
    batch_.swap(queue_);
  }
  error wrong;
  for (frame& f : batch_) {
    if (!wrong) wrong = writer_.append(f, next_);
    parser_.recycle(std::move(f.tensors));
  }
  batch_.clear();
  if (!is_writing_) write();
  if (wrong) end(wrong);
}

void tcp_link::write() {
  is_writing_ = true;
  for (std::size_t written = 0; socket_;) {
    if (writes_.empty()) {
      std::swap(writes_, next_);
      if (writes_.empty()) break;
    }
    if (written >= turn_bytes) return loop_->post([self = shared_from_this()] { self->write(); });
    std::array<std::span<const std::byte>, 64> spans;
    const std::size_t count = writes_.gather(spans, most_written);
    for (std::size_t i = 0; i < count; ++i) pieces_[i] = asio::const_buffer(spans[i].data(), spans[i].size());
    const std::span<const asio::const_buffer> pieces(pieces_.data(), count);
    asio::error_code why;
    const std::size_t bytes = socket_->write_some(pieces, why);
    if (why == asio::error::would_block || why == asio::error::try_again) {
      socket_->async_write_some(pieces, [self = shared_from_this()](const asio::error_code& failed, std::size_t some) {
        if (failed) return;  // reading hears of it too, and may have the reason
        self->writes_.written(some);
        self->write();
      });
      return;
    }
    if (why) return;
    writes_.written(bytes);
    written += bytes;
  }
  if (!socket_) return;
  is_writing_ = false;
  if (!is_lost_) return;
  asio::error_code ignored;
  socket_->shutdown(asio_tcp::socket::shutdown_send, ignored);
}

// What was sent before is still written, for a while: it may say why this ends.
void tcp_link::end(const error& why) {
  if (std::exchange(is_lost_, true)) return;
  {
    const std::lock_guard lock(mutex_);
    is_ending_ = true;
  }
  if (const auto user = std::exchange(user_, nullptr)) user->lost(cause_ ? cause_ : why);
  if (!is_connected_) return finish();
  flush();
  loop_->call_at(std::chrono::steady_clock::now() + farewell_time, [self = weak_from_this()] {
    if (const auto there = self.lock()) there->finish();
  });
}

void tcp_link::abort(const error& why) {
  if (is_connected_) flush();
  is_connected_ = false;
  end(why);
  finish();
}

void tcp_link::finish() {
  const auto self = shared_from_this();
  socket_.reset();
  loop_->remove(self);
  if (auto f = std::exchange(on_end, {})) f();
}

}
}
}  // namespace flowgraph::tcp

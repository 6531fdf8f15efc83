#include "tcp_link.hpp"

#include <flowgraph/core/message.hpp>

#include <algorithm>
#include <iterator>
#include <span>
#include <utility>

namespace flowgraph::inline FLOWGRAPH_ABI::tcp {

namespace {

using namespace std::chrono_literals;
using asio_tcp = asio::ip::tcp;

constexpr std::size_t read_bytes = 1 << 16;     // of small frames, per read
constexpr std::size_t stranger_bytes = 512;     // per read, before the peer has proved its identity
constexpr std::size_t straight_bytes = 4096;    // larger rests of a payload are read directly into their tensor
constexpr std::size_t behind_bytes = 4096;      // read together with the end of a payload
constexpr std::size_t most_straight = 1 << 19;  // per read: the peer's next bytes are then still in a cache
constexpr std::size_t much_at_once = 1 << 16;   // a read of this size shows that a link is fast
constexpr auto patience_with_fast = 100ms;      // a fast link sends the awaited bytes within this time
constexpr std::size_t most_written = 1 << 19;   // per write: with less, a reader sleeps between pieces
constexpr std::size_t most_pieces = 64, pieces_for_strangers = 4;
constexpr std::size_t turn_bytes = 1 << 20;  // written before other links of the loop have their turn
constexpr std::size_t sign_of_life = 1024;   // bytes of an incomplete frame that count as a sign of life
constexpr auto farewell_time = 1s;

// Returns whether these bytes begin a TLS record, an alert or a handshake, from an end that encrypts. No frame begins like this.
bool is_tls(std::span<const std::byte> came) noexcept {
  return came.size() > 1 && (came[0] == std::byte{21} || came[0] == std::byte{22}) && came[1] == std::byte{3};
}

// Returns "10.0.0.1" for "10.0.0.1:4000", as certificates contain it.
std::string host_of(const std::string& address) {
  std::string host = address.substr(0, address.rfind(':'));
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  return host.empty() || host == "*" ? "localhost" : host;
}

}  // namespace

tcp_link::tcp_link(std::shared_ptr<loop> on, const transport_options& options, std::string address)
    : loop_(std::move(on)), address_(std::move(address)), encryption_(options.encrypted), limits_(options.limits),
      out_(options.checksums), in_(options.limits, options.checksums) {}

error tcp_link::broken(const asio::error_code& why) const {
  if (secure_) return secure_->explain(why, address_);
  if (why == asio::error::eof) return {error_code::unavailable, message{address_, " closed the connection"}};
  return {error_code::unavailable, message{"the connection to ", address_, " broke: ", why.message()}};
}

void tcp_link::send_all(std::span<frame> frames) {
  // Frames that this thread sends while it reads are converted to bytes at once, unless frames of other threads wait before them.
  if (loop_->is_here() && in_.is_busy && !sent_.any.load(std::memory_order_acquire)) {
    if (!is_ending_) append(frames);
    return;
  }
  {
    const std::lock_guard lock(sent_.mutex);
    if (is_ending_) return;
    std::ranges::move(frames, std::back_inserter(sent_.frames));
    sent_.any.store(true, std::memory_order_release);
    if (std::exchange(sent_.is_woken, true)) return;
    call_later(&tcp_link::flush);
  }
}

void tcp_link::close(const error& why) {
  const std::lock_guard lock(sent_.mutex);
  if (is_ending_.exchange(true)) return;
  sent_.cause = why;
  end_later(&tcp_link::end, why);
}

void tcp_link::call_later(void (tcp_link::*what)()) {
  loop_->post([self = shared_from_this(), what] { (self.get()->*what)(); });
}
void tcp_link::call_at(std::chrono::steady_clock::time_point time, void (tcp_link::*what)()) {
  loop_->call_at(time, [self = weak_from_this(), what] {
    if (const auto there = self.lock()) (there.get()->*what)();
  });
}
void tcp_link::end_later(void (tcp_link::*how)(const error&), const error& why) {
  loop_->post([self = shared_from_this(), how, why] { (self.get()->*how)(why); });
}

void tcp_link::expect(std::shared_ptr<link_user> user) {
  user_ = std::move(user);
  if (loop_->has_ended()) return end(error(error_code::cancelled, "the transport has ended"));
  loop_->add(shared_from_this());
}

void tcp_link::connect(std::vector<asio_tcp::endpoint> to) {
  endpoints_ = std::move(to);
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
    self->connected(host_of(self->address_));
  });
}

void tcp_link::begin(io_socket socket, std::shared_ptr<link_user> user) {
  if (user == nullptr) return;  // which closes the socket
  user_ = std::move(user);
  if (loop_->has_ended()) return end(error(error_code::cancelled, "the transport has ended"));
  is_known_ = false;
  frame_limits of_strangers = limits_;
  of_strangers.tensors = 0;  // their descriptions would need memory before the frame can be refused
  in_.parser.limit(of_strangers);
  if (!user_->awaits_proof())
    if (error why = admit()) return end(why);
  socket_.emplace(std::move(socket));
  loop_->add(shared_from_this());
  connected({});
}

error tcp_link::admit() {
  if (is_known_) return {};
  if (on_admit)
    if (error why = on_admit()) return why;
  is_known_ = true;
  in_.parser.limit(limits_);
  return {};
}

// `host` is the host that a connecting end has connected to; empty at an accepting end.
void tcp_link::connected(const std::string& host) {
  asio::error_code ignored;
  socket_->set_option(asio_tcp::no_delay(true), ignored);
  socket_->non_blocking(true, ignored);
  if (!encryption_) return opened();
  if (is_known_) return encrypt(host);
  // A stranger gets the memory for TLS only after it has sent something.
  socket_->async_wait(io_socket::wait_read, [self = shared_from_this()](const asio::error_code& why) {
    if (self->is_lost_ || !self->socket_) return;
    asio::error_code has_none;
    if (why || self->socket_->available(has_none) == 0) return self->end(self->broken(why ? why : asio::error::eof));
    self->is_silent_.store(false, std::memory_order_relaxed);
    self->encrypt({});
  });
}

void tcp_link::encrypt(const std::string& host) {
  secure_ = encryption_->over(*std::exchange(socket_, std::nullopt), host);
  if (!secure_) return end(error(error_code::resource_exhausted, message{"no encryption can be had for ", address_}));
  secure_->begin([self = shared_from_this()](const asio::error_code& why, std::size_t) {
    if (self->is_lost_) return;
    if (why) return self->end(self->broken(why));
    self->binding_ = self->secure_->binding();
    if (self->binding_.empty())
      return self->end(
          error(error_code::failed_precondition, message{self->address_, " speaks TLS 1.2 without extended_master_secret"}));
    self->opened();
  });
}

void tcp_link::opened() {
  is_connected_ = true;
  out_.is_busy = false;
  user_->open({});
  flush();
  read();
}

void tcp_link::read() {
  const std::span<std::byte> room = is_lost_ ? std::span<std::byte>() : in_.parser.room();
  std::size_t buffers = 1;
  in_.requested = 0;
  if (const std::size_t wanted = is_known_ ? read_bytes : stranger_bytes; in_.small.size() != wanted) in_.small.resize(wanted);
  if (room.size() >= straight_bytes) {
    in_.requested = std::min(room.size(), most_straight);
    in_.buffers = {asio::mutable_buffer(room.data(), in_.requested), asio::mutable_buffer(in_.small.data(), behind_bytes)};
    buffers = in_.requested == room.size() ? 2 : 1;
    wait_for(in_.last >= much_at_once || in_.awaited > 1 ? in_.requested : 1);
  } else {
    in_.buffers[0] = asio::mutable_buffer(in_.small.data(), in_.small.size());
    wait_for(1);
  }
  const std::span<const asio::mutable_buffer> into(in_.buffers.data(), buffers);
  recycled_handler then{
      [self = shared_from_this()](const asio::error_code& why, std::size_t bytes) { self->has_read(why, bytes); }};
  if (secure_) secure_->read_some(into, std::move(then));
  else socket_->async_read_some(into, std::move(then));
}

// Sets how many bytes the system gathers before it wakes this thread. On a fast link it is woken once per read instead of once per
// packet: large payloads then take two thirds of the processor time. If the rest arrives slowly, watch() sets the number back to 1,
// so that a slow peer still counts as alive.
void tcp_link::wait_for(std::size_t bytes) {
  if (in_.awaited == bytes || !socket_) return;
  asio::error_code ignored;  // a system without this option wakes for every byte
  socket_->set_option(asio::socket_base::receive_low_watermark(static_cast<int>(bytes)), ignored);
  if (std::exchange(in_.awaited, bytes) == 1 && !std::exchange(in_.is_watched, true)) watch();
}
void tcp_link::watch() { call_at(in_.at + patience_with_fast, &tcp_link::look_at_speed); }
void tcp_link::look_at_speed() {
  if (!socket_) return;  // lost, but another object may keep it for long
  if (std::chrono::steady_clock::now() - in_.at >= patience_with_fast) wait_for(1);
  if (in_.awaited > 1) watch();
  else in_.is_watched = false;
}

void tcp_link::has_read(const asio::error_code& why, std::size_t bytes) {
  if (!has_stream()) return;
  if (is_lost_) return why ? finish() : read();  // bytes that arrived after the end
  if (why) {
    is_connected_ = false;
    return end(broken(why));
  }
  if (!secure_ && in_.heard.load(std::memory_order_relaxed) == 0 && is_tls(std::span(in_.small).first(bytes))) {
    end(error(error_code::failed_precondition,
              message{address_, " speaks TLS, and this end does not: transport_options::encrypted is for that"}));
    return read();
  }
  // If a part of a frame was lost, later heartbeats fill its place with a few bytes at a time, and must not count as signs of life.
  // So only a complete frame or many bytes count.
  in_.at = std::chrono::steady_clock::now();
  in_.last = bytes;
  const std::int64_t now = std::chrono::nanoseconds(in_.at.time_since_epoch()).count();
  const std::uint64_t whole = in_.parser.frames();
  const auto heard = [&] {
    in_.heard.store(now, std::memory_order_relaxed);
    in_.unheard = 0;
  };
  if ((in_.unheard += bytes) >= sign_of_life || in_.heard.load(std::memory_order_relaxed) == 0) heard();
  if (!is_known_) is_silent_.store(false, std::memory_order_relaxed);
  {
    const std::lock_guard lock(sent_.mutex);
    sent_.is_woken = true;  // frames that are sent meanwhile are written below
  }
  in_.is_busy = true;
  const std::size_t straight = std::min(bytes, in_.requested);
  error wrong = in_.parser.filled(straight, *user_);
  if (!wrong) wrong = in_.parser.take(std::span(in_.small).first(bytes - straight), *user_);
  in_.is_busy = false;
  if (in_.parser.frames() != whole) heard();
  loop_->count(in_.parser.frames() - whole);
  flush();
  if (wrong) end(wrong.because(error(error_code::unavailable, message{"on the connection to ", address_})));
  if (has_stream()) read();
}

// Frames that were sent before this call are not signed.
bool tcp_link::sign_with(unique_function<void(frame&)> sign) {
  append_queued();
  out_.sign = std::move(sign);
  return true;
}

void tcp_link::append(std::span<frame> frames) {
  for (frame& f : frames) {
    if (out_.refused) return;
    if (out_.sign) out_.sign(f);
    out_.refused = out_.writer.append(f, out_.next);
  }
}

void tcp_link::append_queued() {
  {
    const std::lock_guard lock(sent_.mutex);
    sent_.is_woken = false;
    out_.batch.swap(sent_.frames);
    sent_.any.store(false, std::memory_order_relaxed);
  }
  append(out_.batch);
  out_.batch.clear();
}

void tcp_link::flush() {
  append_queued();
  if (!out_.is_busy) write();
  if (out_.refused) end(out_.refused);
}

void tcp_link::write() {
  out_.is_busy = true;
  for (std::size_t written = 0; has_stream();) {
    if (out_.bytes.empty()) {
      std::swap(out_.bytes, out_.next);
      if (out_.bytes.empty()) break;
    }
    if (written >= turn_bytes) return call_later(&tcp_link::write);
    if (const std::size_t wanted = is_known_ ? most_pieces : pieces_for_strangers; out_.pieces.size() != wanted)
      out_.pieces.resize(wanted);
    std::array<std::span<const std::byte>, most_pieces> spans;
    const std::size_t count = out_.bytes.gather(std::span(spans).first(out_.pieces.size()), most_written);
    for (std::size_t i = 0; i < count; ++i) out_.pieces[i] = asio::const_buffer(spans[i].data(), spans[i].size());
    const std::span<const asio::const_buffer> pieces(out_.pieces.data(), count);
    recycled_handler then{[self = shared_from_this()](const asio::error_code& failed, std::size_t some) {
      if (failed) return;  // the read fails too, and may know the reason
      self->out_.bytes.written(some);
      self->write();
    }};
    if (secure_) return secure_->write_some(pieces, std::move(then));
    asio::error_code why;
    const std::size_t bytes = socket_->write_some(pieces, why);
    if (why == asio::error::would_block || why == asio::error::try_again)
      return socket_->async_write_some(pieces, std::move(then));
    if (why) return;
    out_.bytes.written(bytes);
    written += bytes;
  }
  if (!has_stream()) return;
  out_.is_busy = false;
  if (is_lost_) end_writing();
}

void tcp_link::end_writing() {
  if (secure_) return secure_->end_writing();
  asio::error_code ignored;
  socket_->shutdown(asio::socket_base::shutdown_send, ignored);
}

void tcp_link::end(const error& why) {
  if (std::exchange(is_lost_, true)) return;
  error cause;
  {
    const std::lock_guard lock(sent_.mutex);
    cause = sent_.cause ? sent_.cause : why;
  }
  if (const auto user = std::exchange(user_, nullptr)) user->lost(cause);  // which may still send the reason to the peer
  {
    const std::lock_guard lock(sent_.mutex);
    is_ending_ = true;
  }
  if (!is_connected_) return finish();
  flush();
  call_at(std::chrono::steady_clock::now() + farewell_time, &tcp_link::finish);
}

void tcp_link::abort(const error& why) {
  if (is_connected_) flush();
  is_connected_ = false;
  end(why);
  finish();
}

void tcp_link::abort_later(const error& why) { end_later(&tcp_link::abort, why); }

void tcp_link::finish() {
  const auto self = shared_from_this();
  socket_.reset();
  if (const auto secure = std::exchange(secure_, nullptr)) secure->close();
  loop_->remove(self);
  if (auto f = std::exchange(on_end, {})) f();
}

}  // namespace flowgraph::tcp

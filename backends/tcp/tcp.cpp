// The transport: its threads, listening, connecting and waiting.

#include "address.hpp"
#include "compute_threads.hpp"
#include "doorway.hpp"
#include "loop.hpp"
#include "tcp_link.hpp"

#include <flowgraph/core/message.hpp>
#include <flowgraph/distributed/tcp.hpp>

#include <asio/ip/host_name.hpp>
#include <asio/ip/tcp.hpp>
#include <asio/steady_timer.hpp>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <exception>
#include <memory>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#if __has_include(<sys/resource.h>)
#include <sys/resource.h>
#endif

namespace flowgraph::inline FLOWGRAPH_ABI::tcp {

namespace {

using namespace std::chrono_literals;
using asio_tcp = asio::ip::tcp;
using std::chrono::nanoseconds;

// Returns the endpoint of an address; nothing if a name server is needed for it.
std::optional<asio_tcp::endpoint> endpoint_of(const host_and_port& at) {
  if (at.host == "localhost") return asio_tcp::endpoint(asio::ip::address_v4::loopback(), at.port);
  if (at.host.empty() || at.host == "*") return asio_tcp::endpoint(asio::ip::address_v4::any(), at.port);
  asio::error_code why;
  const auto address = asio::ip::make_address(at.host, why);
  if (why) return {};
  return asio_tcp::endpoint(address, at.port);
}

// Asks the system for the addresses of a host, and waits for the answer. Uses no object with static storage, such as the categories
// of Asio's errors: a thread that nobody waits for may be here when main() has returned.
result<std::vector<asio_tcp::endpoint>> look_up(const host_and_port& named) {
  addrinfo wanted{};
  wanted.ai_socktype = SOCK_STREAM;
  addrinfo* answer = nullptr;
  if (const int why = ::getaddrinfo(named.host.c_str(), nullptr, &wanted, &answer); why != 0)
    return error(error_code::unavailable, message{"no host is named '", named.host, "': ", ::gai_strerror(why)});
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> found(answer, &::freeaddrinfo);
  std::vector<asio_tcp::endpoint> result;
  for (const addrinfo* a = found.get(); a != nullptr; a = a->ai_next) {
    if (a->ai_family != AF_INET && a->ai_family != AF_INET6) continue;
    asio_tcp::endpoint& e = result.emplace_back();
    std::memcpy(e.data(), a->ai_addr, std::min<std::size_t>(a->ai_addrlen, e.capacity()));
    e.port(named.port);
  }
  if (result.empty()) return error(error_code::unavailable, message{"'", named.host, "' has no address"});
  return result;
}

// Calls `f`. Returns whether the system had the memory and the threads for it.
template <class F> bool completes(F&& f) {
#ifdef FLOWGRAPH_EXCEPTIONS
  try {
    f();
  } catch (const std::exception&) { return false; }
#else
  f();
#endif
  return true;
}

error not_allowed(std::string_view address) {
  return {error_code::permission_denied, message{address,
                                                 " is beyond this machine, and nothing would be encrypted: "
                                                 "transport_options::allow_other_hosts allows it, ::encrypted mends it"}};
}

std::string text_of(const asio_tcp::endpoint& e) {
  const std::string host = e.address().to_string();
  return e.address().is_v6() ? message{"[", host, "]:", e.port()}.string() : message{host, ":", e.port()}.string();
}

// Returns the number of descriptors that connections of unknown peers may use.
std::size_t half_of_descriptors() {
#ifdef RLIMIT_NOFILE
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) == 0) return static_cast<std::size_t>(limit.rlim_cur / 2);
#endif
  return static_cast<std::size_t>(-1);
}

// The state that the threads of the transport use. It may outlive the transport.
struct core : std::enable_shared_from_this<core> {
  explicit core(const transport_options& o) : options(o), door(o.most_links, std::min(o.most_strangers, half_of_descriptors())) {
    for (int i = 0; i < std::max(o.io_threads, 1); ++i) loops.push_back(std::make_shared<loop>(o.busy_polling));
  }

  // Returns whether links to other machines are allowed.
  bool may_leave() const noexcept { return options.allow_other_hosts || options.encrypted; }
  const std::shared_ptr<loop>& next_loop() { return loops[turn.fetch_add(1, std::memory_order_relaxed) % loops.size()]; }

  transport_options options;
  std::vector<std::shared_ptr<loop>> loops;
  std::atomic<std::size_t> turn{0};
  doorway door;
};

// Accepts connections of peers, on the first loop.
class listener : public std::enable_shared_from_this<listener> {
public:
  listener(std::shared_ptr<core> of, transport::acceptor accept)
      : core_(std::move(of)), accept_(std::move(accept)), socket_(core_->loops[0]->io()) {}

  asio::error_code open(const asio_tcp::endpoint& at) {
    asio::error_code why;
    socket_.open(at.protocol(), why);
    if (!why) socket_.set_option(asio::socket_base::reuse_address(true), why);
    if (!why) socket_.bind(at, why);
    if (!why) socket_.listen(asio::socket_base::max_listen_connections, why);
    return why;
  }
  std::uint16_t port() { return socket_.local_endpoint().port(); }

  // This and the following functions run on the thread of the loop.
  void begin() {
    core_->loops[0]->at_end([self = shared_from_this()] {
      asio::error_code ignored;
      self->socket_.close(ignored);
    });
    next();
  }

private:
  void next() {
    if (!socket_.is_open()) return;
    const std::shared_ptr<loop> on = core_->next_loop();
    socket_.async_accept(on->io(), [self = shared_from_this(), on](const asio::error_code& why, io_socket result) {
      if (why == asio::error::operation_aborted) return;
      if (!why) self->accepted(on, std::move(result));
      if (!why || why == asio::error::connection_aborted) return self->next();
      if (self->core_->loops[0]->has_ended()) return;
      // Usually there are no descriptors left. Closing a stranger frees one soon; otherwise try again later.
      const auto stranger = self->core_->door.turn_out();
      if (stranger) stranger->abort_later(self->turned_out());
      self->core_->loops[0]->call_at(std::chrono::steady_clock::now() + (stranger ? 1ms : 100ms), [self] { self->next(); });
    });
  }
  error turned_out() const {
    return {error_code::resource_exhausted, "the peer had not proved who it is, and made room for others that connected"};
  }

  void accepted(const std::shared_ptr<loop>& on, io_socket result) {
    asio::error_code why;
    const auto peer = result.remote_endpoint(why);
    if (why) return;
    auto link = std::make_shared<tcp_link>(on, core_->options, text_of(peer));
    link->on_end = [of = std::weak_ptr(core_), l = link.get()] {
      if (const auto c = of.lock()) c->door.leave(l);
    };
    link->on_admit = [of = std::weak_ptr(core_), l = link.get()]() -> error {
      const auto c = of.lock();
      if (c && c->door.admit(l)) return {};
      return {error_code::resource_exhausted,
              message{"there are ", c ? c->options.most_links : 0, " links (transport_options::most_links)"}};
    };
    if (const auto oldest = core_->door.enter(link)) oldest->abort_later(turned_out());
    on->post([self = shared_from_this(), link = std::move(link), socket = std::move(result)]() mutable {
      auto user = self->accept_(link);
      if (user == nullptr) self->core_->door.leave(link.get());
      link->begin(std::move(socket), std::move(user));
    });
  }

  std::shared_ptr<core> core_;
  transport::acceptor accept_;
  io_acceptor socket_;
};

class tcp_transport final : public transport, private task_clock {
public:
  explicit tcp_transport(const transport_options& o)
      : core_(std::make_shared<core>(o)), compute_(std::max(o.compute_threads, 1)) {
    for (const auto& l : core_->loops) l->start();
  }
  ~tcp_transport() override {
    for (const auto& l : core_->loops) l->stop();
    compute_.stop();
  }

  result<std::string> listen(std::string_view address, acceptor accept) override;
  std::shared_ptr<link> connect(std::string_view address, std::shared_ptr<link_user> user) override;
  task_clock& clock() noexcept override { return *this; }
  void compute(unique_function<void()> f) override { compute_.submit(std::move(f)); }
  bool allows_short_work() const noexcept override { return true; }
  bool has_checksums() const noexcept override { return core_->options.checksums; }
  bool wait(function_ref<bool()> is_done, nanoseconds until) override;
  void wake() override {
    {
      const std::lock_guard lock(mutex_);
      ++wakes_;
    }
    woken_.notify_all();
  }

private:
  nanoseconds now() const override { return std::chrono::steady_clock::now().time_since_epoch(); }
  bool is_steady() const noexcept override { return true; }
  void call_at(nanoseconds when, unique_function<void()> f) override {
    core_->loops[0]->call_at(std::chrono::steady_clock::time_point(when), std::move(f));
  }

  std::shared_ptr<core> core_;
  compute_threads compute_;
  std::mutex mutex_;
  std::condition_variable woken_;
  std::uint64_t wakes_ = 0;
};

result<std::string> tcp_transport::listen(std::string_view address, acceptor accept) {
  auto parsed = parse_address(address);
  if (!parsed) return parsed.error();
  auto at = endpoint_of(*parsed);
  if (!at) {
    const auto found = look_up(*parsed);
    if (!found) return found.error();
    at = found->front();
  }
  if (!at->address().is_loopback() && !core_->may_leave()) return not_allowed(address);
  auto result = std::make_shared<listener>(core_, std::move(accept));
  if (const asio::error_code why = result->open(*at)) {
    const auto code = why == asio::error::address_in_use ? error_code::already_exists : error_code::unavailable;
    return error(code, message{"cannot listen at ", address, ": ", why.message()});
  }
  const std::uint16_t port = result->port();
  core_->loops[0]->post([result] { result->begin(); });
  if (at->address().is_unspecified()) {
    asio::error_code ignored;
    return message{asio::ip::host_name(ignored), ":", port}.string();
  }
  return text_of({at->address(), port});
}

std::shared_ptr<link> tcp_transport::connect(std::string_view address, std::shared_ptr<link_user> user) {
  const std::shared_ptr<loop> on = core_->next_loop();
  auto outcome = std::make_shared<tcp_link>(on, core_->options, std::string(address));
  on->post([outcome, user = std::move(user)]() mutable { outcome->expect(std::move(user)); });
  const auto begin = [is_allowed = core_->may_leave()](tcp_link& link, const result<std::vector<asio_tcp::endpoint>>& to) {
    if (!to) return link.end(to.error());
    const bool is_here = std::ranges::all_of(*to, [](const auto& e) { return e.address().is_loopback(); });
    if (!is_here && !is_allowed) return link.end(not_allowed(link.address()));
    link.connect(*to);
  };
  const auto parsed = parse_address(address);
  if (!parsed) {
    on->post([outcome, begin, why = parsed.error()] { begin(*outcome, why); });
  } else if (const auto at = endpoint_of(*parsed)) {
    on->post([outcome, begin, at] { begin(*outcome, std::vector{*at}); });
  } else {
    const auto tell = [begin, on = std::weak_ptr(on),
                       link = std::weak_ptr(outcome)](result<std::vector<asio_tcp::endpoint>> found) {
      const auto there = on.lock();
      if (there == nullptr) return;
      there->post([begin, link, found = std::move(found)] {
        if (const auto held = link.lock()) begin(*held, found);
      });
    };
    const error why(error_code::resource_exhausted,
                    message{"the system has no thread or no memory to look up the host of ", address});
    // Nobody waits for this thread, since a look-up cannot be ended: the link may be closed, and the transport destroyed, before.
    const auto start = [&] {
      std::thread([tell, why, named = *parsed] {
        if (!completes([&] { tell(look_up(named)); })) completes([&] { tell(why); });
      }).detach();
    };
    if (!completes(start)) tell(why);
  }
  return outcome;
}

bool tcp_transport::wait(function_ref<bool()> is_done, nanoseconds until) {
  std::unique_lock lock(mutex_);
  for (;;) {
    const std::uint64_t seen = wakes_;
    lock.unlock();
    if (is_done()) return true;
    lock.lock();
    const auto is_woken = [&] { return wakes_ != seen; };
    if (until == nanoseconds::max()) woken_.wait(lock, is_woken);
    else if (!woken_.wait_until(lock, std::chrono::steady_clock::time_point(until), is_woken)) {
      lock.unlock();
      return is_done();
    }
  }
}

}  // namespace

std::shared_ptr<transport> make_transport(const transport_options& options) { return std::make_shared<tcp_transport>(options); }

}  // namespace flowgraph::tcp

#include "simulated_network.hpp"

#include <flowgraph/core/message.hpp>

#include <algorithm>
#include <utility>

namespace flowgraph::inline FLOWGRAPH_ABI {

using namespace std::chrono_literals;
using distributed::arriving;
using distributed::simulated_connection;
using distributed::simulated_end;

namespace {

std::pair<std::string, std::string> pair_of(std::string_view a, std::string_view b) {
  return a < b ? std::pair{std::string(a), std::string(b)} : std::pair{std::string(b), std::string(a)};
}
std::string host_of(std::string_view address) { return std::string(address.substr(0, address.rfind(':'))); }
simulated_end& end_of(const simulated_network::state::connection_ref& c, int end) {
  return c->ends[static_cast<std::size_t>(end)];
}
error unavailable(const message& text) { return {error_code::unavailable, text}; }

// How long a process tries to reach a host that does not answer, and the time between two tries.
constexpr auto connect_patience = 20s;
constexpr auto connect_again = 200ms;

}  // namespace

std::uint64_t simulated_network::state::draw() {  // splitmix64
  std::uint64_t z = random += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}
std::chrono::nanoseconds simulated_network::state::draw_between(nanoseconds least, nanoseconds most) {
  const auto width = static_cast<std::uint64_t>(std::max<std::int64_t>((most - least).count(), 0)) + 1;
  return least + nanoseconds(static_cast<std::int64_t>(draw() % width));
}
std::chrono::nanoseconds simulated_network::state::delay(const std::string& a, const std::string& b) {
  const auto set = delays.find(pair_of(a, b));
  if (set != delays.end()) return draw_between(set->second.first, set->second.second);
  return draw_between(options.least_delay, options.most_delay);
}
bool simulated_network::state::is_cut(const std::string& a, const std::string& b) const {
  return !cuts.empty() && cuts.contains(pair_of(a, b));
}
bool simulated_network::state::is_alive(std::string_view host, std::uint64_t generation) const {
  const auto found = hosts.find(host);
  return found != hosts.end() && found->second.is_alive && found->second.generation == generation;
}

void simulated_network::state::schedule(nanoseconds when, std::string host, std::uint64_t generation,
                                        unique_function<void()> run) {
  events.emplace(std::tuple{std::max(when, now), draw(), sequence++}, event{std::move(host), generation, std::move(run)});
  ++changes;
  changed.notify_all();
}

// Adds an arrival at that end, after all others on their way there.
void simulated_network::state::put(const connection_ref& c, int to, arriving what) {
  simulated_end& end = end_of(c, to);
  if (end.is_lost) return;
  end.inbox.push_back(std::move(what));
  end.last_arrival = std::max(now + delay(end.host, end_of(c, 1 - to).host), end.last_arrival + 1ns);
  // Before the peer's process is known, the event belongs to the network itself.
  schedule(end.last_arrival, end.generation == 0 ? std::string() : end.host, end.generation,
           [self = shared_from_this(), c, to] { self->arrive(c, to); });
}

// Delivers the arrivals that were held up.
void simulated_network::state::let_in(const connection_ref& c, int to, nanoseconds later) {
  simulated_end& end = end_of(c, to);
  for (; end.stalled != 0; --end.stalled)
    schedule(now + later, end.host, end.generation, [self = shared_from_this(), c, to] { self->arrive(c, to); });
}

void simulated_network::state::run_first(std::unique_lock<std::mutex>& lock) {
  auto first = events.extract(events.begin());
  now = std::max(now, std::get<0>(first.key()));
  event& e = first.mapped();
  const bool happens = e.host.empty() || is_alive(e.host, e.generation);
  if (happens && !e.host.empty()) {
    distributed::simulated_process& process = hosts.find(e.host)->second;
    if (process.is_paused) {
      process.held.push_back(std::move(e.run));
      return;
    }
  }
  is_running = true;
  runner = std::this_thread::get_id();
  lock.unlock();
  if (happens) e.run();
  e.run.reset();
  lock.lock();
  is_running = false;
  runner = {};
  ++changes;
  changed.notify_all();
}

bool simulated_network::state::wait(function_ref<bool()> is_done, nanoseconds until) {
  std::unique_lock lock(mutex);
  waiters.insert(std::this_thread::get_id());
  const bool is_limited = until != nanoseconds::max();
  const nanoseconds end = is_limited ? until : now + options.patience;
  for (;;) {
    const std::uint64_t seen = changes;
    lock.unlock();
    const bool done = is_done();
    lock.lock();
    if (done || runner == std::this_thread::get_id()) return done;
    if (is_running) {
      changed.wait(lock, [&] { return !is_running || changes != seen; });
    } else if (now >= end) {
      return false;
    } else if (!events.empty() && std::get<0>(events.begin()->first) <= end) {
      run_first(lock);
    } else if (is_limited || !events.empty()) {
      now = end;
      ++changes;
      changed.notify_all();
    } else if (waiters.size() <= 1 || !changed.wait_for(lock, 200ms, [&] { return changes != seen; })) {
      return false;  // and no other thread has caused an event
    }
  }
}

void simulated_network::state::wake() {
  const std::lock_guard lock(mutex);
  ++changes;
  changed.notify_all();
}

void simulated_network::state::try_connect(const connection_ref& c, nanoseconds began) {
  const std::lock_guard lock(mutex);
  simulated_end &from = c->ends[0], &to = c->ends[1];
  if (!is_alive(from.host, from.generation) || from.is_closing) return;
  const auto found = hosts.find(to.host);
  if (is_cut(from.host, to.host) || (found != hosts.end() && found->second.is_paused)) {
    if (now - began >= connect_patience)
      return put(c, 0,
                 {arriving::event_kind::loss, {}, unavailable({"no answer from ", to.address, ", so it could not be reached"})});
    return schedule(now + connect_again, {}, 0, [self = shared_from_this(), c, began] { self->try_connect(c, began); });
  }
  if (found == hosts.end() || !found->second.is_alive || !found->second.listeners.contains(to.address)) {
    to.is_lost = true;
    return put(c, 0, {arriving::event_kind::loss, {}, unavailable({"nobody listens at ", to.address})});
  }
  to.generation = found->second.generation;
  schedule(now, to.host, to.generation, [self = shared_from_this(), c] { self->accept(c); });
}

void simulated_network::state::accept(const connection_ref& c) {
  std::shared_ptr<transport::acceptor> acceptor;
  {
    const std::lock_guard lock(mutex);
    auto& listeners = hosts.find(c->ends[1].host)->second.listeners;
    const auto found = listeners.find(c->ends[1].address);
    if (found == listeners.end() || c->ends[1].is_lost) return;
    acceptor = found->second;
    put(c, 0, {arriving::event_kind::open, {}, {}});
  }
  auto user = (*acceptor)(std::make_shared<distributed::simulated_link>(shared_from_this(), c, 1));
  {
    const std::lock_guard lock(mutex);
    if (user == nullptr) {
      c->ends[1].is_lost = true;
      return put(c, 0, {arriving::event_kind::loss, {}, unavailable({c->ends[1].address, " refused the connection"})});
    }
    if (c->ends[1].is_lost) return;  // killed by its own acceptor
    c->ends[1].user = user;
    let_in(c, 1, 0ns);
  }
  user->open({});
}

void simulated_network::state::arrive(const connection_ref& c, int to) {
  arriving came;
  std::shared_ptr<link_user> user;
  {
    const std::lock_guard lock(mutex);
    simulated_end &end = end_of(c, to), &other = end_of(c, 1 - to);
    if (end.is_lost || end.inbox.empty()) return;
    if (end.user == nullptr || is_cut(end.host, other.host)) {  // not accepted yet, or held up
      ++end.stalled;
      return;
    }
    came = std::move(end.inbox.front());
    end.inbox.pop_front();
    end.heard = now;
    if (end.is_closing && came.kind != arriving::event_kind::loss) return;
    user = end.user;
  }
  if (came.kind == arriving::event_kind::loss) return lose(c, to, came.why);
  if (came.kind == arriving::event_kind::open) user->open({});
  else deliver(c, to, *user, std::move(came.frame));
}

// Encodes the frame now, and delivers the decoded frame. So a test notices a sender that changes its tensors after sending them.
void simulated_network::state::deliver(const connection_ref& c, int to, link_user& user, flowgraph::frame&& f) {
  simulated_end &end = end_of(c, to), &other = end_of(c, 1 - to);
  distributed::outgoing_bytes bytes;
  error why = end.writer->append(f, bytes);
  if (why) return close(c, 1 - to, why);
  {
    const std::lock_guard lock(mutex);
    traffic& t = counted[{other.host, end.host}];
    ++t.frames;
    t.bytes += bytes.left();
  }
  f = {};
  while (!bytes.empty() && !why) {
    std::span<const std::byte> piece;
    bytes.gather({&piece, 1}, std::size_t{1} << 20);
    why = end.parser->take(piece, user);
    bytes.written(piece.size());
  }
  if (why) close(c, to, why.because(unavailable({"on the connection from ", other.address})));
}

void simulated_network::state::close(const connection_ref& c, int end, const error& why) {
  const std::lock_guard lock(mutex);
  simulated_end &own = end_of(c, end), &other = end_of(c, 1 - end);
  if (own.is_lost || own.is_closing) return;
  own.is_closing = true;
  schedule(now, own.host, own.generation, [self = shared_from_this(), c, end, why] { self->lose(c, end, why); });
  put(c, 1 - end, {arriving::event_kind::loss, {}, unavailable({own.address, " closed the connection"})});
  if (other.user == nullptr && end == 0) other.is_lost = true;
}

void simulated_network::state::lose(const connection_ref& c, int end, const error& why) {
  std::shared_ptr<link_user> user;
  std::deque<arriving> dropped;
  {
    const std::lock_guard lock(mutex);
    simulated_end &own = end_of(c, end), &other = end_of(c, 1 - end);
    if (own.is_lost) return;
    own.is_lost = true;
    user = std::exchange(own.user, nullptr);
    dropped.swap(own.inbox);
    if (other.is_lost) std::erase(connections, c);
  }
  if (user != nullptr) user->lost(why);
}

void simulated_network::state::end_process(std::string_view host, std::uint64_t generation, bool peers_hear, bool own_hear) {
  std::vector<std::shared_ptr<link_user>> users;
  std::vector<std::deque<arriving>> dropped;
  std::vector<unique_function<void()>> held;
  decltype(distributed::simulated_process::listeners) listeners;
  {
    const std::lock_guard lock(mutex);
    const auto found = hosts.find(host);
    if (found == hosts.end() || !found->second.is_alive || (generation != 0 && found->second.generation != generation)) return;
    distributed::simulated_process& process = found->second;
    process.is_alive = process.is_paused = false;
    held.swap(process.held);
    listeners.swap(process.listeners);
    for (const connection_ref& c : std::vector(connections)) {
      for (int side = 0; side < 2; ++side) {
        simulated_end& own = end_of(c, side);
        if (own.host != host || own.generation != process.generation || own.is_lost) continue;
        own.is_lost = true;
        users.push_back(std::exchange(own.user, nullptr));
        dropped.emplace_back().swap(own.inbox);
        if (peers_hear) put(c, 1 - side, {arriving::event_kind::loss, {}, unavailable({own.address, " closed the connection"})});
        if (end_of(c, 1 - side).is_lost) std::erase(connections, c);
      }
    }
    ++changes;
    changed.notify_all();
  }
  if (!own_hear) return;
  const error why(error_code::cancelled, "the transport has ended");
  for (const auto& user : users)
    if (user != nullptr) user->lost(why);
}

namespace distributed {

void simulated_link::send(frame f) {
  const std::lock_guard lock(net_->mutex);
  const simulated_end& own = both_->ends[static_cast<std::size_t>(end_)];
  const simulated_end& other = both_->ends[static_cast<std::size_t>(1 - end_)];
  if (own.is_lost || own.is_closing) return;
  // A process that was started again does not know the links of the former process.
  if (other.is_lost) {
    const auto process = net_->hosts.find(other.host);
    if (process != net_->hosts.end() && process->second.is_alive)
      net_->put(both_, end_, {arriving::event_kind::loss, {}, unavailable({other.address, " reset the connection"})});
    return;
  }
  net_->put(both_, 1 - end_, {arriving::event_kind::frame, std::move(f), {}});
}

nanoseconds simulated_link::heard() const {
  const std::lock_guard lock(net_->mutex);
  return both_->ends[static_cast<std::size_t>(end_)].heard;
}

nanoseconds simulated_host::now() const {
  const std::lock_guard lock(net_->mutex);
  return net_->now;
}

// A killed process does nothing any more.
bool simulated_host::wait(function_ref<bool()> is_done, nanoseconds until) {
  bool is_alive;
  {
    const std::lock_guard lock(net_->mutex);
    is_alive = net_->is_alive(name_, generation_);
  }
  return is_alive ? net_->wait(is_done, until) : is_done();
}

void simulated_host::call_at(nanoseconds when, unique_function<void()> f) {
  const std::lock_guard lock(net_->mutex);
  if (net_->is_alive(name_, generation_)) net_->schedule(when, name_, generation_, std::move(f));
}

void simulated_host::compute(unique_function<void()> f) {
  const std::lock_guard lock(net_->mutex);
  if (!net_->is_alive(name_, generation_)) return;
  net_->schedule(net_->now + net_->draw_between(0ns, net_->options.most_compute), name_, generation_, std::move(f));
}

result<std::string> simulated_host::listen(std::string_view address, acceptor accept) {
  const std::lock_guard lock(net_->mutex);
  if (!net_->is_alive(name_, generation_)) return error(error_code::cancelled, message{"the process of ", name_, " has ended"});
  if (host_of(address) != name_) return detail::invalid_argument({"the host ", name_, " cannot listen at ", address});
  simulated_process& process = net_->hosts.find(name_)->second;
  std::string full(address);
  if (full.ends_with(":0")) full = message{name_, ":", process.next_port++};
  if (!process.listeners.emplace(full, std::make_shared<acceptor>(std::move(accept))).second)
    return error(error_code::already_exists, message{"somebody listens at ", address, " already"});
  return full;
}

std::shared_ptr<link> simulated_host::connect(std::string_view address, std::shared_ptr<link_user> user) {
  auto c = std::make_shared<simulated_connection>();
  const std::lock_guard lock(net_->mutex);
  for (simulated_end& end : c->ends) {
    end.writer = std::make_unique<frame_writer>(false);
    end.parser = std::make_unique<frame_parser>(net_->options.limits, false, std::pmr::new_delete_resource());
  }
  const auto found = net_->hosts.find(name_);
  c->ends[0].host = name_;
  c->ends[0].address = message{name_, ":", found->second.next_port++};
  c->ends[0].generation = generation_;
  c->ends[0].user = std::move(user);
  c->ends[1].host = host_of(address);
  c->ends[1].address = address;
  auto result = std::make_shared<simulated_link>(net_, c, 0);
  if (!net_->is_alive(name_, generation_)) {
    c->ends[0].is_lost = c->ends[1].is_lost = true;
    return result;
  }
  net_->connections.push_back(c);
  net_->schedule(net_->now + net_->delay(name_, c->ends[1].host), {}, 0,
                 [net = net_, c, began = net_->now] { net->try_connect(c, began); });
  return result;
}

}

simulated_network::simulated_network(std::uint64_t seed, const simulated_network_options& options)
    : state_(std::make_shared<state>(seed, options)) {}

simulated_network::~simulated_network() {
  std::map<std::tuple<std::chrono::nanoseconds, std::uint64_t, std::uint64_t>, state::event> dropped;
  std::vector<std::string> names;
  {
    const std::lock_guard lock(state_->mutex);
    for (const auto& [name, process] : state_->hosts) names.push_back(name);
  }
  for (const std::string& name : names) state_->end_process(name, 0, false, false);
  const std::lock_guard lock(state_->mutex);
  dropped.swap(state_->events);
}

std::shared_ptr<transport> simulated_network::host(std::string_view name) {
  const std::lock_guard lock(state_->mutex);
  distributed::simulated_process& process = state_->hosts[std::string(name)];
  if (process.is_alive)
    if (auto there = process.transport.lock()) return there;
  ++process.generation;
  process.is_alive = true;
  process.is_paused = false;
  auto result = std::make_shared<distributed::simulated_host>(state_, std::string(name), process.generation);
  process.transport = result;
  return result;
}

void simulated_network::kill(std::string_view host) { state_->end_process(host, 0, true, false); }
void simulated_network::vanish(std::string_view host) { state_->end_process(host, 0, false, false); }

void simulated_network::pause(std::string_view host) {
  const std::lock_guard lock(state_->mutex);
  const auto found = state_->hosts.find(host);
  if (found != state_->hosts.end() && found->second.is_alive) found->second.is_paused = true;
}
void simulated_network::resume(std::string_view host) {
  const std::lock_guard lock(state_->mutex);
  const auto found = state_->hosts.find(host);
  if (found == state_->hosts.end() || !found->second.is_paused) return;
  found->second.is_paused = false;
  for (auto& f : std::exchange(found->second.held, {}))
    state_->schedule(state_->now, found->first, found->second.generation, std::move(f));
}

void simulated_network::cut(std::string_view a, std::string_view b) {
  const std::lock_guard lock(state_->mutex);
  state_->cuts.insert(pair_of(a, b));
}
void simulated_network::heal(std::string_view a, std::string_view b) {
  const std::lock_guard lock(state_->mutex);
  const auto pair = pair_of(a, b);
  if (state_->cuts.erase(pair) == 0) return;
  for (const auto& c : state_->connections) {
    if (pair_of(c->ends[0].host, c->ends[1].host) != pair) continue;
    for (int side = 0; side < 2; ++side) {
      simulated_end& end = end_of(c, side);
      state_->let_in(c, side, state_->delay(end.host, end_of(c, 1 - side).host));
    }
  }
}

void simulated_network::break_links(std::string_view a, std::string_view b) {
  const std::lock_guard lock(state_->mutex);
  const auto pair = pair_of(a, b);
  for (const auto& c : state_->connections) {
    if (pair_of(c->ends[0].host, c->ends[1].host) != pair) continue;
    for (int side = 0; side < 2; ++side) {
      simulated_end &end = end_of(c, side), &other = end_of(c, 1 - side);
      if (end.is_lost) continue;
      // Frames on their way may still arrive before the loss.
      state_->schedule(state_->now + state_->delay(end.host, other.host), end.host, end.generation,
                       [net = state_, c, side, why = unavailable({"the connection to ", other.address, " was broken"})] {
                         net->lose(c, side, why);
                       });
    }
  }
}

void simulated_network::set_delay(std::string_view a, std::string_view b, std::chrono::nanoseconds least,
                                  std::chrono::nanoseconds most) {
  const std::lock_guard lock(state_->mutex);
  state_->delays[pair_of(a, b)] = {least, most};
}

void simulated_network::at(std::chrono::nanoseconds when, unique_function<void()> f) {
  const std::lock_guard lock(state_->mutex);
  state_->schedule(when, {}, 0, std::move(f));
}
std::chrono::nanoseconds simulated_network::now() const {
  const std::lock_guard lock(state_->mutex);
  return state_->now;
}
void simulated_network::run_for(std::chrono::nanoseconds time) {
  state_->wait([] { return false; }, now() + time);
}
std::uint64_t simulated_network::draw(std::uint64_t below) {
  const std::lock_guard lock(state_->mutex);
  return below == 0 ? 0 : state_->draw() % below;
}

simulated_network::traffic simulated_network::between(std::string_view from, std::string_view to) const {
  const std::lock_guard lock(state_->mutex);
  const auto found = state_->counted.find({std::string(from), std::string(to)});
  return found == state_->counted.end() ? traffic{} : found->second;
}
simulated_network::traffic simulated_network::all() const {
  const std::lock_guard lock(state_->mutex);
  traffic sum;
  for (const auto& [pair, t] : state_->counted) {
    sum.frames += t.frames;
    sum.bytes += t.bytes;
  }
  return sum;
}

}  // namespace flowgraph

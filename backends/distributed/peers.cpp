#include "peers.hpp"

#include "frame_bytes.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace flowgraph::inline FLOWGRAPH_ABI::distributed {

namespace {

// Reports every second that a link is not open yet, until it is open or lost. Works also after the peers object was destroyed.
void look_again(transport& by, const std::shared_ptr<asking_link>& opening, waiting_for what, std::chrono::nanoseconds begun,
                const waiting_listener& listener) {
  by.clock().call_at(by.clock().now() + std::chrono::seconds(1),
                     [&by, weak = std::weak_ptr(opening), what = std::move(what), begun, listener]() mutable {
                       const auto there = weak.lock();
                       if (!there || !there->is_opening()) return;
                       what.since = by.clock().now() - begun;
                       listener(what);
                       look_again(by, there, std::move(what), begun, listener);
                     });
}

}  // namespace

asking_link::asking_link(std::string peer, unique_function<void(const error&)> on_lost)
    : peer_(std::move(peer)), on_lost_(std::move(on_lost)) {}

void asking_link::connect(transport& by, std::string_view address) {
  {
    const std::lock_guard lock(mutex_);
    address_ = address;
  }
  auto result = by.connect(address, shared_from_this());
  error ended;
  {
    const std::lock_guard lock(mutex_);
    ended = lost_;
    if (!ended) link_ = result;
    if (is_open_ && link_) send_waiting_locked();
  }
  if (ended) result->close(ended);  // close() had no link to close
}

void asking_link::send_locked(std::span<frame> frames) {
  if (traffic)
    for (const frame& f : frames) traffic->count_sent(bytes_of(f), f.kind == frame_kind::request);
  if (is_open_ && link_) link_->send_all(frames);
  else std::ranges::move(frames, std::back_inserter(waiting_));
}

void asking_link::send_waiting_locked() {
  recycled_list<frame> waited;
  waited.swap(waiting_);
  link_->send_all(waited);
}

bool asking_link::send_all(std::span<frame> frames) {
  const std::lock_guard lock(mutex_);
  if (lost_) return false;
  send_locked(frames);
  return true;
}

void asking_link::ask(recycled_text body, recycled_tensors tensors, answered on_answer, std::uint64_t* number) {
  frame f;
  f.kind = frame_kind::request;
  f.body = std::move(body);
  f.tensors = std::move(tensors);
  error why;
  {
    const std::lock_guard lock(mutex_);
    why = lost_;
    if (!why) {
      f.number = ++next_;
      if (number) *number = f.number;
      asked_.emplace(f.number, std::move(on_answer));
      send_locked({&f, 1});
    }
  }
  if (why) on_answer(why, {});
}

void asking_link::close(const error& why) {
  std::shared_ptr<link> closed;
  {
    const std::lock_guard lock(mutex_);
    closed = link_;
  }
  if (closed) closed->close(why);
  else lost(why);
}

bool asking_link::is_lost() const {
  const std::lock_guard lock(mutex_);
  return static_cast<bool>(lost_);
}
bool asking_link::is_opening() const {
  const std::lock_guard lock(mutex_);
  return !is_open_ && !lost_;
}
error asking_link::loss() const {
  const std::lock_guard lock(mutex_);
  return lost_;
}
std::uint64_t asking_link::incarnation() const {
  const std::lock_guard lock(mutex_);
  return incarnation_;
}

void asking_link::open(const greeting& peer) {
  const std::lock_guard lock(mutex_);
  incarnation_ = peer.incarnation;
  is_open_ = true;
  if (link_) send_waiting_locked();
}

void asking_link::receive(frame came) {
  if (traffic) traffic->count_received(bytes_of(came));
  if (came.kind == frame_kind::news) {
    if (on_news) on_news(std::move(came));
    return;
  }
  if (came.kind != frame_kind::answer) return;
  answered on_answer;
  {
    const std::lock_guard lock(mutex_);
    const auto at = asked_.find(came.number);
    if (at == asked_.end()) return;
    on_answer = std::move(at->second);
    asked_.erase(at);
  }
  byte_reader from(came.body);
  error why = read_error(from);
  if (!from.ok()) why = malformed("an answer");
  came.body.erase(0, came.body.size() - from.left());
  on_answer(why, std::move(came));
}

void asking_link::lost(const error& why) {
  recycled_map<std::uint64_t, answered> open;
  error named;
  {
    const std::lock_guard lock(mutex_);
    if (lost_) return;
    // A refused or malformed connection would fail again, so it does not get the code of a lost connection, after which callers
    // wait and retry.
    const bool is_refused =
        !is_open_ && (why.code() == error_code::unauthenticated || why.code() == error_code::permission_denied ||
                      why.code() == error_code::failed_precondition || why.code() == error_code::invalid_argument);
    if (is_refused) named = error(why.code(), message{"there is no connection to ", peer_, " at ", address_});
    else named = error(error_code::unavailable, message{"the connection to ", peer_, " at ", address_, " is lost"});
    lost_ = named = named.because(why);
    open.swap(asked_);
    waiting_.clear();
    link_.reset();
  }
  for (auto& [number, on_answer] : open) on_answer(named, {});
  if (on_lost_) on_lost_(named);
}

peers::peers(transport& by, const cluster& all, listener heard)
    : transport_(by), cluster_(all), heard_(std::move(heard)), links_(all.size()) {}

peers::~peers() { close(error(error_code::cancelled, "the task has ended")); }

std::shared_ptr<asking_link> peers::to(std::uint32_t task) {
  std::shared_ptr<asking_link> result;
  bool is_closed;
  {
    const std::lock_guard lock(mutex_);
    auto& held = links_[task];
    if (held && !held->is_lost()) return held;
    const lost_link self{task, ++link_count_};
    result = held = std::make_shared<asking_link>(cluster_.name_of(task),
                                                  [listener = heard_.on_lost, self](const error& why) { listener(self, why); });
    result->ordinal = self.ordinal;
    result->traffic = traffic.of(cluster_.name_of(task));
    result->on_news = [listener = heard_.on_news](frame f) { listener(std::move(f)); };
    is_closed = is_closed_;
  }
  // The lock is released here, since the listener may request links again.
  if (is_closed) result->lost(error(error_code::cancelled, "the task has ended"));
  else result->connect(transport_, cluster_.address_of(task));
  if (heard_.on_waiting)
    look_again(transport_, result, {cluster_.name_of(task), cluster_.address_of(task)}, transport_.clock().now(),
               heard_.on_waiting);
  return result;
}

std::shared_ptr<asking_link> peers::known(std::uint32_t task) {
  const std::lock_guard lock(mutex_);
  return links_[task] && !links_[task]->is_lost() ? links_[task] : nullptr;
}

void peers::close(const error& why) {
  std::vector<std::shared_ptr<asking_link>> open;
  {
    const std::lock_guard lock(mutex_);
    is_closed_ = true;
    open = links_;
  }
  for (const auto& l : open) {
    if (!l) continue;
    l->close(why);
    l->lost(why);  // a transport that is ending does not call lost()
  }
}

}  // namespace flowgraph::distributed

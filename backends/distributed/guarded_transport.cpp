#include "guarded_transport.hpp"

#include "bytes.hpp"
#include "proving/frame_tags.hpp"
#include "proving/handshake.hpp"

#include <flowgraph/core/message.hpp>

#include <algorithm>
#include <atomic>
#include <iterator>
#include <mutex>
#include <utility>

namespace flowgraph::inline FLOWGRAPH_ABI::distributed {

namespace {

using std::chrono::nanoseconds;

// Formats a time as in "2.6 s".
std::string seconds_of(nanoseconds time) {
  const auto tenths = (time.count() + 50'000'000) / 100'000'000;
  return message{tenths / 10, ".", tenths % 10, " s"};
}

error too_early() { return {error_code::unauthenticated, "a frame came before the other end has proved who it is"}; }
error no_tag() { return {error_code::unauthenticated, "a frame came that the end which has proved who it is did not send so"}; }

struct shared_state;

// This class is the link that the user sees, and the user of the link below.
class guarded_link final : public link, public link_user, public std::enable_shared_from_this<guarded_link> {
public:
  guarded_link(std::shared_ptr<shared_state> shared, role mine, std::shared_ptr<link_user> user, std::string wanted);

  // Calls `make`, which creates the link below. That link may call this object from another thread before `make` has returned; its
  // first call, open(), waits for the same mutex.
  template <class F> void begin(F&& make) {
    const std::lock_guard lock(mutex_);
    inner_ = make(shared_from_this());
  }

  void send(frame f) override { send_all({&f, 1}); }
  void send_all(std::span<frame> frames) override;
  void close(const error& why) override;
  std::string address() const override { return inner_->address(); }
  nanoseconds heard() const override { return inner_->heard(); }

  bool awaits_proof() const noexcept override { return role_ == role::accepts; }
  void open(const greeting&) override;
  error check(const frame_head& head, std::span<const tensor_head> tensors) override;
  void receive(frame came) override;
  void lost(const error& why) override;

  void forget() {
    std::shared_ptr<link_user> user;
    const std::lock_guard lock(mutex_);
    user = let_go();
  }

  // Runs on a thread of the clock. Closes the link if the peer has been silent for too long; if `sends` is true, sends a heartbeat
  // if no other frame was sent.
  void tick(nanoseconds now, bool sends);

private:
  // Returns the user and removes it from the link, so that it receives no more frames. If the link ends during a call to the user,
  // `told_` keeps the user alive until that call returns. No mutex is needed for that: the thread that delivers frames to the user
  // is the thread that ends the link, or it has finished.
  std::shared_ptr<link_user> let_go() {
    if (is_telling_ && user_ != nullptr) told_ = user_;
    return std::move(user_);
  }
  // Sends frames to the other end. The frames carry tags as soon as this end has sent its proof.
  void pass(std::span<frame> frames);
  void pass(frame_kind kind, recycled_text body, bool is_dead = false, std::uint64_t number = 0);
  void hear(frame& came);
  error hear_opening(const frame& came);
  error hear_tasks(std::string_view body);
  error hear_hello(std::string_view body);
  error hear_proof(std::string_view body);
  void hear_beat(const frame& beat);
  bool is_doubtful();
  void hear_farewell(std::string_view body);
  void send_proof();
  void become_open();
  void send_farewell(const error& why);
  void tell_refusal(const error& why) const;
  std::string peer() const;

  std::shared_ptr<shared_state> shared_;
  const role role_;
  std::mutex mutex_;                 // guards begin(), waiting_ until the link is open, and the peer's name, which ticks read
  std::shared_ptr<link_user> user_;  // on the accepting end: set when the link opens
  std::shared_ptr<link> inner_;
  std::vector<frame> waiting_;
  std::atomic<bool> is_open_{false}, has_sent_{false}, is_ended_{false};
  bool is_telling_ = false;
  std::shared_ptr<link_user> told_;  // a user that was removed during a call to it
  nanoseconds began_{};
  const std::string wanted_;
  std::unique_ptr<handshake> handshake_;  // only while the link opens
  struct outgoing_tags {
    std::atomic<bool> from_below{false};  // true: after the proof the link below signs this end's frames; false: `signer` does
    std::mutex order;                     // makes frames leave in the order of their tags
    std::optional<frame_signer> signer;   // guarded by `order`; set after this end's proof was sent
  };
  outgoing_tags tags_;
  std::optional<frame_signer> checks_;  // set after the other end's proof has arrived
  greeting greeting_;
  // The sleeps of this process that the peer has confirmed and must confirm, and the frames that wait for the confirmation.
  struct own_sleeps {
    std::uint64_t confirmed = 0, asked = 0;
    std::vector<frame> doubtful;
  };
  own_sleeps sleeps_;
  error farewell_, own_cause_;  // the reason for the end, from the other end and from this end

  friend struct shared_state;
};

// The state that the links of one transport share. They own it, so it may outlive the transport.
struct shared_state : std::enable_shared_from_this<shared_state> {
  guard_options options;
  std::weak_ptr<transport> inner;
  std::mutex mutex;
  std::vector<std::weak_ptr<guarded_link>> links;
  bool ticks = false;
  std::uint64_t turn = 0;
  nanoseconds awake_since{};  // used only by ticks, which run one at a time
  std::atomic<std::uint64_t> sleeps_told{0};

  std::uint64_t sleeps() {
    if (!options.watch) return 0;
    const std::uint64_t count = options.watch->sleeps();
    if (count != sleeps_told.load(std::memory_order_acquire) && sleeps_told.exchange(count) != count) options.on_wake();
    return count;
  }

  void add(const std::shared_ptr<guarded_link>& link) {
    const auto there = inner.lock();
    if (there == nullptr) return;
    link->began_ = there->clock().now();
    const std::lock_guard lock(mutex);
    links.push_back(link);
    if (std::exchange(ticks, true)) return;
    if (options.watch) options.watch->tick(link->began_);
    next_tick(*there, link->began_);
  }

  void forget() {
    std::vector<std::weak_ptr<guarded_link>> all;
    {
      const std::lock_guard lock(mutex);
      all.swap(links);
    }
    for (const auto& link : all)
      if (const auto held = link.lock()) held->forget();
  }

  // Schedules the next tick for all links, twice per heartbeat. While there are no links, there are no ticks.
  void next_tick(transport& on, nanoseconds now) {
    const nanoseconds due = now + options.heartbeat / 2;
    on.clock().call_at(due, [self = weak_from_this(), due] {
      if (const auto state = self.lock()) state->tick(due);
    });
  }
  void tick(nanoseconds due) {
    const auto there = inner.lock();
    if (there == nullptr) return;
    const nanoseconds now = there->clock().now();
    sleeps();
    recycled_list<std::shared_ptr<guarded_link>> alive;
    bool sends = false;
    {
      const std::lock_guard lock(mutex);
      std::erase_if(links, [&](const std::weak_ptr<guarded_link>& link) {
        auto held = link.lock();
        const bool is_gone = held == nullptr || held->is_ended_.load(std::memory_order_relaxed);
        if (!is_gone) alive.push_back(std::move(held));
        return is_gone;
      });
      sends = ++turn % 2 == 0;
      ticks = !alive.empty();
      if (options.watch && ticks) options.watch->tick(now);
      else if (options.watch) options.watch->rest();
      if (ticks) next_tick(*there, now);
    }
    // This tick is late, so this process was asleep. Its peers' frames may still be unread, and its own heartbeats are overdue: it
    // gives the peers time from now on, and sends at once.
    if (now - due >= options.heartbeat) {
      awake_since = now;
      sends = true;
    }
    for (const auto& link : alive) link->tick(now, sends);
  }
};

guarded_link::guarded_link(std::shared_ptr<shared_state> shared, role mine, std::shared_ptr<link_user> user, std::string wanted)
    : shared_(std::move(shared)), role_(mine), user_(std::move(user)), wanted_(std::move(wanted)) {}

void guarded_link::pass(std::span<frame> frames) {
  if (shared_->options.token.empty() || tags_.from_below.load(std::memory_order_relaxed)) return inner_->send_all(frames);
  const std::lock_guard lock(tags_.order);
  if (tags_.signer)
    for (frame& f : frames) tags_.signer->sign(f);
  inner_->send_all(frames);
}

void guarded_link::pass(frame_kind kind, recycled_text body, bool is_dead, std::uint64_t number) {
  frame f;
  f.kind = kind;
  f.is_dead = is_dead;
  f.number = number;
  f.body = std::move(body);
  pass({&f, 1});
}

void guarded_link::send_all(std::span<frame> frames) {
  if (!is_open_.load(std::memory_order_acquire)) {
    const std::lock_guard lock(mutex_);
    if (!is_open_.load(std::memory_order_relaxed)) {
      if (!is_ended_) std::ranges::move(frames, std::back_inserter(waiting_));
      return;
    }
  }
  if (!has_sent_.load(std::memory_order_relaxed)) has_sent_.store(true, std::memory_order_relaxed);
  pass(frames);
}

void guarded_link::close(const error& why) {
  {
    const std::lock_guard lock(mutex_);
    if (is_ended_.exchange(true)) return;
    own_cause_ = why;
  }
  send_farewell(why);
  inner_->close(why);
}

void guarded_link::send_farewell(const error& why) {
  recycled_text farewell;
  byte_writer to(farewell);
  to.number(why.code());
  std::string_view text = why.what();
  text.remove_prefix(std::min(text.size(), name_of(why.code()).size() + 2));  // the other end adds the name of the code again
  to.text(text.substr(0, most_hello_bytes / 2));
  pass(frame_kind::proof, std::move(farewell), true);
}

std::string guarded_link::peer() const {
  return greeting_.name.empty() ? inner_->address() : message{greeting_.name, " at ", inner_->address()};
}

void guarded_link::open(const greeting&) {
  const std::lock_guard lock(mutex_);  // waits until begin() has returned
  const auto by = shared_->inner.lock();
  handshake_ = std::make_unique<handshake>(shared_->options, role_, inner_->address(), wanted_, inner_->binding(),
                                           by != nullptr && by->has_checksums());
  sleeps_.confirmed = sleeps_.asked = shared_->sleeps();
  pass(frame_kind::hello, handshake_->own_hello());
}

error guarded_link::check(const frame_head& head, std::span<const tensor_head> tensors) {
  if (user_ == nullptr) return {error_code::cancelled, "the transport has ended"};
  const bool is_ours = head.kind == frame_kind::hello || head.kind == frame_kind::proof || head.kind == frame_kind::heartbeat;
  if (is_ours && (head.body_bytes > most_hello_bytes + tag_bytes || !tensors.empty()))
    return {error_code::data_loss, "a handshake came that is too long"};
  if (is_ours) return {};
  if (!is_open_.load(std::memory_order_relaxed)) return too_early();
  if (!checks_) return user_->check(head, tensors);
  if (head.body_bytes < tag_bytes) return no_tag();
  frame_head bare = head;
  bare.body_bytes -= tag_bytes;
  return user_->check(bare, tensors);
}

void guarded_link::receive(frame came) {
  is_telling_ = true;
  if (!checks_ || checks_->check(came)) hear(came);
  else if (user_ != nullptr) close(no_tag());
  is_telling_ = false;
  told_.reset();
}

void guarded_link::hear(frame& came) {
  if (user_ == nullptr) return;
  if (!is_open_.load(std::memory_order_relaxed)) {
    if (error why = hear_opening(came)) close(why);
    return;
  }
  if (came.kind > frame_kind::heartbeat) {
    if (shared_->options.watch && is_doubtful()) return sleeps_.doubtful.push_back(std::move(came));
    return user_->receive(std::move(came));
  }
  if (came.kind == frame_kind::heartbeat) return hear_beat(came);
  if (came.kind == frame_kind::proof && came.is_dead) return hear_farewell(came.body);
  close(error(error_code::data_loss, message{peer(), " began the handshake anew"}));
}

error guarded_link::hear_opening(const frame& came) {
  if (came.kind == frame_kind::hello) return came.is_dead ? hear_tasks(came.body) : hear_hello(came.body);
  if (came.kind != frame_kind::proof) return too_early();
  if (!came.is_dead) return hear_proof(came.body);
  hear_farewell(came.body);
  return {};
}

// Returns whether frames must be kept back because this process has slept. For the first frame after a sleep, requests a sign of
// life from the other end, which may meanwhile have withdrawn frames that it sent before its answer.
bool guarded_link::is_doubtful() {
  const std::uint64_t now = shared_->sleeps();
  if (now == sleeps_.confirmed) return false;
  if (std::exchange(sleeps_.asked, now) == now) return true;
  pass(frame_kind::heartbeat, {}, false, now);
  return true;
}

// A heartbeat with a number is a question; a dead heartbeat with a number is the answer.
void guarded_link::hear_beat(const frame& beat) {
  if (beat.number == 0) return;
  if (!beat.is_dead) return pass(frame_kind::heartbeat, {}, true, beat.number);
  if (beat.number != sleeps_.asked) return;
  sleeps_.confirmed = sleeps_.asked;
  for (frame& f : std::exchange(sleeps_.doubtful, {})) hear(f);
}

error guarded_link::hear_hello(std::string_view body) {
  if (handshake_ == nullptr) return too_early();
  error why = handshake_->hear(body);
  {
    const std::lock_guard lock(mutex_);
    greeting_ = handshake_->peer();
  }
  if (why) return why;
  if (handshake_->has_other_tasks()) pass(frame_kind::hello, recycled_text(handshake_->own_tasks()), true);
  else if (role_ == role::connects) send_proof();
  return {};
}

// Compares the lists of tasks. Both ends do this after they have found that their lists differ, so that both report the difference.
error guarded_link::hear_tasks(std::string_view body) {
  if (handshake_ == nullptr || !handshake_->has_other_tasks())
    return {error_code::data_loss, message{peer(), " sent a list of tasks that nobody asked for"}};
  return handshake_->differs_from(body);
}

void guarded_link::send_proof() {
  frame proof;
  proof.kind = frame_kind::proof;
  proof.body = as_text(handshake_->proof_of(role_));
  std::optional<frame_signer> signs = handshake_->signer_of(role_);
  const std::lock_guard lock(tags_.order);
  inner_->send(std::move(proof));
  if (!signs) return;
  tags_.from_below = inner_->sign_with([by = *signs](frame& f) mutable { by.sign(f); });
  if (!tags_.from_below) tags_.signer = std::move(signs);
}

error guarded_link::hear_proof(std::string_view body) {
  if (handshake_ == nullptr || !handshake_->has_heard() || handshake_->has_other_tasks())
    return {error_code::data_loss, message{peer(), " sent a proof that nobody asked for"}};
  if (!is_same_hash(handshake_->proof_of(other(role_)), body))
    return {error_code::unauthenticated, message{peer(), " does not know the token of ", shared_->options.self.name}};
  checks_ = handshake_->signer_of(other(role_));
  if (error why = inner_->admit()) return why;
  if (role_ == role::accepts) send_proof();
  handshake_.reset();
  become_open();
  return {};
}

void guarded_link::hear_farewell(std::string_view body) {
  byte_reader in(body);
  const auto code = in.number<error_code>();
  const std::string text = is_open_ ? shown(in.text()) : shown_line(in.text());
  if (in.is_done() && code != error_code::ok && code <= error_code::unauthenticated)
    farewell_ =
        error(is_open_ ? error_code::unavailable : code, message{peer(), " ended the connection"}).because(error(code, text));
  inner_->close(farewell_ ? farewell_ : error(error_code::unavailable, message{peer(), " ended the connection"}));
}

// Reports a refused connection to on_refused. A peer that only connects and disconnects was not refused.
void guarded_link::tell_refusal(const error& why) const {
  if (role_ == role::connects || is_open_ || !shared_->options.on_refused) return;
  const error& cause = own_cause_ ? own_cause_ : farewell_ ? farewell_ : why;
  if (cause.code() == error_code::cancelled || (cause.code() == error_code::unavailable && !own_cause_)) return;
  shared_->options.on_refused(error(cause.code(), message{address(), " was refused"}).because(cause));
}

void guarded_link::lost(const error& why) {
  std::vector<frame> dropped;
  std::shared_ptr<link_user> user;
  {
    const std::lock_guard lock(mutex_);
    is_ended_ = true;
    dropped.swap(waiting_);
    user = let_go();
  }
  if (user == nullptr) return;
  tell_refusal(why);
  if (own_cause_) return user->lost(own_cause_);
  // This end has refused a frame, which the other end does not know yet.
  if (!farewell_ && why.code() != error_code::unavailable && why.code() != error_code::cancelled) send_farewell(why);
  if (greeting_.name.empty() || farewell_ || why.code() != error_code::unavailable)
    return user->lost(farewell_ ? farewell_ : why);
  user->lost(error(error_code::unavailable, message{"the connection to ", peer(), " is lost"}).because(why));
}

void guarded_link::tick(nanoseconds now, bool sends) {
  const nanoseconds heard = std::max(inner_->heard(), began_), silence = shared_->options.silence;
  if (now - std::max(heard, shared_->awake_since) > silence) {
    std::string who;
    {
      const std::lock_guard lock(mutex_);
      who = peer();
    }
    if (inner_->heard() == nanoseconds{})
      return close(
          error(error_code::unavailable, message{who, " has been silent from the beginning, for ", seconds_of(now - heard)}));
    return close(error(error_code::unavailable, message{who, " is silent: it was last heard ", seconds_of(now - heard), " ago"}));
  }
  if (!is_open_.load(std::memory_order_relaxed)) {
    if ((now - std::max(began_, shared_->awake_since)) / 2 > silence)
      close(error(error_code::deadline_exceeded, message{address(), " has not proved who it is in ", seconds_of(now - began_)}));
    return;
  }
  if (!sends || has_sent_.exchange(false, std::memory_order_relaxed)) return;
  pass(frame_kind::heartbeat, {});
}

class guarded_transport final : public transport {
public:
  guarded_transport(std::shared_ptr<transport> inner, guard_options o) : owned_(std::move(inner)), inner_(owned_.get()) {
    shared_->options = std::move(o);
    shared_->inner = owned_;
  }
  // Users that are notified of a lost link may still call this object while owned_ ends. Users of a killed process are not
  // notified; forget() releases them.
  ~guarded_transport() override {
    owned_.reset();
    if (shared_->inner.expired()) shared_->forget();
  }

  result<std::string> listen(std::string_view address, acceptor accept) override;
  std::shared_ptr<link> connect(std::string_view address, std::shared_ptr<link_user> user) override {
    auto result = std::make_shared<guarded_link>(shared_, role::connects, std::move(user),
                                                 shared_->options.wanted ? shared_->options.wanted(address) : std::string());
    result->begin([&](const std::shared_ptr<guarded_link>& self) { return inner_->connect(address, self); });
    shared_->add(result);
    return result;
  }
  task_clock& clock() noexcept override { return inner_->clock(); }
  void compute(unique_function<void()> f) override { inner_->compute(std::move(f)); }
  bool allows_short_work() const noexcept override { return inner_->allows_short_work(); }
  bool has_checksums() const noexcept override { return inner_->has_checksums(); }
  bool wait(function_ref<bool()> is_done, nanoseconds until) override { return inner_->wait(is_done, until); }
  void wake() override { inner_->wake(); }

private:
  std::shared_ptr<transport> owned_;
  transport* const inner_;
  std::shared_ptr<shared_state> shared_ = std::make_shared<shared_state>();
};

// Replaces the acceptor's user until the peer has proved its identity.
struct late_user final : link_user {
  explicit late_user(std::shared_ptr<transport::acceptor> a) : accept(std::move(a)) {}
  std::shared_ptr<transport::acceptor> accept;
  void receive(frame) override {}
  void lost(const error&) override {}
};

void guarded_link::become_open() {
  if (auto* late = role_ == role::accepts ? static_cast<late_user*>(user_.get()) : nullptr) {
    std::shared_ptr<link_user> user = (*late->accept)(shared_from_this());
    if (user == nullptr) return close(error(error_code::permission_denied, "the connection was refused"));
    if (user_ == nullptr) return;  // the link has ended meanwhile
    user_ = std::move(user);
  }
  {
    const std::lock_guard lock(mutex_);
    pass(waiting_);
    waiting_.clear();
    is_open_.store(true, std::memory_order_release);
  }
  user_->open(greeting_);
}

result<std::string> guarded_transport::listen(std::string_view address, acceptor accept) {
  auto held = std::make_shared<acceptor>(std::move(accept));
  return inner_->listen(address, [held, shared = shared_](const std::shared_ptr<link>& below) -> std::shared_ptr<link_user> {
    auto result = std::make_shared<guarded_link>(shared, role::accepts, std::make_shared<late_user>(held), std::string());
    result->begin([&](const auto&) { return below; });
    shared->add(result);
    return result;
  });
}

}  // namespace

std::shared_ptr<transport> guarded(std::shared_ptr<transport> inner, guard_options options) {
  return std::make_shared<guarded_transport>(std::move(inner), std::move(options));
}

}  // namespace flowgraph::distributed

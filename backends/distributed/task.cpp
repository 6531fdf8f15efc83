#include "frame_bytes.hpp"
#include "guarded_transport.hpp"
#include "messages.hpp"
#include "proving/known_tasks.hpp"
#include "state/held_state.hpp"
#include "task_state.hpp"

#include <flowgraph/distributed/task.hpp>

#include <algorithm>
#include <utility>

namespace flowgraph::inline FLOWGRAPH_ABI {

using namespace distributed;

namespace distributed {

namespace {
constexpr std::chrono::minutes kernel_patience(1);  // how long the end of a task waits for kernels

// Returns the length of a sleep after which a peer with this `silence` may have given up the task. The peer may have received the
// last frame two heartbeats before the sleep.
std::chrono::nanoseconds sleep_limit(std::chrono::nanoseconds silence) {
  return std::max(silence, least_silence) - 2 * guard_options().heartbeat;
}
}

}  // namespace distributed

namespace {

// A link that a client or another task has made to this task.
class served_link final : public link_user, public std::enable_shared_from_this<served_link> {
public:
  served_link(std::weak_ptr<task_state> of, std::shared_ptr<link> l) : task_(std::move(of)), link_(std::move(l)) {}

  void open(const greeting& peer) override {
    peer_ = peer;
    if (const auto t = task_.lock()) traffic_ = t->others.traffic.of(peer.name);
  }
  void receive(frame came) override {
    const auto t = task_.lock();
    if (!t) return;
    if (traffic_) traffic_->count_received(bytes_of(came));
    if (came.kind == frame_kind::value) return t->works.receive_value(std::move(came));
    {
      const std::lock_guard lock(mutex_);
      if (is_planning_) {
        came.loop = t->watch->sleeps();  // for requests: the number of sleeps when they arrived
        waiting_.push_back(std::move(came));
        return;
      }
      is_planning_ = takes_time(came);
    }
    if (!takes_time(came)) return take(*t, came);
    later(*t, std::make_shared<frame>(std::move(came)));
  }
  void lost(const error& why) override {
    const auto t = task_.lock();
    if (!t) return;
    const error named = error(error_code::unavailable, message{"the connection from ", peer_.name, " is lost"}).because(why);
    {
      const std::lock_guard lock(mutex_);
      lost_ = named;
      waiting_.clear();
    }
    t->report(named);
    free_all(*t, named);  // the sender of values over this link is notified too, and reports their loss
  }
  void tell(frame f) {
    if (traffic_) traffic_->count_sent(bytes_of(f), false);
    link_->send(std::move(f));
  }
  void close(task_state& t, const error& why) {
    std::map<std::uint64_t, std::shared_ptr<master_session>> gone;
    {
      const std::lock_guard lock(t.mutex);
      gone.swap(sessions_);
    }
    link_->close(why);
  }

private:
  void answer(std::uint64_t number, const error& why, recycled_tensors tensors = {}, std::string_view more = {}) {
    tell(answer_to(number, why, std::move(tensors), more));
  }
  // Returns whether a request is processed on another thread, as planning is. Later requests wait for it, so that all are processed
  // in order.
  static bool takes_time(const frame& f) {
    byte_reader from(f.body);
    const auto kind = from.number<message_kind>();
    return kind == message_kind::prepare || kind == message_kind::register_part || is_about_state(kind);
  }
  static bool is_about_state(message_kind kind) {
    return (kind >= message_kind::save_state && kind <= message_kind::places) ||
           (kind >= message_kind::save_resources && kind <= message_kind::load_resources);
  }
  static bool begins_run(const frame& f) {
    byte_reader from(f.body);
    const auto kind = from.number<message_kind>();
    return kind == message_kind::run || kind == message_kind::run_part;
  }
  void later(task_state& t, std::shared_ptr<frame> came) {
    t.by->compute([self = shared_from_this(), came = std::move(came)] {
      const auto alive = self->task_.lock();
      if (!alive) return;
      self->take_all(*alive, *came);
      self->free_if_lost(*alive);
    });
  }
  void take_all(task_state& t, frame& first) {
    take(t, first);
    for (;;) {
      frame next;
      {
        const std::lock_guard lock(mutex_);
        if (waiting_.empty() || lost_) {
          is_planning_ = false;
          return;
        }
        next = std::move(waiting_.front());
        waiting_.pop_front();
      }
      if (next.loop != t.watch->sleeps() && begins_run(next)) answer(next.number, named(t, sleep_watch::why()));
      else take(t, next);
    }
  }
  // Undoes work that was done while the link was lost.
  void free_if_lost(task_state& t) {
    error why;
    {
      const std::lock_guard lock(mutex_);
      why = lost_;
    }
    if (why) free_all(t, why);
  }
  void free_all(task_state& t, const error& why) {
    std::vector<std::uint64_t> gone;
    {
      const std::lock_guard lock(t.mutex);
      for (const auto& [number, s] : sessions_) gone.push_back(number);
    }
    for (const std::uint64_t s : gone) close_session(t, s);
    t.works.lost_asker(this, why);
  }
  void take(task_state& t, frame& came) {
    byte_reader from(came.body);
    switch (from.number<message_kind>()) {
      case message_kind::open: return open_session(t, came, from);
      case message_kind::prepare: return prepare(came, from);
      case message_kind::run: return run(came, from);
      case message_kind::clear: return clear(came, from);
      case message_kind::close: return close_session(t, from.number<std::uint64_t>());
      case message_kind::cancel: return cancel(from);
      case message_kind::next_piece: return next_piece(came, from);
      case message_kind::hold: return hold(came, from);
      case message_kind::go_on: return go_on(from);
      case message_kind::save_state:
      case message_kind::load_state:
      case message_kind::places: return about_state(came, from);
      case message_kind::hold_steps:
      case message_kind::save_resources:
      case message_kind::load_resources: return about_parts(t, came, from);
      case message_kind::go_on_steps: return t.works.go_on(from.number<std::uint64_t>());
      case message_kind::register_part: return register_part(t, came, from);
      case message_kind::run_part: return run_part(t, came, from);
      case message_kind::drop_session: return t.works.drop_session(from.number<std::uint64_t>());
      case message_kind::end_step: return end_step(t, from);
      case message_kind::clear_containers: return clear_containers(t, came, from);
      case message_kind::piece_of_part: return t.works.take_piece(from.number<std::uint64_t>(), std::move(came));
      case message_kind::tell_time: return tell_time(came);
      case message_kind::lost_peer:
      case message_kind::known_fetches:
      case message_kind::held_state: break;
    }
    link_->close(malformed("the kind of a request is unknown"));
  }
  std::shared_ptr<master_session> session_of(std::uint64_t number) {
    const auto t = task_.lock();
    const std::lock_guard lock(t->mutex);
    const auto at = sessions_.find(number);
    return at == sessions_.end() ? nullptr : at->second;
  }
  static error no_session() { return error(error_code::failed_precondition, "the master has no such session"); }

  void open_session(task_state& t, frame& came, byte_reader& from) {
    master_options options;
    if (error why = read_options(from, options)) return answer(came.number, why);
    t.watch->expect(sleep_limit(options.silence));
    options.tell_client = [weak = weak_from_this()](frame news) {
      if (const auto self = weak.lock()) self->tell(std::move(news));
    };
    const std::uint64_t number = t.next_session();
    const auto result = std::make_shared<master_session>(t.services, number, options);
    bool has_room;
    {
      const std::lock_guard lock(t.mutex);
      if (t.is_closed) return;
      has_room = t.sessions.size() < t.services.limits.sessions;
      if (has_room) sessions_[number] = t.sessions[number] = result;
    }
    if (!has_room)
      return answer(came.number,
                    error(error_code::resource_exhausted, message{t.name, " is the master of ", t.services.limits.sessions,
                                                                  " sessions: more are not allowed (task_limits::sessions)"}));
    recycled_text more;
    byte_writer(more).number(number);
    result->tell_of_state();
    answer(came.number, {}, {}, more);
  }
  void close_session(task_state& t, std::uint64_t number) {
    std::shared_ptr<master_session> gone;
    {
      const std::lock_guard lock(t.mutex);
      const auto at = sessions_.find(number);
      if (at == sessions_.end()) return;
      gone = std::move(at->second);
      sessions_.erase(at);
      t.sessions.erase(number);
    }
    gone->close(error(error_code::cancelled, "the client has gone"));
  }
  void prepare(frame& came, byte_reader& from) {
    const auto session = session_of(from.number<std::uint64_t>());
    if (!session) return answer(came.number, no_session());
    const bool has_nodes = from.number<std::uint8_t>() != 0;
    const graph_record more = has_nodes ? read_graph(from, came.tensors) : graph_record();
    master_session::request wanted;
    wanted.feeds = read_edges(from);
    wanted.fetches = read_edges(from);
    wanted.targets = read_numbers(from);
    wanted.is_partial_run = from.number<std::uint8_t>() != 0;
    if (!from.is_done()) return answer(came.number, malformed("the edges of a run"));
    std::string needs;
    const auto result = session->prepare(more, wanted, &needs);
    recycled_text text;
    byte_writer to(text);
    to.number(session->nodes());
    write_error(to, result ? error() : result.error());
    to.number(result ? *result : 0);
    to.text(needs);
    answer(came.number, {}, {}, text);
  }
  void run(frame& came, byte_reader& from) {
    const auto session = session_of(from.number<std::uint64_t>());
    const auto handle = from.number<std::uint32_t>();
    const auto how = from.number<std::uint8_t>();
    const auto losses = from.number<std::uint64_t>();
    const auto traces = (how & traced_flag) != 0 ? std::make_shared<step_traces>() : nullptr;
    if (!session || !from.is_done()) return answer(came.number, session ? malformed("a run") : no_session());
    // The session exists as long as it may call this function.
    session->run(
        handle, came.number, std::move(came.tensors), (how & may_wait_flag) != 0,
        [self = shared_from_this(), of = session.get(), number = came.number, traces](const error& why,
                                                                                      recycled_tensors fetched) {
          recycled_text more;
          if (why) byte_writer(more).number(of->losses(why));
          if (traces) more += traces->take();
          self->answer_traced(number, why, std::move(fetched), more);
        },
        traces, (how & pieces_flag) != 0, losses);
  }
  void next_piece(frame& came, byte_reader& from) {
    const auto session = session_of(from.number<std::uint64_t>());
    const auto asked = from.number<std::uint64_t>();
    if (!session) return answer(came.number, no_session());
    session->next_piece(asked, from, came.tensors, replies(came.number));
  }
  // Answers a run. The records of a trace follow in any case, even after an error.
  void answer_traced(std::uint64_t number, const error& why, recycled_tensors tensors, std::string_view trace) {
    frame answer = answer_to(number, why, std::move(tensors));
    answer.body += trace;
    tell(std::move(answer));
  }
  void tell_time(const frame& came) {
    recycled_text now;
    byte_writer(now).number(detail::trace_clock());
    answer(came.number, {}, {}, now);
  }
  void cancel(byte_reader& from) {
    const auto session = session_of(from.number<std::uint64_t>());
    const auto asked = from.number<std::uint64_t>();
    error why = read_error(from);
    if (session && from.ok()) session->cancel(asked, why);
  }
  static std::vector<std::string> read_names(byte_reader& from) {
    std::vector<std::string> names;
    for (auto left = from.count(8); left > 0 && from.ok(); --left) names.emplace_back(from.text());
    return names;
  }
  void clear(frame& came, byte_reader& from) {
    const auto session = session_of(from.number<std::uint64_t>());
    const auto sections = read_names(from);
    if (!session || !from.is_done())
      return answer(came.number, session ? malformed("the names of containers to clear") : no_session());
    session->clear(sections, [self = shared_from_this(), number = came.number](const error& why) { self->answer(number, why); });
  }

  master_session::replied replies(std::uint64_t number) {
    return [self = shared_from_this(), number](const error& why, std::string_view body, recycled_tensors tensors) {
      self->answer(number, why, std::move(tensors), body);
    };
  }
  void hold(frame& came, byte_reader& from) {
    const auto session = session_of(from.number<std::uint64_t>());
    if (!session || !from.is_done()) return answer(came.number, session ? malformed("whose runs are to rest") : no_session());
    session->hold(replies(came.number));
  }
  void go_on(byte_reader& from) {
    if (const auto session = session_of(from.number<std::uint64_t>())) session->go_on();
  }
  void about_state(frame& came, byte_reader& from) {
    const auto session = session_of(from.number<std::uint64_t>());
    if (!session) return answer(came.number, no_session());
    const bool has_nodes = from.number<std::uint8_t>() != 0;
    const graph_record more = has_nodes ? read_graph(from, came.tensors) : graph_record();
    if (!from.ok()) return answer(came.number, malformed("nodes of a graph"));
    session->about_state(byte_reader(came.body).number<message_kind>(), more, from, came.tensors, replies(came.number));
  }
  void about_parts(task_state& t, frame& came, byte_reader& from) {
    worker::reply result = t.works.about_state(this, byte_reader(came.body).number<message_kind>(), from, came.tensors);
    answer(came.number, result.why, std::move(result.tensors), result.body);
  }

  void register_part(task_state& t, frame& came, byte_reader& from) {
    const auto session = from.number<std::uint64_t>();
    const bool isolated = from.number<std::uint8_t>() != 0;
    const auto number = from.number<std::uint32_t>();
    const auto expected = from.number<std::uint64_t>();
    const std::chrono::nanoseconds silence(from.number<std::int64_t>());
    const part_record record = read_part(from, came.tensors);
    if (!from.is_done()) return answer(came.number, malformed("a part of a plan"));
    if (expected != 0 && expected != t.services.incarnation)
      return answer(came.number, error(error_code::unavailable, message{t.name, " was started again"}));
    t.watch->expect(sleep_limit(silence));
    answer(came.number, named(t, t.works.register_part(this, session, isolated, number, record)));
  }
  void run_part(task_state& t, frame& came, byte_reader& from) {
    const auto step = from.number<std::uint64_t>();
    const auto part = from.number<std::uint32_t>();
    const auto oldest = from.number<std::uint64_t>();
    const auto how = from.number<std::uint8_t>();
    std::vector<std::uint64_t> runs;
    for (auto left = from.count(8); left > 0 && from.ok(); --left) runs.push_back(from.number<std::uint64_t>());
    if (!from.is_done()) return answer(came.number, malformed("the run of a part"));
    const auto trace = (how & traced_flag) != 0 ? t.services.recording.begin(t.all, t.self, step) : nullptr;
    unique_function<void(frame)> pieces;
    if ((how & pieces_flag) != 0) pieces = [self = shared_from_this()](frame news) { self->tell(std::move(news)); };
    t.works.run_part(
        step, part, oldest, std::move(came.tensors), runs, (how & may_wait_flag) != 0,
        [self = shared_from_this(), number = came.number, trace](const error& why, recycled_tensors fetched) {
          const auto task = self->task_.lock();
          self->answer_traced(number, task ? named(*task, why) : why, std::move(fetched),
                              trace ? trace->bytes() : recycled_text());
        },
        trace, std::move(pieces));
  }
  static void end_step(task_state& t, byte_reader& from) {
    const auto step = from.number<std::uint64_t>();
    const error why = read_error(from);
    if (from.ok()) t.works.end_step(step, why);
  }
  void clear_containers(task_state& t, frame& came, byte_reader& from) {
    const auto session = from.number<std::uint64_t>();
    const auto sections = read_names(from);
    if (!from.is_done()) return answer(came.number, malformed("the names of containers to clear"));
    t.works.clear_containers(session, sections);
    answer(came.number, {});
  }
  // Adds the name of this task to an error.
  static error named(const task_state& t, const error& why) {
    if (!why) return why;
    const error here(why.code(), message{why.message(), " (on ", t.name, ")"});
    error failure = why.node().empty() ? here : here.at(why.node(), why.op(), why.where());
    return why.cause() ? failure.because(*why.cause()) : failure;
  }

  std::weak_ptr<task_state> task_;
  std::shared_ptr<link> link_;
  greeting peer_;
  std::shared_ptr<traffic_counter> traffic_;                           // null before the link is open
  std::map<std::uint64_t, std::shared_ptr<master_session>> sessions_;  // guarded by the task's mutex

  std::mutex mutex_;  // guards the following members
  bool is_planning_ = false;
  error lost_;
  std::deque<frame> waiting_;
};

}  // namespace

void distributed::task_state::tell_master(std::uint32_t task, const worker::hurt_steps& hurt, const error& why) {
  for (const auto& s : open_sessions())  // of masters at this task
    if (s->number() == session_of_step(hurt.last)) s->lost_values(task, hurt.last, why);
  for (const auto& l : open_links()) {
    if (hurt.by != l.get()) continue;
    body_of body(message_kind::lost_peer);
    body.bytes.number(task);
    body.bytes.number(hurt.last);
    write_error(body.bytes, error(why.code(), message{why.message(), " (as ", name, " has found)"}));
    frame f;
    f.kind = frame_kind::news;
    f.body = std::move(body.text);
    static_cast<served_link&>(*l).tell(std::move(f));
  }
}

std::vector<std::shared_ptr<link_user>> distributed::task_state::open_links() {
  std::vector<std::shared_ptr<link_user>> result;
  const std::lock_guard lock(mutex);
  std::erase_if(served, [](const auto& s) { return s.expired(); });
  for (const auto& s : served)
    if (auto l = s.lock()) result.push_back(std::move(l));
  return result;
}

result<std::unique_ptr<task>> task::make(std::shared_ptr<transport> by, const cluster& all, std::string_view job,
                                         std::uint32_t index, const registry& ops, const task_options& options) {
  if (error why = all.check()) return why;
  const auto number = all.task(job, index);
  if (!number) return number.error();
  const auto known = std::make_shared<std::weak_ptr<task_state>>();
  if (error why = check_silence(options.silence, "task_options")) return why;
  guard_options guard{.self = {all.name_of(*number), incarnation_of(*by)}, .token = options.token, .fingerprint = protocol};
  know_tasks(guard, all);
  guard.silence = options.silence;
  guard.watch = std::make_shared<sleep_watch>(by->clock(), sleep_limit(guard.silence), by->allows_short_work());
  guard.on_wake = [known] {
    if (const auto alive = known->lock()) alive->works.wake();
  };
  if (options.on_refused)
    guard.on_refused = [known, listener = options.on_refused](const error& why) {
      const auto alive = known->lock();
      if (alive && !alive->has_ended()) listener(why);
    };
  const auto watch = guard.watch;
  const std::uint64_t incarnation = guard.self.incarnation;
  auto result = task_state::make(guarded(std::move(by), std::move(guard)), all, *number, ops, options);
  result->watch = watch;
  result->works.watch = watch.get();
  result->works.patience = 2 * std::min(options.silence, most_silence) + std::chrono::seconds(1);
  result->services.incarnation = incarnation;
  result->services.silence = options.silence;
  *known = result;
  const std::string where = options.listen.empty() ? all.address_of(*number) : options.listen;
  auto listening =
      result->by->listen(where, [weak = std::weak_ptr(result)](const std::shared_ptr<link>& l) -> std::shared_ptr<link_user> {
        const auto s = weak.lock();
        if (!s) return nullptr;
        auto user = std::make_shared<served_link>(weak, l);
        const std::lock_guard lock(s->mutex);
        if (s->is_closed) return nullptr;
        std::erase_if(s->served, [](const auto& gone) { return gone.expired(); });
        s->served.push_back(user);
        return user;
      });
  if (!listening) return listening.error();
  result->address = *listening;
  return std::unique_ptr<task>(new task(std::move(result)));
}

task::~task() {
  const error why(error_code::cancelled, message{state_->name, " has ended"});
  std::map<std::uint64_t, std::shared_ptr<master_session>> open;
  {
    const std::lock_guard lock(state_->mutex);
    state_->is_closed = true;
    open.swap(state_->sessions);
  }
  for (const auto& [number, s] : open) s->close(why);
  open.clear();
  state_->works.close(why);
  state_->others.close(why);
  for (const auto& l : state_->open_links()) static_cast<served_link&>(*l).close(*state_, why);
  // Waits for running kernels and for planning, since they use the ops and the memory.
  const auto by = state_->by;
  const auto ended = state_->end;
  state_.reset();
  by->wait([&] { return ended->load(std::memory_order_acquire); }, by->clock().now() + kernel_patience);
}

const std::string& task::name() const noexcept { return state_->name; }
const std::string& task::address() const noexcept { return state_->address; }
std::size_t task::sessions() const {
  const std::lock_guard lock(state_->mutex);
  return state_->sessions.size();
}
task_traffic task::traffic() const { return state_->others.traffic.now(); }
std::size_t task::kept() const { return state_->works.kept(); }

}  // namespace flowgraph

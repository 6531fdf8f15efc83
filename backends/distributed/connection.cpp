#include "guarded_transport.hpp"
#include "messages.hpp"
#include "peers.hpp"
#include "state/saved_bytes.hpp"
#include "tracing/trace_bytes.hpp"

#include <flowgraph/distributed/connection.hpp>
#include <flowgraph/runtime/interruption_checks.hpp>
#include <flowgraph/runtime/plan.hpp>
#include <flowgraph/runtime/plan_runner.hpp>
#include <flowgraph/runtime/tracing/run_recording.hpp>

#include <atomic>
#include <utility>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {
namespace distributed {

namespace {

using namespace detail;

// What one request of this thread waits for.
struct awaited {
  std::atomic<bool> is_there{false};
  error why;
  frame came;
};

class remote_session final : public session_elsewhere, public std::enable_shared_from_this<remote_session> {
public:
  remote_session(std::shared_ptr<transport> by, std::string address, const connect_options& options, const session_options& here)
      : transport_(std::move(by)), address_(std::move(address)), options_(options), soft_placement_(here.soft_placement),
        improves_(!here.dynamic) {}
  ~remote_session() override {
    if (link_) link_->close(error(error_code::cancelled, "the session has ended"));
  }

  std::string address() const override { return address_; }
  result<std::optional<std::uint32_t>> hold(const run_options& limits) override;
  void go_on() override;
  result<saved_state> save(const graph& g) override;
  error load(const graph& g, const saved_state& from) override;
  result<places_elsewhere> places(const graph& g) override;
  result<std::shared_ptr<const plan_parts>> plan_for(const graph& g, const plan_request& request) override;

  // A run as the master knows it.
  struct handle {
    std::shared_ptr<asking_link> link;  // it is good for this link alone
    std::uint64_t session = 0;
    std::uint32_t number = 0;
  };
  result<handle> prepare(const graph& g, const plan_request& request, const run_options* options);

  // Waits as long as the options say. `cancelled`: another thread ends it; may be null.
  // `opening`: a link that may not be open yet, of which the user is told; may be null.
  error wait(const awaited& a, const run_options* options, const std::atomic<bool>* cancelled,
             const asking_link* opening = nullptr);
  transport& network() noexcept { return *transport_; }

private:
  error connect_locked(const run_options* options);
  // Sends what the graph has got, and `more` behind it. The answer begins behind the master's own error.
  using written = function_ref<void(byte_writer& to, std::vector<any_tensor>& tensors)>;
  result<frame> ask_of_graph(message_kind kind, const graph& g, written more, const run_options* options = nullptr);
  error ask(asking_link& to, body_of body, std::vector<any_tensor> tensors, frame& came, const run_options* options);

  std::shared_ptr<transport> transport_;
  std::string address_;
  connect_options options_;
  bool soft_placement_, improves_;

  std::mutex mutex_;  // guards what follows
  std::shared_ptr<asking_link> link_;
  std::uint64_t session_ = 0;
  std::size_t sent_ = 0;  // nodes of the graph
};

error remote_session::wait(const awaited& a, const run_options* options, const std::atomic<bool>* cancelled,
                           const asking_link* opening) {
  const auto stop = [&] {
    const std::stop_token* token = options ? token_of(*options) : nullptr;
    return (token && token->stop_requested()) || (cancelled && *cancelled);
  };
  std::chrono::nanoseconds until = std::chrono::nanoseconds::max();
  if (options && options->deadline.is_set()) {
    // What was given as a length counts from now: where time is simulated there is no other clock.
    const std::int64_t left = options->deadline.length() != steady_time::never
                                  ? options->deadline.length()
                                  : options->deadline.nanoseconds() - steady_time::now();
    until = transport_->clock().now() + std::chrono::nanoseconds(left);
  }
  const auto wake = [this] { transport_->wake(); };
  const run_options none;
  const stop_registration registration(options ? *options : none, wake);
  const auto is_over = [&] { return a.is_there.load(std::memory_order_acquire) || stop(); };
  const auto begun = transport_->clock().now();
  for (auto told = begun + std::chrono::seconds(1); opening && options_.on_waiting && opening->is_opening() && told < until;
       told += std::chrono::seconds(1)) {
    if (transport_->wait(is_over, told)) break;
    if (opening->is_opening()) options_.on_waiting({"the master", address_, transport_->clock().now() - begun});
  }
  transport_->wait(is_over, until);
  if (a.is_there.load(std::memory_order_acquire)) return {};
  if (stop()) return error(error_code::cancelled, "the run was asked to stop");
  if (until != std::chrono::nanoseconds::max()) return deadline_error(options->deadline);
  return error(error_code::unavailable, message{"nothing more is to come from ", address_});
}

error remote_session::ask(asking_link& to, body_of body, std::vector<any_tensor> tensors, frame& came,
                          const run_options* options) {
  const auto a = std::make_shared<awaited>();
  to.ask(std::move(body.text), std::move(tensors), [a, by = transport_](const error& why, frame f) {
    a->why = why;
    a->came = std::move(f);
    a->is_there.store(true, std::memory_order_release);
    by->wake();
  });
  if (error why = wait(*a, options, nullptr, &to)) return why;
  came = std::move(a->came);
  return a->why;
}

error remote_session::connect_locked(const run_options* options) {
  if (link_ && !link_->is_lost()) return {};
  link_ = std::make_shared<asking_link>("the master", unique_function<void(const error&)>());
  link_->traffic = options_.traffic;
  link_->connect(*transport_, address_);
  sent_ = 0;
  body_of body(message_kind::open);
  body.bytes.number(options_.isolated);
  body.bytes.number(soft_placement_);
  body.bytes.number(improves_);
  body.bytes.number(options_.narrowed);
  body.bytes.number(options_.large_from);
  body.bytes.number(options_.pushed_up_to);
  frame came;
  if (error why = ask(*link_, std::move(body), {}, came, options)) {
    link_->close(why);
    link_.reset();
    return why;
  }
  byte_reader from(came.body);
  session_ = from.number<std::uint64_t>();
  return from.is_done() ? error() : malformed("the number of a session");
}

result<frame> remote_session::ask_of_graph(message_kind kind, const graph& g, written more, const run_options* options) {
  if (error why = connect_locked(options)) return why;
  const std::size_t size = g.size();
  body_of body(kind);
  std::vector<any_tensor> tensors;
  body.bytes.number(session_);
  body.bytes.number(size > sent_);
  if (size > sent_) {
    const auto nodes = record_of(g, sent_);
    if (!nodes) return nodes.error();
    write_graph(body.bytes, tensors, *nodes);
  }
  more(body.bytes, tensors);
  frame came;
  if (error why = ask(*link_, std::move(body), std::move(tensors), came, options)) {
    // Whether the master has taken the nodes is not known: the next run begins anew.
    link_->close(why);
    link_.reset();
    return why;
  }
  byte_reader from(came.body);
  sent_ = from.number<std::uint32_t>();
  const error why = read_error(from);
  if (!from.ok()) return malformed("how many nodes the master has");
  if (why) return why;
  came.body.erase(0, came.body.size() - from.left());
  return came;
}

result<remote_session::handle> remote_session::prepare(const graph& g, const plan_request& request, const run_options* options) {
  const auto edges = [](std::span<const any_out> all) {
    std::vector<edge_record> made;
    for (const any_out& o : all) made.push_back({o.source->id, o.port});
    return made;
  };
  std::vector<std::uint32_t> targets;
  for (const target& t : request.targets) targets.push_back(t.source->id);
  const std::lock_guard lock(mutex_);
  const auto came = ask_of_graph(
      message_kind::prepare, g,
      [&](byte_writer& to, std::vector<any_tensor>&) {
        write_edges(to, edges(request.feeds));
        write_edges(to, edges(request.fetches));
        write_numbers(to, targets);
      },
      options);
  if (!came) return came.error();
  byte_reader from(came->body);
  const auto number = from.number<std::uint32_t>();
  if (!from.is_done()) return malformed("the number of a run");
  return handle{link_, session_, number};
}

// Without a connection nothing runs.
result<std::optional<std::uint32_t>> remote_session::hold(const run_options& limits) {
  std::shared_ptr<asking_link> to;
  body_of body(message_kind::hold);
  {
    const std::lock_guard lock(mutex_);
    to = link_;
    body.bytes.number(session_);
  }
  std::uint32_t count = 1;
  if (to && !to->is_lost()) {
    frame came;
    const error why = ask(*to, std::move(body), {}, came, &limits);
    byte_reader from(came.body);
    if (!why) count = from.number<std::uint32_t>();
    else if (!to->is_lost()) return why;
  }
  if (count == 0) return std::optional<std::uint32_t>();
  return std::optional(count - 1);
}

void remote_session::go_on() {
  body_of body(message_kind::go_on);
  const std::lock_guard lock(mutex_);
  if (!link_) return;
  body.bytes.number(session_);
  frame f;
  f.body = std::move(body.text);
  link_->send(std::move(f));
}

result<saved_state> remote_session::save(const graph& g) {
  const std::lock_guard lock(mutex_);
  const auto came = ask_of_graph(message_kind::save_state, g, [](byte_writer&, std::vector<any_tensor>&) {});
  if (!came) return came.error();
  byte_reader from(came->body);
  saved_state made;
  made.random = read_draws(from);
  made.resources = read_resources(from, came->tensors);
  if (!from.is_done()) return malformed("the state of a session");
  return made;
}

error remote_session::load(const graph& g, const saved_state& state) {
  const std::lock_guard lock(mutex_);
  const auto came = ask_of_graph(message_kind::load_state, g, [&](byte_writer& to, std::vector<any_tensor>& tensors) {
    write_draws(to, state.random);
    write_resources(to, tensors, state.resources);
  });
  return came ? error() : came.error();
}

result<places_elsewhere> remote_session::places(const graph& g) {
  const std::lock_guard lock(mutex_);
  const auto came = ask_of_graph(message_kind::places, g, [](byte_writer&, std::vector<any_tensor>&) {});
  if (!came) return came.error();
  byte_reader from(came->body);
  places_elsewhere made;
  made.is_improved = from.number<std::uint8_t>() != 0;
  for (auto left = from.count(8); left > 0; --left) made.devices.emplace_back(from.text());
  for (auto left = from.count(6); left > 0 && from.ok(); --left) {
    const auto place = from.number<std::uint32_t>();
    made.nodes.push_back(place);
    made.reasons.push_back(from.number<std::uint8_t>());
    if (error why = read_error(from)) made.lost.emplace(static_cast<std::uint32_t>(made.nodes.size() - 1), std::move(why));
    else if (place >= made.devices.size()) from.fail();
  }
  if (!from.is_done()) return malformed("where nodes stand");
  return made;
}

// The edges of a run, of the client's graph.
struct remote_edges {
  graph of;
  std::vector<any_out> feeds, fetches;
  std::vector<target> targets;
};

class remote_parts final : public plan_parts {
public:
  remote_parts(std::shared_ptr<remote_session> in, remote_edges edges, remote_session::handle known)
      : session_(std::move(in)), edges_(std::move(edges)), handle_(std::move(known)) {}

  parts_report report() const override { return {}; }
  std::shared_ptr<plan_runner> make_runner(std::shared_ptr<const plan> whole, const run_services&) const override;

  remote_session& session() const noexcept { return *session_; }
  std::size_t feeds() const noexcept { return edges_.feeds.size(); }
  // Prepares anew where the master has been lost since.
  result<remote_session::handle> current(const run_options& options) const {
    const std::lock_guard lock(mutex_);
    if (!handle_.link->is_lost()) return handle_;
    auto made =
        session_->prepare(edges_.of, {.feeds = edges_.feeds, .fetches = edges_.fetches, .targets = edges_.targets}, &options);
    if (made) handle_ = *made;
    return made;
  }

private:
  std::shared_ptr<remote_session> session_;
  remote_edges edges_;
  mutable std::mutex mutex_;
  mutable remote_session::handle handle_;
};

class remote_runner final : public plan_runner {
public:
  remote_runner(std::shared_ptr<const plan> whole, const remote_parts& parts)
      : whole_(std::move(whole)), parts_(parts), feeds_(parts.feeds()) {}

  std::span<random_ordinal> ordinals() noexcept override { return {}; }
  void start(const run_options& options, bool) override { options_ = &options; }
  void feed(std::size_t index, const any_tensor& value) override { feeds_[index] = value; }
  error drive() override {
    const auto to = parts_.current(*options_);
    if (!to) return to.error();
    body_of body(message_kind::run);
    body.bytes.number(to->session);
    body.bytes.number(to->number);
    run_trace* const trace = traced_run::of(*options_);
    body.bytes.number(run_flags(options_->may_wait, trace != nullptr));
    if (trace) ask_time(to->link);
    const auto a = std::make_shared<awaited>();
    std::uint64_t asked = 0;
    transport& by = parts_.session().network();
    to->link->ask(
        std::move(body.text), feeds_,
        [a, &by](const error& why, frame f) {
          a->why = why;
          a->came = std::move(f);
          a->is_there.store(true, std::memory_order_release);
          by.wake();
        },
        &asked);
    if (error why = parts_.session().wait(*a, options_, &is_cancelled_)) {
      if (is_cancelled_) {
        const std::lock_guard lock(mutex_);
        why = cancelled_;
      }
      body_of ending(message_kind::cancel);
      ending.bytes.number(to->session);
      ending.bytes.number(asked);
      write_error(ending.bytes, why);
      frame f;
      f.body = std::move(ending.text);
      to->link->send(std::move(f));
      return why;
    }
    fetched_ = std::move(a->came.tensors);
    if (trace && !add_traces(a->came.body, to->link->clock.best(trace_clock()), *trace)) return malformed("the records of tasks");
    return a->why;
  }
  result<any_tensor> take(std::size_t fetch) override {
    if (error why = missing(fetch)) return why;
    return std::move(fetched_[fetch]);
  }
  error missing(std::size_t fetch) const override {
    if (fetch < fetched_.size()) return {};
    return error(error_code::internal, message{"the master has answered without fetch ", fetch});
  }
  void end(bool) override {
    options_ = nullptr;
    fetched_.clear();
    for (any_tensor& f : feeds_) f.reset();
  }
  void cancel(const error& why) override {
    {
      const std::lock_guard lock(mutex_);
      cancelled_ = why;
    }
    is_cancelled_ = true;
    parts_.session().network().wake();
  }
  resting rests() override { return resting::no; }
  void close() override {}

private:
  std::shared_ptr<const plan> whole_;  // owns the parts
  const remote_parts& parts_;
  const run_options* options_ = nullptr;
  std::vector<any_tensor> feeds_, fetched_;
  std::atomic<bool> is_cancelled_{false};
  std::mutex mutex_;
  error cancelled_;
};

std::shared_ptr<plan_runner> remote_parts::make_runner(std::shared_ptr<const plan> whole, const run_services&) const {
  return std::make_shared<remote_runner>(std::move(whole), *this);
}

result<std::shared_ptr<const plan_parts>> remote_session::plan_for(const graph& g, const plan_request& request) {
  for (const auto* list : {&request.feeds, &request.fetches})
    for (const any_out& o : *list)
      if (!o.source || o.source->graph != &g.state())
        return error(error_code::invalid_argument, "a feed or a fetch is of another graph than the session's");
  auto known = prepare(g, request, nullptr);
  if (!known) return known.error();
  remote_edges edges{g,
                     {request.feeds.begin(), request.feeds.end()},
                     {request.fetches.begin(), request.fetches.end()},
                     {request.targets.begin(), request.targets.end()}};
  return std::shared_ptr<const plan_parts>(
      std::make_shared<remote_parts>(shared_from_this(), std::move(edges), *std::move(known)));
}

class remote_place final : public session_place {
public:
  remote_place(std::shared_ptr<transport> by, std::string address, const connect_options& options)
      : transport_(std::move(by)), address_(std::move(address)), options_(options) {}
  std::shared_ptr<session_elsewhere> open(const session_options& here) override {
    return std::make_shared<remote_session>(transport_, address_, options_, here);
  }

private:
  std::shared_ptr<transport> transport_;
  std::string address_;
  connect_options options_;
};

}  // namespace

}

session_target connect(std::shared_ptr<transport> by, std::string address, const connect_options& options) {
  const distributed::guard_options guard{
      .self = {"a client", distributed::incarnation_of(*by)}, .token = options.token, .fingerprint = distributed::protocol};
  return session_target(
      std::make_shared<distributed::remote_place>(distributed::guarded(std::move(by), guard), std::move(address), options));
}

}
}  // namespace flowgraph

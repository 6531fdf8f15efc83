#include "guarded_transport.hpp"
#include "remote_run.hpp"
#include "state/saved_bytes.hpp"

#include <flowgraph/runtime/interruption_checks.hpp>

#include <algorithm>
#include <iterator>
#include <utility>

namespace flowgraph::inline FLOWGRAPH_ABI {
namespace distributed {

using namespace detail;

std::chrono::nanoseconds remote_session::end_of(const run_options* options) const {
  if (!options || !options->deadline.is_set()) return std::chrono::nanoseconds::max();
  // By another clock, for example of a simulated network, a deadline that was given as a length counts from now.
  const std::int64_t left = !transport_->clock().is_steady() && options->deadline.length() != steady_time::never
                                ? options->deadline.length()
                                : options->deadline.nanoseconds() - steady_time::now();
  return transport_->clock().now() + std::chrono::nanoseconds(left);
}

static bool is_stopped(const run_options* options, const std::atomic<bool>* cancelled) {
  const std::stop_token* token = options ? token_of(*options) : nullptr;
  return (token && token->stop_requested()) || (cancelled && *cancelled);
}

error remote_session::check(const run_options* options, std::chrono::nanoseconds until,
                            const std::atomic<bool>* cancelled) const {
  if (is_stopped(options, cancelled)) return error(error_code::cancelled, "the run was asked to stop");
  if (until <= transport_->clock().now()) return deadline_error(options->deadline);
  return {};
}

error remote_session::wait(const awaited& a, const run_options* options, std::chrono::nanoseconds until,
                           const std::atomic<bool>* cancelled, const asking_link* opening) {
  const auto wake = [this] { transport_->wake(); };
  const run_options none;
  const stop_registration registration(options ? *options : none, wake);
  const auto is_over = [&] { return a.is_there.load(std::memory_order_acquire) || is_stopped(options, cancelled); };
  const auto begun = transport_->clock().now();
  for (auto report = begun + std::chrono::seconds(1); opening && options_.on_waiting && opening->is_opening() && report < until;
       report += std::chrono::seconds(1)) {
    if (transport_->wait(is_over, report)) break;
    if (opening->is_opening()) options_.on_waiting({"the master", address_, transport_->clock().now() - begun});
  }
  transport_->wait(is_over, until);
  if (a.is_there.load(std::memory_order_acquire)) return {};
  if (is_stopped(options, cancelled)) return error(error_code::cancelled, "the run was asked to stop");
  if (until != std::chrono::nanoseconds::max()) return deadline_error(options->deadline);
  return error(error_code::unavailable, message{"nothing more is to come from ", address_});
}

std::shared_ptr<awaited> remote_session::ask(asking_link& to, recycled_text body, recycled_tensors tensors,
                                             std::uint64_t* number) {
  const auto a = std::allocate_shared<awaited>(recycled_allocator<awaited>());
  to.ask(
      std::move(body), std::move(tensors),
      [a, by = std::weak_ptr(transport_)](const error& why, frame f) {
        a->why = why;
        a->came = std::move(f);
        a->is_there.store(true, std::memory_order_release);
        if (const auto there = by.lock()) there->wake();
      },
      number);
  return a;
}

error remote_session::tell(const asking_link& over, const error& why, std::uint64_t number) {
  if (number != 0) known_->tell(number, why);
  return why.code() == error_code::unavailable && over.is_lost() ? known_->lose(over.ordinal, why) : why;
}

void remote_session::wake() { transport_->wake(); }

void remote_session::open_link_locked() {
  if (link_ && !asked_.opens()) loss_ = link_->loss();
  link_ = std::make_shared<asking_link>("the master", unique_function<void(const error&)>());
  link_->traffic = options_.traffic;
  link_->ordinal = ++connections_;
  link_->on_news = [known = known_, connection = connections_](frame news) {
    byte_reader from(news.body);
    if (from.number<message_kind>() != message_kind::held_state) return;
    held_states now = read_held(from);
    if (from.is_done()) known->hear(connection, std::move(now));
  };
  link_->connect(*transport_, address_);
  sent_ = 0;
  body_of body(message_kind::open);
  body.bytes.number(options_.isolated);
  body.bytes.number(soft_placement_);
  body.bytes.number(improves_);
  body.bytes.number(options_.narrowed);
  body.bytes.number(options_.large_from);
  body.bytes.number(options_.pushed_up_to);
  body.bytes.number(options_.silence.count());
  known_->write(body.bytes, loss_);
  asked_ = {ask(*link_, std::move(body.text), {}), message_kind::open, 0, {}};
}

error remote_session::connect_locked(const run_options* options) {
  if (error why = check_silence(options_.silence, "connect_options")) return why;
  if (!link_ || link_->is_lost()) open_link_locked();
  if (!asked_.opens()) return {};
  const auto came = answer_locked(options);
  if (!came) return came.error();
  byte_reader from(came->body);
  session_ = from.number<std::uint64_t>();
  return from.is_done() ? error() : malformed("the number of a session");
}

result<frame> remote_session::answer_locked(const run_options* options) {
  const std::shared_ptr<awaited> a = asked_.answer;
  error why = wait(*a, options, end_of(options), nullptr, link_.get());
  if (why.code() == error_code::deadline_exceeded || why.code() == error_code::cancelled) return why;
  asked_.answer.reset();
  if (!why) why = a->why;
  if (!why) return std::move(a->came);
  const error loss = tell(*link_, why, 0);
  link_->close(why);
  if (asked_.kind != message_kind::open) loss_ = why;
  link_.reset();
  return loss;
}

error remote_session::begin_answer_locked(byte_reader& from) {
  const auto nodes = from.number<std::uint32_t>();
  const error why = read_error(from);
  const bool has_loss = why && from.left() > 0;
  const auto loss = has_loss ? from.number<std::uint64_t>() : 0;
  if (!from.ok()) return malformed("how many nodes the master has");
  sent_ = nodes;
  return has_loss ? tell(*link_, why, loss) : why;
}

result<frame> remote_session::ask_of_graph(message_kind kind, const graph& g, written more, const run_options* options) {
  if (error why = connect_locked(options)) return why;
  const std::size_t size = g.size();
  recycled_text wanted;
  recycled_tensors values;
  byte_writer to(wanted);
  more(to, values);
  // An answer that nobody waited for to the end may answer this request too.
  const bool is_asked = kind == message_kind::prepare && asked_.kind == kind && asked_.nodes == size && asked_.wanted == wanted;
  if (asked_.answer && !is_asked) {
    const auto before = answer_locked(options);
    if (!before) return before.error();
    byte_reader from(before->body);
    const std::uint64_t losses = known_->losses();
    const error why = begin_answer_locked(from);
    // An error of that request says nothing about this one, unless it reports a loss of state.
    if (why && (!from.ok() || known_->losses() != losses)) return why;
  }
  if (!asked_.answer) {
    body_of body(kind);
    recycled_tensors tensors;
    body.bytes.number(session_);
    body.bytes.number(size > sent_);
    if (size > sent_) {
      const auto nodes = record_of(g, sent_);
      if (!nodes) return nodes.error();
      write_graph(body.bytes, tensors, *nodes);
    }
    body.bytes.raw(wanted);
    std::ranges::move(values, std::back_inserter(tensors));
    asked_ = {ask(*link_, std::move(body.text), std::move(tensors)), kind, size, std::move(wanted)};
  }
  auto came = answer_locked(options);
  if (!came) return came.error();
  byte_reader from(came->body);
  if (error why = begin_answer_locked(from)) return why;
  came->body.erase(0, came->body.size() - from.left());
  return came;
}

result<remote_session::handle> remote_session::prepare(const graph& g, const plan_request& request, const run_options* options,
                                                       std::string* needs) {
  const auto edges = [](std::span<const any_out> all) {
    std::vector<edge_record> result;
    for (const any_out& o : all) result.push_back({o.source->id, o.port});
    return result;
  };
  std::vector<std::uint32_t> targets;
  for (const target& t : request.targets) targets.push_back(t.source->id);
  const std::lock_guard lock(mutex_);
  const auto came = ask_of_graph(
      message_kind::prepare, g,
      [&](byte_writer& to, recycled_tensors&) {
        write_edges(to, edges(request.feeds));
        write_edges(to, edges(request.fetches));
        write_numbers(to, targets);
        to.number(request.is_partial_run);
      },
      options);
  if (!came) return came.error();
  byte_reader from(came->body);
  const auto number = from.number<std::uint32_t>();
  const std::string_view behind = from.text();
  if (behind.size() != (request.is_partial_run ? request.feeds.size() * request.fetches.size() : 0)) from.fail();
  if (needs) *needs = behind;
  if (!from.is_done()) return malformed("the number of a run");
  return handle{link_, session_, number};
}

// Returns 0 runs without a request if there is no session at the master: then no run is in progress at the master.
result<std::optional<std::uint32_t>> remote_session::hold(const run_options& limits) {
  std::shared_ptr<asking_link> to;
  body_of body(message_kind::hold);
  {
    const std::lock_guard lock(mutex_);
    if (!asked_.opens()) to = link_;
    body.bytes.number(session_);
  }
  std::uint32_t count = 1;
  if (to && !to->is_lost()) {
    const auto a = ask(*to, std::move(body.text), {});
    error why = wait(*a, &limits, end_of(&limits), nullptr, to.get());
    if (!why) why = a->why;
    if (!why) count = byte_reader(a->came.body).number<std::uint32_t>();
    else if (!to->is_lost()) return why;
  }
  if (count == 0) return std::optional<std::uint32_t>();
  return std::optional(count - 1);
}

void remote_session::go_on() {
  body_of body(message_kind::go_on);
  const std::lock_guard lock(mutex_);
  if (!link_ || asked_.opens()) return;
  body.bytes.number(session_);
  frame f;
  f.body = std::move(body.text);
  link_->send(std::move(f));
}

result<saved_state> remote_session::save(const graph& g) {
  const std::uint64_t losses = known_->losses();
  const std::lock_guard lock(mutex_);
  const auto came = ask_of_graph(message_kind::save_state, g, [&](byte_writer& to, recycled_tensors&) { to.number(losses); });
  if (!came) return came.error();
  byte_reader from(came->body);
  saved_state result;
  result.random = read_draws(from);
  result.resources = read_resources(from, came->tensors);
  if (!from.is_done()) return malformed("the state of a session");
  return result;
}

error remote_session::load(const graph& g, const saved_state& state) {
  const std::uint64_t losses = known_->losses();
  const std::lock_guard lock(mutex_);
  const auto came = ask_of_graph(message_kind::load_state, g, [&](byte_writer& to, recycled_tensors& tensors) {
    to.number(losses);
    write_draws(to, state.random);
    write_resources(to, tensors, state.resources);
  });
  return came ? error() : came.error();
}

result<places_elsewhere> remote_session::places(const graph& g) {
  const std::lock_guard lock(mutex_);
  const auto came = ask_of_graph(message_kind::places, g, [](byte_writer&, recycled_tensors&) {});
  if (!came) return came.error();
  byte_reader from(came->body);
  places_elsewhere result;
  result.is_improved = from.number<std::uint8_t>() != 0;
  for (auto left = from.count(8); left > 0; --left) result.devices.emplace_back(from.text());
  for (auto left = from.count(6); left > 0 && from.ok(); --left) {
    const auto place = from.number<std::uint32_t>();
    result.nodes.push_back(place);
    result.reasons.push_back(from.number<std::uint8_t>());
    if (error why = read_error(from)) result.lost.emplace(static_cast<std::uint32_t>(result.nodes.size() - 1), std::move(why));
    else if (place >= result.devices.size()) from.fail();
  }
  if (!from.is_done()) return malformed("where nodes stand");
  return result;
}

// Returns an error if the values of an edge cannot be sent between this process and the master.
static error check_travel(std::span<const any_out> edges, std::string_view how) {
  for (const any_out& o : edges)
    if (is_counted(o.type()))
      return error(error_code::unimplemented, message{"a tensor of ", name_of(o.type()), " cannot be ", how,
                                                      " in a session that runs elsewhere, since it cannot be sent"})
          .at(o.source->name, o.source->op->name(), o.source->where);
  return {};
}

result<std::shared_ptr<const plan_parts>> remote_session::plan_for(const graph& g, const plan_request& request) {
  for (const auto* list : {&request.feeds, &request.fetches})
    for (const any_out& o : *list)
      if (!o.source || o.source->graph != &g.state())
        return detail::invalid_argument("a feed or a fetch is of another graph than the session's");
  if (error why = check_travel(request.feeds, "fed")) return why;
  for (const any_out& o : request.fetches)  // the kernel of a resource may have an error of its own to tell
    if (o.type() != dtype::resource)
      if (error why = check_travel({&o, 1}, "fetched")) return why;
  std::string needs;
  auto known = prepare(g, request, request.limits, &needs);
  if (!known) return known.error();
  remote_edges edges{g,
                     {request.feeds.begin(), request.feeds.end()},
                     {request.fetches.begin(), request.fetches.end()},
                     {request.targets.begin(), request.targets.end()},
                     request.is_partial_run};
  return std::shared_ptr<const plan_parts>(
      std::make_shared<remote_parts>(shared_from_this(), std::move(edges), *std::move(known), std::move(needs)));
}

namespace {

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
  distributed::guard_options guard{
      .self = {"a client", distributed::incarnation_of(*by)}, .token = options.token, .fingerprint = distributed::protocol};
  guard.wanted = [task = options.task](std::string_view) { return task; };
  guard.silence = options.silence;
  return session_target(
      std::make_shared<distributed::remote_place>(distributed::guarded(std::move(by), guard), std::move(address), options));
}

}  // namespace flowgraph

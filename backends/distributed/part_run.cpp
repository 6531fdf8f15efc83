#include "part_run.hpp"

#include "messages.hpp"
#include "variant_bytes.hpp"

#include <flowgraph/runtime/parts/exchange.hpp>
#include <flowgraph/runtime/session_state.hpp>

#include <algorithm>
#include <chrono>
#include <utility>

namespace flowgraph::inline FLOWGRAPH_ABI::distributed {

using namespace detail;

namespace {

// The longest computation that a thread of a link may do between two frames.
constexpr std::int64_t most_nanoseconds = 20'000;
constexpr std::int64_t short_turn = 200'000;  // nanoseconds; values of a shorter turn are sent together
constexpr std::size_t small_bytes = std::size_t{1} << 16;

// Returns the summand of an edge in a balance. The summands are mixed so that different edges do not cancel each other.
std::uint64_t weight_of(std::uint32_t edge) {
  const std::uint64_t mixed = (edge + std::uint64_t{1}) * 0x9e3779b97f4a7c15u;
  return (mixed ^ mixed >> 31) * 0xbf58476d1ce4e5b9u;
}

// Returns whether the frame contains a value of this type: one tensor, or a list with any number of tensors.
bool is_value(const frame& f, dtype type) {
  return type == dtype::variant || (f.tensors.size() == 1 && f.tensors[0].type() == type);
}

std::size_t bytes_in(const frame& value) {
  std::size_t bytes = value.body.size();
  for (const any_tensor& t : value.tensors) bytes += t.bytes();
  return bytes;
}

// Returns a parcel that marks a value that is kept at another task. Other dead parcels have no variable, so the pointer, which is
// never dereferenced, identifies the mark.
rendezvous_parcel mark_of_kept(part_run& by) {
  rendezvous_parcel result;
  result.dead = true;
  result.value.variable = static_cast<variable_state*>(static_cast<void*>(&by));
  return result;
}
bool is_mark(const rendezvous_parcel& p) { return p.dead && p.value.variable; }

}  // namespace

part_run::part_run(std::shared_ptr<part> what, std::uint64_t step, transport& by, value_sender& to)
    : part_(std::move(what)), step_(step), transport_(by), sender_(to), pins_(part_->plan_->has_async) {
  {
    const std::lock_guard lock(part_->mutex_);
    if (!part_->idle_.empty()) {
      executor_ = std::move(part_->idle_.back().driven);
      meeting_ = std::move(part_->idle_.back().meeting);
      part_->idle_.pop_back();
    }
  }
  if (!executor_) {
    executor_ = std::static_pointer_cast<executor>(runner_of(*part_->plan_)(part_->plan_, part_->services_));
    meeting_ = std::make_unique<rendezvous>(part_->ends_.edges);
  }
  run_services shared = part_->services_;
  shared.pins = &pins_;
  if (part_->plan_->has_run_resources) shared.own_resources = &own_resources_.emplace(part_->services_.memory);
  executor_->join(*this, part_->edge_of_record_, &shared);
}

part_run::~part_run() = default;

part_run::visit::visit(part_run& r) : run_(r) {
  const std::lock_guard lock(run_.mutex_);
  is_in_ = !run_.now_.is_over;
  if (is_in_) ++run_.now_.visitors;
}
part_run::visit::~visit() {
  if (!is_in_) return;
  const std::lock_guard lock(run_.mutex_);
  --run_.now_.visitors;
}

error part_run::check_feeds(std::span<const any_tensor> feeds) const {
  if (pieces_ && feeds.empty()) return {};
  if (feeds.size() != part_->ends_.feeds.size())
    return detail::invalid_argument({"a part has ", part_->ends_.feeds.size(), " feeds, found ", feeds.size()});
  for (std::size_t i = 0; i < feeds.size(); ++i)
    if (error why = check_feed({part_->graph_.at(part_->ends_.feeds[i]), 0}, feeds[i])) return why;
  return {};
}

void part_run::start(recycled_tensors feeds, std::span<const std::uint64_t> runs, bool may_wait, ended on_end) {
  on_end_ = std::move(on_end);
  options_.may_wait = may_wait;
  error why = check_feeds(feeds);
  if (!why && runs.size() != part_->ends_.counted.size()) why = detail::invalid_argument("numbers are missing");
  const auto ordinals = executor_->ordinals();
  for (std::size_t i = 0; i < ordinals.size() && !why; ++i) {
    auto& drawn = part_->drawn_of_ordinal_[i]->drawn;
    ordinals[i] = {runs[part_->counted_of_ordinal_[i]], &drawn, drawn.load(std::memory_order_relaxed)};
  }
  if (trace) options_.trace = &trace->begin();
  executor_->start(options_, pieces_ != nullptr);
  for (std::size_t i = 0; i < feeds.size() && !why; ++i) executor_->feed(i, feeds[i]);
  std::size_t bytes = 0;
  for (const any_tensor& f : feeds) bytes += f.bytes();
  has_begun(why, bytes <= small_bytes);
}

// Lets the run begin. Until now other threads could only store values and an error: they must not touch an executor that start()
// prepares.
void part_run::has_begun(const error& why, bool here) {
  bool has_failed;
  {
    const std::lock_guard lock(mutex_);
    now_.has_begun = true;
    now_.is_driven = false;
    if (!now_.failure) now_.failure = why;
    has_failed = static_cast<bool>(now_.failure);
  }
  if (has_failed) executor_->look_up(true);
  wake(here);
}

void part_run::receive(frame&& value) {
  const std::uint32_t edge = value.edge;
  if (!pieces_) count_come(edge);
  const auto& types = part_->type_of_edge_;
  const bool is_known = value.edge < types.size() && types[value.edge] != dtype::invalid;
  if (!is_known || (!value.is_dead && !is_value(value, types[value.edge])))
    return fail(error(error_code::internal,
                      message{"a value for edge ", value.edge, " of a step has not the type that the part receives"}));
  if (is_announcement(value)) return hear_of_kept(value_place::of(value));
  const std::size_t bytes = bytes_in(value);
  if (!value.is_dead) part_->asks_[value.edge].store(!is_pushed(bytes), std::memory_order_relaxed);
  const bool is_awaited = land(std::move(value), types[edge]);
  if (pieces_) return count_landed(edge);
  if (is_awaited) wake(bytes <= small_bytes);
}

// Stores a value for the run, and returns whether a record of the run waits for it.
bool part_run::land(frame&& value, dtype type) {
  const visit now(*this);
  if (!now) return false;
  rendezvous_parcel given;
  given.dead = value.is_dead;
  if (!value.is_dead && type == dtype::variant) {
    byte_reader from(value.body);
    given.value.tensor = read_variants(from, value.tensors, part_->services_.memory);
    if (!from.is_done() || given.value.tensor.type() != dtype::variant) return fail(malformed("a list")), false;
  } else if (!value.is_dead) {
    given.value.tensor = std::move(value.tensors[0]);
  }
  const waiting_record waits = meeting_->send(value.edge, {value.loop, value.iteration}, given);
  if (!waits.by) return false;
  waits.by->arrive(waits, given.dead, std::move(given.value));
  const std::lock_guard lock(mutex_);
  now_.signal = true;  // set before the run can find that it waits for nothing
  return true;
}

void part_run::send(std::uint32_t edge, const iteration& in, rendezvous_parcel&& given) {
  count_left(edge);
  const iteration_name name = iteration_name::of(in);
  frame value;
  value.kind = frame_kind::value;
  value.is_dead = given.dead;
  value.edge = edge;
  value.number = step_;
  value.loop = name.frame;
  value.iteration = name.index;
  if (!given.dead && given.value.tensor.type() == dtype::variant) {
    byte_writer bytes(value.body);
    if (error why = write_variants(bytes, value.tensors, given.value.tensor)) return fail(why);
  } else if (!given.dead) {
    value.tensors.push_back(std::move(given.value.tensor));
  }
  const std::uint32_t to = part_->task_of_edge_[edge];
  const bool is_sent = given.dead || pieces_ || is_pushed(bytes_in(value));
  if (is_sent && gathers()) gathered_.push_back({to, std::move(value)});
  else if (is_sent) sender_.send_value(to, std::move(value));
  else if (!sender_.keep_value(to, std::move(value), part_->ends_.pushed_up_to != 0)) count_come(edge);
}

bool part_run::gathers() const { return part_->is_short_ && part_->nanoseconds_.load(std::memory_order_relaxed) < short_turn; }

void part_run::send_gathered() {
  recycled_list<frame> together;
  for (auto at = gathered_.begin(); at != gathered_.end();) {
    const std::uint32_t task = at->task;
    together.clear();
    for (; at != gathered_.end() && at->task == task; ++at) together.push_back(std::move(at->value));
    sender_.send_values(task, together);
  }
  gathered_.clear();
}

void part_run::count_left(std::uint32_t edge) noexcept { balance_.fetch_add(weight_of(edge), std::memory_order_relaxed); }
void part_run::count_come(std::uint32_t edge) noexcept { balance_.fetch_sub(weight_of(edge), std::memory_order_relaxed); }

bool part_run::receive(std::uint32_t edge, const iteration& in, const waiting_record& where, rendezvous_parcel& came) {
  const iteration_name name = iteration_name::of(in);
  bool asks = !pieces_ && part_->asks_[edge].load(std::memory_order_relaxed);
  if (meeting_->receive(edge, name, where, came)) {
    if (!is_mark(came)) return true;
    came = {};
    meeting_->receive(edge, name, where, came);  // the value comes only after it was requested
    asks = true;
  }
  if (!asks) return false;
  const std::lock_guard lock(mutex_);
  now_.wanted.push_back({step_, edge, name.frame, name.index});
  return false;
}

void part_run::hear_of_kept(const value_place& at) {
  {
    const visit now(*this);
    if (!now) return;
    const iteration_name name{at.loop, at.iteration};
    rendezvous_parcel mark = mark_of_kept(*this), nothing;
    const waiting_record waits = meeting_->send(at.edge, name, mark);
    if (!waits.by) return;
    meeting_->receive(at.edge, name, waits, nothing);
    const std::lock_guard lock(mutex_);
    now_.wanted.push_back(at);
    now_.signal = true;  // set before the run can find that it waits for nothing
  }
  wake(true);
}

void part_run::ask_for_values() {
  {
    const std::lock_guard lock(mutex_);
    if (now_.wanted.empty()) return;
    asking_.swap(now_.wanted);
  }
  for (const value_place& p : asking_) count_left(p.edge);
  const auto task_of = [&](const value_place& p) { return part_->task_of_edge_[p.edge]; };
  for (auto at = asking_.begin(); at != asking_.end();) {
    const std::uint32_t task = task_of(*at);
    const auto end = std::partition(at, asking_.end(), [&](const value_place& p) { return task_of(p) == task; });
    sender_.send_value(task, questions_for({at, end}));
    at = end;
  }
  asking_.clear();
}

void part_run::fail(const error& why) {
  const visit now(*this);
  if (!now) return;
  {
    const std::lock_guard lock(mutex_);
    if (now_.failure) return;
    now_.failure = why;
    now_.is_held = false;
    if (!now_.has_begun) return;
  }
  executor_->look_up(true);
  wake();
}

run_report part_run::hold() {
  {
    const std::lock_guard lock(mutex_);
    if (now_.is_over) return {run_rest::ended, balance()};
    if (now_.is_driven || now_.signal || now_.failure) return {};
    now_.is_driven = true;  // keeps all threads away: nothing may drive the executor now
  }
  const auto waits = executor_->only_waits();
  const bool has_news = executor_->has_news();
  {
    const std::lock_guard lock(mutex_);
    now_.is_driven = false;
    if (waits != plan_runner::resting::no && !has_news && !now_.signal) {
      now_.is_held = true;
      if (now_.out == 0) return {run_rest::values, balance()};
      return {waits == plan_runner::resting::to_go_on ? run_rest::goes_on : run_rest::begins_anew, balance()};
    }
    if (!now_.signal) return {};
  }
  wake();
  return {};
}

void part_run::add_begun(std::map<std::string, std::uint64_t>& to) const {
  const auto ordinals = executor_->ordinals();
  for (std::size_t i = 0; i < ordinals.size(); ++i) {
    std::uint64_t& first = to.try_emplace(std::string(part_->plan_->random_nodes[i]->name), ordinals[i].begun).first->second;
    first = std::min(first, ordinals[i].begun);
  }
}

void part_run::go_on() {
  {
    const std::lock_guard lock(mutex_);
    if (!std::exchange(now_.is_held, false) || !now_.signal) return;
  }
  wake();
}

error part_run::failure() const {
  const std::lock_guard lock(mutex_);
  return now_.failure;
}

void part_run::bring_news(executor& to) { to.take_arrivals(failure()); }

void part_run::wake() { wake(false); }

void part_run::wake(bool here) {
  {
    const std::lock_guard lock(mutex_);
    now_.signal = true;
    if (now_.is_driven || now_.is_over || now_.is_held) return;
    now_.is_driven = true;
  }
  here = here && part_->is_short_ && part_->nanoseconds_.load(std::memory_order_relaxed) < most_nanoseconds;
  if (here && transport_.allows_short_work()) return take_turns();
  transport_.compute([self = shared_from_this()] { self->take_turns(); });
}

// Only one thread at a time runs this function.
void part_run::take_turns() {
  const auto what = part_;
  const auto began = std::chrono::steady_clock::now();
  while (take_turn()) {}
  const auto took = std::chrono::nanoseconds(std::chrono::steady_clock::now() - began).count();
  what->nanoseconds_.store((3 * what->nanoseconds_.load(std::memory_order_relaxed) + took) / 4, std::memory_order_relaxed);
}

// Returns true if something has happened during the turn, so that another turn may be needed.
bool part_run::take_turn() {
  std::vector<frame> came;
  {
    const std::lock_guard lock(mutex_);
    now_.signal = false;
    if (pieces_) came.swap(pieces_->came);
  }
  for (const frame& piece : came)
    if (error why = give(piece)) fail(why);
  const std::uint32_t out = executor_->take_turn(false);
  send_gathered();
  ask_for_values();
  const bool waits = meeting_->anyone_waits();
  const bool is_told = !pieces_ || tell_of_fetches(out, waits) || out > 0;
  {
    const std::lock_guard lock(mutex_);
    if (now_.signal || now_.visitors > 0 || !is_told) return true;
    if (out > 0 || (!now_.failure && (waits || (pieces_ && pieces_->is_open())))) {
      now_.out = out;
      now_.is_driven = false;
      return false;
    }
    now_.is_over = true;
  }
  finish();
  return false;
}

result<any_tensor> part_run::take_fetch(std::size_t index) {
  auto result = executor_->take(index);
  if (!result || result->type() != dtype::resource) return result;
  const node& of = *part_->graph_.at(part_->ends_.fetches[index].node);
  return error(error_code::unimplemented, "a handle cannot be fetched in a session that runs elsewhere, since it cannot be sent")
      .at(of.name, of.op->name(), of.where);
}

void part_run::finish() {
  executor_->take_turn(true);
  send_gathered();
  error why = failure();
  recycled_tensors fetched;
  for (std::size_t i = 0; i < part_->ends_.fetches.size() && !why && !pieces_; ++i) {
    auto t = take_fetch(i);
    if (t) fetched.push_back(*std::move(t));
    else why = t.error();
  }
  meeting_->clear();
  executor_->end(!why);
  executor_->leave();
  if (trace) trace->end(part_->task_of_edge_);
  pins_.release();
  if (own_resources_) own_resources_->clear();
  {
    const std::lock_guard lock(part_->mutex_);
    part_->idle_.push_back({std::move(executor_), std::move(meeting_)});
  }
  sender_.ended_run(step_, why);
  ended on_end = std::move(on_end_);
  on_end(why, std::move(fetched));
}

}  // namespace flowgraph::distributed

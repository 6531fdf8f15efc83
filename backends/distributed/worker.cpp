#include "worker.hpp"

#include <algorithm>
#include <utility>

namespace flowgraph::inline FLOWGRAPH_ABI::distributed {

namespace {
constexpr std::size_t kept_numbers = 256;

// Returns the entries of a map that belong to the steps of a session, as two iterators.
template <class Map> auto steps_of(Map& all, std::uint64_t session) {
  return std::pair(all.lower_bound(session << 32), all.upper_bound(session << 32 | 0xffffffff));
}

}  // namespace

worker::worker(transport& by, const registry& ops, peers& others, std::pmr::memory_resource* memory, const task_limits& limits)
    : transport_(by), ops_(ops), peers_(others), memory_(memory), limits_(limits),
      resources_(std::make_shared<container>(memory)) {}

worker::~worker() { close(error(error_code::cancelled, "the task has ended")); }

error worker::register_part(asker by, std::uint64_t number, bool isolated, std::uint32_t part_number, const part_record& record) {
  std::shared_ptr<container> own;
  std::shared_ptr<drawn_numbers> drawn;
  std::vector<std::shared_ptr<part_run>> given_up;
  bool is_new;
  {
    const std::lock_guard lock(mutex_);
    if (closed_) return closed_;
    if (!is_session(number)) return malformed("the number of a session");
    if (has_dropped(number)) return error(error_code::cancelled, "the session has ended");
    is_new = !sessions_.contains(number);
    if (is_new && sessions_.size() >= limits_.sessions)
      return error(error_code::resource_exhausted,
                   message{"there are parts of ", limits_.sessions, " sessions: more are not allowed (task_limits::sessions)"});
    session& s = sessions_[number];
    if (error why = check_room(s, part_number, record)) {
      if (is_new) sessions_.erase(number);
      return why;
    }
    // A master that uses a new link has given up the runs that it requested over the former link. It cannot receive their answers.
    if (std::exchange(s.by, by) != by) given_up = runs_of(number);
    if (isolated && !s.own) s.own = std::make_shared<container>(memory_);
    own = s.own;
    drawn = s.drawn;
  }
  for (const auto& r : given_up) r->fail(error(error_code::aborted, "the master has connected anew"));
  auto result = part::make(record, ops_, own ? own : resources_, peers_.size(), std::move(drawn), passes);
  if (!result) {
    if (is_new) forget_session(number, false);
    return result.error();
  }
  const std::lock_guard lock(mutex_);
  const auto at = sessions_.find(number);
  if (at == sessions_.end()) return error(error_code::cancelled, "the session has ended");
  at->second.parts[part_number] = *std::move(result);
  return {};
}

bool worker::has_dropped(std::uint64_t number) const { return std::ranges::find(dropped_, number) != dropped_.end(); }

error worker::check_room(const session& s, std::uint32_t part_number, const part_record& record) const {
  if (!s.parts.contains(part_number) && s.parts.size() >= limits_.parts)
    return error(error_code::resource_exhausted,
                 message{"the session has ", s.parts.size(), " parts: more are not allowed (task_limits::parts)"});
  std::uint64_t edges = record.edges;
  for (const auto& [other, p] : s.parts) edges += other == part_number ? 0 : p->ends().edges;
  if (edges <= limits_.edges) return {};
  return error(error_code::resource_exhausted,
               message{"the parts of the session have ", edges, " edges between tasks: more than ", limits_.edges,
                       " are not allowed (task_limits::edges)"});
}

void worker::run_part(std::uint64_t step, std::uint32_t part_number, std::uint64_t oldest, recycled_tensors feeds,
                      std::span<const std::uint64_t> runs, bool may_wait, part_run::ended on_end,
                      std::shared_ptr<part_trace> trace, unique_function<void(frame)> pieces) {
  std::shared_ptr<part_run> run;
  std::vector<std::shared_ptr<part_run>> given_up;
  recycled_list<frame> early;
  error why;
  oldest = std::min(oldest, step);
  {
    const std::lock_guard lock(mutex_);
    const auto s = sessions_.find(session_of_step(step));
    const auto p =
        s == sessions_.end() ? std::map<std::uint32_t, std::shared_ptr<part>>::iterator() : s->second.parts.find(part_number);
    if (closed_) why = closed_;
    else if (s == sessions_.end() || p == s->second.parts.end())
      why = error(error_code::failed_precondition, message{"part ", part_number, " of the session is not registered here"});
    else if (s->second.ended.contains(step) || step < s->second.oldest || runs_.contains(step))
      why = error(error_code::aborted, "the step has ended already, or runs");
    else if (const auto at = not_kept_.find(s->first); at != not_kept_.end() && step <= at->second)
      why = error(error_code::unavailable, "values for the step came long before its request, and were not kept");
    if (!why) {
      s->second.oldest = std::max(s->second.oldest, oldest);
      s->second.ended.erase(s->second.ended.begin(), s->second.ended.lower_bound(oldest));
      const auto first = early_.lower_bound(session_of_step(step) << 32);
      if (oldest > session_of_step(step) << 32) {
        early_.erase(first, early_.lower_bound(oldest));
        kept_values_.drop(session_of_step(step) << 32, oldest - 1);
      }
      for (auto [r, end] = steps_of(runs_, s->first); r != end && r->first < oldest; ++r) given_up.push_back(r->second);
      run = std::allocate_shared<part_run>(recycled_allocator<part_run>(), p->second, step, transport_, *this);
      run->owner = owner.lock();
      run->trace = std::move(trace);
      if (pieces) run->go_in_pieces(std::move(pieces));
      if (watch) run->stop_by(watch->stop_of_run());
      runs_[step] = run;
      kept_values_.for_each(step, [&](const value_place& asked) { run->count_come(asked.edge); });
      if (const auto at = early_.find(step); at != early_.end()) {
        early = std::move(at->second);
        early_.erase(at);
      }
    }
  }
  if (why) return on_end(why, {});
  for (const auto& r : given_up) r->fail(error(error_code::aborted, "the step has ended elsewhere"));
  for (frame& f : early) run->receive(std::move(f));
  run->start(std::move(feeds), runs, may_wait, std::move(on_end));
}

void worker::ended_run(std::uint64_t step, const error& why) {
  std::shared_ptr<part_run> gone;
  const std::lock_guard lock(mutex_);
  if (const auto at = runs_.find(step); at != runs_.end()) {
    gone = std::move(at->second);
    runs_.erase(at);
  }
  // If the run has not failed, other parts may still request the values that it has sent.
  kept_values_.drop(step, step, static_cast<bool>(why));
  if (const auto s = sessions_.find(session_of_step(step)); s != sessions_.end())
    s->second.ended[step] = gone ? gone->balance() : 0;
}

// A piece for a step that has ended is dropped.
void worker::take_piece(std::uint64_t step, frame piece) {
  std::shared_ptr<part_run> run;
  {
    const std::lock_guard lock(mutex_);
    if (const auto at = runs_.find(step); at != runs_.end()) run = at->second;
  }
  if (run) run->take_piece(std::move(piece));
}

void worker::end_step(std::uint64_t step, const error& why) {
  std::shared_ptr<part_run> run;
  {
    const std::lock_guard lock(mutex_);
    if (const auto at = runs_.find(step); at != runs_.end()) run = at->second;
    if (const auto s = sessions_.find(session_of_step(step)); !run && s != sessions_.end()) s->second.ended[step] = 0;
    early_.erase(step);
    kept_values_.drop(step, step);
  }
  if (run) run->fail(why);
}

std::vector<std::shared_ptr<part_run>> worker::runs_of(std::uint64_t number) const {
  std::vector<std::shared_ptr<part_run>> result;
  for (auto [at, end] = steps_of(runs_, number); at != end; ++at) result.push_back(at->second);
  return result;
}

void worker::drop_session(std::uint64_t number) {
  if (is_session(number)) forget_session(number, true);
}

void worker::forget_session(std::uint64_t number, bool for_good) {
  std::vector<std::shared_ptr<part_run>> runs;
  std::map<std::uint64_t, session>::node_type gone;
  {
    const std::lock_guard lock(mutex_);
    runs = runs_of(number);
    gone = sessions_.extract(number);
    if (for_good) dropped_.push_back(number);
    if (dropped_.size() > kept_numbers) dropped_.pop_front();
    drop_values(number);
    if (for_good) not_kept_.erase(number);
  }
  for (const auto& r : runs) r->fail(error(error_code::cancelled, "the session has ended"));
}

void worker::clear_containers(std::uint64_t number, const std::vector<std::string>& sections) {
  std::shared_ptr<container> own;
  {
    const std::lock_guard lock(mutex_);
    if (const auto at = sessions_.find(number); at != sessions_.end()) own = at->second.own;
  }
  container& cleared = own ? *own : *resources_;
  if (sections.empty()) return cleared.clear();
  for (const std::string& s : sections) cleared.clear(s);
}

// Sends values of a step to a task. If the link is lost, the values are lost too. Then this task ends its run with an error, and
// the master ends the step at all tasks that wait for the values.
void worker::send_values(std::uint32_t task, std::span<frame> values) {
  const std::uint64_t step = values.front().number;
  const auto link = peers_.to(task);
  {
    const std::lock_guard lock(mutex_);
    if (const auto s = sessions_.find(session_of_step(step)); s != sessions_.end()) {
      std::uint64_t& last = s->second.sent[link->ordinal];
      last = std::max(last, step);
    }
  }
  if (link->send_all(values)) return;
  end_step(step, link->loss());
}

bool worker::keep_value(std::uint32_t task, frame&& value, bool announces) {
  frame news;
  if (announces) news = announcement_of(value);
  bool is_wanted;
  {
    const std::lock_guard lock(mutex_);
    if (closed_ || has_ended(value.number)) return false;
    is_wanted = kept_values_.is_asked_for(task, value);
  }
  if (is_wanted) send_value(task, std::move(value));
  else if (announces) send_value(task, std::move(news));
  return is_wanted || announces;
}

void worker::answer_questions(const frame& asked) {
  question_reader questions(asked);
  if (!questions.is_sound()) return end_step(asked.number, malformed("which values are asked for"));
  const std::uint64_t number = session_of_step(asked.number);
  for (value_place at; questions.next(at);) {
    kept_values::wanted found;
    {
      const std::lock_guard lock(mutex_);
      const bool may_come = !closed_ && !has_ended(at.step);
      if (may_come && !sessions_.contains(number) && is_unheard_of(number)) forget_later(number);
      if (!kept_values_.ask(at, may_come, found)) {
        if (const auto run = runs_.find(at.step); run != runs_.end()) run->second->count_come(at.edge);
        continue;
      }
    }
    send_value(found.task, std::move(found.value));
  }
}

bool worker::has_ended(std::uint64_t step) const {
  const auto s = sessions_.find(session_of_step(step));
  if (s == sessions_.end()) return has_dropped(session_of_step(step));
  return step < s->second.oldest || s->second.ended.contains(step);
}

bool worker::is_unheard_of(std::uint64_t number) const {
  const auto [first, end] = steps_of(early_, number);
  return first == end && !kept_values_.has_any(number << 32, number << 32 | 0xffffffff);
}

std::vector<worker::hurt_steps> worker::lost_values(lost_link gone, const error& why) {
  std::vector<hurt_steps> result;
  std::vector<std::shared_ptr<part_run>> runs;
  {
    const std::lock_guard lock(mutex_);
    for (auto& [number, s] : sessions_) {
      const auto sent = s.sent.extract(gone.ordinal);
      if (sent.empty()) continue;
      result.push_back({s.by, sent.mapped()});
      for (const auto& r : runs_of(number))
        if (r->step() <= sent.mapped() && r->of().involves(gone.task)) runs.push_back(r);
    }
  }
  for (const auto& r : runs) r->fail(why);
  return result;
}

void worker::receive_value(frame&& value) {
  if (value.edge == edge_of_questions) return answer_questions(value);
  std::shared_ptr<part_run> run;
  {
    const std::lock_guard lock(mutex_);
    if (const auto at = runs_.find(value.number); at != runs_.end()) {
      run = at->second;
    } else {
      if (closed_ || has_ended(value.number)) return;
      const std::uint64_t number = session_of_step(value.number);
      if (!sessions_.contains(number) && is_unheard_of(number)) forget_later(number);
      early_[value.number].push_back(std::move(value));
      return;
    }
  }
  run->receive(std::move(value));
}

void worker::forget_later(std::uint64_t number) {
  transport_.clock().call_at(transport_.clock().now() + patience, [this, weak = owner, number] {
    const auto alive = weak.lock();
    if (!alive) return;
    const std::lock_guard lock(mutex_);
    if (sessions_.contains(number) || is_unheard_of(number)) return;
    drop_values(number);
  });
}

// Drops the values of a session. Their senders do not know that the values are gone, so a step that is requested later must fail
// instead of waiting forever; `not_kept_` records the steps for that.
void worker::drop_values(std::uint64_t number) {
  const auto [first, end] = steps_of(early_, number);
  const std::uint64_t begin = number << 32, last = begin | 0xffffffff;
  std::uint64_t dropped = first != end ? std::prev(end)->first : 0;
  if (kept_values_.has_any(begin, last)) dropped = std::max(dropped, kept_values_.last_of(last));
  if (dropped != 0) {
    std::uint64_t& known = not_kept_[number];
    known = std::max(known, dropped);
    if (not_kept_.size() > kept_numbers) not_kept_.erase(not_kept_.begin());
  }
  early_.erase(first, end);
  kept_values_.drop(begin, last);
}

void worker::lost_asker(asker gone, const error& why) {
  std::vector<std::uint64_t> sessions;
  std::vector<std::shared_ptr<part_run>> runs;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [number, s] : sessions_) {
      if (s.by != gone) continue;
      sessions.push_back(number);
      for (auto& r : runs_of(number)) runs.push_back(std::move(r));
    }
  }
  for (const auto& r : runs) r->fail(why);
  for (const std::uint64_t s : sessions) forget_session(s, false);
}

void worker::wake() {
  std::vector<std::shared_ptr<part_run>> runs;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [step, r] : runs_) runs.push_back(r);
  }
  for (const auto& r : runs) r->fail(sleep_watch::why());
}

void worker::close(const error& why) {
  std::vector<std::shared_ptr<part_run>> runs;
  {
    const std::lock_guard lock(mutex_);
    closed_ = why;
    for (const auto& [step, r] : runs_) runs.push_back(r);
    early_.clear();
    kept_values_.drop(0, ~std::uint64_t{0});
  }
  for (const auto& r : runs) r->fail(why);
}

std::size_t worker::kept() const {
  const std::lock_guard lock(mutex_);
  std::size_t count = runs_.size() + early_.size() + kept_values_.size();
  for (const auto& [number, s] : sessions_) count += std::max<std::size_t>(s.parts.size(), 1);
  return count;
}

}  // namespace flowgraph::distributed

#include "worker.hpp"

#include <algorithm>
#include <utility>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {
namespace distributed {

namespace {
constexpr std::size_t kept_numbers = 256;
constexpr std::chrono::seconds patience(6);
}

worker::worker(transport& by, const registry& ops, peers& others, std::pmr::memory_resource* memory, const task_limits& limits)
    : transport_(by), ops_(ops), peers_(others), memory_(memory), limits_(limits),
      resources_(std::make_shared<container>(memory)) {}

worker::~worker() { close(error(error_code::cancelled, "the task has ended")); }

error worker::register_part(asker by, std::uint64_t number, bool isolated, std::uint32_t part_number, part_record record) {
  std::shared_ptr<container> own;
  {
    const std::lock_guard lock(mutex_);
    if (closed_) return closed_;
    if (!sessions_.contains(number) && sessions_.size() >= limits_.sessions)
      return error(error_code::resource_exhausted,
                   message{"there are parts of ", limits_.sessions, " sessions: more are not allowed (task_limits::sessions)"});
    session& s = sessions_[number];
    s.by = by;
    if (error why = check_room(s, part_number, record)) return why;
    if (isolated && !s.own) s.own = std::make_shared<container>(memory_);
    own = s.own;
  }
  auto made = part::make(std::move(record), ops_, own ? own : resources_, peers_.size());
  if (!made) return made.error();
  const std::lock_guard lock(mutex_);
  const auto at = sessions_.find(number);
  if (at == sessions_.end()) return error(error_code::cancelled, "the session has ended");
  at->second.parts[part_number] = *std::move(made);
  return {};
}

error worker::check_room(const session& s, std::uint32_t part_number, const part_record& record) const {
  if (!s.parts.contains(part_number) && s.parts.size() >= limits_.parts)
    return error(error_code::resource_exhausted,
                 message{"the session has ", s.parts.size(), " parts: more are not allowed (task_limits::parts)"});
  std::uint64_t edges = record.edges;
  for (const auto& [other, p] : s.parts) edges += other == part_number ? 0 : p->record().edges;
  if (edges <= limits_.edges) return {};
  return error(error_code::resource_exhausted,
               message{"the parts of the session have ", edges, " edges between tasks: more than ", limits_.edges,
                       " are not allowed (task_limits::edges)"});
}

void worker::run_part(std::uint64_t step, std::uint32_t part_number, std::uint64_t oldest, std::vector<any_tensor> feeds,
                      std::span<const run_numbers> numbers, bool may_wait, part_run::ended on_end) {
  std::shared_ptr<part_run> run;
  std::vector<frame> early;
  error why;
  {
    const std::lock_guard lock(mutex_);
    const auto s = sessions_.find(session_of_step(step));
    const auto p =
        s == sessions_.end() ? std::map<std::uint32_t, std::shared_ptr<part>>::iterator() : s->second.parts.find(part_number);
    if (closed_) why = closed_;
    else if (s == sessions_.end() || p == s->second.parts.end())
      why = error(error_code::failed_precondition, message{"part ", part_number, " of the session is not registered here"});
    else if (s->second.ended.contains(step)) why = error(error_code::aborted, "the step has ended already");
    if (!why) {
      s->second.oldest = std::max(s->second.oldest, oldest);
      s->second.ended.erase(s->second.ended.begin(), s->second.ended.lower_bound(oldest));
      const std::uint64_t first = session_of_step(step) << 32;
      if (oldest > first) early_.erase(early_.lower_bound(first), early_.lower_bound(oldest));
      run = std::make_shared<part_run>(p->second, step, transport_, *this);
      runs_[step] = run;
      if (const auto at = early_.find(step); at != early_.end()) {
        early = std::move(at->second);
        early_.erase(at);
      }
    }
  }
  if (why) return on_end(why, {});
  for (frame& f : early) run->receive(std::move(f));
  run->start(std::move(feeds), numbers, may_wait,
             [this, owner = owner.lock(), step, on_end = std::move(on_end)](const error& ended,
                                                                            std::vector<any_tensor> fetched) mutable {
               std::shared_ptr<part_run> gone;
               {
                 const std::lock_guard lock(mutex_);
                 if (const auto at = runs_.find(step); at != runs_.end()) {
                   gone = std::move(at->second);
                   runs_.erase(at);
                 }
                 if (const auto s = sessions_.find(session_of_step(step)); s != sessions_.end()) s->second.ended.insert(step);
               }
               on_end(ended, std::move(fetched));
             });
}

void worker::end_step(std::uint64_t step, const error& why) {
  std::shared_ptr<part_run> run;
  {
    const std::lock_guard lock(mutex_);
    if (const auto at = runs_.find(step); at != runs_.end()) run = at->second;
    if (const auto s = sessions_.find(session_of_step(step)); !run && s != sessions_.end()) s->second.ended.insert(step);
    early_.erase(step);
  }
  if (run) run->fail(why);
}

std::vector<std::shared_ptr<part_run>> worker::runs_of(std::uint64_t number) const {
  std::vector<std::shared_ptr<part_run>> made;
  for (auto at = runs_.lower_bound(number << 32); at != runs_.end() && session_of_step(at->first) == number; ++at)
    made.push_back(at->second);
  return made;
}

void worker::drop_session(std::uint64_t number) { forget_session(number, true); }

void worker::forget_session(std::uint64_t number, bool for_good) {
  std::vector<std::shared_ptr<part_run>> runs;
  std::map<std::uint64_t, session>::node_type gone;
  {
    const std::lock_guard lock(mutex_);
    runs = runs_of(number);
    gone = sessions_.extract(number);
    if (for_good) dropped_.push_back(number);
    if (dropped_.size() > kept_numbers) dropped_.pop_front();
    early_.erase(early_.lower_bound(number << 32), early_.lower_bound((number + 1) << 32));
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

void worker::receive_value(frame value) {
  std::shared_ptr<part_run> run;
  {
    const std::lock_guard lock(mutex_);
    if (const auto at = runs_.find(value.number); at != runs_.end()) {
      run = at->second;
    } else {
      const auto s = sessions_.find(session_of_step(value.number));
      const bool has_ended = s == sessions_.end() ? std::ranges::find(dropped_, session_of_step(value.number)) != dropped_.end()
                                                  : value.number < s->second.oldest || s->second.ended.contains(value.number);
      if (has_ended || closed_) return;
      if (s == sessions_.end()) forget_later(session_of_step(value.number));
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
    if (!sessions_.contains(number)) early_.erase(early_.lower_bound(number << 32), early_.lower_bound((number + 1) << 32));
  });
}

void worker::send_value(std::uint32_t task, frame value) { peers_.to(task)->send(std::move(value)); }

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

void worker::lost_task(std::uint32_t task, const error& why) {
  std::vector<std::shared_ptr<part_run>> runs;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [step, r] : runs_)
      if (r->of().involves(task)) runs.push_back(r);
  }
  for (const auto& r : runs) r->fail(why);
}

void worker::close(const error& why) {
  std::vector<std::shared_ptr<part_run>> runs;
  {
    const std::lock_guard lock(mutex_);
    closed_ = why;
    for (const auto& [step, r] : runs_) runs.push_back(r);
    early_.clear();
  }
  for (const auto& r : runs) r->fail(why);
}

std::size_t worker::kept() const {
  const std::lock_guard lock(mutex_);
  std::size_t count = runs_.size() + early_.size();
  for (const auto& [number, s] : sessions_) count += s.parts.size();
  return count;
}

}
}
}  // namespace flowgraph::distributed

// A worker's answers to requests about the state of a session: whether its runs wait, and the contents of queues, readers and
// similar resources.

#include "saved_bytes.hpp"
#include "../worker.hpp"

#include <algorithm>
#include <utility>

namespace flowgraph::inline FLOWGRAPH_ABI::distributed {

worker::reply worker::about_state(asker by, message_kind kind, byte_reader& from, std::span<const any_tensor> tensors) {
  const auto number = from.number<std::uint64_t>();
  reply result;
  byte_writer to(result.body);
  if (kind == message_kind::hold_steps) {
    if (!from.is_done()) return {malformed("whose runs are to rest"), {}, {}};
    const auto found = hold(number);
    to.number(static_cast<std::uint64_t>(found.size()));
    for (const auto& [step, report] : found) {
      to.number(step);
      to.number(report.rest);
      to.number(report.balance);
    }
    return result;
  }
  const bool isolated = from.number<std::uint8_t>() != 0, loads = kind == message_kind::load_resources;
  std::vector<std::uint64_t> begun_anew;
  for (auto left = from.count(8); left > 0; --left) begun_anew.push_back(from.number<std::uint64_t>());
  const auto draws = read_draws(from);
  std::vector<saved_resource> named = read_resources(from, tensors);
  if (!from.is_done()) return {malformed("the state of a session"), {}, {}};
  const auto held = state_of(by, number, isolated, loads);
  if (!held) return {held.error(), {}, {}};
  auto drawn = held->drawn ? held->drawn->save() : std::vector<saved_state::draws>();
  auto contents = held->resources ? held->resources->save() : std::vector<saved_resource>();
  if (!contents) return {contents.error(), {}, {}};
  take_back(begun_anew, drawn);
  std::erase_if(*contents, [&](const saved_resource& r) {
    return std::ranges::none_of(named, [&](const saved_resource& n) { return n.section == r.section && n.name == r.name; });
  });
  // The answer to a load is the former state, so that the load can be undone.
  if (loads) {
    if (error why = held->resources->load(std::move(named))) return {why, {}, {}};
    held->drawn->load(draws);
  }
  write_draws(to, drawn);
  write_resources(to, result.tensors, *contents);
  return result;
}

// Runs that begin again after the state is loaded will draw their random numbers again. So the saved numbers are those from before
// these runs.
void worker::take_back(std::span<const std::uint64_t> begun_anew, std::vector<saved_state::draws>& drawn) const {
  std::map<std::string, std::uint64_t> begun;
  {
    const std::lock_guard lock(mutex_);
    for (const std::uint64_t step : begun_anew)
      if (const auto at = runs_.find(step); at != runs_.end()) at->second->add_begun(begun);
  }
  for (saved_state::draws& d : drawn)
    if (const auto at = begun.find(d.node); at != begun.end()) d.numbers = std::min(d.numbers, at->second);
}

result<worker::kept_state> worker::state_of(asker by, std::uint64_t number, bool isolated, bool makes) {
  const std::lock_guard lock(mutex_);
  if (closed_) return closed_;
  if (!is_session(number)) return malformed("the number of a session");
  if (has_dropped(number)) return error(error_code::cancelled, "the session has ended");
  const bool is_there = sessions_.contains(number);
  if (!is_there && !makes) return kept_state{isolated ? nullptr : resources_, nullptr};
  if (!is_there && sessions_.size() >= limits_.sessions)
    return error(error_code::resource_exhausted,
                 message{"there are parts of ", limits_.sessions, " sessions: more are not allowed (task_limits::sessions)"});
  session& s = sessions_[number];
  if (!s.by) s.by = by;
  if (isolated && !s.own) s.own = std::make_shared<container>(memory_);
  return kept_state{isolated ? s.own : resources_, s.drawn};
}

// Holds all runs of the session that may have begun, and reports their states. The master knows which of them have ended at all
// tasks.
std::map<std::uint64_t, run_report> worker::hold(std::uint64_t number) {
  std::map<std::uint64_t, run_report> result;
  std::vector<std::shared_ptr<part_run>> runs;
  {
    const std::lock_guard lock(mutex_);
    const auto s = sessions_.find(number);
    if (s == sessions_.end()) return result;
    for (const auto& [step, balance] : s->second.ended) result[step] = {run_rest::ended, balance};
    runs = runs_of(number);
  }
  for (const auto& r : runs) result[r->step()] = r->hold();
  return result;
}

void worker::go_on(std::uint64_t number) {
  std::vector<std::shared_ptr<part_run>> runs;
  {
    const std::lock_guard lock(mutex_);
    runs = runs_of(number);
  }
  for (const auto& r : runs) r->go_on();
}

}  // namespace flowgraph::distributed

// The master's record of the state that its session holds at tasks. If some state is lost, running steps end with an error, and so
// does each run that began before a run had reported the loss.

#include "../master.hpp"

#include <flowgraph/runtime/placement.hpp>

#include <algorithm>
#include <utility>

namespace flowgraph::inline FLOWGRAPH_ABI::distributed {

using namespace detail;
using fate = held_state::fate;

namespace {

void add_names(held_names& to, held_names from) {
  to.known.merge(std::move(from.known));
  to.has_more = to.has_more || from.has_more;
}

}  // namespace

// The session's own state was lost with its last master. If the process of that master has ended, the shared state of that process
// is lost, too.
void master_session::inherit_state() {
  state_.held = options_.held;
  state_.losses = options_.losses;
  state_.last_loss = options_.last_told;
  if (state_.held.empty()) return;
  bool is_hurt = false;
  std::set<std::string, std::less<>> tasks;
  for (std::uint32_t t = 0; t < services_.all.size(); ++t) tasks.insert(services_.all.name_of(t));
  const std::string here = services_.all.name_of(services_.self);
  for (auto& [task, h] : state_.held) {
    h.is_at_master = task == here;
    h.of_own = h.own.empty() ? fate::kept : fate::lost;
    const bool has_ended = h.is_at_master && h.incarnation != services_.incarnation;
    h.of_shared = !h.shared.empty() && (has_ended || !tasks.contains(task)) ? fate::lost : fate::kept;
    is_hurt = is_hurt || h.is_hurt();
  }
  const error unknown(error_code::unavailable, "the connection to the master was lost");
  if (is_hurt) add_loss_locked(lost_state(state_.held, options_.loss ? options_.loss : unknown));
}

void master_session::add_loss_locked(const error& why) {
  ++state_.losses;
  state_.last_loss = why;
}

error master_session::check_losses_locked(std::uint64_t losses) {
  if (losses < state_.losses) return state_.last_loss;
  state_.losses = losses;  // the client may also have reported the loss of a connection
  drop_lost(state_.held);
  return {};
}

std::uint64_t master_session::losses(const error& why) {
  if (why.code() != error_code::unavailable) return 0;
  const std::lock_guard lock(mutex_);
  return state_.losses;
}

void master_session::tell_of_state() {
  const std::lock_guard lock(mutex_);
  if (!state_.held.empty()) tell_of_state_locked(state_.held);
}
void master_session::tell_of_state_locked(const held_states& changed) {
  if (!options_.tell_client) return;
  body_of body(message_kind::held_state);
  write_held(body.bytes, changed);
  frame f;
  f.kind = frame_kind::news;
  f.body = std::move(body.text);
  options_.tell_client(std::move(f));
}

held_state* master_session::state_at_locked(std::uint32_t task) {
  const auto at = state_.held.find(services_.all.name_of(task));
  return at == state_.held.end() || at->second.empty() ? nullptr : &at->second;
}

// If a failed run has already reported a loss at this task, the loss is not reported again.
bool master_session::has_lost_locked(std::uint32_t task, std::uint64_t incarnation, std::uint64_t over) {
  held_state* const h = state_at_locked(task);
  if (!h) return false;
  const bool has_ended = incarnation != 0 && h->incarnation != incarnation;
  if (!h->is_hurt() && !has_ended && (h->own.empty() || h->over == over)) return false;
  if (h->is_hurt() || !state_.doubted.contains(task)) return true;
  *h = {};
  return false;
}

void master_session::hold_state(std::uint32_t task, std::uint64_t incarnation, std::uint64_t over, held_names shared,
                                held_names own) {
  if (shared.empty() && own.empty()) return;
  const std::lock_guard lock(mutex_);
  const std::string name = services_.all.name_of(task);
  held_state& h = state_.held[name];
  if (h.is_hurt()) return;  // the run that uses the state will fail
  const std::size_t before = h.shared.known.size() + h.own.known.size();
  h.is_at_master = task == services_.self;
  h.incarnation = incarnation;
  h.over = over;
  add_names(h.shared, std::move(shared));
  add_names(h.own, std::move(own));
  if (h.shared.known.size() + h.own.known.size() != before) tell_of_state_locked({{name, h}});
}

void master_session::hold_state(const part_record& part, std::uint64_t incarnation, std::uint64_t over) {
  held_names shared, own;
  for (const part_record::node_state& s : part.states) (s.is_random || options_.isolated ? own : shared).known.insert(s.text);
  hold_state(part.task, incarnation, over, std::move(shared), std::move(own));
}

error master_session::check_state(const std::map<std::uint32_t, task_answer>& answers) {
  for (const auto& [task, a] : answers) {
    bool is_lost, has_ended;
    {
      const std::lock_guard lock(mutex_);
      const held_state* const h = state_at_locked(task);
      has_ended = h && h->incarnation != a.incarnation;
      is_lost = has_lost_locked(task, a.incarnation, a.over);
    }
    const error cause(error_code::unavailable,
                      message{services_.all.name_of(task), has_ended ? " was started again" : " was lost"});
    if (is_lost) return lose_state(task, has_ended, cause);
  }
  return {};
}

error master_session::lose_state(std::uint32_t task, bool has_ended, const error& cause) {
  std::vector<std::shared_ptr<step>> ending;
  error failure;
  {
    const std::lock_guard lock(mutex_);
    held_state* const h = state_at_locked(task);
    if (!h) return cause;
    if (h->is_hurt()) return state_.last_loss;
    if (!h->own.empty()) h->of_own = fate::lost;
    if (!h->shared.empty()) h->of_shared = has_ended ? fate::lost : fate::in_doubt;
    failure = lost_state(state_.held, cause);
    add_loss_locked(failure);
    tell_of_state_locked({{services_.all.name_of(task), *h}});
    ending = fail_all_locked(failure);
  }
  for (const auto& s : ending) end_failed(s, failure);
  return failure;
}

std::vector<std::shared_ptr<master_session::step>> master_session::fail_all_locked(const error& why) {
  std::vector<std::shared_ptr<step>> result;
  for (const auto& [number, s] : running_) {
    if (s->why || s->left == 0) continue;
    s->why = why;
    result.push_back(s);
  }
  return result;
}

bool master_session::doubts_state_locked(const step& s, const error& why) {
  if (why.code() != error_code::unavailable || !why.node().empty() || closed_) return false;
  bool has_state = false;
  for (const part_record& p : s.what->parts->parts) {
    if (!state_at_locked(p.task)) continue;
    state_.doubted.insert(p.task);
    has_state = true;
  }
  if (has_state) add_loss_locked(why);
  return has_state;
}

void master_session::lost_link_to(lost_link gone, const error& why) {
  bool is_own;
  {
    const std::lock_guard lock(mutex_);
    const held_state* const h = state_at_locked(gone.task);
    is_own = h && !h->is_hurt() && !h->own.empty() && h->over == gone.ordinal && has_lost_locked(gone.task, 0, 0);
  }
  if (is_own) lose_state(gone.task, false, why);
  fail_where(
      [&](const step& s) { return std::ranges::any_of(s.parts, [&](const auto& p) { return p.asked_over == gone.ordinal; }); },
      why);
}

}  // namespace flowgraph::distributed

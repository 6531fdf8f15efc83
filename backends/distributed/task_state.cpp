// Passes the news of other tasks to the masters and the worker of this task.

#include "task_state.hpp"

#include <utility>

namespace flowgraph::inline FLOWGRAPH_ABI::distributed {

bool task_state::has_ended() const {
  const std::lock_guard lock(mutex);
  return is_closed;
}

void task_state::report(const error& why) {
  if (on_lost && !has_ended()) on_lost(why);
}

void task_state::lost(lost_link gone, const error& why) {
  report(why);
  for (const auto& s : open_sessions()) s->lost_link_to(gone, why);
  for (const worker::hurt_steps& hurt : works.lost_values(gone, why)) tell_master(gone.task, hurt, why);
}

void task_state::hear(frame news) {
  byte_reader from(news.body);
  const auto kind = from.number<message_kind>();
  if (kind == message_kind::known_fetches) {
    const std::uint64_t session = session_of_step(from.number<std::uint64_t>());
    for (const auto& s : open_sessions())
      if (s->number() == session) return s->hear_of_fetches(std::move(news));
    return;
  }
  if (kind != message_kind::lost_peer) return;
  const auto task = from.number<std::uint32_t>();
  const auto last = from.number<std::uint64_t>();
  const error why = read_error(from);
  if (!from.is_done() || !why) return;
  for (const auto& s : open_sessions())
    if (s->number() == session_of_step(last)) s->lost_values(task, last, why);
}

std::vector<std::shared_ptr<master_session>> task_state::open_sessions() {
  std::vector<std::shared_ptr<master_session>> open;
  const std::lock_guard lock(mutex);
  for (const auto& [number, s] : sessions) open.push_back(s);
  return open;
}

}  // namespace flowgraph::distributed

// What a task hears of other tasks, for its masters and its worker.

#include "task_state.hpp"

#include <utility>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {
namespace distributed {

void task_state::lost(lost_link gone, const error& why) {
  for (const auto& s : open_sessions()) s->lost_link_to(gone, why);
  for (const worker::hurt_steps& hurt : works.lost_values(gone, why)) tell_master(gone.task, hurt, why);
}

void task_state::hear(frame news) {
  byte_reader from(news.body);
  const auto kind = from.number<message_kind>();
  if (kind == message_kind::known_fetches) return hear_of_fetches(from, std::move(news.tensors));
  if (kind != message_kind::lost_peer) return;
  const auto task = from.number<std::uint32_t>();
  const auto last = from.number<std::uint64_t>();
  const error why = read_error(from);
  if (!from.is_done() || !why) return;
  for (const auto& s : open_sessions())
    if (s->number() == session_of_step(last)) s->lost_values(task, last, why);
}

void task_state::hear_of_fetches(byte_reader& from, std::vector<any_tensor> values) {
  std::uint64_t step;
  std::uint32_t task;
  piece_news told = read_piece_news(from, std::move(values), step, task);
  if (!from.is_done()) return;
  for (const auto& s : open_sessions())
    if (s->number() == session_of_step(step)) return s->hear_of_fetches(step, task, std::move(told));
}

std::vector<std::shared_ptr<master_session>> task_state::open_sessions() {
  std::vector<std::shared_ptr<master_session>> open;
  const std::lock_guard lock(mutex);
  for (const auto& [number, s] : sessions) open.push_back(s);
  return open;
}

}
}
}  // namespace flowgraph::distributed

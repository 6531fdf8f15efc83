#include "held_state.hpp"

#include "../record_bytes.hpp"

#include <flowgraph/core/message.hpp>

#include <algorithm>
#include <utility>

namespace flowgraph::inline FLOWGRAPH_ABI::distributed {

namespace {

constexpr std::size_t named_at_most = 3;

void write_names(byte_writer& to, const held_names& names) {
  const std::size_t count = std::min(names.known.size(), named_at_most);
  to.number(static_cast<std::uint64_t>(count));
  for (auto at = names.known.begin(); at != std::next(names.known.begin(), static_cast<std::ptrdiff_t>(count)); ++at)
    to.text(*at);
  to.number(static_cast<std::uint8_t>(names.has_more || count < names.known.size()));
}
held_names read_names(byte_reader& from) {
  held_names result;
  for (auto left = from.count(8); left > 0 && from.ok(); --left) result.known.emplace(from.text());
  result.has_more = from.number<std::uint8_t>() != 0;
  return result;
}

// Returns a text such as "variable 'v', variable 'w' and others".
std::string text_of(const held_names& names) {
  std::string text;
  std::size_t count = 0;
  for (const std::string& name : names.known) {
    if (count++ == named_at_most) break;
    text += text.empty() ? name : ", " + name;
  }
  return names.has_more || names.known.size() > named_at_most ? text + " and others" : text;
}

std::string text_of_loss(const std::string& task, const held_state& h) {
  std::string text;
  if (h.of_own == held_state::fate::lost) text = text_of(h.own);
  if (h.of_shared == held_state::fate::lost) text += message{text.empty() ? "" : ", ", text_of(h.shared)};
  if (text.empty()) return text;
  text += " at " + task;
  if (h.of_shared == held_state::fate::in_doubt && !h.shared.empty())
    text += message{" (and ", text_of(h.shared), ", if that process has ended)"};
  return text;
}

}  // namespace

void write_held(byte_writer& to, const held_states& all) {
  to.number(static_cast<std::uint64_t>(all.size()));
  for (const auto& [task, h] : all) {
    to.text(task);
    to.number(h.incarnation);
    to.number(static_cast<std::uint8_t>(h.is_at_master));
    write_names(to, h.shared);
    write_names(to, h.own);
    to.number(h.of_shared);
    to.number(h.of_own);
  }
}

held_states read_held(byte_reader& from) {
  held_states result;
  for (auto left = from.count(45); left > 0 && from.ok(); --left) {
    held_state& h = result[std::string(from.text())];
    h.incarnation = from.number<std::uint64_t>();
    h.is_at_master = from.number<std::uint8_t>() != 0;
    h.shared = read_names(from);
    h.own = read_names(from);
    h.of_shared = from.number<held_state::fate>();
    h.of_own = from.number<held_state::fate>();
  }
  return result;
}

bool drop_lost(held_states& all) {
  bool any = false;
  for (auto& [task, h] : all) {
    any = any || h.is_hurt();
    if (std::exchange(h.of_shared, held_state::fate::kept) != held_state::fate::kept) h.shared = {};
    if (std::exchange(h.of_own, held_state::fate::kept) != held_state::fate::kept) h.own = {};
  }
  std::erase_if(all, [](const auto& of) { return of.second.empty(); });
  return any;
}

error lost_state(const held_states& all, const error& cause) {
  std::string list;
  for (const auto& [task, h] : all)
    if (const std::string text = text_of_loss(task, h); !text.empty()) list += message{list.empty() ? "" : "; ", text};
  if (list.empty()) return cause;
  return error(error_code::unavailable, message{"the session has lost state: ", list}).because(cause);
}

void known_state::hear(std::uint64_t connection, held_states now) {
  const std::lock_guard lock(mutex_);
  if (connection < connection_) return;
  if (std::exchange(connection_, connection) != connection) held_.clear();
  for (auto& [task, h] : now) held_[task] = std::move(h);
}

std::uint64_t known_state::losses() const {
  const std::lock_guard lock(mutex_);
  return told_;
}

void known_state::tell(std::uint64_t number, const error& why) {
  const std::lock_guard lock(mutex_);
  if (number <= told_) return;
  told_ = number;
  last_ = why;
  drop_lost(held_);
}

error known_state::lose(std::uint64_t connection, const error& why) {
  const std::lock_guard lock(mutex_);
  if (connection < connection_) return why;
  for (auto& [task, h] : held_) {
    if (!h.own.empty()) h.of_own = held_state::fate::lost;
    if (h.is_at_master && !h.shared.empty()) h.of_shared = held_state::fate::in_doubt;
  }
  const error failure = lost_state(held_, why);
  if (!drop_lost(held_)) return why;
  ++told_;
  return last_ = failure;
}

void known_state::write(byte_writer& to, const error& loss) const {
  const std::lock_guard lock(mutex_);
  to.number(told_);
  write_error(to, last_);
  write_error(to, loss);
  write_held(to, held_);
}

}  // namespace flowgraph::distributed

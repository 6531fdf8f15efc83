#include "kept_values.hpp"

#include <iterator>
#include <utility>

namespace flowgraph::inline FLOWGRAPH_ABI::distributed {

namespace {
constexpr std::size_t place_bytes = 20;
}

frame announcement_of(const frame& value) {
  frame answer;
  answer.kind = frame_kind::value;
  answer.is_dead = true;
  answer.edge = value.edge;
  answer.number = value.number;
  answer.loop = value.loop;
  answer.iteration = value.iteration;
  answer.body = "kept";
  return answer;
}

frame questions_for(std::span<const value_place> places) {
  frame answer;
  answer.kind = frame_kind::value;
  answer.edge = edge_of_questions;
  answer.number = places.front().step;
  answer.body.reserve(8 + place_bytes * places.size());
  byte_writer to(answer.body);
  to.number(static_cast<std::uint64_t>(places.size()));
  for (const value_place& p : places) {
    to.number(p.edge);
    to.number(p.loop);
    to.number(p.iteration);
  }
  return answer;
}

question_reader::question_reader(const frame& f)
    : from_(f.body), step_(f.number), left_(from_.count(place_bytes)),
      is_sound_(from_.ok() && from_.left() == left_ * place_bytes) {}

bool question_reader::next(value_place& at) {
  if (!is_sound_ || left_ == 0) return false;
  --left_;
  at.step = step_;
  at.edge = from_.number<std::uint32_t>();
  at.loop = from_.number<std::uint64_t>();
  at.iteration = from_.number<std::uint64_t>();
  return true;
}

bool kept_values::is_asked_for(std::uint32_t task, frame& value) {
  const value_place place = value_place::of(value);
  const auto at = entries_.find(place);
  if (at != entries_.end() && !at->second.is_there) {
    entries_.erase(at);
    return true;
  }
  entry& e = at != entries_.end() ? at->second : entries_[place];
  e.is_there = true;
  e.answer = {task, std::move(value)};
  return false;
}

bool kept_values::ask(const value_place& place, bool may_come, wanted& found) {
  const auto at = entries_.find(place);
  if (at != entries_.end() && at->second.is_there) {
    found = std::move(at->second.answer);
    entries_.erase(at);
    return true;
  }
  if (may_come && at == entries_.end()) entries_[place];
  return false;
}

void kept_values::drop(std::uint64_t first, std::uint64_t last, bool values_too) {
  if (entries_.empty()) return;
  const auto end = entries_.upper_bound(end_of(last));
  for (auto at = entries_.lower_bound(begin_of(first)); at != end;)
    at = values_too || !at->second.is_there ? entries_.erase(at) : std::next(at);
}

bool kept_values::has_any(std::uint64_t first, std::uint64_t last) const {
  const auto at = entries_.lower_bound(begin_of(first));
  return at != entries_.end() && at->first.step <= last;
}

std::uint64_t kept_values::last_of(std::uint64_t last) const { return std::prev(entries_.upper_bound(end_of(last)))->first.step; }

}  // namespace flowgraph::distributed

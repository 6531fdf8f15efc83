// Steps of a master that proceed in pieces. Their parts are started with the first piece, like the parts of a local partial run.

#include "../master.hpp"

#include <utility>

namespace flowgraph::inline FLOWGRAPH_ABI::distributed {

void master_session::next_piece(std::uint64_t asked, byte_reader& from, const recycled_tensors& values, replied on_end) {
  const auto feeds = read_numbers(from), wanted = read_numbers(from);
  bool is_sound = from.is_done() && feeds.size() == values.size(), begins = false;
  std::shared_ptr<step> s;
  std::vector<frame> given_to;  // one frame per part
  std::uint64_t oldest = 0;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [number, r] : running_)
      if (r->asked == asked && r->pieces) s = r;
    if (s) is_sound = is_sound && !s->pieces->on_end && mark(s->pieces->is_fed, feeds) && mark(s->pieces->is_asked, wanted);
    if (s && is_sound) {
      step_pieces& p = *s->pieces;
      begins = !s->why && !std::exchange(p.has_begun, true);
      oldest = running_.begin()->first;
      if (!held_.empty()) ++held_times_;  // the answers of tasks to hold() are out of date now
      for (std::size_t i = 0; i < p.parts.size(); ++i)
        p.parts[i].sent += !given_to.emplace_back(piece_of(*s, i, feeds, values, wanted)).body.empty();
      for (const std::uint32_t f : wanted)
        if (s->what->parts->fetches[f].part == detail::no_index) add_known(p, f, {}, &s->what->constants[f]);
      p.on_end = std::move(on_end);
    }
  }
  if (!s || !is_sound) {
    const error why =
        s ? malformed("a piece of a partial run") : error(error_code::failed_precondition, "the partial run has ended");
    if (s) fail(s, why);
    return on_end(why, {}, {});
  }
  if (begins) start_parts(s, {}, oldest);
  // Parts of other tasks come first, as in start_parts. The known link is the one over which the part was requested; if that link
  // was lost, the step ends.
  for (const bool here : {false, true})
    for (std::size_t i = 0; i < given_to.size(); ++i) {
      const std::uint32_t task = s->what->parts->parts[i].task;
      if ((task == services_.self) != here || given_to[i].body.empty()) continue;
      if (here) services_.here.take_piece(s->number, std::move(given_to[i]));
      else if (const auto link = services_.others.known(task)) link->send(std::move(given_to[i]));
    }
  answer_piece(*s, {});
}

// Returns the frame for one part. Its body is empty if the piece contains nothing for the part. But if the session is held, every
// part gets a frame, so that all parts continue: the piece comes from the thread that has paused the session.
frame master_session::piece_of(const step& s, std::size_t part, const std::vector<std::uint32_t>& feeds,
                               const recycled_tensors& values, const std::vector<std::uint32_t>& wanted) const {
  const task_parts& all = *s.what->parts;
  frame answer;
  answer.kind = frame_kind::news;
  std::vector<std::uint32_t> of_part, wanted_of_part;
  for (std::uint32_t k = 0; k < all.parts[part].whole_feeds.size(); ++k)
    for (std::size_t i = 0; i < feeds.size(); ++i)
      if (feeds[i] == all.parts[part].whole_feeds[k]) of_part.push_back(k), answer.tensors.push_back(values[i]);
  for (const std::uint32_t f : wanted)
    if (all.fetches[f].part == part) wanted_of_part.push_back(all.fetches[f].index);
  if (held_.empty() && of_part.empty() && wanted_of_part.empty()) return answer;
  body_of body(message_kind::piece_of_part);
  body.bytes.number(s.number);
  write_numbers(body.bytes, of_part);
  write_numbers(body.bytes, wanted_of_part);
  answer.body = std::move(body.text);
  return answer;
}

// Adds the result of a fetch to the answer. A fetch that failed may be requested again.
void master_session::add_known(step_pieces& p, std::uint32_t fetch, const error& why, const any_tensor* value) {
  byte_writer to(p.known);
  to.number(fetch);
  write_error(to, why);
  if (why) p.is_asked[fetch] = false;
  else p.values.push_back(*value);
}

void master_session::hear_of_fetches(frame news) {
  byte_reader from(news.body);
  from.number<message_kind>();
  const auto number = from.number<std::uint64_t>(), task = from.number<std::uint64_t>();
  const bool rests = from.number<std::uint64_t>() != 0;
  const auto taken = from.number<std::uint64_t>(), balance = from.number<std::uint64_t>();
  std::shared_ptr<step> s;
  {
    const std::lock_guard lock(mutex_);
    const auto at = running_.find(number);
    if (at == running_.end() || !at->second->pieces || !from.ok()) return;
    s = at->second;
    const task_parts& all = *s->what->parts;
    std::size_t part = 0, next = 0;
    while (part < all.parts.size() && all.parts[part].task != task) ++part;
    if (part == all.parts.size()) return;
    auto& part_state = s->pieces->parts[part];
    if (rests) part_state.rests = true, part_state.taken = taken, part_state.balance = balance;
    while (from.left() > 0) {
      const auto f = from.number<std::uint32_t>();
      const error why = read_error(from);
      if (!from.ok() || (!why && next == news.tensors.size())) return;
      const any_tensor* const value = why ? nullptr : &news.tensors[next++];
      for (std::uint32_t w = 0; w < all.fetches.size(); ++w)
        if (all.fetches[w].part == part && all.fetches[w].index == f) add_known(*s->pieces, w, why, value);
    }
  }
  answer_piece(*s, {});
}

// Answers the current piece if nothing more of it can run. `why` is the error of the step. Called after the answer to the run,
// since that answer contains more details.
void master_session::answer_piece(step& s, const error& why) {
  replied on_end;
  recycled_text known;
  recycled_tensors values;
  {
    const std::lock_guard lock(mutex_);
    step_pieces& p = *s.pieces;
    if (!p.on_end || (!why && (s.why || (s.left > 0 && !p.has_ended())))) return;
    on_end = std::exchange(p.on_end, {});
    known.swap(p.known);
    values.swap(p.values);
  }
  on_end(why, known, std::move(values));
}

}  // namespace flowgraph::distributed

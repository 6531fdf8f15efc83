// Steps of a master that go in pieces. Their parts begin with the first one, as a run here does.

#include "step_pieces.hpp"

#include "../master.hpp"

#include <utility>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {
namespace distributed {

error step_pieces::begin(const piece& p) {
  const auto wrong = [](std::string_view what) {
    return error(error_code::invalid_argument, message{"a piece of a partial run is malformed: ", what});
  };
  if (is_waited_for()) return wrong("the one before has not come to its end");
  // An edge that is named twice is there already the second time.
  std::vector<char> fed = is_fed, asked = is_asked;
  for (const std::uint32_t f : p.feeds)
    if (f >= fed.size() || std::exchange(fed[f], true)) return wrong("the run has no such feed, or has been fed it");
  for (const std::uint32_t f : p.wanted)
    if (f >= asked.size() || std::exchange(asked[f], true)) return wrong("the run has no such fetch, or has given it");
  is_fed = std::move(fed);
  is_asked = std::move(asked);
  wanted = p.wanted;
  return {};
}

bool step_pieces::has_ended() const {
  std::uint64_t balance = 0;
  for (const part_rest& p : parts) {
    if (!p.is_over && (!p.told.rests || p.told.taken != p.pieces)) return false;
    balance += p.told.balance;
  }
  return balance == 0;
}

// What could not be given may be asked for again.
step_pieces::reply step_pieces::end() {
  reply made;
  byte_writer to(made.body);
  for (const std::uint32_t f : wanted) {
    if (!known[f])
      known[f] = known_fetch{f, error(error_code::internal, "a fetch of a partial run was not computed, although all has run")};
    known_fetch& k = *known[f];
    write_error(to, k.why);
    if (!k.why) made.tensors.push_back(std::move(k.value));
    else is_asked[f] = false;
    known[f].reset();
  }
  wanted.clear();
  made.on_end = std::exchange(on_end, {});
  return made;
}

void master_session::next_piece(std::uint64_t asked, piece given, replied on_end) {
  std::shared_ptr<step> s;
  std::vector<piece> given_to;  // each part
  std::uint64_t oldest = 0;
  bool begins = false, is_held = false;
  error why(error_code::failed_precondition, "the partial run has ended");
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [number, r] : running_)
      if (r->asked == asked && r->pieces) s = r;
    if (s) why = s->pieces->begin(given);
    if (!why) {
      for (const std::uint32_t f : given.wanted)
        if (s->what->parts->fetches[f].part == detail::no_index) s->pieces->known[f] = known_fetch{f, {}, s->what->constants[f]};
      begins = !s->why && !std::exchange(s->pieces->has_begun, true);
      oldest = running_.begin()->first;
      is_held = !held_.empty();
      if (is_held) ++held_times_;  // what tasks are telling is no longer so
      for (std::size_t i = 0; i < s->pieces->parts.size(); ++i) {
        given_to.push_back(piece_of(*s->what, i, given));
        s->pieces->parts[i].pieces += is_held || !given_to[i].is_empty();
      }
      s->pieces->on_end = std::move(on_end);
    }
  }
  if (why) return on_end(why, {}, {});
  if (begins) start_parts(s, {}, oldest);
  // As in start_parts. Where the session is held, the thread that has paused it asks: all parts go on.
  for (const bool here : {false, true})
    for (std::size_t i = 0; i < given_to.size(); ++i)
      if ((s->what->parts->parts[i].task == services_.self) == here && (is_held || !given_to[i].is_empty()))
        send_piece(*s, i, std::move(given_to[i]));
  answer_piece(s);
}

piece master_session::piece_of(const prepared& of, std::size_t part, const piece& whole) {
  piece made;
  const auto& feeds = of.parts->parts[part].whole_feeds;
  for (std::uint32_t k = 0; k < feeds.size(); ++k)
    if (const auto at = std::ranges::find(whole.feeds, feeds[k]); at != whole.feeds.end()) {
      made.feeds.push_back(k);
      made.values.push_back(whole.values[static_cast<std::size_t>(at - whole.feeds.begin())]);
    }
  for (const std::uint32_t f : whole.wanted)
    if (of.parts->fetches[f].part == part) made.wanted.push_back(of.parts->fetches[f].index);
  return made;
}

// The link is the one that the part was asked for over, or the step ends.
void master_session::send_piece(const step& s, std::size_t part, piece p) {
  const std::uint32_t task = s.what->parts->parts[part].task;
  if (task == services_.self) return services_.here.take_piece(s.number, std::move(p));
  body_of body(message_kind::piece_of_part);
  body.bytes.number(s.number);
  write_piece(body.bytes, p);
  frame f;
  f.is = frame_kind::news;
  f.body = std::move(body.text);
  f.tensors = std::move(p.values);
  if (const auto link = services_.others.known(task)) link->send(std::move(f));
}

void master_session::hear_of_fetches(std::uint64_t number, std::uint32_t task, piece_news news) {
  std::shared_ptr<step> s;
  {
    const std::lock_guard lock(mutex_);
    const auto at = running_.find(number);
    if (at == running_.end() || !at->second->pieces) return;
    s = at->second;
    const task_parts& all = *s->what->parts;
    for (std::size_t i = 0; i < all.parts.size(); ++i) {
      if (all.parts[i].task != task) continue;
      if (news.rests) s->pieces->parts[i].told = {true, news.taken, news.balance, {}};
      for (const std::uint32_t f : s->pieces->wanted) {
        if (all.fetches[f].part != i) continue;
        for (known_fetch& k : news.fetches)
          if (k.number == all.fetches[f].index) s->pieces->known[f] = std::move(k);
      }
    }
  }
  answer_piece(s);
}

void master_session::answer_piece(const std::shared_ptr<step>& s) {
  step_pieces::reply made;
  {
    const std::lock_guard lock(mutex_);
    if (!s->pieces->is_waited_for() || s->why || !s->pieces->has_ended()) return;
    made = s->pieces->end();
  }
  made.on_end({}, made.body, std::move(made.tensors));
}

// Behind the answer to the run, which has more to say.
void master_session::end_pieces(step& s, const error& why) {
  step_pieces::reply made;
  error failed = why;
  {
    const std::lock_guard lock(mutex_);
    if (!s.pieces->is_waited_for()) return;
    const bool is_complete = s.pieces->has_ended();
    if (!failed && !is_complete) failed = error(error_code::internal, "a partial run has ended without all of its fetches");
    if (failed) made.on_end = std::exchange(s.pieces->on_end, {});
    else made = s.pieces->end();
  }
  made.on_end(failed, made.body, std::move(made.tensors));
}

}
}
}  // namespace flowgraph::distributed

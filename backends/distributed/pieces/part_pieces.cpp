// A run of a part that proceeds in pieces: feeds arrive during the run, and fetches are sent as soon as they are requested and
// known.

#include "part_pieces.hpp"

#include "../part_run.hpp"

#include <flowgraph/runtime/session_state.hpp>

#include <utility>

namespace flowgraph::inline FLOWGRAPH_ABI::distributed {

using namespace detail;

void part_run::go_in_pieces(unique_function<void(frame)> heard) {
  pieces_ = std::make_unique<part_pieces>();
  pieces_->heard = std::move(heard);
  pieces_->is_fed.resize(pieces_->unfed = part_->ends_.feeds.size());
  pieces_->fetches.resize(pieces_->left = part_->ends_.fetches.size());
}

// A piece ends a hold of the run: it can only come from the thread that pauses the session.
void part_run::take_piece(frame piece) {
  {
    const std::lock_guard lock(mutex_);
    if (now_.is_over || !pieces_) return;
    now_.is_held = false;
    now_.signal = true;  // set before the run can find that it has ended
    pieces_->came.push_back(std::move(piece));
  }
  wake();
}

// Counts a received value. It does so under the mutex and with now_.signal: the thread that reports that the run rests has either
// counted the value, or takes another turn.
void part_run::count_landed(std::uint32_t edge) {
  {
    const std::lock_guard lock(mutex_);
    count_come(edge);
    now_.signal = true;
  }
  wake();
}

error part_run::give(const frame& piece) {
  part_pieces& p = *pieces_;
  byte_reader from(piece.body);
  from.number<message_kind>();
  from.number<std::uint64_t>();
  const auto feeds = read_numbers(from), wanted = read_numbers(from);
  if (!from.is_done() || feeds.size() != piece.tensors.size() || !mark(p.is_fed, feeds) || !mark(p.fetches, wanted))
    return malformed("a piece of a partial run");
  for (std::size_t i = 0; i < feeds.size(); ++i) {
    if (error why = check_feed({part_->graph_.at(part_->ends_.feeds[feeds[i]]), 0}, piece.tensors[i])) return why;
    executor_->feed(feeds[i], piece.tensors[i]);
  }
  p.unfed -= feeds.size();
  ++p.taken;
  return {};
}

// Reports after a turn which fetches are known, and whether the run rests; `out` kernels are still offloaded. Returns whether the
// run rests or has failed. Any later event makes the run take another turn, and report again.
bool part_run::tell_of_fetches(std::uint32_t out, bool waits) {
  part_pieces& p = *pieces_;
  bool rests;
  std::uint64_t now;
  {
    const std::lock_guard lock(mutex_);
    if (now_.failure) return true;
    rests = out == 0 && !now_.signal && now_.visitors == 0;
    now = balance();
  }
  bool is_new = rests && (p.told_taken != p.taken || p.told_balance != now);
  body_of body(message_kind::known_fetches);
  for (const std::uint64_t n : {step_, std::uint64_t{part_->ends_.task}, std::uint64_t{rests}, p.taken, now})
    body.bytes.number(n);
  frame news;
  news.kind = frame_kind::news;
  const bool has_run = rests && !waits && p.unfed == 0;
  for (std::uint32_t f = 0; f < p.fetches.size(); ++f) {
    if (p.fetches[f] != 1 || !(has_run || executor_->is_known(f))) continue;
    auto taken = take_fetch(f);
    body.bytes.number(f);
    write_error(body.bytes, taken ? error() : taken.error());
    p.fetches[f] = taken ? 2 : 0;
    if (taken) news.tensors.push_back(*std::move(taken)), --p.left;
    is_new = true;
  }
  if (rests) p.told_taken = p.taken, p.told_balance = now;
  news.body = std::move(body.text);
  if (is_new) p.heard(std::move(news));
  return rests;
}

}  // namespace flowgraph::distributed

// A run of a part that goes in pieces: feeds come while it is driven, and fetches leave as soon as they are asked for and known.

#include "part_pieces.hpp"

#include "../part_run.hpp"

#include <flowgraph/runtime/session_state.hpp>

#include <utility>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {
namespace distributed {

using namespace detail;

void part_run::go_in_pieces(piece_listener heard) {
  const part_record& r = part_->record_;
  pieces_ = std::make_unique<part_pieces>(r.feeds.size(), r.fetches.size(), std::move(heard));
}

// One that comes while the run is held is of the thread that pauses the session.
void part_run::take_piece(piece p) {
  {
    const std::lock_guard lock(mutex_);
    if (is_over_ || !pieces_) return;
    is_held_ = false;
    signal_ = true;  // before the run can find that it has ended
    pieces_->came.push_back(std::move(p));
  }
  wake();
}

// Who tells that the run rests has counted it, or looks again.
void part_run::count_landed(std::uint32_t edge) {
  {
    const std::lock_guard lock(mutex_);
    count_come(edge);
    signal_ = true;
  }
  wake();
}

error part_run::give(const piece& p) {
  const auto wrong = [](std::string_view what) {
    return error(error_code::invalid_argument, message{"a piece of a run is malformed: ", what});
  };
  for (std::size_t i = 0; i < p.feeds.size(); ++i) {
    const std::uint32_t f = p.feeds[i];
    if (f >= pieces_->is_fed.size() || pieces_->is_fed[f]) return wrong("the part has no such feed, or has been fed it");
    if (error why = check_feed({part_->graph_.at(part_->record_.feeds[f]), 0}, p.values[i])) return why;
    pieces_->is_fed[f] = true;
    --pieces_->unfed;
    executor_->feed(f, p.values[i]);
  }
  for (const std::uint32_t f : p.wanted) {
    if (f >= pieces_->fetches.size() || pieces_->fetches[f] == part_pieces::fetch_state::given)
      return wrong("the part has no such fetch, or has given it");
    pieces_->fetches[f] = part_pieces::fetch_state::wanted;
  }
  return {};
}

void part_run::take_pieces(std::vector<piece> came) {
  for (const piece& p : came) {
    if (error why = give(p)) return fail(why);
    ++pieces_->taken;
  }
}

// After a turn that has left `out` kernels out. Whatever comes later has the run driven again, and this told anew.
bool part_run::tell_of_fetches(std::uint32_t out, bool waits) {
  piece_news news;
  news.taken = pieces_->taken;
  {
    const std::lock_guard lock(mutex_);
    if (failure_) return true;
    news.rests = out == 0 && !signal_ && visitors_ == 0;
    news.balance = balance();
  }
  const bool has_run = news.rests && !waits && pieces_->unfed == 0;
  for (std::uint32_t f = 0; f < pieces_->fetches.size(); ++f) {
    auto& state = pieces_->fetches[f];
    if (state != part_pieces::fetch_state::wanted || !(has_run || executor_->is_known(f))) continue;
    auto taken = executor_->take(f);
    state = taken ? part_pieces::fetch_state::given : part_pieces::fetch_state::unasked;
    if (taken) --pieces_->left;
    known_fetch& known = news.fetches.emplace_back();
    known.number = f;
    if (taken) known.value = *std::move(taken);
    else known.why = taken.error();
  }
  piece_news& told = pieces_->told;
  const bool is_new = news.rests && !(told.rests && told.taken == news.taken && told.balance == news.balance);
  if (is_new) told = {true, news.taken, news.balance, {}};
  const bool rests = news.rests;
  if (is_new || !news.fetches.empty()) pieces_->heard(std::move(news));
  return rests;
}

}
}
}  // namespace flowgraph::distributed

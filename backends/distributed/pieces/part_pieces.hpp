#pragma once
// What a run of a part that goes in pieces has been fed, and asked for.

#include "piece.hpp"

#include <utility>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {
namespace distributed {

struct part_pieces {
  enum class fetch_state : std::uint8_t { unasked, wanted, given };

  part_pieces(std::size_t feed_count, std::size_t fetch_count, piece_listener listener)
      : heard(std::move(listener)), is_fed(feed_count, false), fetches(fetch_count, fetch_state::unasked), unfed(feed_count),
        left(fetch_count) {}
  // Feeds or fetches are to come yet.
  bool is_open() const noexcept { return unfed > 0 || left > 0; }

  std::vector<piece> came;  // guarded by the run

  // Of whoever drives the run.
  piece_listener heard;
  std::vector<char> is_fed;
  std::vector<fetch_state> fetches;
  std::size_t unfed, left;
  std::uint64_t taken = 0;
  piece_news told;  // last, of rest
};

}
}
}  // namespace flowgraph::distributed

#pragma once
// A piece of a partial run, on its way from the client to its master and from there to the tasks; and what becomes known of its fetches, on
// the way back.

#include "../messages.hpp"

#include <flowgraph/core/function.hpp>

#include <utility>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {
namespace distributed {

// Feeds and fetches are numbers: of those of the whole run, or at a task of those of its part.
struct piece {
  std::vector<std::uint32_t> feeds;
  std::vector<any_tensor> values;  // of each feed
  std::vector<std::uint32_t> wanted;

  bool is_empty() const noexcept { return feeds.empty() && wanted.empty(); }
};
// The values travel beside the text.
void write_piece(byte_writer& to, const piece& p);
// What makes no sense leaves the reader not ok().
piece read_piece(byte_reader& from, std::vector<any_tensor> values);

struct known_fetch {
  std::uint32_t number = 0;
  error why;  // there is no value, as things stand
  any_tensor value = {};
};
// What a part tells its master.
struct piece_news {
  bool rests = false;         // it has nothing to do until something comes
  std::uint64_t taken = 0;    // so many pieces have come
  std::uint64_t balance = 0;  // as run_report::balance; nothing but values is on its way between parts of a run in pieces
  std::vector<known_fetch> fetches;
};
using piece_listener = unique_function<void(piece_news)>;

frame frame_of(std::uint64_t step, std::uint32_t task, piece_news news);
// Behind the kind of message. What makes no sense leaves the reader not ok().
piece_news read_piece_news(byte_reader& from, std::vector<any_tensor> values, std::uint64_t& step, std::uint32_t& task);

}
}
}  // namespace flowgraph::distributed

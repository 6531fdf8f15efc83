#pragma once
// What a master knows of a step that goes in pieces. Guarded by the session's mutex.

#include "piece.hpp"

#include <flowgraph/core/error.hpp>

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {
namespace distributed {

struct step_pieces {
  using replied = unique_function<void(const error& why, std::string_view body, std::vector<any_tensor> tensors)>;

  step_pieces(std::size_t feeds, std::size_t fetches, std::size_t part_count)
      : is_fed(feeds, false), is_asked(fetches, false), known(fetches), parts(part_count) {}

  // A client waits: the run is one that is in progress.
  bool is_waited_for() const noexcept { return static_cast<bool>(on_end); }
  // An error: nothing has changed.
  error begin(const piece& p);
  // The piece has come to its end, as nothing can run any more. Parts tell of their rest at different times: a value that one has sent since,
  // or has not counted yet, is missing in the sum. So the first of them that did something since would show.
  bool has_ended() const;
  // Whom to answer, and with what.
  struct reply {
    replied on_end;
    std::string body;
    std::vector<any_tensor> tensors;
  };
  reply end();

  struct part_rest {
    std::uint64_t pieces = 0;  // that were sent to it
    piece_news told = {};
    bool is_over = false;
  };
  std::vector<char> is_fed, is_asked;             // edges of the whole
  std::vector<std::optional<known_fetch>> known;  // of those that are asked for
  std::vector<part_rest> parts;
  bool has_begun = false;             // parts have been started
  std::vector<std::uint32_t> wanted;  // of the piece that is waited for
  replied on_end;
};

}
}
}  // namespace flowgraph::distributed

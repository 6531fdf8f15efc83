#pragma once
// A step that goes in pieces, as its master knows it. Guarded by the session's mutex.

#include <flowgraph/core/error.hpp>
#include <flowgraph/core/function.hpp>
#include <flowgraph/core/tensor.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {
namespace distributed {

struct step_pieces {
  using replied = unique_function<void(const error& why, std::string_view body, recycled_tensors tensors)>;
  struct part_rest {
    std::uint64_t sent = 0;                // pieces
    std::uint64_t taken = 0, balance = 0;  // as it has told of its rest
    bool rests = false, is_over = false;
  };

  // The piece has come to its end, as nothing can run any more. Parts tell of their rest at different times: a value that was sent since, or has
  // come since, is missing in the sum. So the first part that did something since would show.
  bool has_ended() const {
    std::uint64_t balance = 0;
    for (const part_rest& p : parts) {
      if (!p.is_over && !(p.rests && p.taken == p.sent)) return false;
      balance += p.balance;
    }
    return balance == 0;
  }

  std::vector<char> is_fed, is_asked;  // edges of the whole
  std::vector<part_rest> parts;
  bool has_begun = false;  // parts have been started
  // Of the piece that a client waits for: what is known of its fetches, each with its number, and their values.
  replied on_end = {};
  recycled_text known = {};
  recycled_tensors values = {};
};

}
}
}  // namespace flowgraph::distributed

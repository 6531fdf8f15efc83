#pragma once
// A step that proceeds in pieces, as its master knows it. Guarded by the session's mutex.

#include <flowgraph/core/error.hpp>
#include <flowgraph/core/function.hpp>
#include <flowgraph/core/tensor.hpp>

#include <cstdint>
#include <string_view>
#include <vector>

namespace flowgraph::inline FLOWGRAPH_ABI::distributed {

struct step_pieces {
  using replied = unique_function<void(const error& why, std::string_view body, recycled_tensors tensors)>;
  struct part_rest {
    std::uint64_t sent = 0;                // number of pieces
    std::uint64_t taken = 0, balance = 0;  // as last reported at rest
    bool rests = false, is_over = false;
  };

  // Returns whether the piece has ended: nothing can run any more. Parts report their rest at different times. If a part has sent
  // or received a value since its report, the sum of the balances is not 0. So the sum is 0 only if no part has done anything
  // since.
  bool has_ended() const {
    std::uint64_t balance = 0;
    for (const part_rest& p : parts) {
      if (!p.is_over && !(p.rests && p.taken == p.sent)) return false;
      balance += p.balance;
    }
    return balance == 0;
  }

  std::vector<char> is_fed, is_asked;  // edges of the whole plan
  std::vector<part_rest> parts;
  bool has_begun = false;  // parts have been started
  // The answer to the piece that a client waits for: `known` contains the number of each known fetch, and `values` their values.
  replied on_end = {};
  recycled_text known = {};
  recycled_tensors values = {};
};

}  // namespace flowgraph::distributed

// A queue that shuffles: a few elements stay behind while it is open, so that neighbours are torn apart; closing it lets the rest out.

#include <flowgraph/flowgraph.hpp>
#include <flowgraph/ops/data_flow/random_shuffle_queue.hpp>

#include <algorithm>
#include <cstdio>
#include <vector>

namespace fg = flowgraph;

int main() {
  fg::graph g;
  fg::random_shuffle_queue<std::int64_t> cards(g, {.capacity = 64, .min_after_dequeue = 16, .seed = 7, .shapes = {{}}});

  auto given = g.placeholder<std::int64_t>("given", {fg::any});
  auto put = cards.enqueue_many(given);
  auto no_more = cards.close();
  auto hand = cards.dequeue_up_to(8);
  fg::session s{g};

  std::vector<std::int64_t> dealt;
  const auto deal = [&](const fg::run_options& how) {
    const auto made = s.try_run(fg::fetch(hand), {}, how);
    if (!made) return std::printf("%s\n", made.error().what()), false;
    for (const std::int64_t card : *made) std::printf("%lld ", static_cast<long long>(card));
    std::printf("\n");
    dealt.insert(dealt.end(), made->begin(), made->end());
    return true;
  };

  for (std::int64_t pack = 0; pack < 4; ++pack) {
    fg::tensor<std::int64_t> eight({8});
    for (std::size_t i = 0; i < 8; ++i) eight.writable()[i] = 8 * pack + static_cast<std::int64_t>(i);
    s.run(put, {{given, eight}});
  }
  while (deal({.may_wait = false})) {}  // ends when only 16 are left: it would have to wait
  s.run(no_more);
  while (deal({})) {}  // and this when there are none

  const bool shuffled = !std::is_sorted(dealt.begin(), dealt.end());
  std::sort(dealt.begin(), dealt.end());
  bool all = dealt.size() == 32;
  for (std::size_t i = 0; all && i < 32; ++i) all = dealt[i] == static_cast<std::int64_t>(i);
  return shuffled && all ? 0 : 1;
}

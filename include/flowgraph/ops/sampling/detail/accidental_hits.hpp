#pragma once

#include <flowgraph/ops/sampling/accidental_hits.hpp>

#include <bit>
#include <limits>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// The last place of each sampled class: a table of twice as many entries as classes.
class sampled_places {
public:
  struct entry {
    std::int64_t sampled, place;  // place: -1 where there is no entry
  };
  static std::size_t size_for(std::int64_t classes) {
    return static_cast<std::size_t>(std::bit_ceil(static_cast<std::uint64_t>(classes) * 2 + 1));
  }

  sampled_places(entry* entries, view<const std::int64_t> sampled)
      : entries_(entries), mask_(size_for(static_cast<std::int64_t>(sampled.size())) - 1) {
    std::fill_n(entries, mask_ + 1, entry{0, -1});
    for (std::size_t i = 0; i < sampled.size(); ++i) find(sampled[i]) = {sampled[i], static_cast<std::int64_t>(i)};
  }
  // Returns the entry of a class, or the one where it would be.
  entry& find(std::int64_t k) const {
    std::size_t i = static_cast<std::size_t>(static_cast<std::uint64_t>(k) * 0x9E3779B97F4A7C15u >> 20) & mask_;
    while (entries_[i].place >= 0 && entries_[i].sampled != k) i = (i + 1) & mask_;
    return entries_[i];
  }

private:
  entry* entries_;
  std::size_t mask_;
};

FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE std::size_t accidental_hits_scratch(const shape& candidates) {
  return sampled_places::size_for(candidates[0]) * sizeof(sampled_places::entry);
}

}  // namespace detail

FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE std::array<shape, 3> compute_accidental_hits_op::shape(
    shape_context& c, const flowgraph::shape& true_classes, const flowgraph::shape& candidates) const {
  if (num_true < 0) c.fail(message{"num_true must not be negative, found ", num_true});
  else if (!fits(true_classes, {any, num_true}))
    c.fail(message{"true_classes must be a matrix with ", num_true, " columns, as num_true says"});
  else if (!fits(candidates, {any})) c.fail("sampled_candidates must be a vector");
  return {flowgraph::shape{any}, flowgraph::shape{any}, flowgraph::shape{any}};
}

FLOWGRAPH_KERNEL_INLINE void compute_accidental_hits_op::operator()(cpu ctx, view<const std::int64_t> true_classes,
                                                                    view<const std::int64_t> sampled_candidates,
                                                                    unsized<std::int32_t> rows, unsized<std::int64_t> places,
                                                                    unsized<float> weights) const {
  const detail::sampled_places sampled(ctx.scratch<detail::sampled_places::entry>(), sampled_candidates);
  std::int64_t hits = 0;
  for (const std::int64_t k : true_classes) hits += sampled.find(k).place >= 0;
  const view<std::int32_t> row = rows.resize({hits});
  const view<std::int64_t> place = places.resize({hits});
  const view<float> weight = weights.resize({hits});
  if (ctx.failed()) return;
  std::fill(weight.begin(), weight.end(), std::numeric_limits<float>::lowest());
  std::size_t found = 0;
  for (std::size_t i = 0; i < true_classes.size(); ++i) {
    const std::int64_t at = sampled.find(true_classes[i]).place;
    if (at < 0) continue;
    row[found] = static_cast<std::int32_t>(static_cast<std::int64_t>(i) / num_true);
    place[found++] = at;
  }
}

}  // namespace flowgraph

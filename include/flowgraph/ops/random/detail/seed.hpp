#pragma once
// Maps seeds to the start of a random stream.

#include <flowgraph/op/kernel.hpp>
#include <flowgraph/ops/random/detail/philox.hpp>

#include <optional>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

// The start of a stream for a seed. It is drawn from the seed, so that no part of the seed need be strong.
struct generator_start {
  std::uint64_t key, stream;

  philox source() const { return {key, stream}; }
};
inline generator_start scrambled_seed(std::uint64_t first, std::uint64_t second) {
  const philox::block x = philox(0x02461e293ec8f720u, second, first)();
  return {x[0] | std::uint64_t{x[1]} << 32, x[2] | std::uint64_t{x[3]} << 32};
}
inline generator_start start_of(const any_indices& seed) {
  return scrambled_seed(static_cast<std::uint64_t>(seed[0]), static_cast<std::uint64_t>(seed[1]));
}
inline philox source_at(const any_indices& seed) { return start_of(seed).source(); }

// Returns the stream for the inputs key, counter and algorithm. Fails if the algorithm is not Philox.
inline std::optional<philox> source_at(cpu ctx, view<const std::uint64_t> key, view<const std::uint64_t> counter,
                                       view<const std::int32_t> alg) {
  constexpr std::int32_t own = 1, any_algorithm = 3;
  if (alg.scalar() != own && alg.scalar() != any_algorithm) {
    ctx.fail(message{"unsupported algorithm ", alg.scalar(), ", expected 1 (Philox)"});
    return {};
  }
  if (counter.size() < 2) {
    ctx.fail(message{"the counter must have 2 elements, found ", counter.shape()});
    return {};
  }
  return philox(key[0], counter[1], counter[0]);
}

}  // namespace flowgraph::detail

#pragma once
// The axes of a call with the steps of its operands. Axes that can be walked as one become one.

#include <flowgraph/core/shape.hpp>

#include <array>
#include <cstddef>
#include <cstdint>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {
namespace cuda {

// The steps of a tensor without gaps.
struct steps_of {
  std::int64_t at[shape::max_rank] = {};
  explicit steps_of(const shape& s) {
    std::int64_t step = 1;
    for (int i = s.rank - 1; i >= 0; --i) {
      at[i] = step;
      step *= s[i];
    }
  }
  std::int64_t operator[](int axis) const { return at[axis]; }
};

// The axes of a result, each with the steps of `Operands` operands.
template <std::size_t Operands, std::size_t Most> class axes {
public:
  using steps = std::array<std::int64_t, Operands>;

  // Appends the next inner axis.
  void add(std::int64_t extent, const steps& by) {
    if (extent == 1) return;
    if (rank_ > 0 && continues(extent, by)) {
      extents_[rank_ - 1] *= extent;
      steps_[rank_ - 1] = by;
      return;
    }
    extents_[rank_] = extent;
    steps_[rank_++] = by;
  }
  int rank() const { return rank_; }
  void write(int& rank, std::int64_t* extents) const {
    rank = rank_;
    for (int i = 0; i < rank_; ++i) extents[i] = extents_[i];
  }
  void write_steps(std::size_t operand, std::int64_t* to) const {
    for (int i = 0; i < rank_; ++i) to[i] = steps_[i][operand];
  }

private:
  bool continues(std::int64_t extent, const steps& by) const {
    for (std::size_t k = 0; k < Operands; ++k)
      if (steps_[rank_ - 1][k] != by[k] * extent) return false;
    return true;
  }
  int rank_ = 0;
  std::int64_t extents_[Most] = {};
  steps steps_[Most] = {};
};

// Returns the step of an operand along axis `axis` of a result of rank `rank`: 0 if the operand is repeated along this axis.
inline std::int64_t broadcast_step(const shape& operand, const steps_of& steps, int axis, int rank) {
  const int own = axis - (rank - operand.rank);
  return own < 0 || operand[own] == 1 ? 0 : steps[own];
}

}
}
}  // namespace flowgraph::cuda

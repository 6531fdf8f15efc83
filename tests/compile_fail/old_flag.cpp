// An op with a flag by the name that it had before.
// expect: misfit<noise
// expect: flag_counts_runs_instead_of_random

#include "swish.hpp"

struct noise {
  static constexpr std::string_view name = "Noise";
  static constexpr bool not_differentiable = true;
#ifdef CONTROL
  static constexpr bool counts_runs = true;
  bool random = false;  // an attribute may have any name
#else
  static constexpr bool random = true;
#endif
  constexpr fg::shape shape(fg::shape x) const { return x; }
  void operator()(fg::cpu ctx, fg::view<const float>, fg::view<float> y) const { y[0] = static_cast<float>(ctx.ordinal()); }
};

void build(fg::out<float> x) { x = fg::apply(noise{}, x); }

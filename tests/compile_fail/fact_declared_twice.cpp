// An op that declares one fact in `facts`, and also in the form of earlier releases.
// expect: misfit<counted
// expect: fact_declared_twice
// expect: "stateful"

#include "swish.hpp"

struct counted {
  static constexpr std::string_view name = "Counted";
  static constexpr fg::op_facts facts{.not_differentiable = true, .stateful = true};
#ifndef CONTROL
  static constexpr bool stateful = true;
#endif
  static constexpr bool counts_runs = true;
  constexpr fg::shape shape(fg::shape x) const { return x; }
  void operator()(fg::cpu ctx, fg::view<const float>, fg::view<float> y) const { y[0] = static_cast<float>(ctx.ordinal()); }
};

void build(fg::out<float> x) { x = fg::apply(counted{}, x); }

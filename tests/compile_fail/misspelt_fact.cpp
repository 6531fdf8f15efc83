// An op that declares a fact by a name that is no fact.
// expect: op_facts
// expect: in_plase

#include "swish.hpp"

struct halved {
  static constexpr std::string_view name = "Halved";
#ifdef CONTROL
  static constexpr fg::op_facts facts{.not_differentiable = true, .in_place = true};
#else
  static constexpr fg::op_facts facts{.not_differentiable = true, .in_plase = true};
#endif
  constexpr fg::shape shape(fg::shape x) const { return x; }
  void operator()(fg::cpu, fg::view<const float> x, fg::view<float> y) const { y[0] = x[0] / 2; }
};

// An op that says neither how it differentiates nor that it does not.
// expect: misfit<round_to
// expect: gradient_or_not_differentiable

#include "swish.hpp"

struct round_to {
  static constexpr std::string_view name = "RoundTo";
  using types = fg::floating;
#ifdef CONTROL
  static constexpr fg::op_facts facts{.not_differentiable = true};
#endif
  constexpr fg::shape shape(fg::shape x) const { return x; }
  template <class T> void operator()(fg::cpu, fg::view<const T> x, fg::view<T> y) const { y[0] = x[0]; }
};

void build(fg::out<float> x) { x = fg::apply(round_to{}, x); }

// An op whose output has no shape rule.
// expect: misfit<doubled
// expect: shape_rule

#include "swish.hpp"

struct doubled {
  static constexpr std::string_view name = "Doubled";
  using types = fg::numbers;
  static constexpr fg::op_facts facts{.not_differentiable = true};
#ifdef CONTROL
  constexpr fg::shape shape(fg::shape x) const { return x; }
#endif
  template <class T> void operator()(fg::cpu, fg::view<const T> x, fg::view<T> y) const { y[0] = x[0] + x[0]; }
};

void build(fg::out<float> x) { x = fg::apply(doubled{}, x); }

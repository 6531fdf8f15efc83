// An op whose kernel has a parameter of a type that is no argument.
// expect: misfit<doubled
// expect: kernel_with_cpu_first_and_a_type_parameter_per_type_attribute

#include "swish.hpp"

#include <vector>

struct doubled {
  static constexpr std::string_view name = "Doubled";
  static constexpr fg::op_facts facts{.not_differentiable = true};
  constexpr fg::shape shape(fg::shape x) const { return x; }
#ifdef CONTROL
  void operator()(fg::cpu, fg::view<const float> x, fg::view<float> y) const { y[0] = x[0] + x[0]; }
#else
  void operator()(fg::cpu, const std::vector<float>& x, fg::view<float> y) const { y[0] = x[0] + x[0]; }
#endif
};

void build(fg::out<float> x) { fg::apply(doubled{}, x); }

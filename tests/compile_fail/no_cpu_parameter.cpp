// An op whose kernel does not take fg::cpu.
// expect: misfit<doubled
// expect: kernel_with_cpu_first_and_a_type_parameter_per_type_attribute

#include "swish.hpp"

struct doubled {
  static constexpr std::string_view name = "Doubled";
  using types = fg::numbers;
  static constexpr fg::op_facts facts{.not_differentiable = true};
  constexpr fg::shape shape(fg::shape x) const { return x; }
#ifdef CONTROL
  template <class T> void operator()(fg::cpu, fg::view<const T> x, fg::view<T> y) const { y[0] = x[0] + x[0]; }
#else
  template <class T> void operator()(fg::view<const T> x, fg::view<T> y) const { y[0] = x[0] + x[0]; }
#endif
};

void build(fg::out<float> x) { fg::apply(doubled{}, x); }

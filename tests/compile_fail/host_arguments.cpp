// An op that declares an input which it does not have to be in host memory.
// expect: misfit<shifted
// expect: host_inputs_and_outputs_of_the_signature

#include "swish.hpp"

struct shifted {
  static constexpr std::string_view name = "Shifted";
  static constexpr fg::op_facts facts{.not_differentiable = true};
#ifdef CONTROL
  static constexpr auto host_inputs = fg::host_inputs(1);
#else
  static constexpr auto host_inputs = fg::host_inputs(2);  // counted from 1
#endif
  constexpr fg::shape shape(fg::shape x, fg::shape) const { return x; }
  void operator()(fg::cpu, fg::view<const float> x, fg::view<const std::int32_t> by, fg::view<float> y) const {
    y[0] = x[static_cast<std::size_t>(by[0])];
  }
};

void build(fg::out<float> x, fg::out<std::int32_t> by) { x = fg::apply(shifted{}, x, by); }

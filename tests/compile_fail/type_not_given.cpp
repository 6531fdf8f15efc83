// An element type that no input says is not given.
// expect: misfit<cast_to,
// expect: type_not_given

#include "swish.hpp"

struct cast_to {
  static constexpr std::string_view name = "CastTo";
  using types = fg::type_attrs<fg::type_attr<"SrcT", fg::numbers>, fg::type_attr<"DstT", fg::numbers>>;
  static constexpr fg::op_facts facts{.not_differentiable = true};
  constexpr fg::shape shape(fg::shape x) const { return x; }
  template <class From, class To> void operator()(fg::cpu, fg::view<const From>, fg::view<To>) const {}
};

void build(fg::out<float> x) {
#ifdef CONTROL
  fg::out<int> y = fg::apply_as<float, int>({}, cast_to{}, x);
  y = {};
#else
  fg::apply(cast_to{}, x);
#endif
}

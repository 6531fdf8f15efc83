#pragma once
// A target that assigns values to several variables.
//
//     auto reset = fg::assign_all(g, {{w, w0}, {b, b0}});
//     auto swapped = fg::assign_all(g, {{front, back}, {back, front}});

#include <flowgraph/ops/array/identity.hpp>
#include <flowgraph/ops/state/variable.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

// A variable and its new value.
struct assignment {
  any_out variable, value;  // the variable, and its new value
  any_out (*assign)(const any_out& variable, const any_out& value, const site& s);
  any_out (*read)(const any_out& value, const site& s);

  template <class T>
  assignment(const flowgraph::variable<T>& v, const std::type_identity_t<out<T>>& x)
      : variable(v), value(x), assign([](const any_out& to, const any_out& from, const site& s) -> any_out {
          return apply(assign_op{}, out<T>(to.source, to.port), out<T>(from.source, from.port), s);
        }),
        read([](const any_out& of, const site& s) -> any_out { return identity(out<T>(of.source, of.port), s); }) {}
};

// Returns a target that assigns all values. All values are computed before the first variable changes, so the values may depend
// on the variables. Runs on other threads may see some variables changed and others unchanged.
target assign_all(const graph& g, std::span<const assignment> list, site s = {});
inline target assign_all(const graph& g, std::initializer_list<assignment> list, site s = {}) {
  return assign_all(g, std::span<const assignment>(list.begin(), list.size()), s);
}

}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/ops/state/impl/assign_all.hpp>
#endif

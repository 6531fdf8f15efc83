#pragma once
// Trains parts of a model: the variables of some scopes can be frozen, and scopes can have different optimizers.
//
//     fg::frozen_scopes frozen(g, {"encoder"});                      // while this object exists
//     auto tune = fg::adam{.rate = 1e-3f}.minimize(loss);            // all variables except the encoder's
//
//     const auto parts = fg::sgd{}.gradients(loss);
//     auto both = fg::group(fg::sgd{.rate = 1e-4f}.apply(fg::select_scopes(parts, {"encoder"})),
//                           fg::sgd{.rate = 1e-2f}.apply(fg::leave_out_scopes(parts, {"encoder"})));

#include <flowgraph/graph/graph.hpp>
#include <flowgraph/train/optimizer.hpp>

#include <initializer_list>
#include <string_view>
#include <vector>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// Matches "scope" and "scope/w", but not "scope_1".
inline bool is_in_scope(std::string_view name, std::string_view scope) {
  if (scope.ends_with('/')) scope.remove_suffix(1);
  return scope.empty() || (name.starts_with(scope) && (name.size() == scope.size() || name[scope.size()] == '/'));
}

template <class T>
trained_list<T> in_scopes(const trained_list<T>& list, std::initializer_list<std::string_view> scopes, bool wanted) {
  trained_list<T> result;
  for (const trained<T>& t : list) {
    bool found = false;
    for (const std::string_view scope : scopes) found = found || is_in_scope(t.variable.source->name, scope);
    if (found == wanted) result.push_back(t);
  }
  return result;
}

}  // namespace detail

// A guard that freezes the variables of some scopes: optimizers that are created while it exists do not train them. When the
// guard is destroyed, the variables that were trainable before are trainable again. A scope without variables is an error,
// because its name is probably mistyped.
class frozen_scopes {
public:
  frozen_scopes(const graph& g, std::initializer_list<std::string_view> scopes, site s = {});
  ~frozen_scopes();
  frozen_scopes(const frozen_scopes&) = delete;
  frozen_scopes& operator=(const frozen_scopes&) = delete;

  // Returns the frozen variables.
  const any_out_list& variables() const noexcept { return frozen_; }

private:
  graph graph_;
  any_out_list frozen_;
};

// Returns those entries of a list whose variable is in one of the scopes.
template <class T> trained_list<T> select_scopes(const trained_list<T>& list, std::initializer_list<std::string_view> scopes) {
  return detail::in_scopes(list, scopes, true);
}
// Returns those entries of a list whose variable is in none of the scopes.
template <class T> trained_list<T> leave_out_scopes(const trained_list<T>& list, std::initializer_list<std::string_view> scopes) {
  return detail::in_scopes(list, scopes, false);
}

}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/train/impl/scopes.hpp>
#endif

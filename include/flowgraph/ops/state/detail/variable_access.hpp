#pragma once
// Access of kernels to variables, by reference edge or by handle.

#include <flowgraph/ops/shared/detail/elementwise.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

// Returns the variable of that name in the run's container, counted. Makes it if there is none. If it has another type or shape,
// fails and returns an empty handle.
resource find_variable(cpu ctx, dtype type, const shape& declared, std::string_view section, std::string_view shared_name);

// Returns whether the declaration of a variable agrees with this shape.
bool is_declared_alike(variable_state& v, const shape& declared);

// Returns the variable that a handle names. If there is none of that type, fails and returns null.
variable_state* variable_of_handle(cpu ctx, view<const resource> handle, dtype type);

// Assigns `value` to a variable that the caller has locked. Shares its buffer if that is safe.
void assign_value(cpu ctx, variable_state& v, const any_tensor& value, bool validate_shape);

// Returns the name of the variable behind input `i`, for errors.
std::string variable_name(cpu ctx, std::size_t i);

void fail_uninitialized(cpu ctx, std::size_t input, error_code code);

// Returns whether the variable behind input `i` has a value of that type. Fails otherwise, with `code` if it has no value.
bool check_variable(cpu ctx, variable_state& v, dtype type, std::size_t input, error_code code);

template <class T> bool is_usable(cpu ctx, const reference<T>& v, std::size_t input = 0) {
  return check_variable(ctx, v.state(), dtype_of<T>, input, error_code::failed_precondition);
}
// In TensorFlow, the resource does not exist before the first assignment.
template <class T> bool is_usable(cpu ctx, const variable_handle<T>& v, std::size_t input = 0) {
  return check_variable(ctx, v.state(), dtype_of<T>, input, error_code::not_found);
}

void fail_shapes(cpu ctx, std::string_view what, const shape& variable, const shape& value);

// Sets variable = F(variable, value), element by element.
template <class F, class Access, class T> void change_value(cpu ctx, const Access& v, view<const T> value) {
  if (!is_usable(ctx, v)) return;
  if (v.shape() != value.shape()) return fail_shapes(ctx, "value", v.shape(), value.shape());
  const view<T> w = v.update();
  if (ctx.failed()) return;
  ctx.parallel_ranges(static_cast<std::int64_t>(w.size()), elements_per_block, [&](std::int64_t first, std::int64_t last) {
    binary_row_of<F, T>(w.data() + first, value.data() + first, w.data() + first, last - first, row_form::both);
  });
}

}  // namespace flowgraph::detail

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/ops/state/impl/variable_access.hpp>
#endif

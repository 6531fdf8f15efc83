#pragma once

#include <flowgraph/graph/node.hpp>
#include <flowgraph/ops/shared/detail/move.hpp>
#include <flowgraph/ops/state/detail/variable_access.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

// If there is a value, its shape decides. A declaration may leave the shape open, and old files write a scalar for that.
FLOWGRAPH_INLINE bool detail::is_declared_alike(variable_state& v, const shape& declared) {
  if (v.shape() == declared) return true;
  if (const any_tensor now = v.read(); now.has_value()) return fits(now.shape(), declared);
  return v.shape().rank == 0 || declared.rank == 0 || fits(v.shape(), declared);
}

FLOWGRAPH_INLINE resource detail::find_variable(cpu ctx, dtype type, const shape& declared, std::string_view section,
                                                std::string_view shared_name) {
  container& all = ctx.resources();
  const std::string_view name = shared_name.empty() ? ctx.at()->name : shared_name;
  auto found = all.find_or_make(section, name, kind_of<variable_state>(),
                                [&]() -> resource_base* { return new variable_state(type, declared, ctx.lasting_memory()); });
  if (!found) {
    ctx.fail(found.error());
    return {};
  }
  variable_state* const v = found->as<variable_state>();
  const far_memory* const there = far_memory::from(v->memory());
  const bool is_here = there == far_memory::from(ctx.lasting_memory());
  if (!is_here) {
    ctx.fail(error_code::failed_precondition,
             message{"variable '", name,
                     there ? "' lies in the memory of a device that this node is not on"
                           : "' lies on the host, and this node is on a device that cannot read it there"});
  } else if (v->type() != type) {
    ctx.fail(message{"variable '", name, "' exists with type ", name_of(v->type()), ", expected ", name_of(type)});
  } else if (!is_declared_alike(*v, declared)) {
    const any_tensor now = v->read();
    ctx.fail(
        message{"variable '", name, "' exists with shape ", now.has_value() ? now.shape() : v->shape(), ", expected ", declared});
  } else {
    return *std::move(found);
  }
  return {};
}

FLOWGRAPH_INLINE variable_state* detail::variable_of_handle(cpu ctx, view<const resource> handle, dtype type) {
  variable_state* v = handle.size() == 1 ? handle.scalar().as<variable_state>() : nullptr;
  if (!v) {
    ctx.fail(error_code::failed_precondition, "input 0 does not name a variable");
    return nullptr;
  }
  if (v->type() == type) return v;
  ctx.fail(message{"variable '", variable_name(ctx, 0), "' has type ", name_of(v->type()), ", expected ", name_of(type)});
  return nullptr;
}

FLOWGRAPH_INLINE void detail::assign_value(cpu ctx, variable_state& v, const any_tensor& value, bool validate_shape) {
  if (v.type() != value.type())
    return ctx.fail(message{"variable '", variable_name(ctx, 0), "' has type ", name_of(v.type()), ", found a value of type ",
                            name_of(value.type())});
  any_tensor& held = v.value();
  const shape& expected = held.has_value() ? held.shape() : v.shape();
  if (validate_shape && !fits(value.shape(), expected)) return fail_shapes(ctx, "assigned value", expected, value.shape());
  if (!value.is_owned() && held.size() == value.size() && held.is_unique()) {
    if (held.is_far()) {
      std::pmr::memory_resource* const from = value.owner() ? nullptr : ctx.memory();
      if (error why = copy_between(from, value.data(), held.owner()->memory(), held.data(), value.bytes())) return ctx.fail(why);
    } else {
      copy_elements({static_cast<std::uint32_t>(size_of(value.type())), value.type() == dtype::string}, value.data(), held.data(),
                    static_cast<std::int64_t>(value.size()));
    }
    if (held.shape() != value.shape()) held = held.reshaped(value.shape());
    return;
  }
  any_tensor kept = kept_value(ctx, value, v.memory());
  if (!ctx.failed()) held = std::move(kept);
}

FLOWGRAPH_INLINE std::string detail::variable_name(cpu ctx, std::size_t i) {
  return ctx.at() ? name_of_input(*ctx.at(), i) : "?";
}

FLOWGRAPH_INLINE void detail::fail_uninitialized(cpu ctx, std::size_t input, error_code code) {
  ctx.fail(code, message{"attempting to use uninitialized value '", variable_name(ctx, input),
                         "': run its initializer (session::initialize) first"});
}

FLOWGRAPH_INLINE bool detail::check_variable(cpu ctx, variable_state& v, dtype type, std::size_t input, error_code code) {
  if (v.type() != type)
    return detail::fail_check(
        ctx, message{"variable '", variable_name(ctx, input), "' has type ", name_of(v.type()), ", expected ", name_of(type)});

  if (!v.value().has_value()) {
    fail_uninitialized(ctx, input, code);
    return false;
  }
  return true;
}

FLOWGRAPH_INLINE void detail::fail_shapes(cpu ctx, std::string_view what, const shape& variable, const shape& value) {
  ctx.fail(message{"the ", what, " must have the variable's shape ", variable, ", found ", value});
}

}  // namespace flowgraph

#pragma once

#include <flowgraph/core/threads.hpp>
#include <flowgraph/graph/node.hpp>
#include <flowgraph/ops/state/temporary.hpp>

#include <cstring>
#include <deque>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

namespace detail {

// The temporary variables of a run. Those that are destroyed are held to its end: reference edges still lead to them.
struct temporary_variables final : resource_base {
  struct entry {
    std::string name;
    std::uint64_t iteration;
    resource variable;
    bool lives;
  };
  temporary_variables() : resource_base(kind_of<temporary_variables>()) {}

  threading::mutex mutex;
  std::deque<entry> entries;
};

// Counted, and failed when it is not there.
FLOWGRAPH_KERNEL_INLINE resource find_temporaries(cpu ctx) {
  auto found = ctx.run_resources().find_or_make({}, "temporary_variables", kind_of<temporary_variables>(),
                                                []() -> resource_base* { return new temporary_variables; });
  if (found) return *std::move(found);
  ctx.fail(found.error());
  return {};
}

FLOWGRAPH_KERNEL_INLINE variable_state* make_temporary(cpu ctx, dtype type, const shape& declared, const std::string& var_name) {
  if (!declared.is_known()) {
    ctx.fail(error_code::invalid_argument, message{"a temporary variable must have a known shape, found ", declared});
    return nullptr;
  }
  const resource all = find_temporaries(ctx);
  const resource made(new variable_state(type, declared, ctx.lasting_memory()));
  auto value = any_tensor::allocate(type, declared, ctx.lasting_memory());
  if (!value) ctx.fail(value.error());
  if (ctx.failed()) return nullptr;
  if (is_plain(type)) std::memset(value->data(), 0, value->bytes());
  made.as<variable_state>()->value() = *std::move(value);
  auto& temporaries = *all.as<temporary_variables>();
  const std::string_view name = var_name.empty() ? std::string_view(ctx.at()->name) : std::string_view(var_name);
  const threading::lock_guard lock(temporaries.mutex);
  for (const auto& e : temporaries.entries)
    if (e.lives && e.iteration == ctx.iteration() && e.name == name) {
      ctx.fail(error_code::already_exists, message{"a temporary variable '", name, "' exists in this run"});
      return nullptr;
    }
  temporaries.entries.push_back({std::string(name), ctx.iteration(), made, true});
  return made.as<variable_state>();
}

// Takes the value out of a temporary variable, which the caller has locked.
FLOWGRAPH_KERNEL_INLINE any_tensor destroy_temporary(cpu ctx, variable_state& v, const std::string& name) {
  const resource all = find_temporaries(ctx);
  if (ctx.failed()) return {};
  auto& temporaries = *all.as<temporary_variables>();
  const threading::lock_guard lock(temporaries.mutex);
  for (auto& e : temporaries.entries) {
    if (!e.lives || e.variable.base != &v || e.name != name) continue;
    e.lives = false;
    return std::exchange(v.value(), {});
  }
  ctx.fail(error_code::not_found, message{"the run has no temporary variable '", name, "' for this reference"});
  return {};
}

}  // namespace detail

template <class T> void temporary_variable_op::operator()(cpu ctx, reference_out<T> y) const {
  if (variable_state* v = detail::make_temporary(ctx, dtype_of<T>, declared, var_name)) y.set(v);
}

template <class T> void destroy_temporary_variable_op::operator()(cpu ctx, reference<T> ref, unsized<T> y) const {
  any_tensor value = detail::destroy_temporary(ctx, ref.state(), var_name);
  if (!ctx.failed()) y.share(std::move(value));
}

}
}  // namespace flowgraph

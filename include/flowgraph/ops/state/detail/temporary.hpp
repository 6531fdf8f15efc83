#pragma once

#include <flowgraph/core/threads.hpp>
#include <flowgraph/graph/node.hpp>
#include <flowgraph/ops/state/temporary.hpp>

#include <cstring>
#include <deque>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// The temporary variables of a run. Destroyed ones are kept until its end, because reference edges may still point to them. A
// prepared step keeps them, without values, for the next calls of the nodes that made them.
struct temporary_variables final : resource_base {
  enum class life : std::uint8_t { idle, alive, destroyed };
  struct entry {
    std::uint32_t maker;    // the id of the node
    std::string_view name;  // the name of the node, or an attribute
    std::uint64_t iteration;
    resource variable;
    life phase;
  };
  explicit temporary_variables(bool is_shared) : resource_base(kind_of<temporary_variables>()), is_shared_(is_shared) {}

  // Returns a lock for the time of a use, without a mutex if one thread uses them.
  threading::unique_lock<threading::mutex> locked() {
    return is_shared_ ? threading::unique_lock<threading::mutex>(mutex_) : threading::unique_lock<threading::mutex>();
  }
  bool renew() override {
    for (entry& e : entries) {
      e.variable.as<variable_state>()->value() = {};
      e.phase = life::idle;
    }
    return true;
  }

  std::deque<entry> entries;

private:
  const bool is_shared_;
  threading::mutex mutex_;
};

// Returns a counted handle of the run's temporary variables. If it is not available, fails and returns an empty handle.
FLOWGRAPH_KERNEL_INLINE resource find_temporaries(cpu ctx) {
  container& of = ctx.run_resources();
  auto found = of.find_or_make({}, "temporary_variables", kind_of<temporary_variables>(),
                               [&]() -> resource_base* { return new temporary_variables(!of.is_of_one_thread()); });
  if (found) return *std::move(found);
  ctx.fail(found.error());
  return {};
}

FLOWGRAPH_KERNEL_INLINE variable_state* make_temporary(cpu ctx, dtype type, const shape& declared, const std::string& var_name) {
  if (!declared.is_known()) {
    ctx.fail(message{"a temporary variable must have a known shape, found ", declared});
    return nullptr;
  }
  const resource all = find_temporaries(ctx);
  auto value = any_tensor::allocate(type, declared, ctx.memory());
  if (!value) ctx.fail(value.error());
  if (ctx.failed()) return nullptr;
  if (is_plain(type)) std::memset(value->data(), 0, value->bytes());
  auto& temporaries = *all.as<temporary_variables>();
  const std::string_view name = var_name.empty() ? std::string_view(ctx.at()->name) : std::string_view(var_name);
  using life = temporary_variables::life;
  const auto lock = temporaries.locked();
  temporary_variables::entry* kept = nullptr;
  for (auto& e : temporaries.entries) {
    if (e.phase == life::idle && e.maker == ctx.at()->id) kept = &e;
    if (e.phase != life::alive || e.iteration != ctx.iteration() || e.name != name) continue;
    ctx.fail(error_code::already_exists, message{"a temporary variable '", name, "' exists in this run"});
    return nullptr;
  }
  if (!kept) {
    const resource object(new variable_state(type, declared, ctx.memory()));
    temporaries.entries.push_back({ctx.at()->id, name, 0, object, life::idle});
    kept = &temporaries.entries.back();
  }
  kept->iteration = ctx.iteration();
  kept->phase = life::alive;
  auto* const variable = kept->variable.as<variable_state>();
  variable->value() = *std::move(value);
  return variable;
}

// Removes the value of a temporary variable, which the caller has locked.
FLOWGRAPH_KERNEL_INLINE any_tensor destroy_temporary(cpu ctx, variable_state& v, const std::string& name) {
  const resource all = find_temporaries(ctx);
  if (ctx.failed()) return {};
  auto& temporaries = *all.as<temporary_variables>();
  const auto lock = temporaries.locked();
  for (auto& e : temporaries.entries) {
    if (e.phase != temporary_variables::life::alive || e.variable.base != &v || e.name != name) continue;
    e.phase = temporary_variables::life::destroyed;
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

}  // namespace flowgraph

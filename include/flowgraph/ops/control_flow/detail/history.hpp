#pragma once

#include <flowgraph/graph/node.hpp>
#include <flowgraph/ops/control_flow/detail/history_entry.hpp>
#include <flowgraph/ops/control_flow/history.hpp>
#include <flowgraph/ops/shared/detail/move.hpp>
#include <flowgraph/ops/shared/detail/variant_value.hpp>

#include <cstring>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

FLOWGRAPH_KERNEL_INLINE void share_history(unsized<resource> y, resource history) {
  if (const view<resource> result = y.resize({}); result.size() == 1) result.scalar() = std::move(history);
}

// Returns the last entry. If there is none, the call fails and returns null.
FLOWGRAPH_KERNEL_INLINE const history_entry* last_entry(cpu ctx, view<const resource> history) {
  const auto* entry = history.scalar().as<history_entry>();
  if (!entry) ctx.fail(error_code::failed_precondition, "the history has no iteration left");
  return entry;
}

FLOWGRAPH_KERNEL_INLINE any_tensor history_value(cpu ctx, view<const resource> history, std::int64_t index, dtype type) {
  const history_entry* entry = last_entry(ctx, history);
  if (!entry) return {};
  if (index < 0 || index >= static_cast<std::int64_t>(entry->values().size())) {
    ctx.fail(message{"the entry of the history has ", entry->values().size(), " values; there is no value ", index});
    return {};
  }
  const any_tensor& value = entry->values()[static_cast<std::size_t>(index)];
  if (value.type() == type) return value;
  ctx.fail(message{"value ", index, " of the history is of type ", name_of(value.type()), ", expected ", name_of(type)});
  return {};
}

template <class T> void add_values(T* sum, const T* x, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) sum[i] = static_cast<T>(sum[i] + x[i]);
}

// Returns a handle as a value, in the run's memory.
FLOWGRAPH_KERNEL_INLINE any_tensor handle_value(cpu ctx, resource history) {
  auto result = any_tensor::allocate(dtype::resource, {}, ctx.memory());
  if (!result) {
    ctx.fail(result.error());
    return {};
  }
  result->as_writable<resource>()[0] = std::move(history);
  return *std::move(result);
}

FLOWGRAPH_KERNEL_INLINE resource sum_of_histories(cpu ctx, const resource& a, const resource& b);

// Adds two values of entries. A value without gradient is a boolean; histories are added entry by entry.
FLOWGRAPH_KERNEL_INLINE any_tensor sum_of_values(cpu ctx, const any_tensor& a, const any_tensor& b) {
  if (a.type() == dtype::boolean) return b;
  if (b.type() == dtype::boolean) return a;
  const auto refuse = [&](const message& why) {
    ctx.fail(error_code::invalid_argument, why);
    return any_tensor();
  };
  if (a.type() != b.type() || a.shape() != b.shape())
    return refuse(message{"a value of two histories to be added is ", name_of(a.type()), a.shape(), " in the first and ",
                          name_of(b.type()), b.shape(), " in the second"});
  if (a.type() == dtype::resource) {
    return handle_value(ctx, sum_of_histories(ctx, a.as<resource>().scalar(), b.as<resource>().scalar()));
  }
  auto sum = a.copy(ctx.memory());
  if (!sum) {
    ctx.fail(sum.error());
    return {};
  }
  if (a.type() == dtype::variant) {
    for (std::size_t i = 0; i < sum->size() && !ctx.failed(); ++i)
      add_to_variant(ctx, sum->as_writable<variant>()[i], b.as<variant>()[i]);
    return *std::move(sum);
  }
  const bool added = visit_type(
      a.type(),
      [&]<class T>() {
        if constexpr (in_list<T, numbers>) add_values(sum->as_writable<T>().data(), b.as<T>().data(), sum->size());
        return in_list<T, numbers>;
      },
      [] { return false; });
  return added ? *std::move(sum) : refuse(message{"values of type ", name_of(a.type()), " have no sum"});
}

// Entries are paired from the last. If one history is shorter, the rest of the other is shared.
FLOWGRAPH_KERNEL_INLINE resource sum_of_histories(cpu ctx, const resource& a, const resource& b) {
  resource sum;
  resource* end = &sum;
  resource x = a, y = b;
  while (true) {
    const auto* const first = x.as<history_entry>();
    const auto* const second = y.as<history_entry>();
    if (!first || !second) {
      *end = first ? x : y;
      return sum;
    }
    const std::size_t size = std::max(first->values().size(), second->values().size());
    auto* const result = history_entry::make({}, size, ctx.memory());
    if (!result) {
      ctx.fail(error_code::resource_exhausted, message{"no memory for an entry of ", size, " values"});
      return sum;
    }
    *end = resource(result);
    end = &result->before;
    for (std::size_t i = 0; i < size && !ctx.failed(); ++i)
      result->values()[i] = i >= first->values().size()    ? second->values()[i]
                            : i >= second->values().size() ? first->values()[i]
                                                           : sum_of_values(ctx, first->values()[i], second->values()[i]);
    if (ctx.failed()) return sum;
    resource earlier = first->before;
    y = resource(second->before);
    x = std::move(earlier);
  }
}

FLOWGRAPH_KERNEL_INLINE resource zeros_like_history(cpu ctx, const resource& history);

FLOWGRAPH_KERNEL_INLINE any_tensor zeros_like_value(cpu ctx, const any_tensor& value) {
  if (value.type() == dtype::resource && value.size() == 1 && value.as<resource>().scalar().as<history_entry>()) {
    return handle_value(ctx, zeros_like_history(ctx, value.as<resource>().scalar()));
  }
  const bool has_gradient = carries_gradient(value.type());
  auto zeros = any_tensor::allocate(has_gradient ? value.type() : dtype::boolean,
                                    has_gradient ? value.shape() : flowgraph::shape{}, ctx.memory());
  if (!zeros) {
    ctx.fail(zeros.error());
    return {};
  }
  if (value.type() == dtype::variant) {
    for (std::size_t i = 0; i < value.size() && !ctx.failed(); ++i)
      zeros->as_writable<variant>()[i] = zeros_like_variant(ctx, value.as<variant>()[i]);
  } else if (zeros->bytes() > 0) {
    std::memset(zeros->data(), 0, zeros->bytes());
  }
  return *std::move(zeros);
}
FLOWGRAPH_KERNEL_INLINE resource zeros_like_history(cpu ctx, const resource& history) {
  resource zeros;
  resource* end = &zeros;
  for (const auto* e = history.as<history_entry>(); e && !ctx.failed(); e = e->before.as<history_entry>()) {
    auto* const result = history_entry::make({}, e->values().size(), ctx.memory());
    if (!result) {
      ctx.fail(error_code::resource_exhausted, message{"no memory for an entry of ", e->values().size(), " values"});
      break;
    }
    *end = resource(result);
    end = &result->before;
    for (std::size_t i = 0; i < e->values().size() && !ctx.failed(); ++i)
      result->values()[i] = zeros_like_value(ctx, e->values()[i]);
  }
  return zeros;
}

}  // namespace detail

FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE shape push_history_op::shape(shape_context& c, const flowgraph::shape& history,
                                                                    std::span<const flowgraph::shape>) const {
  return history.rank > 0 ? c.fail("the history must be a scalar handle") : flowgraph::shape{};
}

FLOWGRAPH_KERNEL_INLINE void empty_history_op::operator()(cpu, unsized<resource> history) const { history.share(value); }

FLOWGRAPH_KERNEL_INLINE void push_history_op::operator()(cpu ctx, view<const resource> history, any_list values,
                                                         unsized<resource> longer) const {
  auto* const entry = detail::history_entry::make(history.scalar(), values.size(), ctx.memory());
  if (!entry) return ctx.fail(error_code::resource_exhausted, message{"no memory for an entry of ", values.size(), " values"});
  resource object(entry);
  for (std::size_t i = 0; i < values.size(); ++i) entry->values()[i] = detail::kept_value(ctx, values[i], ctx.memory());
  if (!ctx.failed()) detail::share_history(longer, std::move(object));
}

FLOWGRAPH_KERNEL_INLINE void pop_history_op::operator()(cpu ctx, view<const resource> history, unsized<resource> shorter) const {
  if (const detail::history_entry* entry = detail::last_entry(ctx, history)) detail::share_history(shorter, entry->before);
}

FLOWGRAPH_KERNEL_INLINE void add_histories_op::operator()(cpu ctx, view<const resource> a, view<const resource> b,
                                                          unsized<resource> sum) const {
  resource object = detail::sum_of_histories(ctx, a.scalar(), b.scalar());
  if (!ctx.failed()) detail::share_history(sum, std::move(object));
}

FLOWGRAPH_KERNEL_INLINE void zeros_like_history_op::operator()(cpu ctx, view<const resource> history,
                                                               unsized<resource> zeros) const {
  resource object = detail::zeros_like_history(ctx, history.scalar());
  if (!ctx.failed()) detail::share_history(zeros, std::move(object));
}

// One kernel serves all types (impl/flow_tables.hpp); the node has the type.
template <class T> void history_value_op::operator()(cpu ctx, view<const resource> history, unsized<T> value) const {
  any_tensor found = detail::history_value(ctx, history, index, ctx.at()->outputs[0].type);
  if (!ctx.failed()) value.share(std::move(found));
}

FLOWGRAPH_KERNEL_INLINE void has_history_op::operator()(cpu, view<const resource> history, view<bool> y) const {
  y.scalar() = history.scalar().as<detail::history_entry>() != nullptr;
}

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>

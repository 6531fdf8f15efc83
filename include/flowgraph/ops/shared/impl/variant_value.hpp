#pragma once

#include <flowgraph/ops/shared/detail/variant_value.hpp>

#include <algorithm>
#include <cstring>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

// ---- lists

// Destroys nested lists one after another. A loop can nest them thousands deep, and the stack has no room for a call each.
FLOWGRAPH_INLINE void take_apart(std::span<any_tensor> values) {
  thread_local std::vector<variant>* waiting = nullptr;
  std::vector<variant> own;
  const bool is_outermost = !waiting;
  if (is_outermost) waiting = &own;
  for (any_tensor& v : values)
    if (v.type() == dtype::variant && v.is_unique())
      for (variant& element : v.as_writable<variant>())
        if (element.base && element.base->is_unique()) waiting->push_back(std::move(element));
  if (!is_outermost) return;
  while (!own.empty()) {
    const variant next = std::move(own.back());
    own.pop_back();
  }
  waiting = nullptr;
}

FLOWGRAPH_INLINE list_value::~list_value() {
  if (type == dtype::variant) take_apart(kept());
}
FLOWGRAPH_INLINE optional_value::~optional_value() { take_apart(values); }

FLOWGRAPH_INLINE const any_tensor* list_value::find(std::int64_t i) const noexcept {
  if (i < first_ || i - first_ >= static_cast<std::int64_t>(kept_.size())) return nullptr;
  const any_tensor& value = kept_[static_cast<std::size_t>(i - first_)];
  return value.has_value() ? &value : nullptr;
}

FLOWGRAPH_INLINE void list_value::resize(std::int64_t size) noexcept {
  size_ = size;
  if (const std::int64_t left = std::max<std::int64_t>(0, size - first_); left < static_cast<std::int64_t>(kept_.size()))
    kept_.shrink(static_cast<std::size_t>(left));
  if (kept_.size() == 0) first_ = 0;
}

// Makes room for elements [first, last). Growth at the front makes room from element 0 on, because a loop that counts down
// repeats it often.
FLOWGRAPH_INLINE bool list_value::keep(std::int64_t first, std::int64_t last) {
  if (kept_.size() == 0) {
    first_ = first;
    return kept_.grow(static_cast<std::size_t>(last - first));
  }
  if (first >= first_) return kept_.grow(std::max(kept_.size(), static_cast<std::size_t>(last - first_)));
  const auto moved = static_cast<std::size_t>(first_);
  limited_list<any_tensor> all(kept_.memory());
  if (!all.grow(moved + kept_.size())) return false;
  std::move(kept_.begin(), kept_.end(), all.begin() + moved);
  all.swap(kept_);
  first_ = 0;
  return true;
}

FLOWGRAPH_INLINE bool list_value::set(std::int64_t i, any_tensor value) {
  if (!keep(i, i + 1)) return false;
  kept_[static_cast<std::size_t>(i - first_)] = std::move(value);
  return true;
}

FLOWGRAPH_INLINE variant list_value::copy(std::pmr::memory_resource* memory) const {
  auto* const result = new list_value(type, element_shape, memory);
  variant counted(result);
  result->most = most;
  result->size_ = size_;
  result->first_ = first_;
  if (!result->kept_.grow(kept_.size())) return {};
  std::copy(kept_.begin(), kept_.end(), result->kept_.begin());
  return counted;
}

// ---- copies in other memory

// Copies nested lists one after another, too. Values that are already in the memory are shared.
class variant_copier {
public:
  explicit variant_copier(std::pmr::memory_resource* memory) : memory_(memory) {}

  bool copy(const resource_base& from, resource& object) {
    for (waiting_.push_back({&from, &object}); !waiting_.empty();) {
      const auto [next, to] = waiting_.back();
      waiting_.pop_back();
      if (!copy_next(next, *to)) return false;
    }
    return true;
  }

private:
  bool copy_next(const resource_base* from, resource& to) {
    if (from->kind() == kind_of<list_value>()) {
      variant result = static_cast<const list_value*>(from)->copy(memory_);
      to = std::move(result);
      return to.base && bring(to.as<list_value>()->kept());
    }
    if (from->kind() != kind_of<optional_value>()) return true;
    const auto& old = *static_cast<const optional_value*>(from);
    auto* const result = new optional_value(old.has_value, old.values.size());
    result->values = old.values;
    to = resource(result);
    return bring(result->values);
  }
  // Copies the values into the memory. They are shared with the source, which keeps its own.
  bool bring(std::span<any_tensor> values) {
    for (any_tensor& v : values) {
      const bool is_there = v.is_owned() && v.owner()->memory()->is_equal(*memory_);
      if (!v.has_value() || (is_there && v.type() != dtype::variant)) continue;
      auto copy = v.copy(memory_);
      if (!copy) return false;
      if (v.type() == dtype::variant)
        for (std::size_t i = 0; i < v.size(); ++i)
          if (const resource_base* held = v.as<variant>()[i].base) waiting_.push_back({held, &copy->as_writable<variant>()[i]});
      v = *std::move(copy);
    }
    return true;
  }

  std::pmr::memory_resource* memory_;
  std::vector<std::pair<const resource_base*, resource*>> waiting_;
};

FLOWGRAPH_INLINE bool list_value::copy_tensors(std::pmr::memory_resource* memory, resource& object) const {
  return variant_copier(memory).copy(*this, object);
}
FLOWGRAPH_INLINE bool optional_value::copy_tensors(std::pmr::memory_resource* memory, resource& object) const {
  return variant_copier(memory).copy(*this, object);
}

// ---- zeros and sums

// Deepest nesting of variants that have zeros and sums. Gradients make no deeper ones.
inline constexpr int most_nested = 256;

FLOWGRAPH_INLINE void fail_without_arithmetic(cpu ctx) {
  ctx.fail("the variant holds neither a list nor an optional: it has no zeros and no sum");
}
FLOWGRAPH_INLINE void fail_too_deep(cpu ctx) { ctx.fail(message{"variants are nested more than ", most_nested, " deep"}); }

FLOWGRAPH_INLINE variant zeros_of_variant(cpu ctx, const variant& x, int depth);
FLOWGRAPH_INLINE void sum_of_variant(cpu ctx, variant& sum, const variant& x, int depth);

FLOWGRAPH_INLINE any_tensor zeros_of_value(cpu ctx, const any_tensor& x, int depth) {
  if (!x.has_value()) return {};
  auto result = any_tensor::allocate(x.type(), x.shape(), ctx.memory());
  if (!result) {
    ctx.fail(result.error());
    return {};
  }
  if (x.type() == dtype::variant) {
    const auto from = x.as<variant>();
    const auto to = result->as_writable<variant>();
    for (std::size_t i = 0; i < from.size() && !ctx.failed(); ++i) to[i] = zeros_of_variant(ctx, from[i], depth + 1);
  } else if (is_plain(x.type()) && result->bytes() > 0) {
    std::memset(result->data(), 0, result->bytes());
  }
  return *std::move(result);
}

FLOWGRAPH_INLINE variant zeros_of_variant(cpu ctx, const variant& x, int depth) {
  if (depth > most_nested) {
    fail_too_deep(ctx);
    return {};
  }
  if (const auto* list = x.as<list_value>()) {
    variant result = list->copy(ctx.memory());
    if (!result.base) {
      ctx.fail(error_code::resource_exhausted, message{"no memory for a list of ", list->size(), " elements"});
      return {};
    }
    for (any_tensor& e : result.as<list_value>()->kept())
      if (!ctx.failed()) e = zeros_of_value(ctx, e, depth);
    return result;
  }
  if (const auto* optional = x.as<optional_value>()) {
    auto* const result = new optional_value(optional->has_value, optional->values.size());
    variant counted(result);
    for (std::size_t i = 0; i < result->values.size() && !ctx.failed(); ++i)
      result->values[i] = zeros_of_value(ctx, optional->values[i], depth);
    return counted;
  }
  if (x.base) fail_without_arithmetic(ctx);
  return {};
}

template <class T> void add_numbers(any_tensor& sum, const any_tensor& x) {
  const auto to = sum.as_writable<T>();
  const auto from = x.as<T>();
  for (std::size_t i = 0; i < to.size(); ++i) to[i] = static_cast<T>(to[i] + from[i]);
}

FLOWGRAPH_INLINE void sum_of_value(cpu ctx, any_tensor& sum, const any_tensor& x, int depth) {
  if (!x.has_value()) return;
  if (!sum.has_value()) {
    sum = x;
    return;
  }
  if (sum.type() != x.type() || sum.shape() != x.shape())
    return ctx.fail(message{"values to be added are ", name_of(sum.type()), sum.shape(), " and ", name_of(x.type()), x.shape()});
  if (!sum.is_unique()) {
    auto own = sum.copy(ctx.memory());
    if (!own) return ctx.fail(own.error());
    sum = *std::move(own);
  }
  if (sum.type() == dtype::variant) {
    const auto to = sum.as_writable<variant>();
    for (std::size_t i = 0; i < to.size() && !ctx.failed(); ++i) sum_of_variant(ctx, to[i], x.as<variant>()[i], depth + 1);
    return;
  }
  const bool added = visit_type(
      sum.type(),
      [&]<class T>() {
        if constexpr (in_list<T, numbers>) add_numbers<T>(sum, x);
        return in_list<T, numbers>;
      },
      [] { return false; });
  if (!added) ctx.fail(message{"values of type ", name_of(sum.type()), " have no sum"});
}

FLOWGRAPH_INLINE void sum_of_lists(cpu ctx, list_value& sum, const list_value& x, int depth) {
  if (sum.type != x.type)
    return ctx.fail(message{"lists to be added have elements of ", name_of(sum.type), " and of ", name_of(x.type)});
  if (!fits(sum.element_shape, x.element_shape))
    return ctx.fail(message{"lists to be added have elements of shape ", sum.element_shape, " and ", x.element_shape});
  if (sum.size() != x.size()) return ctx.fail(message{"lists to be added have ", sum.size(), " and ", x.size(), " elements"});
  sum.element_shape = merged(sum.element_shape, x.element_shape);
  for (std::size_t k = 0; k < x.kept().size() && !ctx.failed(); ++k) {
    if (!x.kept()[k].has_value()) continue;
    const std::int64_t i = x.first() + static_cast<std::int64_t>(k);
    if (sum.find(i)) sum_of_value(ctx, sum.kept()[static_cast<std::size_t>(i - sum.first())], x.kept()[k], depth);
    else if (!sum.set(i, x.kept()[k]))
      ctx.fail(error_code::resource_exhausted, message{"no memory for a list of ", sum.size(), " elements"});
  }
}

FLOWGRAPH_INLINE variant sum_of_optionals(cpu ctx, const optional_value& a, const optional_value& b, int depth) {
  if (a.has_value != b.has_value || a.values.size() != b.values.size()) {
    ctx.fail(message{"optionals to be added have ", a.has_value ? "a" : "no", " value of ", a.values.size(), " tensors and ",
                     b.has_value ? "a" : "no", " value of ", b.values.size()});
    return {};
  }
  auto* const result = new optional_value(a.has_value, a.values.size());
  variant counted(result);
  for (std::size_t i = 0; i < result->values.size() && !ctx.failed(); ++i) {
    result->values[i] = a.values[i];
    sum_of_value(ctx, result->values[i], b.values[i], depth);
  }
  return counted;
}

FLOWGRAPH_INLINE void sum_of_variant(cpu ctx, variant& sum, const variant& x, int depth) {
  if (depth > most_nested) return fail_too_deep(ctx);
  if (!x.base) return;
  if (!sum.base) {
    sum = x;
    return;
  }
  if (const auto* optional = sum.as<optional_value>(); optional && x.as<optional_value>()) {
    sum = sum_of_optionals(ctx, *optional, *x.as<optional_value>(), depth);
    return;
  }
  const auto* const from = x.as<list_value>();
  auto* to = sum.as<list_value>();
  if (!from || !to) {
    if (sum.base->kind() != x.base->kind()) return ctx.fail("variants to be added hold objects of two kinds");
    return fail_without_arithmetic(ctx);
  }
  if (!sum.base->is_unique()) {
    variant own = to->copy(ctx.memory());
    if (!own.base) return ctx.fail(error_code::resource_exhausted, message{"no memory for a list of ", to->size(), " elements"});
    sum = std::move(own);
    to = sum.as<list_value>();
  }
  sum_of_lists(ctx, *to, *from, depth);
}

FLOWGRAPH_INLINE variant zeros_like_variant(cpu ctx, const variant& x) { return zeros_of_variant(ctx, x, 0); }
FLOWGRAPH_INLINE void add_to_variant(cpu ctx, variant& sum, const variant& x) { sum_of_variant(ctx, sum, x, 0); }

FLOWGRAPH_INLINE void add_variants(cpu ctx, const view_list<const variant>& inputs, view<variant> sum) {
  std::size_t first = 0;  // the input in the memory of the sum, so that a list is added in place; of two, the order is irrelevant
  for (std::size_t k = 0; k < inputs.size(); ++k)
    if (inputs[k].data() == sum.data() && inputs.size() == 2) first = k;
  for (std::size_t i = 0; i < sum.size() && !ctx.failed(); ++i) {
    std::vector<variant> others;
    for (std::size_t k = 0; k < inputs.size(); ++k)
      if (k != first) others.push_back(inputs[k][i]);
    variant total = inputs[first].data() == sum.data() ? std::move(sum[i]) : inputs[first][i];
    for (const variant& other : others)
      if (!ctx.failed()) sum_of_variant(ctx, total, other, 0);
    sum[i] = std::move(total);
  }
}

}  // namespace flowgraph::detail

#include <flowgraph/show_names.hpp>

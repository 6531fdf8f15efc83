#pragma once
// The ops that list the factors of products in a loop, and add the products after the loop. Only the pass loop_products makes nodes of
// these ops. A list is a chain of entries, like a history: the first entry contains the initial value of the sum, and each further
// entry contains pairs of factors.

#include <flowgraph/graph/table.hpp>
#include <flowgraph/ops/control_flow/detail/history_entry.hpp>
#include <flowgraph/ops/shared/detail/move.hpp>
#include <flowgraph/ops/shared/detail/product.hpp>

#include <algorithm>
#include <array>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

inline void list_values(cpu ctx, resource before, any_list values, unsized<resource> longer) {
  auto* const entry = history_entry::make(std::move(before), values.size(), ctx.memory());
  if (!entry) return ctx.fail(error_code::resource_exhausted, message{"no memory for an entry of ", values.size(), " values"});
  resource object(entry);
  for (std::size_t i = 0; i < values.size(); ++i) entry->values()[i] = kept_value(ctx, values[i], ctx.memory());
  if (ctx.failed()) return;
  if (const view<resource> y = longer.resize({}); y.size() == 1) y.scalar() = std::move(object);
}

// Returns a list with the initial value of a sum.
struct begin_products_op {
  static constexpr std::string_view name = "_BeginProducts";
  static constexpr op_facts facts{.not_differentiable = true};

  flowgraph::shape shape(std::span<const flowgraph::shape>) const { return {}; }
  void operator()(cpu ctx, any_list initial, unsized<resource> list) const { list_values(ctx, {}, initial, list); }
};

// Returns the list with one or several pairs of factors.
struct list_products_op {
  static constexpr std::string_view name = "_ListProducts";
  static constexpr op_facts facts{.not_differentiable = true};

  flowgraph::shape shape(const flowgraph::shape&, std::span<const flowgraph::shape>) const { return {}; }
  void operator()(cpu ctx, view<const resource> list, any_list factors, unsized<resource> longer) const {
    list_values(ctx, list.scalar(), factors, longer);
  }
};

// Adds products of one depth, as many as fit. Products of another depth are added later.
template <class T> class product_batch {
public:
  product_batch(cpu ctx, view<T> sum) : ctx_(ctx), sum_(sum) {}

  // Requires two matrices whose product has the shape of the sum.
  bool add(const any_tensor& a, const any_tensor& b) {
    const shape &left = a.shape(), &right = b.shape();
    if (left.rank != 2 || right.rank != 2 || left[0] != right[0] || left[1] != sum_.dim(0) || right[1] != sum_.dim(1)) {
      ctx_.fail(message{"the factors must have the shapes [k, ", sum_.dim(0), "] and [k, ", sum_.dim(1), "], found ", left,
                        " and ", right});
      return false;
    }
    if (size_ == a_.size() || left[0] != depth_) flush();
    depth_ = left[0];
    a_[size_] = static_cast<const T*>(a.data());
    b_[size_++] = static_cast<const T*>(b.data());
    return true;
  }
  void flush() {
    const std::int64_t m = sum_.dim(0), n = sum_.dim(1);
    if (size_ > 0 && m > 0 && n > 0)
      parallel_product_sum(ctx_, {m, n, depth_, m, n, n, true, false, true}, static_cast<std::int64_t>(size_), a_.data(),
                           b_.data(), sum_.data(), ctx_.scratch());
    size_ = 0;
  }

private:
  cpu ctx_;
  view<T> sum_;
  std::int64_t depth_ = 0;
  std::size_t size_ = 0;
  std::array<const T*, 64> a_, b_;
};

// Returns the initial value of a list plus all products, in order. `declared` is the shape of the sum.
struct sum_of_products_op {
  static constexpr std::string_view name = "_SumOfProducts";
  using types = type_list<float, double>;
  static constexpr op_facts facts{.not_differentiable = true, .expensive = true};
  flowgraph::shape declared = flowgraph::shape::unknown();
  static constexpr auto attrs = flowgraph::attrs(attr("shape", &sum_of_products_op::declared));

  flowgraph::shape shape(const flowgraph::shape&) const { return declared; }
  std::size_t scratch(const flowgraph::shape&) const {
    return product_sum_scratch({declared[0], declared[1], 1, declared[0], declared[1], declared[1], true, false, true});
  }
  template <class T> void operator()(cpu ctx, view<const resource> list, view<T> sum) const {
    std::int64_t size = 0;
    const history_entry* first = list.scalar().as<history_entry>();
    for (const history_entry* e = first; e; e = e->before.as<history_entry>()) first = e, ++size;
    const any_tensor* const initial = first ? &first->values()[0] : nullptr;
    if (!initial || initial->shape() != sum.shape())
      return ctx.fail(
          message{"the sum must have the shape ", sum.shape(), ", found ", initial ? initial->shape() : flowgraph::shape{}});
    const T* const begin = static_cast<const T*>(initial->data());
    ctx.parallel_ranges(static_cast<std::int64_t>(sum.size()), 1 << 16,
                        [&](std::int64_t from, std::int64_t to) { std::copy(begin + from, begin + to, sum.data() + from); });
    add_entries<T>(ctx, list.scalar().as<history_entry>(), size - 1, sum);
  }

private:
  // The list begins with its last entry. So the entries are read in parts, from the first part to the last.
  template <class T> static void add_entries(cpu ctx, const history_entry* last, std::int64_t size, view<T> sum) {
    std::array<const history_entry*, 256> part;
    product_batch<T> batch(ctx, sum);
    for (std::int64_t begin = 0; begin < size; begin += std::ssize(part)) {
      const std::int64_t end = std::min<std::int64_t>(size, begin + std::ssize(part));
      const history_entry* e = last;
      for (std::int64_t i = size; i-- > begin; e = e->before.as<history_entry>())
        if (i < end) part[static_cast<std::size_t>(i - begin)] = e;
      for (std::int64_t i = 0; i < end - begin; ++i) {
        const std::span<const any_tensor> factors = part[static_cast<std::size_t>(i)]->values();
        for (std::size_t k = 0; k + 1 < factors.size(); k += 2)
          if (!batch.add(factors[k], factors[k + 1])) return;
      }
    }
    batch.flush();
  }
};

}  // namespace flowgraph::detail

#include <flowgraph/show_names.hpp>

#pragma once

#include <flowgraph/ops/data_flow/detail/awaited.hpp>
#include <flowgraph/ops/kernel/dispatch.hpp>
#include <flowgraph/ops/kernel/interactions.hpp>
#include <flowgraph/ops/lookup/keyed_rows.hpp>
#include <flowgraph/ops/lookup/sparse_table.hpp>
#include <flowgraph/ops/sparse/detail/pair_interactions.hpp>
#include <flowgraph/ops/training/detail/adagrad.hpp>
#include <flowgraph/ops/training/detail/ftrl.hpp>
#include <flowgraph/ops/training/detail/lazy_adam.hpp>
#include <flowgraph/ops/training/detail/rms_prop.hpp>
#include <flowgraph/ops/training/detail/training.hpp>
#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/kernel/interaction_loops.hpp>
#endif

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// The resource: a table, and the name that errors give it.
struct sparse_table_state final : resource_base, savable_file {
  sparse_table_state(const keyed_rows_options& o, std::pmr::memory_resource* memory)
      : resource_base(kind_of<sparse_table_state>()), rows(o, memory) {}

  savable_file* as_savable_file() noexcept override { return this; }
  result<void> write(function_ref<result<void>(std::span<const std::byte>)> sink) const override { return rows.write(sink); }
  error check(const std::string& path) const override { return rows.check({&path, 1}); }
  error load(const std::string& path) override {
    const auto done = rows.restore({&path, 1});
    return done ? error() : done.error();
  }

  keyed_rows rows;
};

// Returns the table of a node, which an earlier node with its name may have made. If the table is refused, fails the kernel and
// returns an empty handle.
resource find_or_make_sparse_table(cpu ctx, const sparse_table_op& op);

// The table that input 0 names.
class named_sparse_table {
public:
  explicit named_sparse_table(cpu ctx) : held_(named_awaited(ctx, kind_of<sparse_table_state>(), "a sparse table")) {}
  keyed_rows* rows() const { return held_.base ? &static_cast<sparse_table_state*>(held_.base)->rows : nullptr; }

private:
  resource held_;
};

// Reports rows of another size than the table's.
bool has_columns(cpu ctx, const keyed_rows& rows, std::int64_t columns);
void check_table_update(shape_context& c, std::span<const flowgraph::shape* const> scalars, const char* const* names,
                        const flowgraph::shape& gradients, const flowgraph::shape& keys);
void save_sparse_table(cpu ctx, std::int64_t files, const std::string& prefix);
void restore_sparse_table(cpu ctx, view<const std::string> filenames);
void evict_from_sparse_table(cpu ctx, std::int64_t steps, std::int64_t rows, std::int64_t& removed);

// Samples whose features are rows of a table.
struct samples_of_keys {
  std::span<const std::int64_t> keys;
  view<const float> values;
  view<const std::int64_t> splits;
  std::int64_t columns, linear;
  any_indices fields = {};      // int32
  std::int64_t num_fields = 0;  // 0: features have no fields

  std::int64_t factors() const { return num_fields > 0 ? (columns - linear) / num_fields : columns; }
  // The number of columns of interactions.
  std::int64_t sums() const { return num_fields > 0 ? linear + 1 : columns; }
};
// Writes the interactions of each sample. Returns false if the kernel has failed.
bool put_table_interactions(cpu ctx, const samples_of_keys& all, float* y, float* squares);
// Writes the gradients of the interactions with respect to the row of each key.
bool put_table_slopes(cpu ctx, const samples_of_keys& all, const float* dy, const float* dsquares, float* drows);
// Updates the rows of the keys by the gradients of their interactions.
void update_by_interactions(cpu ctx, const samples_of_keys& all, const float* dy, const float* dsquares, const row_rule& rule,
                            row_step step);
// The scratch that this function needs for `samples` samples.
std::size_t interactions_update_scratch(std::int64_t keys, std::int64_t samples, std::int64_t columns, bool has_fields);
flowgraph::shape table_interactions_shape(shape_context& c, const flowgraph::shape& anchor, const flowgraph::shape& keys,
                                          const flowgraph::shape& values, const flowgraph::shape* fields,
                                          const flowgraph::shape& splits, std::int64_t linear, std::int64_t num_fields);
void check_interactions_update(shape_context& c, const flowgraph::shape& alpha, std::int64_t columns, const flowgraph::shape& y,
                               const flowgraph::shape& dy, const flowgraph::shape& dsquares);
std::size_t table_interactions_scratch(const flowgraph::shape& anchor, const flowgraph::shape& keys);

inline std::span<const std::int64_t> keys_of(view<const std::int64_t> keys) { return {keys.data(), keys.size()}; }

template <class Op, class Update, std::size_t States, std::size_t... I>
shape_list table_update<Op, Update, States, std::index_sequence<I...>>::shape(
    shape_context& c, const flowgraph::shape&, const typename repeated<I, flowgraph::shape>::type&... scalars,
    const flowgraph::shape& gradients, const flowgraph::shape& keys) const {
  const flowgraph::shape* const all[]{&scalars...};
  check_table_update(c, all, Update::scalars, gradients, keys);
  return {};
}

template <class Op, class Update, std::size_t States, std::size_t... I>
std::size_t table_update<Op, Update, States, std::index_sequence<I...>>::scratch(
    const flowgraph::shape&, const typename repeated<I, flowgraph::shape>::type&..., const flowgraph::shape& gradients,
    const flowgraph::shape& keys) const {
  return keyed_rows::scratch_bytes(keys.size(), gradients[1]);
}

template <class Op, class Update, std::size_t States, std::size_t... I>
void table_update<Op, Update, States, std::index_sequence<I...>>::operator()(
    cpu ctx, view<const resource>, typename repeated<I, view<const float>>::type... scalars, view<const float> gradients,
    view<const std::int64_t> keys) const {
  using Step = typename Update::template step<float>;
  const named_sparse_table table(ctx);
  if (!table.rows() || !has_columns(ctx, *table.rows(), gradients.shape()[1])) return;
  Update settings;
  if constexpr (requires(const Op& op) { op.use_nesterov; }) settings.use_nesterov = static_cast<const Op&>(*this).use_nesterov;
  const Step step(settings, std::array<float, sizeof...(I)>{scalars.scalar()...});
  if constexpr (requires { step.refusal(); }) {
    if (const char* why = step.refusal()) return ctx.fail(error_code::invalid_argument, why);
  }
  const auto change = [&](float* const* v, const float* gradient, std::int64_t n) {
    update_range<float>(step, v, gradient, n, std::make_index_sequence<States + 1>{});
  };
  constexpr std::string_view prefix = "SparseTableApply";
  const row_rule rule{Op::name.substr(prefix.size()), States, {initial_state}};
  error why = table.rows()->update(keys_of(keys), gradients.data(), rule, change, ctx.scratch(),
                                   [&](std::int64_t n, function_ref<void(std::int64_t)> call) { ctx.parallel_for(n, call); });
  if (why) ctx.fail(why);
}

// ---- interactions

inline std::int64_t fields_of(const table_pairs&) { return 0; }
inline std::int64_t fields_of(const table_field_pairs& p) { return p.num_fields; }
inline const flowgraph::shape* only_shape() { return nullptr; }
inline const flowgraph::shape* only_shape(const flowgraph::shape& s) { return &s; }
inline any_indices only_indices() { return {}; }
inline any_indices only_indices(view<const std::int32_t> v) { return v; }

template <class Grad, class RowsGrad, class Pairs, class... Field>
std::array<flowgraph::shape, 2> table_interactions_base<Grad, RowsGrad, Pairs, Field...>::shape(
    shape_context& c, const flowgraph::shape&, const flowgraph::shape& anchor, const flowgraph::shape& keys,
    const flowgraph::shape& values, const typename shape_of_fields<Field>::type&... fields,
    const flowgraph::shape& splits) const {
  const flowgraph::shape result =
      table_interactions_shape(c, anchor, keys, values, only_shape(fields...), splits, this->linear, fields_of(*this));
  return {result, result};
}
template <class Grad, class RowsGrad, class Pairs, class... Field>
std::size_t table_interactions_base<Grad, RowsGrad, Pairs, Field...>::scratch(
    const flowgraph::shape&, const flowgraph::shape& anchor, const flowgraph::shape& keys, const flowgraph::shape&,
    const typename shape_of_fields<Field>::type&..., const flowgraph::shape&) const {
  return table_interactions_scratch(anchor, keys);
}
template <class Grad, class RowsGrad, class Pairs, class... Field>
void table_interactions_base<Grad, RowsGrad, Pairs, Field...>::operator()(cpu ctx, view<const resource>, view<const float> anchor,
                                                                          view<const std::int64_t> keys, view<const float> values,
                                                                          view<const Field>... fields,
                                                                          view<const std::int64_t> splits, view<float> y,
                                                                          view<float> squares) const {
  const samples_of_keys all{keys_of(keys),           values,          splits, anchor.shape()[1], this->linear,
                            only_indices(fields...), fields_of(*this)};
  put_table_interactions(ctx, all, y.data(), squares.data());
}

template <class Pairs, class... Field>
flowgraph::shape table_interactions_grad_base<Pairs, Field...>::shape(
    shape_context& c, const flowgraph::shape&, const flowgraph::shape& anchor, const flowgraph::shape& keys,
    const flowgraph::shape& values, const typename shape_of_fields<Field>::type&... fields, const flowgraph::shape& splits,
    const flowgraph::shape& dy, const flowgraph::shape& dsquares) const {
  const flowgraph::shape y =
      table_interactions_shape(c, anchor, keys, values, only_shape(fields...), splits, this->linear, fields_of(*this));
  const flowgraph::shape rows{keys.has_rank() && keys.rank == 1 ? keys[0] : -1,
                              anchor.has_rank() && anchor.rank == 2 ? anchor[1] : -1};
  interaction_gradient_shape(c, y, dy, rows);
  return interaction_gradient_shape(c, y, dsquares, rows);
}
template <class Pairs, class... Field>
std::size_t table_interactions_grad_base<Pairs, Field...>::scratch(const flowgraph::shape&, const flowgraph::shape& anchor,
                                                                   const flowgraph::shape& keys, const flowgraph::shape&,
                                                                   const typename shape_of_fields<Field>::type&...,
                                                                   const flowgraph::shape&, const flowgraph::shape&,
                                                                   const flowgraph::shape&) const {
  return table_interactions_scratch(anchor, keys);
}
template <class Pairs, class... Field>
void table_interactions_grad_base<Pairs, Field...>::operator()(cpu ctx, view<const resource>, view<const float> anchor,
                                                               view<const std::int64_t> keys, view<const float> values,
                                                               view<const Field>... fields, view<const std::int64_t> splits,
                                                               view<const float> dy, view<const float> dsquares,
                                                               view<float> drows) const {
  const samples_of_keys all{keys_of(keys),           values,          splits, anchor.shape()[1], this->linear,
                            only_indices(fields...), fields_of(*this)};
  put_table_slopes(ctx, all, dy.data(), dsquares.data(), drows.data());
}

// The columns of the table of an update. Without fields, each column has a sum.
inline std::int64_t updated_columns(const table_interactions_adagrad_base<table_pairs>&, const flowgraph::shape& dy) {
  return dy.has_rank() && dy.rank == 2 ? dy[1] : -1;
}
inline std::int64_t updated_columns(const table_interactions_adagrad_base<table_field_pairs, std::int32_t>& op,
                                    const flowgraph::shape&) {
  return static_cast<const sparse_table_field_interactions_apply_adagrad_op&>(op).columns;
}

template <class Pairs, class... Field>
shape_list table_interactions_adagrad_base<Pairs, Field...>::shape(shape_context& c, const flowgraph::shape&,
                                                                   const flowgraph::shape& alpha, const flowgraph::shape& keys,
                                                                   const flowgraph::shape& values,
                                                                   const typename shape_of_fields<Field>::type&... fields,
                                                                   const flowgraph::shape& splits, const flowgraph::shape& dy,
                                                                   const flowgraph::shape& dsquares) const {
  const std::int64_t columns = updated_columns(*this, dy);
  const flowgraph::shape y =
      table_interactions_shape(c, {0, columns}, keys, values, only_shape(fields...), splits, this->linear, fields_of(*this));
  check_interactions_update(c, alpha, columns, y, dy, dsquares);
  return {};
}
template <class Pairs, class... Field>
std::size_t table_interactions_adagrad_base<Pairs, Field...>::scratch(const flowgraph::shape&, const flowgraph::shape&,
                                                                      const flowgraph::shape& keys, const flowgraph::shape&,
                                                                      const typename shape_of_fields<Field>::type&...,
                                                                      const flowgraph::shape&, const flowgraph::shape& dy,
                                                                      const flowgraph::shape&) const {
  return interactions_update_scratch(keys.size(), dy[0], updated_columns(*this, dy), sizeof...(Field) > 0);
}
template <class Pairs, class... Field>
void table_interactions_adagrad_base<Pairs, Field...>::operator()(cpu ctx, view<const resource>, view<const float> alpha,
                                                                  view<const std::int64_t> keys, view<const float> values,
                                                                  view<const Field>... fields, view<const std::int64_t> splits,
                                                                  view<const float> dy, view<const float> dsquares) const {
  const adagrad_step<float> step(resource_sparse_apply_adagrad_op{}, std::array{alpha.scalar()});
  const samples_of_keys all{keys_of(keys),           values,          splits, updated_columns(*this, dy.shape()), this->linear,
                            only_indices(fields...), fields_of(*this)};
  update_by_interactions(ctx, all, dy.data(), dsquares.data(), {"Adagrad", 1, {initial_state}},
                         [&](float* const* v, const float* gradient, std::int64_t n) { step.packets(v, gradient, n); });
}

}  // namespace detail

FLOWGRAPH_KERNEL_INLINE void sparse_table_op::operator()(cpu ctx, unsized<resource> handle) const {
  detail::hand_out(ctx, detail::find_or_make_sparse_table(ctx, *this), handle);
}

FLOWGRAPH_KERNEL_INLINE flowgraph::shape sparse_table_lookup_op::shape(shape_context& c, const flowgraph::shape&,
                                                                       const flowgraph::shape& anchor,
                                                                       const flowgraph::shape& keys) const {
  if (anchor.has_rank() && anchor.rank != 2) return c.fail("anchor must be a matrix without rows");
  if (!keys.has_rank() || !anchor.has_rank()) return flowgraph::shape::unknown();
  if (keys.rank == flowgraph::shape::max_rank) return c.fail("keys has too many axes");
  flowgraph::shape result = keys;
  result.push_back(anchor[1]);
  return result;
}
FLOWGRAPH_KERNEL_INLINE std::size_t sparse_table_lookup_op::scratch(const flowgraph::shape&, const flowgraph::shape& anchor,
                                                                    const flowgraph::shape& keys) const {
  return keyed_rows::scratch_bytes(keys.size(), anchor[1]);
}
FLOWGRAPH_KERNEL_INLINE void sparse_table_lookup_op::operator()(cpu ctx, view<const resource>, view<const float> anchor,
                                                                view<const std::int64_t> keys, view<float> rows) const {
  const detail::named_sparse_table table(ctx);
  if (!table.rows() || !detail::has_columns(ctx, *table.rows(), anchor.shape()[1])) return;
  const auto blocks = [&](std::int64_t n, function_ref<void(std::int64_t)> call) { ctx.parallel_for(n, call); };
  error why = create ? table.rows()->find(detail::keys_of(keys), rows.data(), ctx.scratch(), blocks)
                     : table.rows()->peek(detail::keys_of(keys), rows.data(), ctx.scratch(), blocks);
  if (why) ctx.fail(why);
}

FLOWGRAPH_KERNEL_INLINE shape_list sparse_table_prepare_op::shape(shape_context& c, const flowgraph::shape&,
                                                                  const flowgraph::shape& keys) const {
  if (keys.has_rank() && keys.rank != 1) c.fail("keys must be a vector");
  return {};
}
FLOWGRAPH_KERNEL_INLINE std::size_t sparse_table_prepare_op::scratch(const flowgraph::shape&,
                                                                     const flowgraph::shape& keys) const {
  return keyed_rows::scratch_bytes(keys.size(), 0);
}
FLOWGRAPH_KERNEL_INLINE void sparse_table_prepare_op::operator()(cpu ctx, view<const resource>,
                                                                 view<const std::int64_t> keys) const {
  const detail::named_sparse_table table(ctx);
  if (!table.rows()) return;
  error why = table.rows()->prepare(detail::keys_of(keys), ctx.scratch(),
                                    [&](std::int64_t n, function_ref<void(std::int64_t)> call) { ctx.parallel_for(n, call); });
  if (why) ctx.fail(why);
}

FLOWGRAPH_KERNEL_INLINE flowgraph::shape sparse_table_evict_op::shape(shape_context& c, const flowgraph::shape&,
                                                                      const flowgraph::shape& steps,
                                                                      const flowgraph::shape& rows) const {
  if (!fits(steps, {})) return c.fail("steps must be a scalar");
  if (!fits(rows, {})) return c.fail("rows must be a scalar");
  return {};
}
FLOWGRAPH_KERNEL_INLINE void sparse_table_evict_op::operator()(cpu ctx, view<const resource>, view<const std::int64_t> steps,
                                                               view<const std::int64_t> rows, view<std::int64_t> removed) const {
  detail::evict_from_sparse_table(ctx, steps.scalar(), rows.scalar(), removed.scalar());
}

FLOWGRAPH_KERNEL_INLINE shape_list sparse_table_save_op::shape(shape_context& c, const flowgraph::shape&,
                                                               const flowgraph::shape& prefix) const {
  if (!fits(prefix, {})) c.fail("prefix must be a scalar");
  else if (files < 1 || files > 10000) c.fail(message{"files must be 1 to 10000, found ", files});
  return {};
}
FLOWGRAPH_KERNEL_INLINE void sparse_table_save_op::operator()(cpu ctx, view<const resource>,
                                                              view<const std::string> prefix) const {
  detail::save_sparse_table(ctx, files, prefix.scalar());
}
FLOWGRAPH_KERNEL_INLINE void sparse_table_restore_op::operator()(cpu ctx, view<const resource>,
                                                                 view<const std::string> filenames) const {
  detail::restore_sparse_table(ctx, filenames);
}
FLOWGRAPH_KERNEL_INLINE void sparse_table_size_op::operator()(cpu ctx, view<const resource>, view<std::int64_t> size) const {
  const detail::named_sparse_table table(ctx);
  if (table.rows()) size.scalar() = table.rows()->size();
}

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/ops/lookup/impl/sparse_table.hpp>
#endif

#pragma once

#include <flowgraph/ops/lookup/detail/sparse_table.hpp>

#include <limits>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

FLOWGRAPH_INLINE resource detail::find_or_make_sparse_table(cpu ctx, const sparse_table_op& op) {
  constexpr std::uint64_t most = memory_budget::unlimited;
  const keyed_rows_options o{.columns = op.columns,
                             .storage = op.storage,
                             .seed = static_cast<std::uint64_t>(op.seed),
                             .initial_scale = op.initial_scale,
                             .expected_rows = op.expected_rows,
                             .memory_limit = static_cast<std::size_t>(
                                 op.memory_limit < 0 ? most : std::min(most, static_cast<std::uint64_t>(op.memory_limit))),
                             .evict_after = op.evict_after,
                             .without_locks = op.without_locks};
  if (error why = keyed_rows::refusal(o)) {
    ctx.fail(why);
    return {};
  }
  const std::string name = name_of_awaited(ctx, op.shared_name);
  auto found = ctx.resources().find_or_make(op.container, name, kind_of<sparse_table_state>(),
                                            [&]() -> resource_base* { return new sparse_table_state(o, ctx.lasting_memory()); });
  if (!found) {
    ctx.fail(found.error());
    return {};
  }
  const keyed_rows_options& result = found->as<sparse_table_state>()->rows.options();
  if (result.columns == o.columns && result.storage == o.storage && result.seed == o.seed) return *std::move(found);
  ctx.fail(message{"the table '", name, "' has ", result.columns, " columns of ", name_of(result.storage), " and seed ",
                   result.seed, ", expected ", o.columns, " of ", name_of(o.storage), " and seed ", o.seed});
  return {};
}

FLOWGRAPH_INLINE bool detail::has_columns(cpu ctx, const keyed_rows& rows, std::int64_t columns) {
  if (rows.options().columns == columns) return true;
  return detail::fail_check(ctx,
                            message{"expected rows of ", rows.options().columns, " columns, as the table has, found ", columns});
}

FLOWGRAPH_SELDOM flowgraph::shape detail::table_interactions_shape(shape_context& c, const flowgraph::shape& anchor,
                                                                   const flowgraph::shape& keys, const flowgraph::shape& values,
                                                                   const flowgraph::shape* fields, const flowgraph::shape& splits,
                                                                   std::int64_t linear, std::int64_t num_fields) {
  if (anchor.has_rank() && anchor.rank != 2) return c.fail("anchor must be a matrix without rows");
  if (keys.has_rank() && keys.rank != 1) return c.fail("keys must be a vector");
  const flowgraph::shape rows{keys.has_rank() ? keys[0] : -1, anchor.has_rank() ? anchor[1] : -1};
  if (fields) return field_interactions_shape(c, rows, values, *fields, splits, linear, num_fields);
  return pair_interactions_shape(c, rows, values, splits, linear);
}

FLOWGRAPH_SELDOM void detail::check_interactions_update(shape_context& c, const flowgraph::shape& alpha, std::int64_t columns,
                                                        const flowgraph::shape& y, const flowgraph::shape& dy,
                                                        const flowgraph::shape& dsquares) {
  if (!fits(alpha, {})) c.fail("lr must be a scalar");
  else if (columns > most_row_columns) c.fail(message{"a table has up to ", most_row_columns, " columns, found ", columns});
  interaction_gradient_shape(c, y, dy, {});
  interaction_gradient_shape(c, y, dsquares, {});
}

FLOWGRAPH_SELDOM std::size_t detail::table_interactions_scratch(const flowgraph::shape& anchor, const flowgraph::shape& keys) {
  // The second part is for copies of rows that are not stored as float, or that other threads may change.
  return keyed_rows::scratch_bytes(keys.size(), anchor[1]) +
         static_cast<std::size_t>(keys.size()) * static_cast<std::size_t>(anchor[1]) * sizeof(float);
}

FLOWGRAPH_SELDOM std::size_t detail::interactions_update_scratch(std::int64_t keys, std::int64_t samples, std::int64_t columns,
                                                                 bool has_fields) {
  const auto n = static_cast<std::size_t>(keys), width = static_cast<std::size_t>(columns);
  return table_interactions_scratch({0, columns}, {keys}) +
         (has_fields ? n * width * sizeof(float)
                     : 3 * static_cast<std::size_t>(samples) * width * sizeof(float) + n * sizeof(std::uint32_t));
}

namespace detail {

// Calls body(sample, first feature, rows of the sample) for each sample. Returns false if the kernel has failed.
FLOWGRAPH_INLINE bool for_each_sample_of_keys(
    cpu ctx, const samples_of_keys& all, function_ref<void(std::int64_t, std::int64_t, const kernel::sample_rows<float>&)> body) {
  const named_sparse_table table(ctx);
  const auto features = static_cast<std::int64_t>(all.keys.size());
  if (!table.rows() || !has_columns(ctx, *table.rows(), all.columns) || !are_splits_of(ctx, all.splits, features)) return false;
  if (all.num_fields > 0 && !are_fields_of(ctx, all.fields, all.num_fields)) return false;
  const keyed_rows& rows = *table.rows();
  const std::int64_t samples = all.splits.shape()[0] - 1;
  const std::int64_t work = all.num_fields > 0 ? work_of_pairs(features, samples, all.factors()) : features * all.columns;
  auto* const copies =
      reinterpret_cast<float*>(static_cast<std::byte*>(ctx.scratch()) + keyed_rows::scratch_bytes(features, all.columns));
  const auto use = [&](const row_list& found) {
    ctx.parallel_ranges(samples, samples_per_block(samples, work), [&](std::int64_t first, std::int64_t last) {
      float* const own = copies + all.splits.data()[first] * all.columns;
      for (std::int64_t i = first; i < last; ++i) {
        const std::int64_t begin = all.splits.data()[i], end = all.splits.data()[i + 1];
        kernel::sample_rows<float> of{nullptr, 0, own, all.values.data() + begin, end - begin, all.columns, all.linear};
        if (found.are_floats) {
          of.rows = found.rows + begin;
          of.offset = found.offset;
          if (i + 1 < last) rows.fetch(found, end, all.splits.data()[i + 2]);
        } else {
          for (std::int64_t k = begin; k < end; ++k) rows.load(found, k, own + (k - begin) * all.columns);
        }
        body(i, begin, of);
      }
    });
  };
  error why = table.rows()->visit(
      all.keys, ctx.scratch(), [&](std::int64_t n, function_ref<void(std::int64_t)> call) { ctx.parallel_for(n, call); }, use);
  if (why) ctx.fail(why);
  return !why;
}

}  // namespace detail

FLOWGRAPH_INLINE bool detail::put_table_interactions(cpu ctx, const samples_of_keys& all, float* y, float* squares) {
  const std::int64_t width = all.sums(), factors = all.factors();
  const auto* const fields = static_cast<const std::int32_t*>(all.fields.data());
  const auto at = kernel::level_of_rows(factors);
  auto* const put =
      kernel::dispatch([]<class L>(L) { return &kernel::interaction_kernels<L>::template interactions<float>; }, at);
  auto* const put_fields = kernel::dispatch(
      []<class L>(L) { return &kernel::interaction_kernels<L>::template field_interactions<float, std::int32_t>; }, at);
  return for_each_sample_of_keys(ctx, all, [&](std::int64_t sample, std::int64_t first, const kernel::sample_rows<float>& rows) {
    float *const to = y + sample * width, *const half_squares = squares + sample * width;
    if (all.num_fields > 0) put_fields(rows, fields + first, factors, to, half_squares);
    else put(rows, to, half_squares);
  });
}

FLOWGRAPH_INLINE bool detail::put_table_slopes(cpu ctx, const samples_of_keys& all, const float* dy, const float* dsquares,
                                               float* drows) {
  const std::int64_t width = all.sums(), factors = all.factors();
  const auto* const fields = static_cast<const std::int32_t*>(all.fields.data());
  const auto at = kernel::level_of_rows(factors);
  auto* const put = kernel::dispatch([]<class L>(L) { return &kernel::interaction_kernels<L>::template slopes<float>; }, at);
  auto* const put_fields = kernel::dispatch(
      []<class L>(L) { return &kernel::interaction_kernels<L>::template field_slopes<float, std::int32_t>; }, at);
  return for_each_sample_of_keys(ctx, all, [&](std::int64_t sample, std::int64_t first, const kernel::sample_rows<float>& rows) {
    const float *const of_sums = dy + sample * width, *const of_squares = dsquares + sample * width;
    float* const to = drows + first * all.columns;
    if (all.num_fields > 0) put_fields(rows, fields + first, factors, true, of_sums, of_squares, to);
    else put(rows, true, of_sums, of_squares, to);
  });
}

namespace detail {

// Updates rows by gradients that are computed when they are needed, from a few numbers for each sample.
FLOWGRAPH_INLINE error update_by_slopes(cpu ctx, keyed_rows& table, const samples_of_keys& all, const float* dy,
                                        const float* dsquares, float* factors, const row_rule& rule, row_step step) {
  const std::int64_t columns = all.columns;
  const std::int64_t samples = all.splits.shape()[0] - 1;
  auto* const sample_of = reinterpret_cast<std::uint32_t*>(factors + 3 * samples * columns);
  const auto at = kernel::level_of_rows(columns);
  auto* const find =
      kernel::dispatch([]<class L>(L) { return &kernel::interaction_kernels<L>::template slope_factors<float>; }, at);
  auto* const sum = kernel::dispatch([]<class L>(L) { return &kernel::interaction_kernels<L>::template row_slope<float>; }, at);
  const bool done =
      for_each_sample_of_keys(ctx, all, [&](std::int64_t sample, std::int64_t first, const kernel::sample_rows<float>& rows) {
        find(rows, dy + sample * columns, dsquares + sample * columns, factors + sample * 3 * columns);
        std::fill_n(sample_of + first, rows.count, static_cast<std::uint32_t>(sample));
      });
  if (!done) return {};
  const kernel::sample_slopes<float> of{all.values.data(), sample_of, factors, columns};
  const auto gradient = [&](const float* row, std::span<const std::uint32_t> keys, float* to) -> const float* {
    sum(row, keys.data(), static_cast<std::int64_t>(keys.size()), of, to);
    return to;
  };
  return table.update(all.keys, gradient, rule, step, ctx.scratch(),
                      [&](std::int64_t n, function_ref<void(std::int64_t)> call) { ctx.parallel_for(n, call); });
}

}  // namespace detail

FLOWGRAPH_INLINE void detail::update_by_interactions(cpu ctx, const samples_of_keys& all, const float* dy, const float* dsquares,
                                                     const row_rule& rule, row_step step) {
  const named_sparse_table table(ctx);
  if (!table.rows()) return;
  const std::size_t before = table_interactions_scratch({0, all.columns}, {static_cast<std::int64_t>(all.keys.size())});
  float* const own = reinterpret_cast<float*>(static_cast<std::byte*>(ctx.scratch()) + before);
  error why;
  // With fields, the gradient of a row depends on all rows of its samples, so it is computed before any row changes.
  if (all.num_fields == 0) why = update_by_slopes(ctx, *table.rows(), all, dy, dsquares, own, rule, step);
  else if (put_table_slopes(ctx, all, dy, dsquares, own))
    why = table.rows()->update(all.keys, own, rule, step, ctx.scratch(),
                               [&](std::int64_t n, function_ref<void(std::int64_t)> call) { ctx.parallel_for(n, call); });
  if (why) ctx.fail(why);
}

FLOWGRAPH_SELDOM void detail::check_table_update(shape_context& c, std::span<const flowgraph::shape* const> scalars,
                                                 const char* const* names, const flowgraph::shape& gradients,
                                                 const flowgraph::shape& keys) {
  for (std::size_t i = 0; i < scalars.size(); ++i)
    if (!fits(*scalars[i], {})) {
      c.fail(message{names[i], " must be a scalar"});
      return;
    }
  if (gradients.has_rank() && gradients.rank != 2) c.fail("gradients must be a matrix");
  else if (keys.has_rank() && keys.rank != 1) c.fail("keys must be a vector");
  else if (gradients.has_rank() && keys.has_rank() && gradients[0] >= 0 && keys[0] >= 0 && gradients[0] != keys[0])
    c.fail(message{"there must be a row of gradients for each key, found ", gradients[0], " rows and ", keys[0], " keys"});
}

FLOWGRAPH_SELDOM void detail::save_sparse_table(cpu ctx, std::int64_t files, const std::string& prefix) {
  const named_sparse_table table(ctx);
  if (!table.rows()) return;
  const auto digits = [](std::int64_t n) {
    std::string text = std::to_string(n);
    return std::string(text.size() < 5 ? 5 - text.size() : 0, '0') + text;
  };
  std::vector<std::string> paths;
  for (std::int64_t i = 0; i < files; ++i)
    paths.push_back(files == 1 ? prefix : prefix + "-" + digits(i) + "-of-" + digits(files));
  if (auto done = table.rows()->save(paths); !done) ctx.fail(done.error());
}

FLOWGRAPH_SELDOM void detail::restore_sparse_table(cpu ctx, view<const std::string> filenames) {
  const named_sparse_table table(ctx);
  if (!table.rows()) return;
  if (auto done = table.rows()->restore({filenames.data(), filenames.size()}); !done) ctx.fail(done.error());
}

FLOWGRAPH_SELDOM void detail::evict_from_sparse_table(cpu ctx, std::int64_t steps, std::int64_t rows, std::int64_t& removed) {
  const named_sparse_table table(ctx);
  if (!table.rows()) return;
  removed = 0;
  constexpr std::int64_t most = std::numeric_limits<std::uint32_t>::max();
  if (steps >= 0) removed += table.rows()->evict_older_than(static_cast<std::uint32_t>(std::min(steps, most)));
  if (rows >= 0) removed += table.rows()->evict_to(rows);
}

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>

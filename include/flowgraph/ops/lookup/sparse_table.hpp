#pragma once
// A sparse table is a matrix whose rows have 64-bit keys instead of indices. A graph looks rows up, and an optimizer trains them.
// The table creates the row of a key when the key is first looked up, so the number of keys need not be known.
//
//     fg::sparse_table<float> weights(g, {.columns = 16, .seed = 7});
//     auto rows = fg::embedding_lookup(weights, keys);               // float [n, 16]
//     auto train = fg::adagrad{.rate = 0.05f}.minimize(loss(rows));  // updates the rows that the step has looked up
//     s.run(weights.save(g.constant(std::string("weights.safetensors"))));
//
// These optimizers train tables: sgd, momentum, adam, lazy_adam, adagrad, adadelta, rms_prop (not centered) and ftrl (without
// shrinkage). Each of them updates only the rows that a step has looked up. TensorFlow has no such ops, so graphs with tables are
// exported only if the caller requests flowgraph's own ops.

#include <flowgraph/graph/apply.hpp>
#include <flowgraph/graph/gradients.hpp>
#include <flowgraph/ops/array/detail/gather_gradient.hpp>
#include <flowgraph/ops/array/embedding.hpp>
#include <flowgraph/ops/array/reshape.hpp>
#include <flowgraph/ops/lookup/table_anchor.hpp>
#include <flowgraph/ops/sparse/pair_interactions.hpp>
#include <flowgraph/ops/training/adagrad.hpp>
#include <flowgraph/ops/training/ftrl.hpp>
#include <flowgraph/ops/training/lazy_adam.hpp>
#include <flowgraph/ops/training/rms_prop.hpp>
#include <flowgraph/ops/training/training.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

struct sparse_table_access {
  static constexpr op_facts base_facts{.not_differentiable = true, .stateful = true};
};

}  // namespace detail

// Returns the handle of a table of rows by key in the session's container.
struct sparse_table_op : detail::sparse_table_access {
  static constexpr std::string_view name = "SparseTable";
  std::string container = {}, shared_name = {};
  std::int64_t columns = 1;
  dtype storage = dtype::float32;
  std::int64_t seed = 0;
  float initial_scale = 0.01f;
  std::int64_t expected_rows = 0, memory_limit = -1;  // memory_limit: -1 means no limit
  bool without_locks = false;
  std::int64_t evict_after = 0;
  static constexpr auto attrs = flowgraph::attrs(
      attr("container", &sparse_table_op::container), attr("shared_name", &sparse_table_op::shared_name),
      required("columns", &sparse_table_op::columns), attr("storage", &sparse_table_op::storage),
      attr("seed", &sparse_table_op::seed), attr("initial_scale", &sparse_table_op::initial_scale),
      attr("expected_rows", &sparse_table_op::expected_rows), attr("memory_limit", &sparse_table_op::memory_limit),
      attr("without_locks", &sparse_table_op::without_locks), attr("evict_after", &sparse_table_op::evict_after));

  flowgraph::shape shape() const { return {}; }
  void operator()(cpu ctx, unsized<resource> handle) const;
};

// Returns the row of each key. `create`: a key without a row gets one; otherwise it only gets the values that its row would begin
// with.
struct sparse_table_lookup_op {
  static constexpr std::string_view name = "SparseTableLookup";
  static constexpr op_facts facts{.stateful = true};
  bool create = true;
  static constexpr auto attrs = flowgraph::attrs(attr("create", &sparse_table_lookup_op::create));

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& table, const flowgraph::shape& anchor,
                         const flowgraph::shape& keys) const;
  std::size_t scratch(const flowgraph::shape& table, const flowgraph::shape& anchor, const flowgraph::shape& keys) const;
  void operator()(cpu ctx, view<const resource> table, view<const float> anchor, view<const std::int64_t> keys,
                  view<float> rows) const;
  gradients_of<float, 3> gradient(out<resource>, out<float> anchor, out<std::int64_t> keys, out<float>, out<float> dy) const;
};

// Creates the rows of the keys, and keeps their places for the next op with the same keys.
struct sparse_table_prepare_op : detail::sparse_table_access {
  static constexpr std::string_view name = "SparseTablePrepare";

  shape_list shape(shape_context& c, const flowgraph::shape& table, const flowgraph::shape& keys) const;
  std::size_t scratch(const flowgraph::shape& table, const flowgraph::shape& keys) const;
  void operator()(cpu ctx, view<const resource> table, view<const std::int64_t> keys) const;
};

namespace detail {

// The attributes of ops of interactions.
struct table_pairs {
  std::int64_t linear = 0;
  static constexpr auto attrs = flowgraph::attrs(attr("linear", &table_pairs::linear));
};
struct table_field_pairs {
  std::int64_t num_fields = 1, linear = 0;
  static constexpr auto attrs =
      flowgraph::attrs(required("num_fields", &table_field_pairs::num_fields), attr("linear", &table_field_pairs::linear));
};

// The ops below have an input for the fields of the features if `Field` is int32, and no such input if there is no `Field`.
template <class Field> struct shape_of_fields {
  using type = flowgraph::shape;
};

template <class Pairs, class... Field> struct table_interactions_grad_base : Pairs {
  static constexpr op_facts facts{.not_differentiable = true, .stateful = true};

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& table, const flowgraph::shape& anchor,
                         const flowgraph::shape& keys, const flowgraph::shape& values,
                         const typename shape_of_fields<Field>::type&... fields, const flowgraph::shape& splits,
                         const flowgraph::shape& dy, const flowgraph::shape& dsquares) const;
  std::size_t scratch(const flowgraph::shape& table, const flowgraph::shape& anchor, const flowgraph::shape& keys,
                      const flowgraph::shape& values, const typename shape_of_fields<Field>::type&... fields,
                      const flowgraph::shape& splits, const flowgraph::shape& dy, const flowgraph::shape& dsquares) const;
  void operator()(cpu ctx, view<const resource> table, view<const float> anchor, view<const std::int64_t> keys,
                  view<const float> values, view<const Field>... fields, view<const std::int64_t> splits, view<const float> dy,
                  view<const float> dsquares, view<float> drows) const;
};

// `Grad` and `RowsGrad`: the ops for the gradients with respect to rows of the table, and of a matrix.
template <class Grad, class RowsGrad, class Pairs, class... Field> struct table_interactions_base : Pairs {
  static constexpr op_facts facts{.stateful = true};

  std::array<flowgraph::shape, 2> shape(shape_context& c, const flowgraph::shape& table, const flowgraph::shape& anchor,
                                        const flowgraph::shape& keys, const flowgraph::shape& values,
                                        const typename shape_of_fields<Field>::type&... fields,
                                        const flowgraph::shape& splits) const;
  std::size_t scratch(const flowgraph::shape& table, const flowgraph::shape& anchor, const flowgraph::shape& keys,
                      const flowgraph::shape& values, const typename shape_of_fields<Field>::type&... fields,
                      const flowgraph::shape& splits) const;
  void operator()(cpu ctx, view<const resource> table, view<const float> anchor, view<const std::int64_t> keys,
                  view<const float> values, view<const Field>... fields, view<const std::int64_t> splits, view<float> y,
                  view<float> squares) const;
  gradients_of<float, 5 + sizeof...(Field)> gradient(out<resource> table, out<float> anchor, out<std::int64_t> keys,
                                                     out<float> values, out<Field>... fields, out<std::int64_t> splits,
                                                     out<float>, out<float>, out<float> dy, out<float> dsquares) const;
};

}  // namespace detail

// The gradient of SparseTableInteractions with respect to the rows of the keys.
struct sparse_table_interactions_grad_op : detail::table_interactions_grad_base<detail::table_pairs> {
  static constexpr std::string_view name = "SparseTableInteractionsGrad";
};

// Sums the interactions of all pairs of features of each sample, as PairInteractions does, for the rows of the keys. Creates the
// rows that do not exist. The second output contains half of the sum of the squares of the rows, for each sample and column.
struct sparse_table_interactions_op
    : detail::table_interactions_base<sparse_table_interactions_grad_op, pair_interactions_grad_op, detail::table_pairs> {
  static constexpr std::string_view name = "SparseTableInteractions";
};

// The gradient of SparseTableFieldInteractions with respect to the rows of the keys.
struct sparse_table_field_interactions_grad_op : detail::table_interactions_grad_base<detail::table_field_pairs, std::int32_t> {
  static constexpr std::string_view name = "SparseTableFieldInteractionsGrad";
};

// Sums the interactions of all pairs of features of each sample, as FieldPairInteractions does, for the rows of the keys. Creates
// the rows that do not exist. The second output contains half of the sum of the squares of the rows, for each sample: a number for
// each of the first `linear` columns, and one for all other columns.
struct sparse_table_field_interactions_op
    : detail::table_interactions_base<sparse_table_field_interactions_grad_op, field_pair_interactions_grad_op,
                                      detail::table_field_pairs, std::int32_t> {
  static constexpr std::string_view name = "SparseTableFieldInteractions";
};

namespace detail {

// The update of the rows of a table by the rule of a sparse update of a variable. The scalars are in the order of the rule.
// `initial_state`: the initial value of the first vector of state.
template <class Op, class Update, std::size_t States, class Scalars> struct table_update;
template <class Op, class Update, std::size_t States, std::size_t... I>
struct table_update<Op, Update, States, std::index_sequence<I...>> : sparse_table_access {
  using scalar_indices = std::index_sequence<I...>;
  float initial_state = 0;
  static constexpr auto attrs = flowgraph::attrs(attr("initial_state", &table_update::initial_state));

  shape_list shape(shape_context& c, const flowgraph::shape& table,
                   const typename repeated<I, flowgraph::shape>::type&... scalars, const flowgraph::shape& gradients,
                   const flowgraph::shape& keys) const;
  std::size_t scratch(const flowgraph::shape& table, const typename repeated<I, flowgraph::shape>::type&... scalars,
                      const flowgraph::shape& gradients, const flowgraph::shape& keys) const;
  void operator()(cpu ctx, view<const resource> table, typename repeated<I, view<const float>>::type... scalars,
                  view<const float> gradients, view<const std::int64_t> keys) const;
};
template <class Op, class Update, std::size_t States>
using table_update_of = table_update<Op, Update, States, std::make_index_sequence<std::size(Update::scalars)>>;

}  // namespace detail

// Updates rows by gradient descent: row -= alpha * gradient.
struct sparse_table_apply_gradient_descent_op
    : detail::table_update_of<sparse_table_apply_gradient_descent_op, resource_apply_gradient_descent_op, 0> {
  static constexpr std::string_view name = "SparseTableApplyGradientDescent";
};

// Updates rows by gradient descent with momentum, which each row keeps beside it.
struct sparse_table_apply_momentum_op
    : detail::table_update_of<sparse_table_apply_momentum_op, resource_sparse_apply_momentum_op, 1> {
  static constexpr std::string_view name = "SparseTableApplyMomentum";
  bool use_nesterov = false;
  static constexpr auto attrs = flowgraph::attrs(attr("initial_state", &sparse_table_apply_momentum_op::initial_state),
                                                 attr("use_nesterov", &sparse_table_apply_momentum_op::use_nesterov));
};

// Updates rows by Adagrad.
struct sparse_table_apply_adagrad_op
    : detail::table_update_of<sparse_table_apply_adagrad_op, resource_sparse_apply_adagrad_op, 1> {
  static constexpr std::string_view name = "SparseTableApplyAdagrad";
};

// Updates rows by Adam. The moments of rows that `keys` does not name do not decay.
struct sparse_table_apply_adam_op : detail::table_update_of<sparse_table_apply_adam_op, resource_sparse_apply_lazy_adam_op, 2> {
  static constexpr std::string_view name = "SparseTableApplyAdam";
};

// Updates rows by RMSProp.
struct sparse_table_apply_rms_prop_op
    : detail::table_update_of<sparse_table_apply_rms_prop_op, resource_sparse_apply_rms_prop_op, 2> {
  static constexpr std::string_view name = "SparseTableApplyRMSProp";
};

// Updates rows by Adadelta.
struct sparse_table_apply_adadelta_op
    : detail::table_update_of<sparse_table_apply_adadelta_op, resource_sparse_apply_adadelta_op, 2> {
  static constexpr std::string_view name = "SparseTableApplyAdadelta";
};

// Updates rows by FTRL.
struct sparse_table_apply_ftrl_op : detail::table_update_of<sparse_table_apply_ftrl_op, resource_sparse_apply_ftrl_op, 2> {
  static constexpr std::string_view name = "SparseTableApplyFtrl";
};

namespace detail {

template <class Pairs, class... Field> struct table_interactions_adagrad_base : sparse_table_access, Pairs {
  float initial_state = 0;

  shape_list shape(shape_context& c, const flowgraph::shape& table, const flowgraph::shape& alpha, const flowgraph::shape& keys,
                   const flowgraph::shape& values, const typename shape_of_fields<Field>::type&... fields,
                   const flowgraph::shape& splits, const flowgraph::shape& dy, const flowgraph::shape& dsquares) const;
  std::size_t scratch(const flowgraph::shape& table, const flowgraph::shape& alpha, const flowgraph::shape& keys,
                      const flowgraph::shape& values, const typename shape_of_fields<Field>::type&... fields,
                      const flowgraph::shape& splits, const flowgraph::shape& dy, const flowgraph::shape& dsquares) const;
  void operator()(cpu ctx, view<const resource> table, view<const float> alpha, view<const std::int64_t> keys,
                  view<const float> values, view<const Field>... fields, view<const std::int64_t> splits, view<const float> dy,
                  view<const float> dsquares) const;
};

}  // namespace detail

// SparseTableInteractionsGrad and SparseTableApplyAdagrad in one: the gradients of the rows are not stored. `minimize` uses this
// op, because nothing else reads its gradients.
struct sparse_table_interactions_apply_adagrad_op : detail::table_interactions_adagrad_base<detail::table_pairs> {
  static constexpr std::string_view name = "SparseTableInteractionsApplyAdagrad";
  static constexpr auto attrs =
      flowgraph::attrs(attr("initial_state", &sparse_table_interactions_apply_adagrad_op::initial_state),
                       attr("linear", &sparse_table_interactions_apply_adagrad_op::linear));
};

// SparseTableFieldInteractionsGrad and SparseTableApplyAdagrad in one. `minimize` uses this op, because nothing else reads its
// gradients. `columns`: of the table.
struct sparse_table_field_interactions_apply_adagrad_op
    : detail::table_interactions_adagrad_base<detail::table_field_pairs, std::int32_t> {
  static constexpr std::string_view name = "SparseTableFieldInteractionsApplyAdagrad";
  std::int64_t columns = 1;
  static constexpr auto attrs =
      flowgraph::attrs(attr("initial_state", &sparse_table_field_interactions_apply_adagrad_op::initial_state),
                       required("num_fields", &sparse_table_field_interactions_apply_adagrad_op::num_fields),
                       required("columns", &sparse_table_field_interactions_apply_adagrad_op::columns),
                       attr("linear", &sparse_table_field_interactions_apply_adagrad_op::linear));
};

// Removes the rows that no run has named during the last `steps` updates, and then the oldest rows until `rows` rows remain. A
// negative number removes nothing. Returns the number of removed rows.
struct sparse_table_evict_op : detail::sparse_table_access {
  static constexpr std::string_view name = "SparseTableEvict";

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& table, const flowgraph::shape& steps,
                         const flowgraph::shape& rows) const;
  void operator()(cpu ctx, view<const resource> table, view<const std::int64_t> steps, view<const std::int64_t> rows,
                  view<std::int64_t> removed) const;
};

// Writes a table to files in the format of safetensors, sorted by key. File i of n contains the keys whose hash modulo n is i.
// The name of a single file is `prefix`; several files are "<prefix>-00000-of-00003" and so on.
struct sparse_table_save_op : detail::sparse_table_access {
  static constexpr std::string_view name = "SparseTableSave";
  std::int64_t files = 1;
  static constexpr auto attrs = flowgraph::attrs(attr("files", &sparse_table_save_op::files));

  shape_list shape(shape_context& c, const flowgraph::shape& table, const flowgraph::shape& prefix) const;
  void operator()(cpu ctx, view<const resource> table, view<const std::string> prefix) const;
};

// Replaces the rows of a table with those of files that SparseTableSave wrote.
struct sparse_table_restore_op : detail::sparse_table_access {
  static constexpr std::string_view name = "SparseTableRestore";

  shape_list shape(const flowgraph::shape&, const flowgraph::shape&) const { return {}; }
  void operator()(cpu ctx, view<const resource> table, view<const std::string> filenames) const;
};

// Returns the number of rows of a table.
struct sparse_table_size_op : detail::sparse_table_access {
  static constexpr std::string_view name = "SparseTableSize";

  flowgraph::shape shape(const flowgraph::shape&) const { return {}; }
  void operator()(cpu ctx, view<const resource> table, view<std::int64_t> size) const;
};

using sparse_table_ops = type_list<sparse_table_op, sparse_table_lookup_op, sparse_table_prepare_op, sparse_table_interactions_op,
                                   sparse_table_interactions_grad_op, sparse_table_field_interactions_op,
                                   sparse_table_field_interactions_grad_op, sparse_table_apply_gradient_descent_op,
                                   sparse_table_apply_momentum_op, sparse_table_apply_adagrad_op, sparse_table_apply_adam_op,
                                   sparse_table_apply_rms_prop_op, sparse_table_apply_adadelta_op, sparse_table_apply_ftrl_op,
                                   sparse_table_interactions_apply_adagrad_op, sparse_table_field_interactions_apply_adagrad_op,
                                   sparse_table_evict_op, sparse_table_save_op, sparse_table_restore_op, sparse_table_size_op>;

inline gradients_of<float, 3> sparse_table_lookup_op::gradient(out<resource>, out<float> anchor, out<std::int64_t> keys,
                                                               out<float>, out<float> dy) const {
  const std::int64_t columns = anchor.shape().rank == 2 ? anchor.shape()[1] : -1;
  const out<std::int64_t> named = detail::flattened_vector(keys), extents = shape_of<std::int64_t>(anchor);
  if (keys.shape().rank == 1) return {{none, any_slices(named, dy, extents), none}};
  return {{none, any_slices(named, reshape(dy, flowgraph::shape{-1, columns}), extents), none}};
}

namespace detail {

template <class Grad, class RowsGrad, class Pairs, class... Field>
gradients_of<float, 5 + sizeof...(Field)> table_interactions_base<Grad, RowsGrad, Pairs, Field...>::gradient(
    out<resource> table, out<float> anchor, out<std::int64_t> keys, out<float> values, out<Field>... fields,
    out<std::int64_t> splits, out<float>, out<float>, out<float> dy, out<float> dsquares) const {
  Grad of_table;
  RowsGrad of_rows;
  of_table.linear = of_rows.linear = this->linear;
  if constexpr (requires { of_table.num_fields; }) of_table.num_fields = of_rows.num_fields = this->num_fields;
  of_rows.weighted = false;
  const out<float> drows = apply(site{}, of_table, table, anchor, keys, values, fields..., splits, dy, dsquares);
  const out<float> rows = apply(sparse_table_lookup_op{}, table, anchor, keys);
  const out<float> of_values = apply(site{}, of_rows, rows, values, fields..., splits, dy);
  [[maybe_unused]] const auto no_gradient = [](const auto&) { return none; };
  return {{none, any_slices(keys, drows, shape_of<std::int64_t>(anchor)), none, sum(rows * of_values, {1}),
           no_gradient(fields)..., none}};
}

}  // namespace detail

namespace detail {

// Adds an update of the rows of a table: the function of the anchors that this program makes.
target add_table_update(const table_update_request& r, const site& s);

}  // namespace detail

// Options of a sparse table. keyed_rows_options describes the members that both have.
struct sparse_table_options {
  std::int64_t columns = 1;        // the number of elements of a row
  std::int64_t seed = 0;           // the seed of the initial values
  float initial_scale = 0.01f;     // a new row is uniform in [-initial_scale, initial_scale)
  std::int64_t expected_rows = 0;  // the table is refused if the memory for so many rows exceeds memory_limit
  std::int64_t memory_limit = -1;  // in bytes; -1: no limit
  bool without_locks = false;      // true: threads update rows at the same time, and results vary
  std::int64_t evict_after = 0;    // not 0: every so many updates, rows that no run has named since the last time are removed
  std::string container = {};      // nodes with the same container and shared_name share a table
  std::string shared_name = {};    // the shared name; empty: the node has its own table
};

// The interactions of the rows of a table: see sparse_table::interactions.
struct table_interactions {
  out<float> sums;     // of the pairs of features, for each sample and column
  out<float> squares;  // half of the sum of the squares of the rows, for each sample and column (or group of columns)
};

// A table of rows by key in a graph. Its rows are stored as T: float, half or bfloat16; the graph sees float. The object is a
// handle, which is cheap to copy.
template <class T> class sparse_table {
  static_assert(in_list<T, type_list<float, half, bfloat16>>, "flowgraph: rows are stored as float, half or bfloat16");

public:
  sparse_table() = default;
  explicit sparse_table(const graph& g, const sparse_table_options& o = {}, site s = {}) {
    sparse_table_op op;
    op.container = o.container;
    op.shared_name = o.shared_name;
    op.columns = o.columns;
    op.storage = dtype_of<T>;
    op.seed = o.seed;
    op.initial_scale = o.initial_scale;
    op.expected_rows = o.expected_rows;
    op.memory_limit = o.memory_limit;
    op.without_locks = o.without_locks;
    op.evict_after = o.evict_after;
    handle_ = apply_in<>(g, op, s);
    anchor_ = apply(sparse_table_anchor_op{o.columns, &detail::add_table_update}, handle_, {.location = s.location});
  }

  // Returns the handle of the table.
  const out<resource>& handle() const { return handle_; }
  // Returns the matrix without rows by which optimizers train the table.
  const out<float>& anchor() const { return anchor_; }

  // Looks up the row of each key, and creates the rows that do not exist.
  out<float> lookup(const out<std::int64_t>& keys, site s = {}) const {
    return apply(sparse_table_lookup_op{}, handle_, anchor_, keys, s);
  }
  // Looks up rows without creating any, for predictions. A key without a row gets the values that its row would begin with.
  out<float> peek(const out<std::int64_t>& keys, site s = {}) const {
    return apply(sparse_table_lookup_op{.create = false}, handle_, anchor_, keys, s);
  }
  // Returns pair_interactions(lookup(keys), values, splits, linear), and squares for an L2 regularization. The rows are not copied.
  // Features splits[i] to splits[i + 1] belong to sample i.
  table_interactions interactions(const out<std::int64_t>& keys, const out<float>& values, const out<std::int64_t>& splits,
                                  std::int64_t linear = 0, site s = {}) const {
    sparse_table_interactions_op op;
    op.linear = linear;
    const auto [sums, squares] = apply(s, op, handle_, anchor_, keys, values, splits);
    return {sums, squares};
  }
  // Returns field_pair_interactions(lookup(keys), values, fields, splits, num_fields, linear), and squares: for each of the first
  // `linear` columns, and for all others together. The rows are not copied.
  table_interactions field_interactions(const out<std::int64_t>& keys, const out<float>& values, const out<std::int32_t>& fields,
                                        const out<std::int64_t>& splits, std::int64_t num_fields, std::int64_t linear = 0,
                                        site s = {}) const {
    sparse_table_field_interactions_op op;
    op.num_fields = num_fields;
    op.linear = linear;
    const auto [sums, squares] = apply(s, op, handle_, anchor_, keys, values, fields, splits);
    return {sums, squares};
  }
  // Creates the rows of the keys, and keeps their places for the next `interactions` with these keys. Another run may do this
  // while a run trains with other keys. Results do not change, unless the table evicts rows between both runs.
  target prepare(const out<std::int64_t>& keys, site s = {}) const { return apply(sparse_table_prepare_op{}, handle_, keys, s); }
  // Removes the rows that no run has named during the last `steps` updates. Returns their number.
  out<std::int64_t> evict_older_than(std::int64_t steps, site s = {}) const { return evict(steps, -1, s); }
  // Keeps at most `rows` rows, those that runs have named last. Returns the number of the others.
  out<std::int64_t> evict_to(std::int64_t rows, site s = {}) const { return evict(-1, rows, s); }
  // Writes the table to one or several files.
  target save(const out<std::string>& prefix, std::int64_t files = 1, site s = {}) const {
    return apply(sparse_table_save_op{{}, files}, handle_, prefix, s);
  }
  // Replaces all rows with those of the files.
  target restore(const out<std::string>& filenames, site s = {}) const {
    return apply(sparse_table_restore_op{}, handle_, filenames, s);
  }
  // Returns the number of rows.
  out<std::int64_t> size(site s = {}) const { return apply(sparse_table_size_op{}, handle_, s); }

private:
  out<std::int64_t> evict(std::int64_t steps, std::int64_t rows, const site& s) const {
    if (!handle_.source) return {};
    graph g = graph_of(*handle_.source);
    return apply(sparse_table_evict_op{}, handle_, g.constant(tensor<std::int64_t>(steps), {.location = s.location}),
                 g.constant(tensor<std::int64_t>(rows), {.location = s.location}), s);
  }

  out<resource> handle_;
  out<float> anchor_;
};

}  // namespace flowgraph

#include <flowgraph/ops/lookup/detail/table_updates.hpp>
#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/lookup/detail/sparse_table.hpp>
#endif

#pragma once

#include <flowgraph/ops/data_flow/detail/accumulator_state.hpp>
#include <flowgraph/ops/data_flow/detail/saved_tensors.hpp>
#include <flowgraph/ops/data_flow/rows.hpp>
#include <flowgraph/ops/shared/detail/move.hpp>

#include <algorithm>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

FLOWGRAPH_COLD inline error mismatch(const message& what) {
  return invalid_argument({"the gradient does not fit: ", what.string()});
}

// Calls f with an element of the type, which is one of three.
template <class F> void with_accumulated_type(dtype type, const F& f) {
  if (type == dtype::float32) f(float());
  else if (type == dtype::float64) f(double());
  else f(half());
}

// Sets to = a + b, element by element.
inline void add_elements(dtype type, const any_tensor& a, std::int64_t a_at, const any_tensor& b, std::int64_t b_at,
                         any_tensor& to, std::int64_t to_at, std::int64_t n) {
  with_accumulated_type(type, [&]<class T>(T) {
    const T* x = static_cast<const T*>(a.data()) + a_at;
    const T* y = static_cast<const T*>(b.data()) + b_at;
    T* z = static_cast<T*>(to.data()) + to_at;
    for (std::int64_t i = 0; i < n; ++i) z[i] = static_cast<T>(x[i] + y[i]);
  });
}
inline void divide_elements(dtype type, const any_tensor& from, any_tensor& to, std::int64_t at, std::int64_t n,
                            std::int32_t count) {
  with_accumulated_type(type, [&]<class T>(T) {
    const T* x = static_cast<const T*>(from.data()) + at;
    T* y = static_cast<T*>(to.data()) + at;
    const T divisor = static_cast<T>(static_cast<float>(count));
    for (std::int64_t i = 0; i < n; ++i) y[i] = static_cast<T>(x[i] / divisor);
  });
}
inline std::int64_t row_size(const any_tensor& values) {
  std::int64_t size = 1;
  for (int k = 1; k < values.shape().rank; ++k) size *= values.shape()[k];
  return size;
}

// ---- adding

FLOWGRAPH_INLINE error accumulator_state::add(cpu ctx, std::int64_t local_step, accumulated_slices gradient, const shape* said) {
  std::pmr::memory_resource* const memory = ctx.lasting_memory();
  error why;
  any_tensor kept = lasting_value(ctx, gradient.values);
  if (ctx.failed()) return {};
  gradient.values = std::move(kept);
  change([&](settled_wishes&) {
    if (local_step < step_ || (why = check(gradient, said))) return;
    if (count_ > 0) {
      why = description_.is_sparse ? add_rows(gradient, memory) : add_dense(gradient.values, memory);
    } else {
      row_counts_.assign(gradient.indices.size(), 1);
      sum_ = std::move(gradient);
    }
    if (!why) ++count_;
  });
  return why;
}

FLOWGRAPH_INLINE error accumulator_state::check(const accumulated_slices& gradient, const shape* said) const {
  if (description_.is_sparse) return check_rows(gradient, said);
  const shape& expected = count_ > 0 ? sum_.values.shape() : description_.shape;
  if (fits(gradient.values.shape(), expected)) return {};
  return mismatch({"expected shape ", expected, ", found ", gradient.values.shape()});
}

// As in TensorFlow, the whole may have more axes than the known shape, and the first extent is that of the rows' indices.
FLOWGRAPH_INLINE error accumulator_state::check_rows(const accumulated_slices& gradient, const shape* said) const {
  const shape& whole = description_.shape;
  const shape& values = gradient.values.shape();
  const int known = std::max(whole.rank, 0);
  if (said && known > said->rank) return mismatch({"expected a shape of rank ", known, " or more, found ", *said});
  for (int k = 0; said && k < known; ++k)
    if (whole[k] >= 0 && whole[k] != (*said)[k]) return mismatch({"expected shape ", whole, ", found ", *said});
  for (const std::int64_t row : gradient.indices)
    if (row < 0 || (known > 0 && whole[0] >= 0 && row >= whole[0]))
      return mismatch({"index ", row, " is out of range for shape ", whole});
  if (count_ > 0) {
    if (shape_of_rows(values) == shape_of_rows(sum_.values.shape())) return {};
    return mismatch({"expected rows of shape ", shape_of_rows(sum_.values.shape()), ", found ", shape_of_rows(values)});
  }
  if (known > values.rank) return mismatch({"expected values of rank ", known, " or more, found shape ", values});
  for (int k = 1; k < known; ++k)
    if (whole[k] >= 0 && whole[k] != values[k]) return mismatch({"expected rows as of shape ", whole, ", found values ", values});
  return {};
}

FLOWGRAPH_INLINE error accumulator_state::add_dense(const any_tensor& values, std::pmr::memory_resource* memory) {
  any_tensor value;
  if (!sum_.values.is_unique()) {
    auto fresh = any_tensor::allocate(description_.type, values.shape(), memory);
    if (!fresh) return fresh.error();
    value = *std::move(fresh);
  }
  any_tensor& to = value.has_value() ? value : sum_.values;
  add_elements(description_.type, sum_.values, 0, values, 0, to, 0, static_cast<std::int64_t>(values.size()));
  if (value.has_value()) sum_.values = std::move(value);
  return {};
}

// Both lists of indices ascend, so one pass over both is enough.
FLOWGRAPH_INLINE error accumulator_state::add_rows(const accumulated_slices& gradient, std::pmr::memory_resource* memory) {
  struct source {
    std::size_t of_sum, of_gradient;
  };
  constexpr std::size_t none = static_cast<std::size_t>(-1);
  std::vector<source> rows;
  const auto &ours = sum_.indices, &theirs = gradient.indices;
  for (std::size_t i = 0, j = 0; i < ours.size() || j < theirs.size();) {
    const bool from_sum = j == theirs.size() || (i < ours.size() && ours[i] <= theirs[j]);
    const bool from_gradient = i == ours.size() || (j < theirs.size() && theirs[j] <= ours[i]);
    rows.push_back({from_sum ? i++ : none, from_gradient ? j++ : none});
  }
  const std::int64_t n = row_size(gradient.values);
  accumulated_slices result;
  auto fresh = any_tensor::allocate(
      description_.type, shape_of_batch(static_cast<std::int64_t>(rows.size()), shape_of_rows(gradient.values.shape())), memory);
  if (!fresh) return fresh.error();
  result.values = *std::move(fresh);
  std::vector<std::int32_t> counts;
  const element_layout e{static_cast<std::uint32_t>(size_of(description_.type)), false};
  std::int64_t at = 0;
  for (const source& row : rows) {
    const auto i = static_cast<std::int64_t>(row.of_sum) * n, j = static_cast<std::int64_t>(row.of_gradient) * n;
    if (row.of_sum == none)
      copy_elements(e, element_at(e, gradient.values.data(), j), element_at(e, result.values.data(), at), n);
    else if (row.of_gradient == none)
      copy_elements(e, element_at(e, sum_.values.data(), i), element_at(e, result.values.data(), at), n);
    else add_elements(description_.type, sum_.values, i, gradient.values, j, result.values, at, n);
    result.indices.push_back(row.of_sum == none ? theirs[row.of_gradient] : ours[row.of_sum]);
    counts.push_back((row.of_sum == none ? 0 : row_counts_[row.of_sum]) + (row.of_gradient == none ? 0 : 1));
    at += n;
  }
  sum_ = std::move(result);
  row_counts_ = std::move(counts);
  return {};
}

// ---- taking

// Divides before anything changes: if there is no memory, nothing has been taken.
FLOWGRAPH_INLINE awaited::progress accumulator_state::advance(awaited::wish& asked) {
  auto& w = static_cast<wish&>(asked);
  if (count_ < w.wanted) return progress::none;
  auto taken = divided(w.context.memory());
  if (!taken) {
    w.why = taken.error();
    return progress::complete;
  }
  w.taken.values = *std::move(taken);
  w.taken.indices = std::move(sum_.indices);
  sum_ = {};
  row_counts_.clear();
  count_ = 0;
  ++step_;
  return progress::complete;
}

FLOWGRAPH_INLINE result<any_tensor> accumulator_state::divided(std::pmr::memory_resource* memory) const {
  if (!description_.is_mean || count_ == 1) return sum_.values;
  auto result = any_tensor::allocate(description_.type, sum_.values.shape(), memory);
  if (!result) return result;
  if (!description_.is_sparse) {
    divide_elements(description_.type, sum_.values, *result, 0, static_cast<std::int64_t>(result->size()), count_);
    return result;
  }
  const std::int64_t n = row_size(sum_.values);
  for (std::size_t row = 0; row < row_counts_.size(); ++row)
    divide_elements(description_.type, sum_.values, *result, static_cast<std::int64_t>(row) * n, n, row_counts_[row]);
  return result;
}

FLOWGRAPH_INLINE error accumulator_state::deliver(awaited::wish& asked) {
  const auto& w = static_cast<const wish&>(asked);
  if (!description_.is_sparse) {
    w.context.set_output(0, w.taken.values);
    return {};
  }
  const shape& values = w.taken.values.shape();
  const view<std::int64_t> indices = w.context.output<std::int64_t>(0, {static_cast<std::int64_t>(w.taken.indices.size())});
  const view<std::int64_t> whole = w.context.output<std::int64_t>(2, {values.rank});
  if (w.context.failed()) return {};
  std::copy(w.taken.indices.begin(), w.taken.indices.end(), indices.data());
  for (int k = 0; k < values.rank; ++k) whole[static_cast<std::size_t>(k)] = values[k];
  if (values.rank > 0) whole[0] = description_.shape.rank > 0 ? description_.shape[0] : -1;
  w.context.set_output(1, w.taken.values);
  return {};
}

FLOWGRAPH_INLINE std::int32_t accumulator_state::count() const {
  const threading::lock_guard lock(mutex_);
  return count_;
}
FLOWGRAPH_INLINE void accumulator_state::set_step(std::int64_t step) {
  const threading::lock_guard lock(mutex_);
  step_ = step;
}

// ---- saving

FLOWGRAPH_SELDOM result<std::string> accumulator_state::save() const {
  const threading::lock_guard lock(mutex_);
  std::string text;
  put_varint_field(text, 1, static_cast<std::uint64_t>(step_));
  put_varint_field(text, 2, static_cast<std::uint64_t>(count_));
  if (sum_.values.has_value())
    if (error why = put_tensor(text, 3, sum_.values)) return why;
  for (const std::int64_t i : sum_.indices) put_varint_field(text, 4, static_cast<std::uint64_t>(i));
  for (const std::int32_t n : row_counts_) put_varint_field(text, 5, static_cast<std::uint64_t>(n));
  return text;
}

FLOWGRAPH_SELDOM error accumulator_state::load(std::string_view bytes, std::pmr::memory_resource* memory) {
  memory = memory_for(memory);
  std::int64_t step = 0;
  std::int32_t count = 0;
  accumulated_slices sum;
  std::vector<std::int32_t> rows;
  field_reader f(bytes);
  while (f.next()) {
    if (f.is_varint(1)) step = static_cast<std::int64_t>(f.value());
    else if (f.is_varint(2)) count = static_cast<std::int32_t>(f.value());
    else if (f.is_varint(4)) sum.indices.push_back(static_cast<std::int64_t>(f.value()));
    else if (f.is_varint(5)) rows.push_back(static_cast<std::int32_t>(f.value()));
    else if (f.is_bytes(3)) {
      auto values = parse_tensor(f.bytes(), memory);
      if (!values) return values.error();
      sum.values = *std::move(values);
    }
  }
  const bool has_sum = sum.values.has_value();
  const auto height = has_sum && sum.values.shape().rank > 0 ? static_cast<std::size_t>(sum.values.shape()[0]) : 0;
  const bool has_rows = sum.indices.size() == rows.size() && (rows.empty() || (description_.is_sparse && rows.size() == height));
  const bool has_counts = count >= 0 && (count > 0) == has_sum && std::ranges::all_of(rows, [](std::int32_t n) { return n > 0; });
  if (f.is_broken() || !has_rows || !has_counts || (has_sum && description_.is_sparse && rows.size() != height))
    return damaged_contents();
  if (has_sum &&
      (sum.values.type() != description_.type || !fits(sum.values.shape(), rows.empty() ? description_.shape : shape::unknown())))
    return invalid_argument({"the saved sum is ", name_of(sum.values.type()), sum.values.shape(), ", expected ",
                             name_of(description_.type), description_.shape});
  change([&](settled_wishes&) {
    step_ = step;
    count_ = count;
    sum_ = std::move(sum);
    row_counts_ = std::move(rows);
  });
  return {};
}

// ---- names, and the kernels

FLOWGRAPH_COLD inline error differing(const accumulator_description& found, const accumulator_description& wanted,
                                      const std::string& name) {
  const auto said = [&](const char* what, const message& theirs, const message& ours) {
    return invalid_argument(
        {"the accumulator '", name, "' exists with ", what, " ", theirs.string(), ", expected ", ours.string()});
  };
  if (found.kind != wanted.kind) return said("kind", {found.kind}, {wanted.kind});
  if (found.type != wanted.type) return said("dtype", {name_of(found.type)}, {name_of(wanted.type)});
  if (!(found.shape == wanted.shape)) return said("shape", {found.shape}, {wanted.shape});
  if (found.is_mean != wanted.is_mean)
    return said("reduction_type", {found.is_mean ? "MEAN" : "SUM"}, {wanted.is_mean ? "MEAN" : "SUM"});
  return {};
}

FLOWGRAPH_INLINE resource find_accumulator(cpu ctx, const accumulator_description& d, const std::string& section,
                                           const std::string& shared_name) {
  const std::string name = name_of_awaited(ctx, shared_name);
  auto found = ctx.resources().find_or_make(section, name, kind_of<accumulator_state>(),
                                            [&]() -> resource_base* { return lying_with(ctx, new accumulator_state(d, name)); });
  error why = found ? differing(found->as<accumulator_state>()->description(), d, name) : found.error();
  if (!why) return *std::move(found);
  ctx.fail(why);
  return {};
}

FLOWGRAPH_INLINE resource named_accumulator(cpu ctx) {
  return named_awaited(ctx, kind_of<accumulator_state>(), "an accumulator");
}
FLOWGRAPH_INLINE resource named_accumulator(cpu ctx, dtype type, bool is_sparse) {
  const resource found = named_accumulator(ctx);
  if (ctx.failed()) return {};
  const auto& state = *found.as<accumulator_state>();
  const accumulator_description& d = state.description();
  if (d.type == type && d.is_sparse == is_sparse) return found;
  ctx.fail(message{state.called(), " adds up ", d.is_sparse ? "slices" : "tensors", " of type ", name_of(d.type), ", expected ",
                   is_sparse ? "slices" : "tensors", " of type ", name_of(type)});
  return {};
}

FLOWGRAPH_INLINE void take_gradient(cpu ctx, dtype type, bool is_sparse, view<const std::int32_t> num_required, done answer) {
  const resource accumulator = named_accumulator(ctx, type, is_sparse);
  if (ctx.failed()) return answer();
  if (num_required.scalar() <= 0)
    return answer(invalid_argument({"num_required must be positive, found ", num_required.scalar()}));
  accumulator.as<accumulator_state>()->submit(
      std::make_shared<accumulator_state::wish>(ctx, std::move(answer), num_required.scalar()));
}

}  // namespace flowgraph::detail

#include <flowgraph/show_names.hpp>

#pragma once

#include <flowgraph/core/threads.hpp>
#include <flowgraph/ops/data_flow/detail/awaited.hpp>
#include <flowgraph/ops/data_flow/detail/saved_tensors.hpp>
#include <flowgraph/ops/lookup/detail/table_state.hpp>
#include <flowgraph/ops/shared/detail/move.hpp>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

FLOWGRAPH_INLINE table_state::table_state(table_description d, std::string name, std::pmr::memory_resource* memory)
    : resource_base(kind_of<table_state>()), description_(std::move(d)), name_(std::move(name)), memory_(memory),
      free_keys_(no_rows()), rows_(no_rows()) {
  bool is_new = false;
  if (description_.free_keys.empty() || free_keys_.reserve(static_cast<std::int64_t>(description_.free_keys.size()))) return;
  for (const any_tensor& key : description_.free_keys) free_keys_.add(key, 0, is_new);
}

FLOWGRAPH_INLINE table_rows table_state::no_rows() const {
  return {description_.key, description_.key_shape().size(), description_.value, description_.value_shape.size(), memory_};
}

FLOWGRAPH_INLINE error table_state::check(const table_description& d) {
  const auto is_among = []<class... T>(dtype t, type_list<T...>) { return ((t == dtype_of<T>) || ...); };
  if (!is_among(d.key, type_list<std::int32_t, std::int64_t, std::string>{}))
    return invalid_argument({"the keys of a table must be int32, int64 or string, found ", name_of(d.key)});
  if (!is_among(d.value, type_list<float, double, std::int32_t, std::int64_t, bool, std::string>{}))
    return invalid_argument({"the values of a table cannot be ", name_of(d.value)});
  const bool may_be_scalar = d.use != table_use::vectors,
             may_be_vector = d.use == table_use::vectors || d.use == table_use::dense;
  const shape& v = d.value_shape;
  if (!v.is_known() || v.rank > 1 || (v.rank == 0 && !may_be_scalar) || (v.rank == 1 && !may_be_vector))
    return invalid_argument({"value_shape must be that of a ", may_be_scalar ? "scalar or a " : "", "vector, found ", v});
  if (d.use != table_use::dense) return {};
  if (d.key_shape().rank > 1) return invalid_argument({"empty_key must be a scalar or a vector, found ", d.key_shape()});
  for (std::size_t i = 1; i < d.free_keys.size(); ++i) {
    if (!(d.free_keys[i].shape() == d.key_shape()))
      return invalid_argument(
          {"empty_key and deleted_key must have one shape, found ", d.key_shape(), " and ", d.free_keys[i].shape()});
    table_rows first(d.key, d.key_shape().size(), d.value, 0, std::pmr::new_delete_resource());
    if (error why = first.reserve(1)) return why;
    bool is_new = false;
    first.add(d.free_keys[0], 0, is_new);
    if (first.find(d.free_keys[i], 0) >= 0) return invalid_argument("empty_key and deleted_key must differ");
  }
  return {};
}

// ---- checks

FLOWGRAPH_INLINE error table_state::check_types(dtype key, dtype value) const {
  if (key == description_.key && value == description_.value) return {};
  return invalid_argument({called(), " has keys of ", name_of(description_.key), " and values of ", name_of(description_.value),
                           ", found ", name_of(key), " and ", name_of(value)});
}

FLOWGRAPH_INLINE error table_state::check_keys(const flowgraph::shape& keys, std::int64_t& count) const {
  const flowgraph::shape one = description_.key_shape();
  bool ends_so = keys.rank >= one.rank;
  for (int i = 1; ends_so && i <= one.rank; ++i) ends_so = keys[-i] == one[-i];
  if (!ends_so) return invalid_argument({"the shape of keys must end with ", one, ", found ", keys});
  count = 1;
  for (int i = 0; i < keys.rank - one.rank; ++i) count *= keys[i];
  return {};
}

FLOWGRAPH_INLINE flowgraph::shape table_state::shape_of_values(const flowgraph::shape& keys) const {
  flowgraph::shape result = flowgraph::shape::of(keys.dims, keys.rank - description_.key_shape().rank);
  for (const std::int64_t extent : description_.value_shape) result.push_back(extent);
  return result;
}

FLOWGRAPH_INLINE error table_state::check_free(const any_tensor& keys, std::int64_t count) const {
  for (std::int64_t i = 0; i < count; ++i)
    if (const std::int64_t which = free_keys_.find(keys, i); which >= 0)
      return invalid_argument(
          {"key ", i, " is the ", which == 0 ? "empty_key" : "deleted_key", " of ", called(), ", which no key may be"});
  return {};
}

// ---- calls

FLOWGRAPH_INLINE error table_state::cleared() const {
  if (!dropped_) return {};
  return error(error_code::cancelled, message{"the container of ", called(), " was cleared"});
}

FLOWGRAPH_INLINE void table_state::dropped() {
  table_rows freed = no_rows();
  const threading::lock_guard lock(mutex_);
  std::swap(freed, rows_);
  dropped_ = true;
}

FLOWGRAPH_INLINE std::int64_t table_state::size() const {
  const threading::shared_lock lock(mutex_);
  return rows_.size();
}

FLOWGRAPH_INLINE error table_state::find(const any_tensor& keys, const any_tensor& preset, any_tensor& values) const {
  std::int64_t count = 0;
  if (error why = check_keys(keys.shape(), count)) return why;
  if (error why = check_free(keys, count)) return why;
  // Only tables that change allow a default for each key. Others use the first, as in TensorFlow.
  const bool has_each = description_.use == table_use::scalars || description_.use == table_use::vectors;
  const bool one_each = has_each && preset.shape() == shape_of_values(keys.shape());
  const std::int64_t value_size = description_.value_shape.size();
  const element_layout e = element_layout_of(description_.value);
  const threading::shared_lock lock(mutex_);
  if (error why = cleared()) return why;
  if (description_.use == table_use::fixed && !is_filled_)
    return error(error_code::failed_precondition, message{called(), " is not initialized"});
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t row = rows_.find(keys, i);
    if (row >= 0) rows_.get_value(row, values, i);
    else
      copy_elements(e, element_at(e, preset.data(), one_each ? i * value_size : 0), element_at(e, values.data(), i * value_size),
                    value_size);
  }
  return {};
}

FLOWGRAPH_INLINE error table_state::fill(table_rows& rows, const any_tensor& keys, const any_tensor& values,
                                         std::int64_t count) const {
  if (error why = rows.reserve(rows.size() + count)) return why;
  for (std::int64_t i = 0; i < count; ++i) {
    bool is_new = false;
    const std::int64_t row = rows.add(keys, i, is_new);
    if (description_.use == table_use::fixed && !is_new && !rows.has_value(row, values, i))
      return error(error_code::failed_precondition, message{"key ", i, " of ", called(), " has another value than before"});
    rows.set_value(row, values, i);
  }
  return {};
}

FLOWGRAPH_COLD inline error not_changed(const table_state& t) {
  return error(error_code::unimplemented, message{t.called(), " is filled once and does not change"});
}

FLOWGRAPH_INLINE error table_state::insert(const any_tensor& keys, const any_tensor& values) {
  if (description_.use == table_use::fixed) return not_changed(*this);
  std::int64_t count = 0;
  if (error why = check_keys(keys.shape(), count)) return why;
  if (error why = check_free(keys, count)) return why;
  if (!(values.shape() == shape_of_values(keys.shape())))
    return invalid_argument({"expected values of shape ", shape_of_values(keys.shape()), ", found ", values.shape()});
  const threading::lock_guard lock(mutex_);
  if (error why = cleared()) return why;
  return fill(rows_, keys, values, count);
}

FLOWGRAPH_INLINE error table_state::remove(const any_tensor& keys) {
  if (description_.use == table_use::fixed) return not_changed(*this);
  std::int64_t count = 0;
  if (error why = check_keys(keys.shape(), count)) return why;
  if (error why = check_free(keys, count)) return why;
  const threading::lock_guard lock(mutex_);
  if (error why = cleared()) return why;
  for (std::int64_t i = 0; i < count; ++i) rows_.remove(keys, i);
  return {};
}

FLOWGRAPH_INLINE error table_state::replace(const any_tensor& keys, const any_tensor& values) {
  if (description_.use == table_use::fixed) return initialize(keys, values);
  std::int64_t count = 0;
  flowgraph::shape wanted = shape_of_values(keys.shape());
  if (description_.use != table_use::dense) {
    if (error why = check_keys(keys.shape(), count)) return why;
  } else if (keys.shape().rank != 2 || keys.shape()[1] != description_.key_shape().size()) {
    return invalid_argument({"the keys of ", called(), " must come as a matrix with ", description_.key_shape().size(),
                             " columns, as they are exported, found ", keys.shape()});
  } else {
    count = keys.shape()[0];
    wanted = {count, description_.value_shape.size()};
  }
  if (!(values.shape() == wanted)) return invalid_argument({"expected values of shape ", wanted, ", found ", values.shape()});
  table_rows rows = no_rows();
  if (error why = fill(rows, keys, values, count)) return why;
  for (const any_tensor& free : description_.free_keys) rows.remove(free, 0);
  const threading::lock_guard lock(mutex_);
  if (error why = cleared()) return why;
  std::swap(rows, rows_);
  return {};
}

FLOWGRAPH_INLINE error table_state::initialize(const any_tensor& keys, const any_tensor& values) {
  if (description_.use != table_use::fixed)
    return invalid_argument({called(), " is not one that is initialized: insert into it"});
  if (keys.size() != values.size())
    return invalid_argument({"there must be a value for each key, found ", keys.size(), " keys and ", values.size(), " values"});
  if (keys.size() == 0) return invalid_argument("a table is initialized with one key or more, found none");
  const auto count = static_cast<std::int64_t>(keys.size());
  const threading::lock_guard lock(mutex_);
  if (error why = cleared()) return why;
  if (is_filled_) {
    if (rows_.size() == count) return {};
    return error(error_code::failed_precondition,
                 message{called(), " has been initialized with ", rows_.size(), " keys before, found ", count});
  }
  table_rows rows = no_rows();
  if (error why = fill(rows, keys, values, count)) return why;
  rows_ = std::move(rows);
  is_filled_ = true;
  return {};
}

FLOWGRAPH_INLINE error table_state::contents(std::pmr::memory_resource* memory, any_tensor& keys, any_tensor& values) const {
  const threading::shared_lock lock(mutex_);
  if (error why = cleared()) return why;
  if (description_.use == table_use::fixed && !is_filled_)
    return error(error_code::aborted, message{called(), " is not initialized"});
  const bool is_dense = description_.use == table_use::dense;
  const flowgraph::shape n{rows_.size()};
  const std::int64_t key_size = description_.key_shape().size(), value_size = description_.value_shape.size();
  const auto copy = [&](const any_tensor& from, dtype type, const flowgraph::shape& result, any_tensor& to) -> error {
    auto own = any_tensor::allocate(type, result, memory);
    if (!own) return own.error();
    to = *std::move(own);
    copy_elements({static_cast<std::uint32_t>(size_of(type)), type == dtype::string}, from.data(), to.data(), result.size());
    return {};
  };
  if (error why = copy(rows_.keys(), description_.key, is_dense ? flowgraph::shape{n[0], key_size} : n, keys)) return why;
  return copy(rows_.values(), description_.value, is_dense ? flowgraph::shape{n[0], value_size} : shape_of_values(n), values);
}

// ---- saving

// Returns nothing for a table that has not been filled yet.
FLOWGRAPH_SELDOM result<std::string> table_state::save() const {
  {
    const threading::shared_lock lock(mutex_);
    if (description_.use == table_use::fixed && !is_filled_) return std::string();
  }
  any_tensor keys, values;
  if (error why = contents(std::pmr::new_delete_resource(), keys, values)) return why;
  std::string text;
  if (error why = put_tensor(text, 1, keys)) return why;
  if (error why = put_tensor(text, 2, values)) return why;
  return text;
}

FLOWGRAPH_SELDOM error table_state::load(std::string_view bytes, std::pmr::memory_resource* memory) {
  any_tensor keys, values;
  field_reader f(bytes);
  while (f.next()) {
    if (!f.is_bytes(1) && !f.is_bytes(2)) continue;
    auto parsed = parse_tensor(f.bytes(), memory);
    if (!parsed) return parsed.error();
    (f.number() == 1 ? keys : values) = *std::move(parsed);
  }
  const bool is_fixed = description_.use == table_use::fixed, is_filled = keys.has_value() && values.has_value();
  if (f.is_broken() || (!is_filled && !(is_fixed && bytes.empty()))) return damaged_contents();
  if (is_filled)
    if (error why = check_types(keys.type(), values.type())) return why;
  if (!is_fixed) return replace(keys, values);
  if (is_filled && keys.size() != values.size()) return damaged_contents();
  table_rows rows = no_rows();
  if (is_filled)
    if (error why = fill(rows, keys, values, static_cast<std::int64_t>(keys.size()))) return why;
  const threading::lock_guard lock(mutex_);
  std::swap(rows, rows_);
  is_filled_ = is_filled;
  return {};
}

// ---- kernels

FLOWGRAPH_INLINE resource find_or_make_table(cpu ctx, table_description d, const std::string& section,
                                             const std::string& shared_name) {
  if (ctx.failed()) return {};
  const std::string name = name_of_awaited(ctx, shared_name);
  const dtype key = d.key, value = d.value;
  if (error why = table_state::check(d)) {
    ctx.fail(why);
    return {};
  }
  auto found = ctx.resources().find_or_make(section, name, kind_of<table_state>(), [&]() -> resource_base* {
    return new table_state(std::move(d), name, ctx.lasting_memory());
  });
  error why = found ? found->as<table_state>()->check_types(key, value) : found.error();
  if (!why) return *std::move(found);
  ctx.fail(why);
  return {};
}

FLOWGRAPH_INLINE resource named_table(cpu ctx) { return named_awaited(ctx, kind_of<table_state>(), "a table"); }

// Calls f with the table that input 0 names, for keys and values of those types.
template <class F> void with_table(cpu ctx, dtype key, dtype value, F&& f) {
  const resource named = named_table(ctx);
  if (ctx.failed()) return;
  table_state& table = *static_cast<table_state*>(named.base);
  error why = table.check_types(key, value);
  if (!why) why = f(table);
  if (why) ctx.fail(why);
}
template <class F> void with_table(cpu ctx, F&& f) { with_table(ctx, ctx.input(1).type(), ctx.input(2).type(), f); }

FLOWGRAPH_INLINE void find_in_table(cpu ctx) {
  with_table(ctx, [&](const table_state& table) -> error {
    const any_tensor &keys = ctx.input(1), &preset = ctx.input(2);
    std::int64_t count = 0;
    if (error why = table.check_keys(keys.shape(), count)) return why;
    const flowgraph::shape result = table.shape_of_values(keys.shape());
    const flowgraph::shape& one = table.description().value_shape;
    if (!(preset.shape() == one || preset.shape() == result))
      return invalid_argument({"expected a default_value of shape ", one, " or ", result, ", found ", preset.shape()});
    auto values = any_tensor::allocate(table.description().value, result, ctx.memory());
    if (!values) return values.error();
    if (error why = table.find(keys, preset, *values)) return why;
    ctx.set_output(0, *std::move(values));
    return {};
  });
}
FLOWGRAPH_INLINE void insert_into_table(cpu ctx) {
  with_table(ctx, [&](table_state& table) { return table.insert(ctx.input(1), ctx.input(2)); });
}
FLOWGRAPH_INLINE void import_into_table(cpu ctx) {
  with_table(ctx, [&](table_state& table) { return table.replace(ctx.input(1), ctx.input(2)); });
}
FLOWGRAPH_INLINE void initialize_table(cpu ctx) {
  with_table(ctx, [&](table_state& table) -> error {
    if (ctx.input(1).shape().rank == 1) return table.initialize(ctx.input(1), ctx.input(2));
    return invalid_argument({"keys must be a vector, found ", ctx.input(1).shape()});
  });
}
FLOWGRAPH_INLINE void remove_from_table(cpu ctx) {
  const resource named = named_table(ctx);
  if (ctx.failed()) return;
  table_state& table = *static_cast<table_state*>(named.base);
  error why = table.check_types(ctx.input(1).type(), table.description().value);
  if (!why) why = table.remove(ctx.input(1));
  if (why) ctx.fail(why);
}
FLOWGRAPH_INLINE void export_table(cpu ctx, dtype keys, dtype values) {
  with_table(ctx, keys, values, [&](const table_state& table) -> error {
    any_tensor all_keys, all_values;
    if (error why = table.contents(ctx.memory(), all_keys, all_values)) return why;
    ctx.set_output(0, std::move(all_keys));
    ctx.set_output(1, std::move(all_values));
    return {};
  });
}

}  // namespace flowgraph::detail

#include <flowgraph/show_names.hpp>

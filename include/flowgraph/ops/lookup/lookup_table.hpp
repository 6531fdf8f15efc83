#pragma once
// What is done with tables of keys and values, whatever kind of table it is: finding, inserting, removing, giving out, filling at once.
//
//     out<std::int64_t> numbers = words.find(text, -1);     // where a key is not in the table: -1
//     auto learnt = words.insert(keys, values);
//     auto [keys, values] = words.contents();

#include <flowgraph/graph/apply.hpp>
#include <flowgraph/ops/array/constant.hpp>
#include <flowgraph/ops/data_flow/rows.hpp>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

// The element types of keys and of values.
using table_keys = type_list<std::int32_t, std::int64_t, std::string>;
using table_values = type_list<float, double, std::int32_t, std::int64_t, bool, std::string>;

namespace detail {

// How an op names its table: by a resource, or by two strings behind a reference.
struct table_handle {
  using parameter = view<const resource>;
};
struct table_reference {
  using parameter = reference_in<std::string>;
};

struct table_access {
  static constexpr bool not_differentiable = true, stateful = true;
};

template <class Handle> struct table_find : table_access {
  using types = type_attrs<type_attr<"Tin", table_keys>, type_attr<"Tout", table_values>>;

  flowgraph::shape shape(const flowgraph::shape&, const flowgraph::shape&, const flowgraph::shape&) const {
    return flowgraph::shape::unknown();
  }
  template <class Key, class Value>
  void operator()(cpu ctx, typename Handle::parameter table, view<const Key> keys, view<const Value> default_value,
                  unsized<Value> values) const;
};
template <class Handle> struct table_insert : table_access {
  using types = type_attrs<type_attr<"Tin", table_keys>, type_attr<"Tout", table_values>>;

  template <class Key, class Value>
  void operator()(cpu ctx, typename Handle::parameter table, view<const Key> keys, view<const Value> values) const;
};
template <class Handle> struct table_import : table_access {
  using types = type_attrs<type_attr<"Tin", table_keys>, type_attr<"Tout", table_values>>;

  template <class Key, class Value>
  void operator()(cpu ctx, typename Handle::parameter table, view<const Key> keys, view<const Value> values) const;
};
template <class Handle> struct table_initialize : table_access {
  using types = type_attrs<type_attr<"Tkey", table_keys>, type_attr<"Tval", table_values>>;

  template <class Key, class Value>
  void operator()(cpu ctx, typename Handle::parameter table, view<const Key> keys, view<const Value> values) const;
};
template <class Handle> struct table_export : table_access {
  using types = type_attrs<type_attr<"Tkeys", table_keys>, type_attr<"Tvalues", table_values>>;

  shape_list shape(const flowgraph::shape&) const { return {flowgraph::shape::unknown(), flowgraph::shape::unknown()}; }
  template <class Key, class Value>
  void operator()(cpu ctx, typename Handle::parameter table, unsized<Key> keys, unsized<Value> values) const;
};
template <class Handle> struct table_size : table_access {
  flowgraph::shape shape(const flowgraph::shape&) const { return {}; }
  void operator()(cpu ctx, typename Handle::parameter table, view<std::int64_t> size) const;
};

// Which part of a line is a key and which is a value: a column, counted from 0; line_number; or whole_line.
struct text_file_columns : table_access {
  static constexpr std::int64_t line_number = -1, whole_line = -2;

  std::int64_t key_index = whole_line, value_index = line_number;
  std::int64_t vocab_size = -1;  // lines to read; -1: all
  std::string delimiter = "\t";  // a character between columns
  std::int64_t offset = 0;       // the number of the first line
  static constexpr auto attrs = flowgraph::attrs(
      required("key_index", &text_file_columns::key_index), required("value_index", &text_file_columns::value_index),
      attr("vocab_size", &text_file_columns::vocab_size), attr("delimiter", &text_file_columns::delimiter),
      attr("offset", &text_file_columns::offset));

  shape_list shape(shape_context& c, const flowgraph::shape& table, const flowgraph::shape& filename) const;
};
template <class Handle> struct table_initialize_from_text_file : text_file_columns {
  void operator()(cpu ctx, typename Handle::parameter table, view<const std::string> filename) const;
};

}  // namespace detail

// The values of keys; of those that a table has not, the default.
struct lookup_table_find_v2_op : detail::table_find<detail::table_handle> {
  static constexpr std::string_view name = "LookupTableFindV2";
};

// Puts keys with their values into a table; a value of a key that is there is replaced.
struct lookup_table_insert_v2_op : detail::table_insert<detail::table_handle> {
  static constexpr std::string_view name = "LookupTableInsertV2";
};

// Takes keys out of a table, as far as they are there.
struct lookup_table_remove_v2_op : detail::table_access {
  static constexpr std::string_view name = "LookupTableRemoveV2";
  using types = type_attrs<type_attr<"Tin", table_keys>>;

  template <class Key> void operator()(cpu ctx, view<const resource> table, view<const Key> keys) const;
};

// How many keys a table has.
struct lookup_table_size_v2_op : detail::table_size<detail::table_handle> {
  static constexpr std::string_view name = "LookupTableSizeV2";
};

// All keys of a table, with their values.
struct lookup_table_export_v2_op : detail::table_export<detail::table_handle> {
  static constexpr std::string_view name = "LookupTableExportV2";
};

// Makes keys with their values all that a table has.
struct lookup_table_import_v2_op : detail::table_import<detail::table_handle> {
  static constexpr std::string_view name = "LookupTableImportV2";
};

// Gives a table the keys and values that it keeps for good.
struct initialize_table_v2_op : detail::table_initialize<detail::table_handle> {
  static constexpr std::string_view name = "InitializeTableV2";
};

// Gives a table the keys and values that it keeps for good, from the lines of a file.
struct initialize_table_from_text_file_v2_op : detail::table_initialize_from_text_file<detail::table_handle> {
  static constexpr std::string_view name = "InitializeTableFromTextFileV2";
};

// The values of keys; of those that a table behind a reference has not, the default.
struct lookup_table_find_op : detail::table_find<detail::table_reference> {
  static constexpr std::string_view name = "LookupTableFind";
};

// Puts keys with their values into a table behind a reference; a value of a key that is there is replaced.
struct lookup_table_insert_op : detail::table_insert<detail::table_reference> {
  static constexpr std::string_view name = "LookupTableInsert";
};

// How many keys a table behind a reference has.
struct lookup_table_size_op : detail::table_size<detail::table_reference> {
  static constexpr std::string_view name = "LookupTableSize";
};

// All keys of a table behind a reference, with their values.
struct lookup_table_export_op : detail::table_export<detail::table_reference> {
  static constexpr std::string_view name = "LookupTableExport";
};

// Makes keys with their values all that a table behind a reference has.
struct lookup_table_import_op : detail::table_import<detail::table_reference> {
  static constexpr std::string_view name = "LookupTableImport";
};

// Gives a table behind a reference the keys and values that it keeps for good.
struct initialize_table_op : detail::table_initialize<detail::table_reference> {
  static constexpr std::string_view name = "InitializeTable";
};

// Gives a table behind a reference the keys and values that it keeps for good, from the lines of a file.
struct initialize_table_from_text_file_op : detail::table_initialize_from_text_file<detail::table_reference> {
  static constexpr std::string_view name = "InitializeTableFromTextFile";
};

using lookup_table_ops =
    type_list<lookup_table_find_v2_op, lookup_table_insert_v2_op, lookup_table_remove_v2_op, lookup_table_size_v2_op,
              lookup_table_export_v2_op, lookup_table_import_v2_op, initialize_table_v2_op, initialize_table_from_text_file_v2_op,
              lookup_table_find_op, lookup_table_insert_op, lookup_table_size_op, lookup_table_export_op, lookup_table_import_op,
              initialize_table_op, initialize_table_from_text_file_op>;

// All keys of a table with their values, row by row.
template <class Key, class Value> struct table_contents {
  out<Key> keys;
  out<Value> values;
};

// A table of a graph: a cheap handle. What kind of table it is, its node knows.
template <class Key, class Value> class lookup_table {
  static_assert(in_list<Key, table_keys>, "flowgraph: the keys of a table are std::int32_t, std::int64_t or std::string");
  static_assert(in_list<Value, table_values>,
                "flowgraph: the values of a table are float, double, std::int32_t, std::int64_t, bool or std::string");

public:
  lookup_table() = default;
  // `value_shape`: that of the value of one key.
  explicit lookup_table(out<resource> handle, flowgraph::shape value_shape = {}) : handle_(handle), value_shape_(value_shape) {}

  // The handle that names the table.
  out<resource> handle() const { return handle_; }

  // The values of keys of any shape. A key that is not there has the default, which is one value.
  out<Value> find(const out<Key>& keys, const out<Value>& preset, site s = {}) const {
    const out<Value> found = apply_as<Key, Value>(s, lookup_table_find_v2_op{}, handle_, keys, preset);
    if (found.source && keys.source && keys.shape().has_rank()) {
      flowgraph::shape known = keys.shape();
      for (const std::int64_t extent : value_shape_) known.push_back(extent);
      detail::know_shape(found, known);
    }
    return found;
  }
  out<Value> find(const out<Key>& keys, const Value& preset, site s = {}) const {
    if (!handle_.source) return {};
    return find(keys, graph_of(*handle_.source).constant(tensor<Value>(preset), {.location = s.location}), s);
  }

  // How many keys it has.
  out<std::int64_t> size(site s = {}) const { return apply(lookup_table_size_v2_op{}, handle_, s); }
  // All keys with their values, in no order that counts.
  table_contents<Key, Value> contents(site s = {}) const {
    const auto [keys, values] = apply_as<Key, Value>(s, lookup_table_export_v2_op{}, handle_);
    return {keys, values};
  }

private:
  out<resource> handle_;
  flowgraph::shape value_shape_;
};

}
}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/lookup/detail/lookup_table.hpp>
#endif

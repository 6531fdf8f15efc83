#pragma once
// Operations on tables of keys and values of any kind: lookup, insertion, removal, export, and initialization.
//
//     out<std::int64_t> numbers = words.find(text, -1);     // -1 if the table does not contain a key
//     auto learnt = words.insert(keys, values);
//     auto [keys, values] = words.contents();

#include <flowgraph/graph/apply.hpp>
#include <flowgraph/ops/array/constant.hpp>
#include <flowgraph/ops/data_flow/rows.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

// The element types of keys and of values.
using table_keys = type_list<std::int32_t, std::int64_t, std::string>;
using table_values = type_list<float, double, std::int32_t, std::int64_t, bool, std::string>;

namespace detail {

// The ways in which an op refers to its table: a resource, or a reference to two strings.
struct table_handle {
  using parameter = view<const resource>;
};
struct table_reference {
  using parameter = reference_in<std::string>;
};

struct table_access {
  static constexpr op_facts base_facts{.not_differentiable = true, .stateful = true};
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

// The parts of a line that are the key and the value. Each part is the index of a column, counted from 0, or line_number, or
// whole_line.
struct text_file_columns : table_access {
  static constexpr std::int64_t line_number = -1, whole_line = -2;

  std::int64_t key_index = whole_line, value_index = line_number;
  std::int64_t vocab_size = -1;  // the number of lines to read; -1: all
  std::string delimiter = "\t";  // the character that separates columns
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

// Returns the values of keys, or the default value for keys that the table does not contain.
struct lookup_table_find_v2_op : detail::table_find<detail::table_handle> {
  static constexpr std::string_view name = "LookupTableFindV2";
};

// Inserts keys with their values into a table. The value of an existing key is replaced.
struct lookup_table_insert_v2_op : detail::table_insert<detail::table_handle> {
  static constexpr std::string_view name = "LookupTableInsertV2";
};

// Removes the given keys from a table. Keys that the table does not contain are ignored.
struct lookup_table_remove_v2_op : detail::table_access {
  static constexpr std::string_view name = "LookupTableRemoveV2";
  using types = type_attrs<type_attr<"Tin", table_keys>>;

  template <class Key> void operator()(cpu ctx, view<const resource> table, view<const Key> keys) const;
};

// Returns the number of keys in a table.
struct lookup_table_size_v2_op : detail::table_size<detail::table_handle> {
  static constexpr std::string_view name = "LookupTableSizeV2";
};

// Returns all keys of a table and their values.
struct lookup_table_export_v2_op : detail::table_export<detail::table_handle> {
  static constexpr std::string_view name = "LookupTableExportV2";
};

// Replaces the contents of a table with the given keys and their values.
struct lookup_table_import_v2_op : detail::table_import<detail::table_handle> {
  static constexpr std::string_view name = "LookupTableImportV2";
};

// Initializes a table with keys and values. The table cannot be changed afterwards.
struct initialize_table_v2_op : detail::table_initialize<detail::table_handle> {
  static constexpr std::string_view name = "InitializeTableV2";
};

// Initializes a table with keys and values from the lines of a file. The table cannot be changed afterwards.
struct initialize_table_from_text_file_v2_op : detail::table_initialize_from_text_file<detail::table_handle> {
  static constexpr std::string_view name = "InitializeTableFromTextFileV2";
};

// Returns the values of keys, or the default value for keys that the table does not contain. The table is passed by reference.
struct lookup_table_find_op : detail::table_find<detail::table_reference> {
  static constexpr std::string_view name = "LookupTableFind";
};

// Inserts keys with their values into a table that is passed by reference. The value of an existing key is replaced.
struct lookup_table_insert_op : detail::table_insert<detail::table_reference> {
  static constexpr std::string_view name = "LookupTableInsert";
};

// Returns the number of keys in a table passed by reference.
struct lookup_table_size_op : detail::table_size<detail::table_reference> {
  static constexpr std::string_view name = "LookupTableSize";
};

// Returns all keys of a table and their values. The table is passed by reference.
struct lookup_table_export_op : detail::table_export<detail::table_reference> {
  static constexpr std::string_view name = "LookupTableExport";
};

// Replaces the contents of a table with the given keys and their values. The table is passed by reference.
struct lookup_table_import_op : detail::table_import<detail::table_reference> {
  static constexpr std::string_view name = "LookupTableImport";
};

// Initializes a table with keys and values. The table is passed by reference, and cannot be changed afterwards.
struct initialize_table_op : detail::table_initialize<detail::table_reference> {
  static constexpr std::string_view name = "InitializeTable";
};

// Initializes a table with keys and values from the lines of a file. The table is passed by reference, and cannot be changed
// afterwards.
struct initialize_table_from_text_file_op : detail::table_initialize_from_text_file<detail::table_reference> {
  static constexpr std::string_view name = "InitializeTableFromTextFile";
};

using lookup_table_ops =
    type_list<lookup_table_find_v2_op, lookup_table_insert_v2_op, lookup_table_remove_v2_op, lookup_table_size_v2_op,
              lookup_table_export_v2_op, lookup_table_import_v2_op, initialize_table_v2_op, initialize_table_from_text_file_v2_op,
              lookup_table_find_op, lookup_table_insert_op, lookup_table_size_op, lookup_table_export_op, lookup_table_import_op,
              initialize_table_op, initialize_table_from_text_file_op>;

// All keys of a table and their values, row by row.
template <class Key, class Value> struct table_contents {
  out<Key> keys;      // the keys
  out<Value> values;  // the value of each key
};

// A table in a graph. It is a handle, which is cheap to copy. The node that makes the table determines the kind of table.
template <class Key, class Value> class lookup_table {
  static_assert(in_list<Key, table_keys>, "flowgraph: the keys of a table are std::int32_t, std::int64_t or std::string");
  static_assert(in_list<Value, table_values>,
                "flowgraph: the values of a table are float, double, std::int32_t, std::int64_t, bool or std::string");

public:
  lookup_table() = default;
  // Uses an existing table. `value_shape` is the shape of the value of one key.
  explicit lookup_table(out<resource> handle, flowgraph::shape value_shape = {}) : handle_(handle), value_shape_(value_shape) {}

  // Returns the handle of the table.
  out<resource> handle() const { return handle_; }

  // Returns the values of keys. `keys` may have any shape. Keys that the table does not contain get the value `preset`.
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

  // Returns the number of keys.
  out<std::int64_t> size(site s = {}) const { return apply(lookup_table_size_v2_op{}, handle_, s); }
  // Returns all keys and their values, in an unspecified order.
  table_contents<Key, Value> contents(site s = {}) const {
    const auto [keys, values] = apply_as<Key, Value>(s, lookup_table_export_v2_op{}, handle_);
    return {keys, values};
  }

private:
  out<resource> handle_;
  flowgraph::shape value_shape_;
};

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/lookup/detail/lookup_table.hpp>
#endif

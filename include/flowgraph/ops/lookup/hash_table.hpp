#pragma once
// Tables of keys and values, for example vocabularies. They continue to exist after a run, and can be shared by name.
//
//     fg::hash_table<std::string, std::int64_t> counts(g);
//     auto learnt = counts.insert(words, numbers);
//     auto known = counts.find(text, -1);
//
//     fg::fixed_table<std::string, std::int64_t> vocabulary(g);
//     s.run(vocabulary.initialize_from_file(g.constant(std::string("words.txt"))));   // maps each line to its number

#include <flowgraph/ops/lookup/lookup_table.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

struct table_attributes {
  static constexpr op_facts base_facts{.not_differentiable = true, .stateful = true};
  std::string container = {}, shared_name = {};
  bool use_node_name_sharing = false;  // has no effect: the table has the node's name in any case
  dtype key_dtype = dtype::invalid, value_dtype = dtype::invalid;
};
template <class Op> constexpr auto table_attrs() {
  return flowgraph::attrs(attr("container", &Op::container), attr("shared_name", &Op::shared_name),
                          attr("use_node_name_sharing", &Op::use_node_name_sharing), required("key_dtype", &Op::key_dtype),
                          required("value_dtype", &Op::value_dtype));
}
template <class Op> constexpr auto shaped_table_attrs() {
  return flowgraph::attrs(attr("container", &Op::container), attr("shared_name", &Op::shared_name),
                          attr("use_node_name_sharing", &Op::use_node_name_sharing), required("key_dtype", &Op::key_dtype),
                          required("value_dtype", &Op::value_dtype), attr("value_shape", &Op::value_shape));
}
// The attributes of tables that reserve two keys: one marks empty buckets, the other marks removed entries.
struct dense_table_attributes {
  static constexpr op_facts base_facts{.not_differentiable = true, .stateful = true};
  std::string container = {}, shared_name = {};
  bool use_node_name_sharing = false;
  dtype value_dtype = dtype::invalid;
  flowgraph::shape value_shape = {};
  std::int64_t initial_num_buckets = 131072;
  float max_load_factor = 0.8f;
  static constexpr auto attrs = flowgraph::attrs(
      attr("container", &dense_table_attributes::container), attr("shared_name", &dense_table_attributes::shared_name),
      attr("use_node_name_sharing", &dense_table_attributes::use_node_name_sharing),
      required("value_dtype", &dense_table_attributes::value_dtype), attr("value_shape", &dense_table_attributes::value_shape),
      attr("initial_num_buckets", &dense_table_attributes::initial_num_buckets),
      attr("max_load_factor", &dense_table_attributes::max_load_factor));
};

}  // namespace detail

// Returns the handle of an immutable table in the session's container. The table is initialized once and then only read.
struct hash_table_v2_op : detail::table_attributes {
  static constexpr std::string_view name = "HashTableV2";
  static constexpr auto attrs = detail::table_attrs<hash_table_v2_op>();

  flowgraph::shape shape() const { return {}; }
  void operator()(cpu ctx, unsized<resource> handle) const;
};

// Returns a reference to the handle of an immutable table in the session's container. The table is initialized once and then only
// read.
struct hash_table_op : detail::table_attributes {
  static constexpr std::string_view name = "HashTable";
  static constexpr auto attrs = detail::table_attrs<hash_table_op>();

  flowgraph::shape shape() const { return {2}; }
  void operator()(cpu ctx, reference_out<std::string> handle) const;
};

// Returns a handle to a mutable table in the session's container.
struct mutable_hash_table_v2_op : detail::table_attributes {
  static constexpr std::string_view name = "MutableHashTableV2";
  static constexpr auto attrs = detail::table_attrs<mutable_hash_table_v2_op>();

  flowgraph::shape shape() const { return {}; }
  void operator()(cpu ctx, unsized<resource> handle) const;
};

// Returns a reference to the handle of a mutable table in the session's container.
struct mutable_hash_table_op : detail::table_attributes {
  static constexpr std::string_view name = "MutableHashTable";
  static constexpr auto attrs = detail::table_attrs<mutable_hash_table_op>();

  flowgraph::shape shape() const { return {2}; }
  void operator()(cpu ctx, reference_out<std::string> handle) const;
};

// Returns a handle to a mutable table whose values are vectors. The table is in the session's container.
struct mutable_hash_table_of_tensors_v2_op : detail::table_attributes {
  static constexpr std::string_view name = "MutableHashTableOfTensorsV2";
  flowgraph::shape value_shape = {};
  static constexpr auto attrs = detail::shaped_table_attrs<mutable_hash_table_of_tensors_v2_op>();

  flowgraph::shape shape() const { return {}; }
  void operator()(cpu ctx, unsized<resource> handle) const;
};

// Returns a reference to the handle of a mutable table whose values are vectors. The table is in the session's container.
struct mutable_hash_table_of_tensors_op : detail::table_attributes {
  static constexpr std::string_view name = "MutableHashTableOfTensors";
  flowgraph::shape value_shape = {};
  static constexpr auto attrs = detail::shaped_table_attrs<mutable_hash_table_of_tensors_op>();

  flowgraph::shape shape() const { return {2}; }
  void operator()(cpu ctx, reference_out<std::string> handle) const;
};

// Returns a handle to a mutable table whose keys and values are numbers or vectors. The table is in the session's container. Two
// keys are reserved and cannot be inserted.
struct mutable_dense_hash_table_v2_op : detail::dense_table_attributes {
  static constexpr std::string_view name = "MutableDenseHashTableV2";
  using types = type_attrs<type_attr<"key_dtype", table_keys>>;

  flowgraph::shape shape(const flowgraph::shape&, const flowgraph::shape&) const { return {}; }
  template <class Key>
  void operator()(cpu ctx, view<const Key> empty_key, view<const Key> deleted_key, unsized<resource> handle) const;
};

// Returns a reference to the handle of a mutable table whose keys and values are numbers or vectors. The table is in the
// session's container. One key is reserved and cannot be inserted.
struct mutable_dense_hash_table_op : detail::dense_table_attributes {
  static constexpr std::string_view name = "MutableDenseHashTable";
  using types = type_attrs<type_attr<"key_dtype", table_keys>>;

  flowgraph::shape shape(const flowgraph::shape&) const { return {2}; }
  template <class Key> void operator()(cpu ctx, view<const Key> empty_key, reference_out<std::string> handle) const;
};

using hash_table_ops = type_list<hash_table_v2_op, hash_table_op, mutable_hash_table_v2_op, mutable_hash_table_op,
                                 mutable_hash_table_of_tensors_v2_op, mutable_hash_table_of_tensors_op,
                                 mutable_dense_hash_table_v2_op, mutable_dense_hash_table_op>;

// Options of a table.
struct table_options {
  flowgraph::shape value_shape = {};  // the shape of one key's value: a scalar or a vector
  std::string container = {};         // nodes with the same container and shared_name share a table
  std::string shared_name = {};       // the shared name; empty: the node has its own table
};

namespace detail {

template <class Op, class Key, class Value>
out<resource> make_table(const graph& g, Op op, const table_options& o, const site& s) {
  op.key_dtype = dtype_of<Key>;
  op.value_dtype = dtype_of<Value>;
  op.container = o.container;
  op.shared_name = o.shared_name;
  return apply_in<>(g, op, s);
}
template <class Key, class Value> out<resource> make_changing_table(const graph& g, const table_options& o, const site& s) {
  if (o.value_shape.rank == 0) return make_table<mutable_hash_table_v2_op, Key, Value>(g, {}, o, s);
  mutable_hash_table_of_tensors_v2_op op;
  op.value_shape = o.value_shape;
  return make_table<mutable_hash_table_of_tensors_v2_op, Key, Value>(g, op, o, s);
}

}  // namespace detail

// A mutable table: any run may insert and remove keys.
template <class Key, class Value> class hash_table : public lookup_table<Key, Value> {
public:
  hash_table() = default;
  explicit hash_table(const graph& g, const table_options& o = {}, site s = {})
      : lookup_table<Key, Value>(detail::make_changing_table<Key, Value>(g, o, s), o.value_shape) {}

  // Inserts keys, each with its value. The value of an existing key is replaced.
  target insert(const out<Key>& keys, const out<Value>& values, site s = {}) const {
    return apply_as<Key, Value>(s, lookup_table_insert_v2_op{}, this->handle(), keys, values);
  }
  // Removes the given keys. Keys that the table does not contain are ignored.
  target remove(const out<Key>& keys, site s = {}) const {
    return apply_as<Key>(s, lookup_table_remove_v2_op{}, this->handle(), keys);
  }
  // Replaces all keys and values of the table with the given keys and values, for example with the result of `contents`.
  target replace(const out<Key>& keys, const out<Value>& values, site s = {}) const {
    return apply_as<Key, Value>(s, lookup_table_import_v2_op{}, this->handle(), keys, values);
  }
};

// A table that is initialized once and then only read. A lookup before the initialization is an error.
template <class Key, class Value> class fixed_table : public lookup_table<Key, Value> {
public:
  fixed_table() = default;
  // The values of a fixed table are scalars.
  explicit fixed_table(const graph& g, const table_options& o = {}, site s = {})
      : lookup_table<Key, Value>(detail::make_table<hash_table_v2_op, Key, Value>(g, {}, o, s)) {}

  // Initializes the table. A second initialization does nothing if it has as many keys as the first initialization; otherwise it
  // is an error.
  target initialize(const out<Key>& keys, const out<Value>& values, site s = {}) const {
    return apply_as<Key, Value>(s, initialize_table_v2_op{}, this->handle(), keys, values);
  }
  // Initializes the table from the lines of a file. By default, each line is a key, and its value is its line number.
  target initialize_from_file(const out<std::string>& filename, const initialize_table_from_text_file_v2_op& columns = {},
                              site s = {}) const {
    return apply(columns, this->handle(), filename, s);
  }
};

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/lookup/detail/hash_table.hpp>
#endif

#pragma once
// The rows of a table at run time: keys, values, and the slot of each key.

#include <flowgraph/core/threads.hpp>
#include <flowgraph/op/kernel.hpp>
#include <flowgraph/op/saved_state.hpp>

#include <string>
#include <vector>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

struct text_file_columns;

enum class table_use : std::uint8_t {
  fixed,    // filled once; values are scalars
  scalars,  // changes; values are scalars
  vectors,  // changes; values are vectors
  dense,    // changes; keys and values are scalars or vectors, exported and imported together as matrices
};

// A node's description of its table.
struct table_description {
  std::string_view kind;  // the op's name without its version
  dtype key = dtype::invalid, value = dtype::invalid;
  table_use use = table_use::fixed;
  flowgraph::shape value_shape = {};
  std::vector<any_tensor> free_keys = {};  // keys that are not allowed; the first also has the shape of a key

  flowgraph::shape key_shape() const { return free_keys.empty() ? flowgraph::shape{} : free_keys[0].shape(); }
};

// Rows of keys, each key once, and of their values. A copy shares the rows. Used under a lock.
class table_rows {
public:
  table_rows() = default;
  table_rows(dtype key, std::int64_t key_size, dtype value, std::int64_t value_size, std::pmr::memory_resource* memory);

  std::int64_t size() const noexcept { return size_; }
  const any_tensor& keys() const noexcept { return keys_; }
  const any_tensor& values() const noexcept { return values_; }
  std::pmr::memory_resource* memory() const noexcept { return memory_; }

  // Makes room for this number of rows. After an error nothing has changed.
  error reserve(std::int64_t rows);
  // Returns the row of key `i` of a tensor of keys; -1 if there is none.
  std::int64_t find(const any_tensor& keys, std::int64_t i) const;
  // Returns the row of key `i`, and makes it if there is none: the caller then sets its value. Precondition: there is room.
  std::int64_t add(const any_tensor& keys, std::int64_t i, bool& is_new);
  void remove(const any_tensor& keys, std::int64_t i);

  void set_value(std::int64_t row, const any_tensor& values, std::int64_t i);
  void get_value(std::int64_t row, any_tensor& values, std::int64_t i) const;
  bool has_value(std::int64_t row, const any_tensor& values, std::int64_t i) const;

private:
  static constexpr std::int64_t none = -1;

  std::uint64_t hash(const any_tensor& keys, std::int64_t i) const;
  bool equal(std::int64_t row, const any_tensor& keys, std::int64_t i) const;
  std::size_t slot_of(const any_tensor& keys, std::int64_t i) const;
  void empty_slot(std::size_t slot);
  void place(std::int64_t row);

  dtype key_ = dtype::invalid, value_ = dtype::invalid;
  std::int64_t key_size_ = 1, value_size_ = 1;
  std::pmr::memory_resource* memory_ = nullptr;
  any_tensor keys_, values_;
  any_tensor slots_;  // row numbers: a power of two, more than twice the number of rows that fit
  std::int64_t size_ = 0, room_ = 0;
};

class table_state final : public resource_base, private savable {
public:
  table_state(table_description d, std::string name, std::pmr::memory_resource* memory);

  // Returns an error if such a table is not possible.
  static error check(const table_description& d);

  const table_description& description() const noexcept { return description_; }
  // Returns the kind and the name, such as "HashTable 'words'".
  std::string called() const { return message{description_.kind, " '", name_, "'"}; }

  // Frees the content. Later uses get an error.
  FLOWGRAPH_INLINE void dropped() override;

  std::int64_t size() const;
  // Writes the values of all keys into `values`, which has room for them.
  error find(const any_tensor& keys, const any_tensor& preset, any_tensor& values) const;
  error insert(const any_tensor& keys, const any_tensor& values);
  error remove(const any_tensor& keys);
  // Replaces the whole content.
  error replace(const any_tensor& keys, const any_tensor& values);
  // Fills a table that is filled once.
  error initialize(const any_tensor& keys, const any_tensor& values);
  // Returns all rows, in the memory of a run.
  error contents(std::pmr::memory_resource* memory, any_tensor& keys, any_tensor& values) const;

  // Returns an error if keys or values of this type and shape do not fit. Sets `count` to the number of keys.
  error check_types(dtype key, dtype value) const;
  error check_keys(const flowgraph::shape& keys, std::int64_t& count) const;
  flowgraph::shape shape_of_values(const flowgraph::shape& keys) const;

  savable* as_savable() noexcept override { return this; }

private:
  FLOWGRAPH_INLINE result<std::string> save() const override;
  FLOWGRAPH_INLINE error load(std::string_view bytes, std::pmr::memory_resource* memory) override;
  table_rows no_rows() const;
  error cleared() const;  // no error while it is in its container
  error check_free(const any_tensor& keys, std::int64_t count) const;
  error fill(table_rows& rows, const any_tensor& keys, const any_tensor& values, std::int64_t count) const;

  const table_description description_;
  const std::string name_;
  std::pmr::memory_resource* const memory_;

  table_rows free_keys_;

  mutable threading::shared_mutex mutex_;  // guards the members below
  table_rows rows_;
  bool is_filled_ = false, dropped_ = false;
};

// Returns the table that a node names in the session's container. The first node makes it; later nodes must give the same element
// types, or else the kernel fails and the result is empty.
resource find_or_make_table(cpu ctx, table_description d, const std::string& section, const std::string& shared_name);
// Returns the table that input 0 names, by a resource or by two strings behind a reference. If there is none, the kernel fails
// and the result is empty.
resource named_table(cpu ctx);

// The kernels, for all ways to name the table, with the inputs and outputs of the call.
void find_in_table(cpu ctx);
void insert_into_table(cpu ctx);
void remove_from_table(cpu ctx);
void import_into_table(cpu ctx);
void export_table(cpu ctx, dtype keys, dtype values);
void initialize_table(cpu ctx);
void initialize_table_from_text_file(cpu ctx, const text_file_columns& columns, const std::string& filename);

}  // namespace flowgraph::detail

#include <flowgraph/show_names.hpp>

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/ops/lookup/impl/table_rows.hpp>
#include <flowgraph/ops/lookup/impl/table_state.hpp>
#include <flowgraph/ops/lookup/impl/table_from_text_file.hpp>
#endif

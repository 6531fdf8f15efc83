#pragma once
// What a table is at run time: rows of keys and of values, and where each key stands among them.

#include <flowgraph/core/threads.hpp>
#include <flowgraph/op/kernel.hpp>
#include <flowgraph/op/saved_state.hpp>

#include <string>
#include <vector>

#include <flowgraph/hide_names.hpp>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

namespace detail {

struct text_file_columns;

enum class table_use : std::uint8_t {
  fixed,    // filled once; values are scalars
  scalars,  // changes; values are scalars
  vectors,  // changes; values are vectors
  dense,    // changes; keys and values are scalars or vectors, and come out and in at once as matrices
};

// What a node says of its table.
struct table_description {
  std::string_view kind;  // the op's name without its version
  dtype key = dtype::invalid, value = dtype::invalid;
  table_use use = table_use::fixed;
  flowgraph::shape value_shape = {};
  std::vector<any_tensor> free_keys = {};  // what no key may be; the first one also has the shape of a key

  flowgraph::shape key_shape() const { return free_keys.empty() ? flowgraph::shape{} : free_keys[0].shape(); }
};

// Rows of keys, each key once, and of their values. A copy shares what it holds; used under a lock.
class table_rows {
public:
  table_rows() = default;
  table_rows(dtype key, std::int64_t key_size, dtype value, std::int64_t value_size, std::pmr::memory_resource* memory);

  std::int64_t size() const noexcept { return size_; }
  const any_tensor& keys() const noexcept { return keys_; }
  const any_tensor& values() const noexcept { return values_; }
  std::pmr::memory_resource* memory() const noexcept { return memory_; }

  // Room for so many rows; on an error nothing has changed.
  error reserve(std::int64_t rows);
  // The row of key `i` of a tensor of keys; -1: there is none.
  std::int64_t find(const any_tensor& keys, std::int64_t i) const;
  // The row of key `i`, which is made where there is none: its value is then to be set. Precondition: there is room.
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
  any_tensor slots_;  // a power of two of row numbers, more than twice as many as there is room for rows
  std::int64_t size_ = 0, room_ = 0;
};

class table_state final : public resource_base, private savable {
public:
  table_state(table_description d, std::string name, std::pmr::memory_resource* memory);

  // Why there can be no such table, if so.
  static error check(const table_description& d);

  const table_description& description() const noexcept { return description_; }
  // "HashTable 'words'"
  std::string called() const { return message{description_.kind, " '", name_, "'"}; }

  // Frees what it holds: who still uses it gets an error from then on.
  FLOWGRAPH_INLINE void dropped() override;

  std::int64_t size() const;
  // Into `values`, a tensor that has room for the values of all keys.
  error find(const any_tensor& keys, const any_tensor& preset, any_tensor& values) const;
  error insert(const any_tensor& keys, const any_tensor& values);
  error remove(const any_tensor& keys);
  // In place of all that there is.
  error replace(const any_tensor& keys, const any_tensor& values);
  // Fills a table that is filled once.
  error initialize(const any_tensor& keys, const any_tensor& values);
  // All rows, in the memory of a run.
  error contents(std::pmr::memory_resource* memory, any_tensor& keys, any_tensor& values) const;

  // Why keys or values of this type and shape do not fit, if so. `count`: how many keys there are.
  error check_types(dtype key, dtype value) const;
  error check_keys(const flowgraph::shape& keys, std::int64_t& count) const;
  flowgraph::shape shape_of_values(const flowgraph::shape& keys) const;

  savable* as_savable() noexcept override { return this; }

private:
  FLOWGRAPH_INLINE result<std::string> save() const override;
  FLOWGRAPH_INLINE error load(std::string_view bytes, std::pmr::memory_resource* memory) override;
  table_rows no_rows() const;
  error cleared() const;  // no error while the container has it
  error check_free(const any_tensor& keys, std::int64_t count) const;
  error fill(table_rows& rows, const any_tensor& keys, const any_tensor& values, std::int64_t count) const;

  const table_description description_;
  const std::string name_;
  std::pmr::memory_resource* const memory_;

  table_rows free_keys_;

  mutable threading::shared_mutex mutex_;  // what follows
  table_rows rows_;
  bool is_filled_ = false, dropped_ = false;
};

// The table of the session's container that a node names: made by the first one, and for those that say the same element types.
// Empty, and the kernel failed, when that is not so.
resource find_or_make_table(cpu ctx, table_description d, const std::string& section, const std::string& shared_name);
// The table that input 0 names, by a resource or by words behind a reference. Empty, and the kernel failed, when it names none.
resource named_table(cpu ctx);

// What the ops do, whatever names the table: with their inputs and outputs as they stand in the call.
void find_in_table(cpu ctx);
void insert_into_table(cpu ctx);
void remove_from_table(cpu ctx);
void import_into_table(cpu ctx);
void export_table(cpu ctx, dtype keys, dtype values);
void initialize_table(cpu ctx);
void initialize_table_from_text_file(cpu ctx, const text_file_columns& columns, const std::string& filename);

}  // namespace detail

}
}  // namespace flowgraph

#include <flowgraph/show_names.hpp>

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/ops/lookup/impl/table_rows.hpp>
#include <flowgraph/ops/lookup/impl/table_state.hpp>
#include <flowgraph/ops/lookup/impl/table_from_text_file.hpp>
#endif

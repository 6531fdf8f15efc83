#pragma once
// Rows of numbers by 64-bit key, with the state of an optimizer beside each row. Tables of embeddings use this class; it needs no
// graph.
//
//     fg::keyed_rows rows({.columns = 16, .seed = 7});
//     rows.find(keys, values);                                   // makes the rows that do not exist yet
//     rows.update(keys, gradients, {"Adagrad", 1, {0.1f}}, step);
//     rows.save("table.safetensors").value();
//
// A new row begins with values that depend only on the seed and its key. So the contents of a table do not depend on the order of
// the keys or on the number of threads.

#include <flowgraph/core/function.hpp>
#include <flowgraph/core/memory_budget.hpp>
#include <flowgraph/core/threads.hpp>
#include <flowgraph/core/type.hpp>
#include <flowgraph/formats/file.hpp>
#include <flowgraph/ops/lookup/detail/row_shard.hpp>

#include <array>
#include <atomic>
#include <memory>
#include <span>
#include <string>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

inline constexpr std::int64_t most_row_columns = 1 << 20;

}  // namespace detail

// Options of a table of rows by key.
struct keyed_rows_options {
  std::int64_t columns = 1;        // the number of elements of a row, 1 to 2^20
  dtype storage = dtype::float32;  // float, half or bfloat16: the type of the stored elements; they are computed in float
  std::uint64_t seed = 0;          // seed of the initial values
  float initial_scale = 0.01f;     // a new row is uniform in [-initial_scale, initial_scale)
  std::int64_t expected_rows = 0;  // the table is refused if the memory for so many rows exceeds memory_limit
  std::size_t memory_limit = memory_budget::unlimited;  // limit of the memory of rows and keys, in bytes
  // Not 0: every `evict_after` updates, the rows are removed that no call has named during the last `evict_after` updates.
  std::int64_t evict_after = 0;
  // If true, threads read and write rows at the same time without locks (Hogwild): a concurrent update of a row may be lost, and
  // results vary. Keys are found under a lock in any case.
  bool without_locks = false;
};

// The state that an optimizer keeps for each row. The first update with a state gives all rows this state; later updates must use
// the same rule, or a rule without state.
struct row_rule {
  static constexpr std::size_t most_states = 3;
  std::string_view name = {};                   // the name of the rule, "Adagrad"
  std::size_t states = 0;                       // the number of vectors beside the row
  std::array<float, most_states> initial = {};  // the initial value of each of these vectors
};

// Updates `n` elements of a row: v[0] contains the row, and v[1], v[2], ... contain its state.
using row_step = function_ref<void(float* const* v, const float* gradient, std::int64_t n)>;
// Returns the gradient of a row with the elements `row`: the sum for keys numbers[0], numbers[1], ... of the call, which name
// this row. It may be written to `to`, which has room for a row. Several threads call this function at the same time.
using row_gradient = function_ref<const float*(const float* row, std::span<const std::uint32_t> numbers, float* to)>;
// Calls a function with the numbers 0, 1, ..., blocks - 1, possibly on several threads.
using row_blocks = function_ref<void(std::int64_t blocks, function_ref<void(std::int64_t block)> call)>;

// The rows of the keys of a call, in the order of the keys. The elements of row i begin `offset` bytes after rows[i].
struct row_list {
  const void* const* rows;
  std::int64_t offset;
  bool are_floats;   // true: the elements are floats that may be read in place; otherwise keyed_rows::load reads them
  bool are_fetched;  // true: keyed_rows::fetch is useful: the rows may not be in the caches
};

// Writes bytes of a file.
using row_sink = function_ref<result<void>(std::span<const std::byte>)>;

// A part of the keys of a table: those whose hash modulo `count` is `index`.
struct row_part {
  std::uint64_t index = 0, count = 1;
};

// Rows of numbers by key. All functions may be called by several threads at the same time.
class keyed_rows {
public:
  // Returns an error if there can be no such table, for example because the expected rows need more memory than allowed.
  static error refusal(const keyed_rows_options& o);
  // Creates a table. Precondition: refusal(o) is empty.
  explicit keyed_rows(const keyed_rows_options& o, std::pmr::memory_resource* memory = std::pmr::new_delete_resource());
  ~keyed_rows();
  keyed_rows(const keyed_rows&) = delete;
  keyed_rows& operator=(const keyed_rows&) = delete;

  // Returns the options of the table.
  const keyed_rows_options& options() const noexcept { return options_; }
  // Returns the number of rows.
  std::int64_t size() const;
  // Returns the bytes that rows and keys occupy.
  std::size_t bytes() const noexcept { return used_.load(std::memory_order_relaxed); }
  // Returns the number of updates so far.
  std::uint32_t steps() const noexcept { return step_.load(std::memory_order_relaxed); }
  // Returns the memory that `rows` rows with `states` vectors of state need, in bytes, about.
  static double estimated_bytes(const keyed_rows_options& o, std::size_t states, std::int64_t rows);
  // Returns the initial value of an element.
  static float initial_value(std::uint64_t seed, std::int64_t key, std::int64_t column, float scale);
  // Returns the working memory that `find`, `peek` and `update` of `keys` keys need, in bytes.
  static std::size_t scratch_bytes(std::int64_t keys, std::int64_t columns);

  // Copies the row of each key to `rows`, and creates the rows that do not exist.
  error find(std::span<const std::int64_t> keys, float* rows, void* scratch, row_blocks blocks);
  // Creates the rows that do not exist, and keeps the places of the keys for the next call with the same keys. Other threads may
  // read and update rows at the same time.
  error prepare(std::span<const std::int64_t> keys, void* scratch, row_blocks blocks);
  // Calls `use` with the rows of the keys, and creates the rows that do not exist. While `use` runs, no row moves; unless the table
  // is without locks, no row changes.
  error visit(std::span<const std::int64_t> keys, void* scratch, row_blocks blocks, function_ref<void(const row_list&)> use);
  // Copies the elements of a row of a list. Precondition: `visit` is calling `use`.
  void load(const row_list& from, std::int64_t i, float* to) const;
  // Prefetches the elements of rows [first, last) of a list, if that is useful.
  void fetch(const row_list& from, std::int64_t first, std::int64_t last) const;
  // Like `find`, but creates no row: a key without a row gets the initial values of its row.
  error peek(std::span<const std::int64_t> keys, float* rows, void* scratch, row_blocks blocks);
  // Updates each row that `keys` names once, with the sum of its gradients in the order of the keys. Rows that do not exist are
  // created. If this fails, no row has changed.
  error update(std::span<const std::int64_t> keys, const float* gradients, const row_rule& rule, row_step step, void* scratch,
               row_blocks blocks);
  // The same with gradients that are computed when they are needed, from the elements that the rows have before the update.
  error update(std::span<const std::int64_t> keys, row_gradient gradient, const row_rule& rule, row_step step, void* scratch,
               row_blocks blocks);

  // The same functions on one thread, with working memory from the heap.
  error find(std::span<const std::int64_t> keys, float* rows);
  error peek(std::span<const std::int64_t> keys, float* rows);
  error update(std::span<const std::int64_t> keys, const float* gradients, const row_rule& rule, row_step step);

  // Removes the rows, with their state, that no call of `find` or `update` has named during the last `steps` updates. Returns
  // their number. A row that is created again begins with its initial values. The memory is used for new rows.
  std::int64_t evict_older_than(std::uint32_t steps);
  // Keeps at most `rows` rows: those that were named last. Among rows of the same age, rows with smaller keys are kept.
  std::int64_t evict_to(std::int64_t rows);
  // Removes all rows, and forgets the rule.
  void clear();

  // Writes keys, rows, state and ages as a safetensors file, sorted by key. The file is written as a stream, from the table.
  result<void> save(const std::string& path) const;
  // Writes part i of the table to paths[i], all parts of the same step.
  result<void> save(std::span<const std::string> paths) const;
  // Writes the bytes of the file of a part to `sink`, some at a time.
  result<void> write(row_sink sink, row_part part = {}) const;
  // Replaces all rows with those of the files, which must have different keys. The files are checked before the table changes.
  result<void> restore(std::span<const std::string> paths);
  // Returns an error if `restore` of these files would return one for another reason than missing memory.
  error check(std::span<const std::string> paths) const;

private:
  struct places;
  struct kept_places;
  // Memory for slabs of rows.
  struct chunk {
    std::byte* begin;
    std::size_t bytes, used;
  };
  struct file;
  using lock_all = threading::lock_guard<threading::shared_mutex>;
  using lock_shared = threading::shared_lock<threading::shared_mutex>;
  struct shared_rows;
  struct shared_keys;

  std::size_t state_offset() const noexcept;
  float* states_of(std::byte* row) const noexcept { return reinterpret_cast<float*>(row + state_offset()); }
  bool has_floats_in_place() const noexcept;
  error no_memory(std::size_t asked) const;
  void* take(std::size_t bytes);
  void give_back(void* p, std::size_t bytes) noexcept;
  std::byte* take_slab(std::size_t bytes);
  void give_back_slabs(std::vector<chunk>& from) noexcept;
  error grow(detail::row_shard& s);
  error find_or_make(detail::row_shard& s, std::int64_t key, std::uint32_t tag, std::byte*& row);
  void begin_row(std::byte* row, std::int64_t key) const;
  void load(const std::byte* row, float* to) const;
  void load_initial(std::int64_t key, float* to) const;
  void change(std::byte* row, const float* gradient, const row_rule& rule, row_step step) const;
  void fetch(const void* row, std::size_t first, std::size_t last) const;
  std::size_t bytes_to_find() const noexcept;
  error locate(places& p, std::size_t shard);
  error locate_all(places& p, row_blocks blocks);
  void copy_rows(const row_list& from, std::size_t n, float* rows, row_blocks blocks) const;
  void peek_some(std::span<const std::int64_t> keys, float* rows) const;
  template <class Gradient>
  void apply(const places& p, std::size_t shard, const Gradient& gradient, const row_rule& rule, row_step step);
  kept_places* room_for(std::span<const std::int64_t> keys);
  kept_places* places_of(std::span<const std::int64_t> keys);
  void hand_back(kept_places* k, bool is_valid);
  void name_again(kept_places& k) const;
  error adopt(const row_rule& rule);
  bool has_rule(const row_rule& rule) const;
  error relocate(const row_rule& rule);
  void evict(detail::row_shard& s, function_ref<bool(const detail::row_header&)> is_old);
  template <class Gradient>
  error update_rows(std::span<const std::int64_t> keys, const Gradient& gradient, const row_rule& rule, row_step step,
                    void* scratch, row_blocks blocks);
  void end_update();
  void clear_rows();
  void forget_places();
  error open(std::span<const std::string> paths, std::vector<file>& files) const;
  static error check_keys(const std::vector<file>& files);
  error insert(const file& f);
  result<void> write_part(row_sink sink, row_part part) const;

  const keyed_rows_options options_;
  std::pmr::memory_resource* const memory_;
  std::atomic<std::size_t> used_{0};
  std::atomic<std::uint32_t> step_{0};
  mutable threading::shared_mutex layout_;  // exclusive: rows move or disappear
  std::string rule_name_;
  row_rule rule_;          // its name is rule_name_
  std::size_t row_bytes_;  // a row with its header and state
  std::array<detail::row_shard, detail::row_shard::count> shards_;
  threading::mutex chunks_mutex_;
  std::vector<chunk> chunks_;            // of all slabs; new slabs are in the last chunk
  threading::mutex kept_mutex_;          // of the fields of kept_ that tell which are in use
  std::unique_ptr<kept_places[]> kept_;  // the rows of the keys of the last lookups, for the updates that follow them
  std::uint64_t lookups_ = 0;            // guarded by kept_mutex_
};

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/ops/lookup/impl/keyed_rows.hpp>
#include <flowgraph/ops/lookup/impl/keyed_rows_file.hpp>
#include <flowgraph/ops/lookup/impl/keyed_rows_layout.hpp>
#include <flowgraph/ops/lookup/impl/keyed_rows_places.hpp>
#include <flowgraph/ops/lookup/impl/keyed_rows_update.hpp>
#endif

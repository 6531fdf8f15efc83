#pragma once
// Readers, which take work from a queue, usually file names, and return one record or several records at a time. If the queue is
// empty, a reader waits without blocking a thread.
//
//     fg::fifo_queue<std::string> names(g, {.shapes = {{}}});
//     fg::reader from = fg::tf_record_reader(g);
//     auto [key, record] = from.read(names);                   // run by any number of threads
//     auto [keys, records] = from.read_up_to(names, 128);      // the records of one file, at most 128

#include <flowgraph/graph/apply.hpp>
#include <flowgraph/ops/array/constant.hpp>
#include <flowgraph/ops/data_flow/queue.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// The ways in which an op refers to its reader and its queue: resources, or references to two strings.
struct reader_handle {
  using parameter = view<const resource>;
};
struct reader_reference {
  using parameter = reference_in<std::string>;
};

struct reader_access {
  static constexpr op_facts base_facts{.not_differentiable = true, .stateful = true};
};

template <class Handle> struct reader_read : reader_access {
  shape_list shape(const flowgraph::shape&, const flowgraph::shape&) const { return {{}, {}}; }
  void operator()(cpu ctx, typename Handle::parameter reader, typename Handle::parameter queue, view<std::string> key,
                  view<std::string> value, done answer) const;
};
template <class Handle> struct reader_read_up_to : reader_access {
  shape_list shape(shape_context& c, const flowgraph::shape&, const flowgraph::shape&, const flowgraph::shape& n) const {
    if (!fits(n, {})) c.fail("num_records must be a scalar");
    return {{-1}, {-1}};
  }
  void operator()(cpu ctx, typename Handle::parameter reader, typename Handle::parameter queue,
                  view<const std::int64_t> num_records, unsized<std::string> keys, unsized<std::string> values,
                  done answer) const;
};
template <class Handle> struct reader_records : reader_access {
  flowgraph::shape shape(const flowgraph::shape&) const { return {}; }
  void operator()(cpu ctx, typename Handle::parameter reader, view<std::int64_t> records_produced) const;
};
template <class Handle> struct reader_work_units : reader_access {
  flowgraph::shape shape(const flowgraph::shape&) const { return {}; }
  void operator()(cpu ctx, typename Handle::parameter reader, view<std::int64_t> units_completed) const;
};
template <class Handle> struct reader_serialize_state : reader_access {
  flowgraph::shape shape(const flowgraph::shape&) const { return {}; }
  void operator()(cpu ctx, typename Handle::parameter reader, view<std::string> state) const;
};
template <class Handle> struct reader_restore_state : reader_access {
  shape_list shape(shape_context& c, const flowgraph::shape&, const flowgraph::shape& state) const {
    if (!fits(state, {})) c.fail("state must be a scalar");
    return {};
  }
  void operator()(cpu ctx, typename Handle::parameter reader, view<const std::string> state) const;
};
template <class Handle> struct reader_reset : reader_access {
  void operator()(cpu ctx, typename Handle::parameter reader) const;
};

}  // namespace detail

// Returns the next record of a reader and its key. If the reader has no work, it takes some from the queue, and
// waits if the queue is empty.
struct reader_read_v2_op : detail::reader_read<detail::reader_handle> {
  static constexpr std::string_view name = "ReaderReadV2";
};

// Returns at most `num_records` records of the reader's current work. If the reader has no work, it takes some from the queue.
struct reader_read_up_to_v2_op : detail::reader_read_up_to<detail::reader_handle> {
  static constexpr std::string_view name = "ReaderReadUpToV2";
};

// Returns the number of records that a reader has returned.
struct reader_num_records_produced_v2_op : detail::reader_records<detail::reader_handle> {
  static constexpr std::string_view name = "ReaderNumRecordsProducedV2";
};

// Returns the number of work units that a reader has read to the end. A work unit is an element of the queue.
struct reader_num_work_units_completed_v2_op : detail::reader_work_units<detail::reader_handle> {
  static constexpr std::string_view name = "ReaderNumWorkUnitsCompletedV2";
};

// Returns the position of a reader as a string.
struct reader_serialize_state_v2_op : detail::reader_serialize_state<detail::reader_handle> {
  static constexpr std::string_view name = "ReaderSerializeStateV2";
};

// Sets a reader to a saved position.
struct reader_restore_state_v2_op : detail::reader_restore_state<detail::reader_handle> {
  static constexpr std::string_view name = "ReaderRestoreStateV2";
};

// Sets a reader to its initial state, without work.
struct reader_reset_v2_op : detail::reader_reset<detail::reader_handle> {
  static constexpr std::string_view name = "ReaderResetV2";
};

// Returns the next record of a reader and its key. The reader is passed by reference. If the reader has no work, it takes some
// from the queue, and waits if the queue is empty.
struct reader_read_op : detail::reader_read<detail::reader_reference> {
  static constexpr std::string_view name = "ReaderRead";
};

// Returns at most `num_records` records of a reader's current work. The reader is passed by reference.
struct reader_read_up_to_op : detail::reader_read_up_to<detail::reader_reference> {
  static constexpr std::string_view name = "ReaderReadUpTo";
};

// Returns the number of records that a reader has returned. The reader is passed by reference.
struct reader_num_records_produced_op : detail::reader_records<detail::reader_reference> {
  static constexpr std::string_view name = "ReaderNumRecordsProduced";
};

// Returns the number of work units that a reader has read to the end. The reader is passed by reference.
struct reader_num_work_units_completed_op : detail::reader_work_units<detail::reader_reference> {
  static constexpr std::string_view name = "ReaderNumWorkUnitsCompleted";
};

// Returns the position of a reader as a string. The reader is passed by reference.
struct reader_serialize_state_op : detail::reader_serialize_state<detail::reader_reference> {
  static constexpr std::string_view name = "ReaderSerializeState";
};

// Sets a reader to a saved position. The reader is passed by reference.
struct reader_restore_state_op : detail::reader_restore_state<detail::reader_reference> {
  static constexpr std::string_view name = "ReaderRestoreState";
};

// Sets a reader to its initial state, without work. The reader is passed by reference.
struct reader_reset_op : detail::reader_reset<detail::reader_reference> {
  static constexpr std::string_view name = "ReaderReset";
};

using reader_ops =
    type_list<reader_read_v2_op, reader_read_up_to_v2_op, reader_num_records_produced_v2_op,
              reader_num_work_units_completed_v2_op, reader_serialize_state_v2_op, reader_restore_state_v2_op, reader_reset_v2_op,
              reader_read_op, reader_read_up_to_op, reader_num_records_produced_op, reader_num_work_units_completed_op,
              reader_serialize_state_op, reader_restore_state_op, reader_reset_op>;

// A record and its key, or several records and their keys. A key names the location where the record was read.
struct keyed_records {
  out<std::string> keys, values;  // keys: where each record was read; values: the records
};

// A reader in a graph. It is a handle, which is cheap to copy. The node that makes the reader determines the kind of records.
class reader {
public:
  reader() = default;
  explicit reader(out<resource> handle) : handle_(handle) {}

  // Returns the handle of the reader.
  out<resource> handle() const { return handle_; }

  // Returns the next record. If the queue is closed and empty, the run fails with out_of_range.
  keyed_records read(const queue<std::string>& work, site s = {}) const {
    const auto [key, value] = apply(reader_read_v2_op{}, handle_, work.handle(), s);
    return {key, value};
  }
  // Returns the next records of one element of the queue: at least one and at most n.
  keyed_records read_up_to(const queue<std::string>& work, std::int64_t n, site s = {}) const {
    if (!handle_.source) return {};
    const out<std::int64_t> most = graph_of(*handle_.source).constant(n, {.location = s.location});
    const auto [keys, values] = apply(reader_read_up_to_v2_op{}, handle_, work.handle(), most, s);
    return {keys, values};
  }

  // Returns the number of records that the reader has returned.
  out<std::int64_t> records(site s = {}) const { return apply(reader_num_records_produced_v2_op{}, handle_, s); }
  // Returns the number of work units that the reader has read to the end. A work unit is an element of the queue.
  out<std::int64_t> work_units(site s = {}) const { return apply(reader_num_work_units_completed_v2_op{}, handle_, s); }
  // Returns the position of the reader. The position can be restored later, also in another process.
  out<std::string> state(site s = {}) const { return apply(reader_serialize_state_v2_op{}, handle_, s); }
  // Sets the reader to a position that `state` returned.
  target restore(const out<std::string>& state, site s = {}) const {
    return apply(reader_restore_state_v2_op{}, handle_, state, s);
  }
  // Sets the reader to its initial state.
  target reset(site s = {}) const { return apply(reader_reset_v2_op{}, handle_, s); }

private:
  out<resource> handle_;
};

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/input/detail/reader.hpp>
#endif

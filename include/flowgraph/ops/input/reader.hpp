#pragma once
// Readers: they take work, most often names of files, from a queue and give records, one by one or several at once. Whoever finds the queue
// empty waits without holding a thread.
//
//     fg::fifo_queue<std::string> names(g, {.shapes = {{}}});
//     fg::reader from = fg::tf_record_reader(g);
//     auto [key, record] = from.read(names);                   // run by any number of threads
//     auto [keys, records] = from.read_up_to(names, 128);      // as many as there are in one file, at most 128

#include <flowgraph/graph/apply.hpp>
#include <flowgraph/ops/array/constant.hpp>
#include <flowgraph/ops/data_flow/queue.hpp>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

namespace detail {

// How an op names its reader and its queue: by resources, or by two strings behind a reference.
struct reader_handle {
  using parameter = view<const resource>;
};
struct reader_reference {
  using parameter = reference_in<std::string>;
};

struct reader_access {
  static constexpr bool not_differentiable = true, stateful = true;
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

// The next record of a reader, with its key; takes work from the queue where it needs some, and waits for it.
struct reader_read_v2_op : detail::reader_read<detail::reader_handle> {
  static constexpr std::string_view name = "ReaderReadV2";
};

// Up to `num_records` of what is left of the reader's work; takes work from the queue where there is none.
struct reader_read_up_to_v2_op : detail::reader_read_up_to<detail::reader_handle> {
  static constexpr std::string_view name = "ReaderReadUpToV2";
};

// How many records a reader has given.
struct reader_num_records_produced_v2_op : detail::reader_records<detail::reader_handle> {
  static constexpr std::string_view name = "ReaderNumRecordsProducedV2";
};

// How many elements of its queue a reader has read to the end.
struct reader_num_work_units_completed_v2_op : detail::reader_work_units<detail::reader_handle> {
  static constexpr std::string_view name = "ReaderNumWorkUnitsCompletedV2";
};

// Where a reader stands, as a string.
struct reader_serialize_state_v2_op : detail::reader_serialize_state<detail::reader_handle> {
  static constexpr std::string_view name = "ReaderSerializeStateV2";
};

// Puts a reader where it stood once.
struct reader_restore_state_v2_op : detail::reader_restore_state<detail::reader_handle> {
  static constexpr std::string_view name = "ReaderRestoreStateV2";
};

// Puts a reader back to where it began, without work.
struct reader_reset_v2_op : detail::reader_reset<detail::reader_handle> {
  static constexpr std::string_view name = "ReaderResetV2";
};

// The next record of a reader behind a reference, with its key; takes work from the queue where it needs some, and waits for it.
struct reader_read_op : detail::reader_read<detail::reader_reference> {
  static constexpr std::string_view name = "ReaderRead";
};

// Up to `num_records` of what is left of the work of a reader behind a reference.
struct reader_read_up_to_op : detail::reader_read_up_to<detail::reader_reference> {
  static constexpr std::string_view name = "ReaderReadUpTo";
};

// How many records a reader behind a reference has given.
struct reader_num_records_produced_op : detail::reader_records<detail::reader_reference> {
  static constexpr std::string_view name = "ReaderNumRecordsProduced";
};

// How many elements of its queue a reader behind a reference has read to the end.
struct reader_num_work_units_completed_op : detail::reader_work_units<detail::reader_reference> {
  static constexpr std::string_view name = "ReaderNumWorkUnitsCompleted";
};

// Where a reader behind a reference stands, as a string.
struct reader_serialize_state_op : detail::reader_serialize_state<detail::reader_reference> {
  static constexpr std::string_view name = "ReaderSerializeState";
};

// Puts a reader behind a reference where it stood once.
struct reader_restore_state_op : detail::reader_restore_state<detail::reader_reference> {
  static constexpr std::string_view name = "ReaderRestoreState";
};

// Puts a reader behind a reference back to where it began, without work.
struct reader_reset_op : detail::reader_reset<detail::reader_reference> {
  static constexpr std::string_view name = "ReaderReset";
};

using reader_ops =
    type_list<reader_read_v2_op, reader_read_up_to_v2_op, reader_num_records_produced_v2_op,
              reader_num_work_units_completed_v2_op, reader_serialize_state_v2_op, reader_restore_state_v2_op, reader_reset_v2_op,
              reader_read_op, reader_read_up_to_op, reader_num_records_produced_op, reader_num_work_units_completed_op,
              reader_serialize_state_op, reader_restore_state_op, reader_reset_op>;

// A key, which says where a record comes from, and the record; or several of both.
struct keyed_records {
  out<std::string> keys, values;
};

// A reader of a graph: a cheap handle. What it reads, its node knows.
class reader {
public:
  reader() = default;
  explicit reader(out<resource> handle) : handle_(handle) {}

  // The handle that names the reader.
  out<resource> handle() const { return handle_; }

  // The next record. When the queue is closed and empty: out_of_range.
  keyed_records read(const queue<std::string>& work, site s = {}) const {
    const auto [key, value] = apply(reader_read_v2_op{}, handle_, work.handle(), s);
    return {key, value};
  }
  // The next records, of one element of the queue: n at most, one at least.
  keyed_records read_up_to(const queue<std::string>& work, std::int64_t n, site s = {}) const {
    if (!handle_.source) return {};
    const out<std::int64_t> most = graph_of(*handle_.source).constant(n, {.location = s.location});
    const auto [keys, values] = apply(reader_read_up_to_v2_op{}, handle_, work.handle(), most, s);
    return {keys, values};
  }

  // How many records it has given.
  out<std::int64_t> records(site s = {}) const { return apply(reader_num_records_produced_v2_op{}, handle_, s); }
  // How many elements of the queue it has read to their ends.
  out<std::int64_t> work_units(site s = {}) const { return apply(reader_num_work_units_completed_v2_op{}, handle_, s); }
  // Where it stands, to be restored later, also in another process.
  out<std::string> state(site s = {}) const { return apply(reader_serialize_state_v2_op{}, handle_, s); }
  // Puts it where it stood, by what `state` gave.
  target restore(const out<std::string>& state, site s = {}) const {
    return apply(reader_restore_state_v2_op{}, handle_, state, s);
  }
  // Back to where it began.
  target reset(site s = {}) const { return apply(reader_reset_v2_op{}, handle_, s); }

private:
  out<resource> handle_;
};

}
}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/input/detail/reader.hpp>
#endif

#pragma once
// Readers of files with different kinds of records: whole files, lines, records of a fixed length, and TFRecords. The identity
// reader returns its work as records.
//
//     fg::reader lines = fg::text_line_reader(g, {.skip_header_lines = 1});
//     fg::reader records = fg::tf_record_reader(g, {.compression_type = "GZIP"});

#include <flowgraph/ops/input/reader.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// The attributes that all readers have.
struct reader_attributes {
  static constexpr op_facts base_facts{.not_differentiable = true, .stateful = true};
  std::string container = {}, shared_name = {};
};
struct whole_file_attributes : reader_attributes {
  static constexpr auto attrs =
      flowgraph::attrs(attr("container", &reader_attributes::container), attr("shared_name", &reader_attributes::shared_name));
};
struct identity_attributes : reader_attributes {
  static constexpr auto attrs =
      flowgraph::attrs(attr("container", &reader_attributes::container), attr("shared_name", &reader_attributes::shared_name));
};
struct text_line_attributes : reader_attributes {
  std::int64_t skip_header_lines = 0;
  static constexpr auto attrs =
      flowgraph::attrs(attr("container", &reader_attributes::container), attr("shared_name", &reader_attributes::shared_name),
                       attr("skip_header_lines", &text_line_attributes::skip_header_lines));
};
struct tf_record_attributes : reader_attributes {
  std::string compression_type = {};
  static constexpr auto attrs =
      flowgraph::attrs(attr("container", &reader_attributes::container), attr("shared_name", &reader_attributes::shared_name),
                       attr("compression_type", &tf_record_attributes::compression_type));
};
struct fixed_length_attributes : reader_attributes {
  std::int64_t header_bytes = 0, record_bytes = 0, footer_bytes = 0, hop_bytes = 0;
  static constexpr auto attrs = flowgraph::attrs(
      attr("container", &reader_attributes::container), attr("shared_name", &reader_attributes::shared_name),
      attr("header_bytes", &fixed_length_attributes::header_bytes),
      required("record_bytes", &fixed_length_attributes::record_bytes),
      attr("footer_bytes", &fixed_length_attributes::footer_bytes), attr("hop_bytes", &fixed_length_attributes::hop_bytes));
};
struct encoded_fixed_length_attributes : fixed_length_attributes {
  std::string encoding = {};
  static constexpr auto attrs = flowgraph::attrs(
      attr("container", &reader_attributes::container), attr("shared_name", &reader_attributes::shared_name),
      attr("header_bytes", &fixed_length_attributes::header_bytes),
      required("record_bytes", &fixed_length_attributes::record_bytes),
      attr("footer_bytes", &fixed_length_attributes::footer_bytes), attr("hop_bytes", &fixed_length_attributes::hop_bytes),
      attr("encoding", &encoded_fixed_length_attributes::encoding));
};

// A node that makes a reader and returns its handle: a resource, or a reference to two strings.
template <class Attributes> struct reader_by_handle : Attributes {
  flowgraph::shape shape() const { return {}; }
  void operator()(cpu ctx, unsized<resource> handle) const;
};
template <class Attributes> struct reader_by_reference : Attributes {
  flowgraph::shape shape() const { return {2}; }
  void operator()(cpu ctx, reference_out<std::string> handle) const;
};

}  // namespace detail

// Returns a handle to a reader whose records are whole files.
struct whole_file_reader_v2_op : detail::reader_by_handle<detail::whole_file_attributes> {
  static constexpr std::string_view name = "WholeFileReaderV2";
};

// Returns a reference to the handle of a reader whose records are whole files.
struct whole_file_reader_op : detail::reader_by_reference<detail::whole_file_attributes> {
  static constexpr std::string_view name = "WholeFileReader";
};

// Returns a handle to a reader whose records are the strings of its queue.
struct identity_reader_v2_op : detail::reader_by_handle<detail::identity_attributes> {
  static constexpr std::string_view name = "IdentityReaderV2";
};

// Returns a reference to the handle of a reader whose records are the strings of its queue.
struct identity_reader_op : detail::reader_by_reference<detail::identity_attributes> {
  static constexpr std::string_view name = "IdentityReader";
};

// Returns a handle to a reader of lines of text.
struct text_line_reader_v2_op : detail::reader_by_handle<detail::text_line_attributes> {
  static constexpr std::string_view name = "TextLineReaderV2";
};

// Returns a reference to the handle of a reader of lines of text.
struct text_line_reader_op : detail::reader_by_reference<detail::text_line_attributes> {
  static constexpr std::string_view name = "TextLineReader";
};

// Returns a handle to a reader of TFRecord files.
struct tf_record_reader_v2_op : detail::reader_by_handle<detail::tf_record_attributes> {
  static constexpr std::string_view name = "TFRecordReaderV2";
};

// Returns a reference to the handle of a reader of TFRecord files.
struct tf_record_reader_op : detail::reader_by_reference<detail::tf_record_attributes> {
  static constexpr std::string_view name = "TFRecordReader";
};

// Returns a handle to a reader of records of a fixed length.
struct fixed_length_record_reader_v2_op : detail::reader_by_handle<detail::encoded_fixed_length_attributes> {
  static constexpr std::string_view name = "FixedLengthRecordReaderV2";
};

// Returns a reference to the handle of a reader of records of a fixed length.
struct fixed_length_record_reader_op : detail::reader_by_reference<detail::fixed_length_attributes> {
  static constexpr std::string_view name = "FixedLengthRecordReader";
};

using record_reader_ops = type_list<whole_file_reader_v2_op, whole_file_reader_op, identity_reader_v2_op, identity_reader_op,
                                    text_line_reader_v2_op, text_line_reader_op, tf_record_reader_v2_op, tf_record_reader_op,
                                    fixed_length_record_reader_v2_op, fixed_length_record_reader_op>;

// Options of readers without special options.
struct reader_options {
  std::string container = {};    // nodes with the same container and shared_name share a reader
  std::string shared_name = {};  // the shared name; empty: the node has its own reader
};
// Options of a reader of lines.
struct text_line_options {
  std::int64_t skip_header_lines = 0;  // the number of lines at the beginning of each file that are skipped
  std::string container = {};          // nodes with the same container and shared_name share a reader
  std::string shared_name = {};        // the shared name; empty: the node has its own reader
};
// Options of a reader of TFRecord files.
struct tf_record_options {
  std::string compression_type = {};  // `ZLIB`, `GZIP`, or empty for none
  std::string container = {};         // nodes with the same container and shared_name share a reader
  std::string shared_name = {};       // the shared name; empty: the node has its own reader
};
// Options of a reader of records of a fixed length. A file consists of a header, records and a footer.
struct fixed_length_options {
  std::int64_t record_bytes = 0;  // the length of each record
  std::int64_t header_bytes = 0;  // the length of the header
  std::int64_t footer_bytes = 0;  // the length of the footer
  std::int64_t hop_bytes = 0;     // the distance between the beginnings of two records; 0: record_bytes
  std::string encoding = {};      // `ZLIB`, `GZIP`, or empty for none
  std::string container = {};     // nodes with the same container and shared_name share a reader
  std::string shared_name = {};   // the shared name; empty: the node has its own reader
};

namespace detail {

template <class Op, class Options> Op named_reader_op(const Options& o) {
  Op op;
  op.container = o.container;
  op.shared_name = o.shared_name;
  return op;
}

}  // namespace detail

// Returns a handle to a reader whose records are whole files.
inline reader whole_file_reader(const graph& g, const reader_options& o = {}, site s = {}) {
  return reader(apply_in<>(g, detail::named_reader_op<whole_file_reader_v2_op>(o), s));
}
// Returns a handle to a reader whose records are the strings of its queue.
inline reader identity_reader(const graph& g, const reader_options& o = {}, site s = {}) {
  return reader(apply_in<>(g, detail::named_reader_op<identity_reader_v2_op>(o), s));
}
// Returns a handle to a reader of lines of text.
inline reader text_line_reader(const graph& g, const text_line_options& o = {}, site s = {}) {
  auto op = detail::named_reader_op<text_line_reader_v2_op>(o);
  op.skip_header_lines = o.skip_header_lines;
  return reader(apply_in<>(g, op, s));
}
// Returns a handle to a reader of TFRecord files.
inline reader tf_record_reader(const graph& g, const tf_record_options& o = {}, site s = {}) {
  auto op = detail::named_reader_op<tf_record_reader_v2_op>(o);
  op.compression_type = o.compression_type;
  return reader(apply_in<>(g, op, s));
}
// Returns a handle to a reader of records of a fixed length.
inline reader fixed_length_record_reader(const graph& g, const fixed_length_options& o, site s = {}) {
  auto op = detail::named_reader_op<fixed_length_record_reader_v2_op>(o);
  op.record_bytes = o.record_bytes;
  op.header_bytes = o.header_bytes;
  op.footer_bytes = o.footer_bytes;
  op.hop_bytes = o.hop_bytes;
  op.encoding = o.encoding;
  return reader(apply_in<>(g, op, s));
}

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/input/detail/record_reader.hpp>
#endif

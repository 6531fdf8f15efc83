#pragma once
// Records as bytes of frames. A function `fields` names the fields of a record once, for the end that writes and for the end that
// reads.

#include "bytes.hpp"

#include <flowgraph/core/tensor.hpp>
#include <flowgraph/io/graph_record.hpp>

#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace flowgraph::inline FLOWGRAPH_ABI::distributed {

// Calls f.template operator()<T>() with the type of the values of a kind of attribute. Returns false for an unknown kind.
template <class F> bool with_type_of(attribute_kind kind, const F& f) {
  const auto with = [&]<class T>(std::type_identity<T>) { return f.template operator()<T>(), true; };
  using enum attribute_kind;
  switch (kind) {
    case integer: return with(std::type_identity<std::int64_t>());
    case real: return with(std::type_identity<float>());
    case boolean: return with(std::type_identity<bool>());
    case string: return with(std::type_identity<std::string>());
    case type: return with(std::type_identity<dtype>());
    case attribute_kind::shape: return with(std::type_identity<flowgraph::shape>());
    case tensor: return with(std::type_identity<any_tensor>());
    case function: return with(std::type_identity<function_name>());
    case list_of_integers: return with(std::type_identity<std::vector<std::int64_t>>());
    case list_of_reals: return with(std::type_identity<std::vector<float>>());
    case list_of_booleans: return with(std::type_identity<std::vector<bool>>());
    case list_of_strings: return with(std::type_identity<std::vector<std::string>>());
    case list_of_types: return with(std::type_identity<std::vector<dtype>>());
    case list_of_shapes: return with(std::type_identity<std::vector<flowgraph::shape>>());
    case list_of_tensors: return with(std::type_identity<std::vector<any_tensor>>());
    case list_of_functions: return with(std::type_identity<std::vector<function_name>>());
  }
  return false;
}

// The fields of each record, in the order in which both ends write and read them. A is record_writer or record_reader.
template <class A, class R> using ref = std::conditional_t<A::writes, const R&, R&>;

template <class A> void fields(A& a, ref<A, function_name> f) { a(f.name); }
template <class A> void fields(A& a, ref<A, edge_record> e) { a(e.node, e.port); }
template <class A> void fields(A& a, ref<A, line_record> l) { a(l.file, l.function, l.line, l.column); }
template <class A> void fields(A& a, ref<A, body_record> b) { a(b.name, b.around); }
template <class A> void fields(A& a, ref<A, variable_record> v) { a(v.of, v.is_trainable); }
template <class A> void fields(A& a, ref<A, node_record> n) {
  a(n.op, n.name, n.attributes, n.inputs, n.list_sizes, n.control_inputs, n.device, n.colocated_with, n.line, n.body,
    n.variable_shape);
}
template <class A> void fields(A& a, ref<A, graph_record> g) {
  a(g.first, g.seed, g.lines, g.bodies, g.variables, g.initializers, g.names, g.nodes);
}

// The smallest number of bytes of an element of a list.
template <class T> inline constexpr std::size_t least_bytes = 1;
template <class T>
  requires std::is_arithmetic_v<T> inline constexpr std::size_t least_bytes<T> = sizeof(T);
template <> inline constexpr std::size_t least_bytes<std::string> = 8;
template <> inline constexpr std::size_t least_bytes<edge_record> = 8;
template <> inline constexpr std::size_t least_bytes<line_record> = 24;
template <> inline constexpr std::size_t least_bytes<body_record> = 12;
template <> inline constexpr std::size_t least_bytes<variable_record> = 9;
template <> inline constexpr std::size_t least_bytes<node_record> = 60;
template <class A, class B> inline constexpr std::size_t least_bytes<std::pair<A, B>> = least_bytes<A> + least_bytes<B>;

class record_writer {
public:
  static constexpr bool writes = true;
  // A tensor is written as its index in `tensors`. Null: the records have no tensors.
  explicit record_writer(byte_writer& to, recycled_tensors* tensors = nullptr) : to_(to), tensors_(tensors) {}

  template <class... Ts> void operator()(const Ts&... values) { (put(values), ...); }
  template <class T> void list(const T& values) {
    to_.number(static_cast<std::uint64_t>(values.size()));
    for (const auto& one : values) put(static_cast<const typename T::value_type&>(one));
  }

private:
  template <byte_number T> void put(T v) { to_.number(v); }
  void put(const std::string& v) { to_.text(v); }
  void put(const shape& v) {
    to_.number(static_cast<std::int8_t>(v.rank));
    for (int i = 0; i < v.rank; ++i) to_.number(static_cast<std::int64_t>(v.dims[i]));
  }
  void put(const any_tensor& v) {
    to_.number(static_cast<std::uint32_t>(tensors_->size()));
    tensors_->push_back(v);
  }
  void put(const attribute_value& v) {
    to_.number(v.kind());
    with_type_of(v.kind(), [&]<class T>() { put(*v.get<T>()); });
  }
  template <class T> void put(const std::vector<T>& all) { list(all); }
  template <class A, class B> void put(const std::pair<A, B>& v) { (*this)(v.first, v.second); }
  template <class R>
    requires requires(record_writer& w, const R& r) { fields(w, r); } void put(const R& record) {
    fields(*this, record);
  }

  byte_writer& to_;
  recycled_tensors* tensors_;
};

// If the bytes are invalid, the byte_reader is not ok() afterwards.
class record_reader {
public:
  static constexpr bool writes = false;
  explicit record_reader(byte_reader& from, std::span<const any_tensor> tensors = {}) : from_(from), tensors_(tensors) {}

  template <class... Ts> void operator()(Ts&... values) { (get(values), ...); }
  template <class T> T one() {
    T v{};
    get(v);
    return v;
  }

private:
  template <byte_number T> void get(T& v) { v = from_.number<T>(); }
  void get(bool& v) { v = from_.number<std::uint8_t>() != 0; }
  void get(std::string& v) { v = from_.text(); }
  void get(shape& v) {
    const auto rank = from_.number<std::int8_t>();
    if (rank < -1 || rank > shape::max_rank) return from_.fail();
    v = shape::unknown();
    v.rank = rank;
    for (int i = 0; i < rank; ++i) {
      v.dims[i] = from_.number<std::int64_t>();
      if (v.dims[i] < -1) return from_.fail();
    }
  }
  void get(any_tensor& v) {
    const auto number = from_.number<std::uint32_t>();
    if (number < tensors_.size()) v = tensors_[number];
    else from_.fail();
  }
  void get(attribute_value& v) {
    if (!with_type_of(from_.number<attribute_kind>(), [&]<class T>() { v = one<T>(); })) from_.fail();
  }
  template <class T> void get(std::vector<T>& all) {
    for (auto left = from_.count(least_bytes<T>); left > 0 && from_.ok(); --left) all.push_back(one<T>());
  }
  template <class A, class B> void get(std::pair<A, B>& v) { (*this)(v.first, v.second); }
  template <class R>
    requires requires(record_reader& a, R& r) { fields(a, r); } void get(R& record) {
    fields(*this, record);
  }

  byte_reader& from_;
  std::span<const any_tensor> tensors_;
};

}  // namespace flowgraph::distributed

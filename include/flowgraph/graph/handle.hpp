#pragma once
// Handles: cheap values that name outputs of nodes. A handle does not keep its graph alive.

#include <flowgraph/core/error.hpp>
#include <flowgraph/core/sequence.hpp>
#include <flowgraph/graph/node.hpp>
#include <flowgraph/graph/site.hpp>

#include <tuple>
#include <vector>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

// One output of a node, of a type known at run time.
struct any_out {
  node* source = nullptr;
  std::uint32_t port = 0;

  // An empty handle, and one of a node that could not be made, have no type and no known shape.
  bool is_usable() const noexcept { return source && !source->is_poison(); }
  // The element type.
  dtype type() const noexcept { return is_usable() ? source->outputs[port].type : dtype::invalid; }
  // What is known of the shape before it runs.
  flowgraph::shape shape() const noexcept { return is_usable() ? source->outputs[port].shape : flowgraph::shape::unknown(); }
  // "scope/op", or "scope/op:1" for output 1.
  std::string name() const { return source ? name_of(*source, port) : "(empty handle)"; }
  bool operator==(const any_out&) const = default;
};

// A node to run without fetching anything of it.
struct target {
  node* source = nullptr;
  target() = default;
  target(node* n) : source(n) {}
  target(any_out o) : source(o.source) {}
};

// What an operator takes: a handle, a variable or a scalar, and the place where it was written.
template <class T> struct operand {
  node* source = nullptr;
  T scalar{};  // in front of the port: g++ has a note on every structure with a complex<float> that is not on a multiple of 8
  std::uint32_t port = 0;
  bool is_scalar = false;  // an empty handle is none
  std::source_location location;

  operand(out<T> o, std::source_location l = std::source_location::current()) : source(o.source), port(o.port), location(l) {}
  operand(variable<T> v, std::source_location l = std::source_location::current())
      : source(v.source), port(v.port), location(l) {}
  operand(T value, std::source_location l = std::source_location::current())
      : scalar(std::move(value)), is_scalar(true), location(l) {}
};

namespace detail {

// Defined with the ops; one of the two operands is a handle.
template <class T> out<T> add_operands(const operand<T>& a, const operand<T>& b);
template <class T> out<T> subtract_operands(const operand<T>& a, const operand<T>& b);
template <class T> out<T> multiply_operands(const operand<T>& a, const operand<T>& b);
template <class T> out<T> divide_operands(const operand<T>& a, const operand<T>& b);
template <class T> out<T> negate_operand(const operand<T>& a);
template <class T> out<bool> less_operands(const operand<T>& a, const operand<T>& b);
template <class T> out<bool> less_equal_operands(const operand<T>& a, const operand<T>& b);

// The error for a handle whose element type is not `expected`: names node:port, both types and the line `where`.
FLOWGRAPH_COLD error refused_handle(const any_out& handle, dtype expected, const std::source_location& where);
// The handle of an output, or of the edge that an input reads.
any_out handle_at(const node& n, bool is_output, std::uint32_t port);

}  // namespace detail

// One output of a node, of type T. Operators build nodes; `==` compares handles.
template <class T> struct out {
  using element_type = T;
  node* source = nullptr;
  std::uint32_t port = 0;

  out() = default;
  // Declared, so that there is no constructor that moves: compilers list each one where none fits.
  out(const out&) = default;
  out& operator=(const out&) = default;
  // Not checked: what runs or prepares it refuses a handle whose elements have another type.
  out(node* n, std::uint32_t p) : source(n), port(p) {}
  // A gradient is a handle on its dense form, made here where it was kept as slices.
  template <class U>
    requires std::is_same_v<U, T> out(const grad<U>& g) : out(g.dense()) {}
  template <class U>
    requires std::is_same_v<U, T> out& operator=(const grad<U>& g) {
    return *this = g.dense();
  }
  // Checked: refuses an empty handle, a port that the node does not have, and elements of another type.
  static result<out> from(const any_out& o, std::source_location where = std::source_location::current()) {
    if (o.is_usable() && o.port < o.source->outputs.size() && o.type() == dtype_of<T>) return out(o.source, o.port);
    return detail::refused_handle(o, dtype_of<T>, where);
  }

  operator any_out() const noexcept { return {source, port}; }
  operator target() const noexcept { return {source}; }
  // What is known of the shape before it runs.
  flowgraph::shape shape() const noexcept { return any_out(*this).shape(); }
  // "scope/op", or "scope/op:1" for output 1.
  std::string name() const { return any_out(*this).name(); }

  friend out operator+(operand<T> a, operand<T> b) { return detail::add_operands(a, b); }
  friend out operator-(operand<T> a, operand<T> b) { return detail::subtract_operands(a, b); }
  friend out operator*(operand<T> a, operand<T> b) { return detail::multiply_operands(a, b); }
  friend out operator/(operand<T> a, operand<T> b) { return detail::divide_operands(a, b); }
  friend out operator-(operand<T> a) { return detail::negate_operand(a); }
  friend out<bool> operator<(operand<T> a, operand<T> b) { return detail::less_operands(a, b); }
  friend out<bool> operator>(operand<T> a, operand<T> b) { return detail::less_operands(b, a); }
  friend out<bool> operator<=(operand<T> a, operand<T> b) { return detail::less_equal_operands(a, b); }
  friend out<bool> operator>=(operand<T> a, operand<T> b) { return detail::less_equal_operands(b, a); }
  friend bool operator==(const out& a, const out& b) noexcept { return a.source == b.source && a.port == b.port; }
};

// A variable: its reference edge, read wherever a value is wanted. `initializer` is the node that gives it its initial value.
template <class T> struct variable : out<T> {
  node* initializer = nullptr;
};

template <class T> using out_list = std::vector<out<T>>;
using any_out_list = std::vector<any_out>;

namespace detail {

// A list of handles, variables or gradients: of one type, or each of a type known at run time.
template <class List>
concept handles = requires(const List& list, const typename List::value_type& handle) {
  { list.begin() == list.end() } -> std::convertible_to<bool>;
  any_out(handle);
};
template <class List> concept typed_handles = handles<List> && requires { typename List::value_type::element_type; };

template <typed_handles List> out_list<typename List::value_type::element_type> list_of(const List& handles) {
  return {handles.begin(), handles.end()};
}

}  // namespace detail

// What stands where there is no gradient, or no handle.
struct none_type {};
inline constexpr none_type none{};

struct any_grad;
struct any_slices;

namespace detail {

// How slices of one element type are added and made dense. Slices bring their rules with them, so that a program without slices has
// none of the ops that these need.
struct slices_rules {
  any_slices (*join)(std::span<const any_grad> contributions);  // all of them slices
  any_out (*make_dense)(const any_slices&);
};

// Defined with the ops.
template <class T> any_slices join_slices(std::span<const any_grad> contributions);
template <class T> any_out make_dense(const any_slices& slices);
template <class T> inline constexpr slices_rules rules_of_slices{&join_slices<T>, &make_dense<T>};

}  // namespace detail

// Slices of a gradient: row `indices[i]` of it is the sum of the `values[i]` that name it, all others are zero.
struct any_slices {
  any_out indices, values, dense_shape;
  const detail::slices_rules* rules = nullptr;

  any_slices() = default;
  template <class T>
  any_slices(const out<std::int64_t>& rows, const out<T>& parts, const out<std::int64_t>& extents)
      : indices(rows), values(parts), dense_shape(extents), rules(&detail::rules_of_slices<T>) {}
};

// A gradient whose element type is known at run time: nothing, dense, or slices. Of a loop's history a dense one is a history of
// gradients; an entry is the gradient of value `index` of its last iteration alone.
struct any_grad {
  enum class form : std::uint8_t { absent, dense, slices, entry };
  form kind = form::absent;
  std::uint32_t index = 0;
  any_out dense;
  any_slices slices;

  any_grad() = default;
  any_grad(none_type) {}
  any_grad(any_out o) : kind(form::dense), dense(o) {}
  template <class T> any_grad(out<T> o) : kind(form::dense), dense(o) {}
  any_grad(any_slices s) : kind(form::slices), slices(s) {}
  template <class T> any_grad(const grad<T>& g);
  explicit operator bool() const noexcept { return kind != form::absent; }
};

// What an op's gradient returns for N inputs of one type, and for any inputs.
template <class T, std::size_t N> struct gradients_of {
  any_grad parts[N];
};
using gradient_list = detail::sequence<any_grad>;

// A gradient that somebody gives to an op from outside.
using gradient_body = void (*)(const node& n, std::span<const any_grad> output_gradients, gradient_list& input_gradients);

}
}  // namespace flowgraph

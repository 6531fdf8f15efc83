#pragma once
// Handles: small values that name outputs of nodes. A handle does not keep its graph alive.

#include <flowgraph/core/error.hpp>
#include <flowgraph/core/sequence.hpp>
#include <flowgraph/graph/node.hpp>
#include <flowgraph/graph/site.hpp>

#include <tuple>
#include <vector>

namespace flowgraph::inline FLOWGRAPH_ABI {

// One output of a node, with an element type that is known only at run time.
struct any_out {
  node* source = nullptr;  // the node; null: an empty handle
  std::uint32_t port = 0;  // index of the node's output

  // Returns false for an empty handle and for a handle of a node that could not be added: both have no type and no known shape.
  bool is_usable() const noexcept { return source && !source->is_poison(); }
  // Returns the element type.
  dtype type() const noexcept { return is_usable() ? source->outputs[port].type : dtype::invalid; }
  // Returns the shape, as far as it is known before a run.
  flowgraph::shape shape() const noexcept { return is_usable() ? source->outputs[port].shape : flowgraph::shape::unknown(); }
  // Returns "scope/op", or "scope/op:1" for output 1.
  std::string name() const { return source ? name_of(*source, port) : "(empty handle)"; }
  bool operator==(const any_out&) const = default;
};

// A node that a run executes without returning its value.
struct target {
  node* source = nullptr;  // the node; null: an empty target
  target() = default;
  target(node* n) : source(n) {}
  target(any_out o) : source(o.source) {}
};

// An argument of an operator: a handle, a variable or a scalar, and the line of the program that contains the argument.
template <class T> struct operand {
  node* source = nullptr;
  T scalar{};  // before `port`, since g++ prints a note for each struct whose complex<float> is not aligned to 8 bytes
  std::uint32_t port = 0;
  bool is_scalar = false;  // false for an empty handle
  std::source_location location;

  operand(out<T> o, std::source_location l = std::source_location::current()) : source(o.source), port(o.port), location(l) {}
  operand(variable<T> v, std::source_location l = std::source_location::current())
      : source(v.source), port(v.port), location(l) {}
  operand(T value, std::source_location l = std::source_location::current())
      : scalar(std::move(value)), is_scalar(true), location(l) {}
};

namespace detail {

// Defined with the ops. At least one of the two operands is a handle.
template <class T> out<T> add_operands(const operand<T>& a, const operand<T>& b);
template <class T> out<T> subtract_operands(const operand<T>& a, const operand<T>& b);
template <class T> out<T> multiply_operands(const operand<T>& a, const operand<T>& b);
template <class T> out<T> divide_operands(const operand<T>& a, const operand<T>& b);
template <class T> out<T> negate_operand(const operand<T>& a);
template <class T> out<bool> less_operands(const operand<T>& a, const operand<T>& b);
template <class T> out<bool> less_equal_operands(const operand<T>& a, const operand<T>& b);

// Returns the error for a handle whose element type is not `expected`. The error names the node and the port, both types and the
// line `where`.
FLOWGRAPH_COLD error refused_handle(const any_out& handle, dtype expected, const std::source_location& where);
// Returns the handle of output `port` of the node or, if `is_output` is false, of the edge that input `port` reads.
any_out handle_at(const node& n, bool is_output, std::uint32_t port);

}  // namespace detail

// One output of a node, with elements of type T. Arithmetic and comparison operators add nodes, except `==`, which compares the
// handles themselves.
template <class T> struct out {
  using element_type = T;
  node* source = nullptr;  // the node; null: an empty handle
  std::uint32_t port = 0;  // index of the node's output

  out() = default;
  // Declared explicitly, so that there is no move constructor, which compilers would list in each error about arguments that do not
  // fit.
  out(const out&) = default;
  out& operator=(const out&) = default;
  // Creates a handle without checking the type. A run or a prepared step refuses the handle if its elements have a different type.
  out(node* n, std::uint32_t p) : source(n), port(p) {}
  // Converts a gradient to a handle to its dense form. Adds the nodes of the dense form if the gradient was kept as slices.
  template <class U>
    requires std::is_same_v<U, T> out(const grad<U>& g) : out(g.dense()) {}
  template <class U>
    requires std::is_same_v<U, T> out& operator=(const grad<U>& g) {
    return *this = g.dense();
  }
  // Converts a handle and checks its type. If the handle is empty, its node does not have the port, or the element type is not T,
  // returns an error.
  static result<out> from(const any_out& o, std::source_location where = std::source_location::current()) {
    if (o.is_usable() && o.port < o.source->outputs.size() && o.type() == dtype_of<T>) return out(o.source, o.port);
    return detail::refused_handle(o, dtype_of<T>, where);
  }

  operator any_out() const noexcept { return {source, port}; }
  operator target() const noexcept { return {source}; }
  // Returns the shape, as far as it is known before a run.
  flowgraph::shape shape() const noexcept { return any_out(*this).shape(); }
  // Returns "scope/op", or "scope/op:1" for output 1.
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

// A handle to the reference edge of a variable. Each op that needs the value of the variable reads this edge. `initializer` is the
// node that assigns its initial value.
template <class T> struct variable : out<T> {
  node* initializer = nullptr;  // the node that assigns the initial value
};

template <class T> using out_list = std::vector<out<T>>;
using any_out_list = std::vector<any_out>;

namespace detail {

// A list of handles, variables or gradients: all of one type, or with types that are known only at run time.
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

// The value of an absent gradient or handle.
struct none_type {};
inline constexpr none_type none{};

struct any_grad;
struct any_slices;

namespace detail {

// The functions that add slices of one element type and make them dense. Each any_slices has a pointer to its rules, so that a
// program without slices does not contain the ops that these functions need.
struct slices_rules {
  any_slices (*join)(std::span<const any_grad> contributions);  // precondition: all contributions are slices
  any_out (*make_dense)(const any_slices&);
};

// Defined with the ops.
template <class T> any_slices join_slices(std::span<const any_grad> contributions);
template <class T> any_out make_dense(const any_slices& slices);
template <class T> inline constexpr slices_rules rules_of_slices{&join_slices<T>, &make_dense<T>};

}  // namespace detail

// A gradient as slices: row r of the dense gradient is the sum of all rows `values[i]` for which `indices[i]` is r; all other rows
// are zero.
struct any_slices {
  any_out indices, values, dense_shape;
  const detail::slices_rules* rules = nullptr;

  any_slices() = default;
  template <class T>
  any_slices(const out<std::int64_t>& rows, const out<T>& parts, const out<std::int64_t>& extents)
      : indices(rows), values(parts), dense_shape(extents), rules(&detail::rules_of_slices<T>) {}
};

// A gradient whose element type is known only at run time: absent, dense, or slices. For the history of a loop, a dense gradient
// is a history of gradients, and an `entry` is the gradient of value `index` in the last iteration only.
struct any_grad {
  enum class form : std::uint8_t { absent, dense, slices, entry };
  form kind = form::absent;  // which of the members below are used
  std::uint32_t index = 0;   // index of the value, for an `entry`
  any_out dense;             // a dense gradient, or the history of gradients
  any_slices slices;         // a gradient that consists of slices

  any_grad() = default;
  any_grad(none_type) {}
  any_grad(any_out o) : kind(form::dense), dense(o) {}
  template <class T> any_grad(out<T> o) : kind(form::dense), dense(o) {}
  any_grad(any_slices s) : kind(form::slices), slices(s) {}
  template <class T> any_grad(const grad<T>& g);
  explicit operator bool() const noexcept { return kind != form::absent; }
};

// The result of an op's gradient: `gradients_of` for N inputs of one type, `gradient_list` for inputs of any types.
template <class T, std::size_t N> struct gradients_of {
  any_grad parts[N];  // the gradient of each input
};
using gradient_list = detail::sequence<any_grad>;

// A gradient function that a program defines for an op; see graph::replace_gradient.
using gradient_body = void (*)(const node& n, std::span<const any_grad> output_gradients, gradient_list& input_gradients);

}  // namespace flowgraph

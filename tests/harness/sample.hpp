#pragma once
// Samples of ops: a few calls of each op, with inputs and attributes, and the domains of the inputs' elements.
//
//     {"Log", unary(), {between(0.3, 3)}}
//     {"Transpose", {call{random({2, 3}), given({1, 0})}}}
//     {"AddN", {call{random({2}), random({2})}.with("N", 2)}}
//
// Each op has an entry in a file of samples (samples_*.cpp, samples/), next to related ops. Tests fail for an op without an
// entry.

#include <flowgraph/op/attribute.hpp>

#include <limits>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace harness {

namespace fg = flowgraph;

// The range of random elements. Integers are the whole numbers in it; for unsigned types, their magnitudes.
struct domain {
  double low = -3, high = 3;
  double hole = std::numeric_limits<double>::quiet_NaN();  // a kink, or a pole: elements keep a distance from it
};
inline domain between(double low, double high) { return {low, high}; }
inline domain avoid(double hole) { return {-3, 3, hole}; }

struct input {
  fg::shape shape;
  std::vector<double> elements;  // empty: random elements
  bool is_given = false;         // its values matter: axes, shapes, indices
  bool is_variable = false;      // a variable with random elements, behind a reference edge or a handle, as the op requires
  enum class queue_form : std::uint8_t { none, open, closed };
  queue_form queue = queue_form::none;  // a queue of three elements of an int32 and two floats, named as the op requires

  bool is_handle() const { return is_variable || queue != queue_form::none; }
};
// Returns random elements. All elements of floating type in a call differ from each other, so extremes are unique, and
// differentiable.
inline input random(const fg::shape& shape) { return {shape, {}}; }
inline input given(const fg::shape& shape, std::vector<double> elements) { return {shape, std::move(elements), true}; }
inline input given(std::initializer_list<double> vector) { return {fg::shape{vector.size()}, vector, true}; }
inline input number(double value) { return {fg::shape{}, {value}, true}; }
inline input variable(const fg::shape& shape) { return {shape, {}, false, true}; }
// Returns a queue without a limit. At a closed queue no run waits.
inline input queue(bool is_closed = false) {
  input made;
  made.queue = is_closed ? input::queue_form::closed : input::queue_form::open;
  return made;
}

// One way to use an op.
struct call {
  using attribute = std::variant<fg::attribute_value, input>;  // a tensor gets the op's first element type

  std::vector<input> inputs;
  std::vector<std::pair<std::string_view, attribute>> attributes = {};
  std::vector<std::uint32_t> list_sizes = {};  // for ops with several lists

  call() = default;
  template <class... I> explicit call(input first, I... rest) : inputs{std::move(first), std::move(rest)...} {}
  explicit call(std::vector<input> list) : inputs(std::move(list)) {}

  call with(std::string_view name, fg::attribute_value value) const { return with_any(name, std::move(value)); }
  call with(std::string_view name, bool value) const { return with_any(name, fg::attribute_value(value)); }
  call with(std::string_view name, int value) const { return with_any(name, fg::attribute_value(std::int64_t{value})); }
  call with(std::string_view name, const char* value) const { return with_any(name, fg::attribute_value(std::string(value))); }
  call with(std::string_view name, std::initializer_list<std::int64_t> list) const {
    return with_any(name, fg::attribute_value(std::vector<std::int64_t>(list)));
  }
  call with_tensor(std::string_view name, input value) const { return with_any(name, std::move(value)); }
  call with_lists(std::vector<std::uint32_t> sizes) const {
    call c = *this;
    c.list_sizes = std::move(sizes);
    return c;
  }

private:
  call with_any(std::string_view name, attribute value) const {
    call c = *this;
    c.attributes.emplace_back(name, std::move(value));
    return c;
  }
};
using calls = std::vector<call>;

// Exceptions of a sample to the checks. The report names each of them.
struct exception {
  enum kind : std::uint8_t {
    skipped,            // no check is made
    no_gradient,        // the gradient is not the derivative: it stops here by definition
    first_order,        // the gradient cannot be differentiated again
    shape_at_run_time,  // constant inputs do not determine the output's shape
    real_gradient,      // the gradient is the derivative only for real numbers
    shapes_needed,      // the gradient exists only if the graph has the shapes of the inputs
    takes_any_handle,   // a handle that names nothing is accepted
    internal_code,      // wrong input causes an internal error, as in TensorFlow
    constant_input,     // no gradient flows to that input, although the op depends on it
  };
  kind what;
  std::string_view why;
  std::size_t input = 0;
};
inline exception skip(std::string_view why) { return {exception::skipped, why}; }
inline exception internal_code(std::string_view why) { return {exception::internal_code, why}; }
inline exception no_gradient(std::string_view why) { return {exception::no_gradient, why}; }
inline exception first_order_only(std::string_view why) { return {exception::first_order, why}; }
inline exception real_gradient(std::string_view why) { return {exception::real_gradient, why}; }
inline exception needs_shapes(std::string_view why) { return {exception::shapes_needed, why}; }
inline exception takes_any_handle(std::string_view why) { return {exception::takes_any_handle, why}; }
inline exception constant_input(std::size_t input, std::string_view why) { return {exception::constant_input, why, input}; }
inline exception shape_at_run_time(std::string_view why) { return {exception::shape_at_run_time, why}; }

struct sample {
  std::string_view op;
  calls tried;
  std::vector<domain> domains;  // of the inputs in their order; the last domain is that of all further inputs
  std::vector<exception> exceptions;

  sample(std::string_view name, calls c, std::vector<domain> d = {}, std::vector<exception> e = {})
      : op(name), tried(std::move(c)), domains(std::move(d)), exceptions(std::move(e)) {}
  sample(std::string_view name, exception e) : op(name), exceptions{e} {}

  const exception* find(exception::kind k) const {
    for (const exception& e : exceptions)
      if (e.what == k) return &e;
    return nullptr;
  }
  domain domain_of(std::size_t index) const {
    return domains.empty() ? domain{} : domains[index < domains.size() ? index : domains.size() - 1];
  }
};

// Return calls with one input, with two inputs that broadcast, and with `count` inputs of one shape: from scalars to rank 4,
// empty tensors, and a tensor that is large enough for threads.
calls unary();
calls broadcasting();
calls paired(int count = 2);

// Returns the samples of all standard ops.
std::vector<sample> standard_samples();

}  // namespace harness

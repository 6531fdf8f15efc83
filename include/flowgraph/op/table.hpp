#pragma once
// What the engine knows of an op for given element types: one constant table, made at compile time. A node points at it.
// A library of many ops has thousands of tables: what all types share stands once an op, and every pointer costs a relocation.

#include <flowgraph/core/sequence.hpp>
#include <flowgraph/op/attribute.hpp>
#include <flowgraph/op/kernel.hpp>
#include <flowgraph/op/runner.hpp>
#include <flowgraph/op/shape_rule.hpp>
#include <flowgraph/op/signature.hpp>
#include <flowgraph/op/work_figure.hpp>

#include <array>
#include <iterator>
#include <span>
#include <vector>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

struct any_grad;

namespace detail {

struct gradient_call;
struct flow_rules;

// How the runtime runs branches and loops. The ops that make them name it: a program without any does not carry it.
FLOWGRAPH_INLINE const flow_rules& rules_of_flow();
// The same of a graph that also sends to others and receives from them.
FLOWGRAPH_INLINE const flow_rules& rules_of_exchange();

}  // namespace detail

// The role of a node in control flow, for the executor; `loop` is not an op but a whole loop that runs as one record. A send gives a
// value, or the news of a dead one, to the receive of the same edge in another part of the run.
enum class control_flow : std::uint8_t {
  none,
  switch_,
  merge,
  enter,
  exit,
  next_iteration,
  loop_cond,
  control_trigger,
  loop,
  send,
  receive
};

struct type_binding {
  std::string_view attribute;
  dtype type;
};

// Inputs of a shape rule: the shapes in the node's order, and the sizes of its list arguments.
struct shape_inputs {
  std::span<const shape* const> shapes;
  const std::uint32_t* list_sizes;
};

namespace detail {

// For rules that take lists, which want their shapes one after the other in memory: the shapes themselves where they lie so, else copies.
class side_by_side {
public:
  void lay(const shape_inputs& in);
  const shape* data() const noexcept { return first_; }

private:
  sequence<shape> copies_;
  const shape* first_ = nullptr;
};

}  // namespace detail

// The type attributes of a table, each with its type.
class type_bindings {
public:
  class iterator {
  public:
    using iterator_category = std::input_iterator_tag;
    using value_type = type_binding;
    using difference_type = std::ptrdiff_t;
    using pointer = const type_binding*;
    using reference = type_binding;

    iterator() = default;
    iterator(const std::string_view* attribute, const dtype* type) noexcept : attribute_(attribute), type_(type) {}
    type_binding operator*() const noexcept { return {*attribute_, *type_}; }
    iterator& operator++() noexcept { return *this = {attribute_ + 1, type_ + 1}; }
    iterator operator++(int) noexcept {
      const iterator before = *this;
      ++*this;
      return before;
    }
    bool operator==(const iterator& other) const noexcept { return attribute_ == other.attribute_; }

  private:
    const std::string_view* attribute_ = nullptr;
    const dtype* type_ = nullptr;
  };

  type_bindings(std::span<const std::string_view> attributes, const dtype* types) noexcept
      : attributes_(attributes), types_(types) {}
  std::size_t size() const noexcept { return attributes_.size(); }
  bool empty() const noexcept { return attributes_.empty(); }
  type_binding operator[](std::size_t i) const noexcept { return {attributes_[i], types_[i]}; }
  iterator begin() const noexcept { return {attributes_.data(), types_}; }
  iterator end() const noexcept { return {attributes_.data() + size(), types_ + size()}; }

private:
  std::span<const std::string_view> attributes_;
  const dtype* types_;
};

// What an op computes, for passes that rewrite it by a law that this meaning obeys to the bit. Most ops say nothing.
enum class op_meaning : std::uint8_t {
  none,
  sum,  // a + b, with broadcasting; also difference, product and quotient
  difference,
  product,
  quotient,
  involution,  // twice is not at all: -x, not x, the conjugate
  cast,        // x as another element type, each value as near as that type has it
  transpose,   // axis i of y is axis perm[i] of x
  reshape,     // the elements of x in the shape that the second input says
  reduction,   // of the first input over the axes that the second names; over none it is the input
  summation,   // likewise, but begun with 0: over none a -0 becomes 0
};

// The steps in the life of an op struct, which lies in the memory of a node.
enum class op_life_step : std::uint8_t { construct, copy, destroy };

// What is the same for all element types of an op.
struct op_description {
  std::string_view name;
  std::span<const argument> inputs, outputs;
  std::span<const std::string_view> type_attributes;
  std::span<const attribute_info> attributes;

  // The op struct, which lives in the node.
  std::uint32_t size, alignment;
  bool is_described;  // `attrs` names all that the struct holds, and holds it to the bit: equal attributes are an equal op
  op_meaning meaning;
  work_figure work;                                             // of a call, for cost models
  void (*live)(op_life_step step, const void* from, void* op);  // `from`: what is copied; null otherwise

  // Of an op whose columns (elements of one last index) are sums of products with weights, its second input: the shape in which a factor
  // per column is multiplied into them; unknown where its attributes say otherwise. Null: the op has no such columns.
  shape (*column_factors)(const void* op, const shape& weights);
  std::size_t (*output_count)(const void* op);  // size of a list output; null: the op has none
  // Of a list output of mixed types, or of all of them; null: the op has none.
  std::vector<dtype> (*output_types)(const void* op);
  const detail::flow_rules& (*flow)();            // of an op of control flow, or one that makes what lives as long as a run
  detail::runner_function runner;                 // of an op that no schedule runs; null for others
  const any_tensor* (*constant)(const void* op);  // the value of an op that is one; null for others
  const shape* (*placeholder)(const void* op);    // the declared shape of an op that must be fed; null for others
  std::size_t (*scratch)(const void* op, const shape_inputs& in);  // bytes of working memory; null: none needed
  std::vector<std::uint32_t> (*output_sizes)(const void* op);  // of each list output, where they differ; null: the above say it
};

// The part an op plays for the history of a loop, the list of the values of its iterations.
enum class history_role : std::uint8_t { none, empty, push, pop, value, sum, zeros };
// The part an op plays for variables: it makes a variable read by reference, makes a handle, assigns to either, or gives the reference of the
// variable behind a handle.
enum class variable_role : std::uint8_t { none, reference, handle, assign, of_handle };

struct op_table {
  using kernel_function = void (*)(const void* op, detail::kernel_call& call);
  using async_kernel_function = void (*)(const void* op, detail::kernel_call& call, done answer);
  using shape_function = void (*)(const void* op, shape_context& context, const shape_inputs& in, std::span<shape> out);
  using gradient_function = void (*)(const void* op, detail::gradient_call& call);
  using sum_function = void (*)(const node& n, std::uint32_t port, std::span<const any_grad> arrived, any_grad& sum);
  static constexpr std::size_t most_types = 8;

  const op_description* description;
  std::array<dtype, most_types> bound_types;  // of the type attributes, in their order

  kernel_function kernel;              // null: none on this kind of device, or asynchronous
  async_kernel_function async_kernel;  // null: synchronous
  shape_function infer;                // null: shapes known at run time only
  sum_function sum;                    // of the gradients that arrived at an output; null where none can
  gradient_function gradient;          // null: not differentiable, or a build for inference

  control_flow control;
  history_role in_history;
  variable_role of_variable;
  bool not_differentiable : 1;
  bool stateful : 1;      // running it twice is not running it once: never folded, shared or dropped when a target
  bool alias : 1;         // output 0 is input 0, perhaps in another shape: no kernel runs
  bool passes_value : 1;  // output k is input k: schedules share it, and call a kernel only where the op is stateful besides
  bool elementwise : 1;   // inputs of one shape give outputs of that shape; others go through the shape rule
  bool in_place : 1;      // the kernel may find an output in the memory of an input of the same size
  // Its kernel is told how often the node has run: it draws numbers keyed by that, or prints a few times only.
  bool counts_runs : 1;
  bool expensive : 1;     // worth a thread of its own whatever the size of its tensors
  bool shape_only : 1;    // its outputs depend on the shapes of its inputs, not on their elements
  bool per_run : 1;       // it uses resources that live as long as the run
  bool outputs_stay : 1;  // its outputs name what lives on its device: nodes that take them stand there too
  bool may_be_fed : 1;    // its node stands for an edge to feed: what makes a graph for others keeps it

  constexpr std::string_view name() const noexcept { return description->name; }
  constexpr std::span<const argument> inputs() const noexcept { return description->inputs; }
  constexpr std::span<const argument> outputs() const noexcept { return description->outputs; }
  constexpr std::span<const attribute_info> attributes() const noexcept { return description->attributes; }
  type_bindings types() const noexcept { return {description->type_attributes, bound_types.data()}; }

  void construct(void* op) const { description->live(op_life_step::construct, nullptr, op); }
  void copy(const void* from, void* to) const { description->live(op_life_step::copy, from, to); }
  void destroy(void* op) const noexcept { description->live(op_life_step::destroy, nullptr, op); }
};

// Tables of one op for the same element types. A program may have two: that of an archive, and one that it made itself.
inline bool is_same_op(const op_table& a, const op_table& b) {
  return &a == &b ||
         (a.description == b.description && a.bound_types == b.bound_types && a.kernel == b.kernel && a.gradient == b.gradient);
}

// "Swish", or "Gather<float, int32>".
std::string to_string(const op_table& table);

}
}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/op/impl/table.hpp>
#endif

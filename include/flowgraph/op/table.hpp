#pragma once
// The engine's description of an op for certain element types: a constant table, generated at compile time, that nodes point to.
// A large library has thousands of tables. Therefore data that is common to all types is stored once per op, and there are few
// pointers, because each pointer costs a relocation.

#include <flowgraph/core/sequence.hpp>
#include <flowgraph/op/attribute.hpp>
#include <flowgraph/op/facts.hpp>
#include <flowgraph/op/kernel.hpp>
#include <flowgraph/op/kernel_entry.hpp>
#include <flowgraph/op/packed_weights.hpp>
#include <flowgraph/op/runner.hpp>
#include <flowgraph/op/shape_rule.hpp>
#include <flowgraph/op/signature.hpp>

#include <array>
#include <iterator>
#include <span>
#include <vector>

namespace flowgraph::inline FLOWGRAPH_ABI {

struct any_grad;

namespace detail {

struct group_member;
struct column_normalization;
struct element_function;

// Returns the rules by which the runtime runs branches and loops. Ops that create branches or loops refer to this function, so
// that other programs do not link it.
FLOWGRAPH_INLINE const flow_rules& rules_of_flow();
// Returns the rules for graphs that also send values to other graphs or receive values from them.
FLOWGRAPH_INLINE const flow_rules& rules_of_exchange();

}  // namespace detail

// A type attribute and its element type.
struct type_binding {
  std::string_view attribute;
  dtype type;
};

// Inputs of a shape rule: the shapes in the node's order, and the lengths of its list arguments.
struct shape_inputs {
  std::span<const shape* const> shapes;
  const std::uint32_t* list_sizes;
};

namespace detail {

// The shapes as an array, for rules that take lists. It refers to the shapes if they are contiguous in memory, and otherwise
// copies them.
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

// Operations on an op struct, which is in the memory of a node.
enum class op_life_step : std::uint8_t { construct, copy, destroy };

// The properties of an op that all its element types share. Flat: each op type has one constant of this type.
struct op_description {
  std::string_view name;
  std::span<const argument> inputs, outputs;
  std::span<const std::string_view> type_attributes;
  std::span<const attribute_info> attributes;

  // The op struct, which is stored in the node.
  std::uint32_t size, alignment;
  bool is_described;  // `attrs` contains all members exactly: ops with equal attributes are equal
  op_meaning meaning;
  work_figure work;                                             // operations of a call, for cost models
  void (*live)(op_life_step step, const void* from, void* op);  // `from`: the struct to copy; otherwise null

  // For an op such as a matrix product or a convolution: each column of its output (the elements with the same last index) is a
  // sum of products with the weights, the second input. Returns the shape in which a factor per column can be multiplied into
  // the weights, or unknown if the attributes do not allow this. Null: the op has no such columns.
  shape (*column_factors)(const void* op, const shape& weights);
  std::size_t (*output_count)(const void* op);  // number of outputs in a list output; null: the op has no list output
  // Types of a list output of mixed types, or of all list outputs; null: the op has no such outputs.
  std::vector<dtype> (*output_types)(const void* op);
  const detail::flow_rules& (*flow)();            // for ops of control flow, and ops that create resources of one run
  detail::runner_function runner;                 // for ops that no schedule can run; otherwise null
  const any_tensor* (*constant)(const void* op);  // the value of a constant op; otherwise null
  const shape* (*placeholder)(const void* op);    // the declared shape of an op that must be fed; otherwise null
  // Lengths of each list output, if they differ; null: output_count is enough.
  std::vector<std::uint32_t> (*output_sizes)(const void* op);
  // The nodes that a group replaces (passes/draft.hpp), for explanations; null: the op is no group.
  std::span<const detail::group_member> (*members)(const void* op);
  // Returns the error of the first member of a group whose shape rule refuses inputs of these shapes; null: the op is no group.
  error (*refusal)(const void* op, const shape_inputs& in);
  // Whether each row of the output (the elements that differ only in the last index) is computed from the same row of the first
  // input and from whole other inputs, which are vectors; null: it is not.
  bool (*computes_rows)(const void* op);
  // Whether the op reduces its first input over the axes that its second input names, keeps them with one element, and computes each
  // element of the result only from those that it reduces; null: it does not.
  bool (*keeps_reduced_axes)(const void* op);
  // How a group of nodes computes the op for floats; null: by the kernel of the op.
  const detail::element_function* in_group;
  // How the op normalizes the columns of its first input; null: it does not.
  const detail::column_normalization* normalization;
  // How constant weights of the op are packed; null: not at all.
  detail::packing_function packed;
};

// The properties of an op for certain element types. Flat: each pair of op and types has one constant of this type.
struct op_table {
  using shape_function = void (*)(const void* op, shape_context& context, const shape_inputs& in, std::span<shape> out);
  using gradient_function = void (*)(const void* op, detail::gradient_call& call);
  using sum_function = void (*)(const node& n, std::uint32_t port, std::span<const any_grad> arrived, any_grad& sum);
  static constexpr std::size_t most_types = 8;

  const op_description* description;
  std::array<dtype, most_types> bound_types;  // element types of the type attributes, in order

  kernel_entry kernel;         // the op's own kernel, for CPUs
  shape_function infer;        // null: shapes are known only at run time
  sum_function sum;            // sums the gradients that arrived at an output; null if none can arrive
  gradient_function gradient;  // null: not differentiable, or a build for inference

  control_flow control;
  history_role in_history;
  array_role in_array;
  variable_role of_variable;
  bool not_differentiable : 1;
  bool stateful : 1;      // running it twice differs from running it once: it is never folded, merged, or removed as a target
  bool alias : 1;         // output 0 is input 0, possibly in another shape: no kernel runs
  bool passes_value : 1;  // output k is input k: schedules share it, and call a kernel only if the op is also stateful
  bool elementwise : 1;   // inputs of one shape give outputs of that shape; other inputs go through the shape rule
  bool may_fail : 1;      // its kernel may report an error because of the elements of an input
  // The kernel gets the number of earlier runs of the node, for example to draw random numbers or to print only a few times.
  bool counts_runs : 1;
  bool shape_only : 1;    // its outputs depend only on the shapes of its inputs
  bool per_run : 1;       // it uses resources that live as long as the run
  bool outputs_stay : 1;  // its outputs name resources of its device: nodes that read them run there too
  bool crosses : 1;       // it copies its input to another device; every device uses the op's own kernel, which reads any memory
  bool may_be_fed : 1;    // its node represents an edge that is fed: keep it when a graph is exported

  constexpr std::string_view name() const noexcept { return description->name; }
  constexpr std::span<const argument> inputs() const noexcept { return description->inputs; }
  constexpr std::span<const argument> outputs() const noexcept { return description->outputs; }
  constexpr std::span<const attribute_info> attributes() const noexcept { return description->attributes; }
  type_bindings types() const noexcept { return {description->type_attributes, bound_types.data()}; }
  // Returns the element types of the type attributes, in order.
  std::span<const dtype> element_types() const noexcept { return {bound_types.data(), description->type_attributes.size()}; }

  void construct(void* op) const { description->live(op_life_step::construct, nullptr, op); }
  void copy(const void* from, void* to) const { description->live(op_life_step::copy, from, to); }
  void destroy(void* op) const noexcept { description->live(op_life_step::destroy, nullptr, op); }
};

// Returns whether two tables are of the same op and element types. A program may contain two such tables: one of an archive, and
// its own.
inline bool is_same_op(const op_table& a, const op_table& b) {
  return &a == &b || (a.description == b.description && a.bound_types == b.bound_types && a.kernel.run == b.kernel.run &&
                      a.gradient == b.gradient);
}

// Returns the op and its element types as text, for example "Swish" or "Gather<float, int32>".
std::string to_string(const op_table& table);

}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/op/impl/table.hpp>
#endif

#pragma once
// What the engine knows of an op for given element types: one constant table, made at compile time. A node points at it.

#include <flowgraph/op/attribute.hpp>
#include <flowgraph/op/kernel.hpp>
#include <flowgraph/op/shape_rule.hpp>
#include <flowgraph/op/signature.hpp>

#include <span>

namespace flowgraph::inline FLOWGRAPH_ABI {

struct any_grad;

namespace detail {
struct gradient_call;
}

// What the executor does with a node beyond calling its kernel; `loop` is no op, but a whole loop run as one.
enum class control_flow : std::uint8_t { none, switch_, merge, enter, exit, next_iteration, loop_cond, control_trigger, loop };

struct type_binding {
  std::string_view attribute;
  dtype type;
};

// Inputs of a shape rule: the shapes in the node's order, and the sizes of its list arguments.
struct shape_inputs {
  std::span<const shape* const> shapes;
  const std::uint32_t* list_sizes;
};

struct op_table {
  using kernel_function = void (*)(const void* op, detail::kernel_call& call);
  using async_kernel_function = void (*)(const void* op, detail::kernel_call& call, done answer);
  using shape_function = void (*)(const void* op, shape_context& context, const shape_inputs& in, std::span<shape> out);
  using scratch_function = std::size_t (*)(const void* op, const shape_inputs& in);
  using gradient_function = void (*)(const void* op, detail::gradient_call& call);
  using sum_function = void (*)(const node& n, std::uint32_t port, std::span<const any_grad> arrived, any_grad& sum);

  std::string_view name;
  std::span<const argument> inputs, outputs;
  std::span<const type_binding> types;
  std::span<const attribute_info> attributes;

  // The op struct, which lives in the node.
  std::uint32_t size, alignment;
  void (*construct)(void* op);
  void (*copy)(const void* from, void* to);
  void (*destroy)(void* op) noexcept;

  kernel_function kernel;              // null: none on this kind of device, or asynchronous
  async_kernel_function async_kernel;  // null: synchronous
  shape_function infer;                // null: shapes known at run time only
  scratch_function scratch;            // null: none needed
  sum_function sum;                    // of the gradients that arrived at an output; null where none can
  gradient_function gradient;          // null: not differentiable, or a build for inference
  std::size_t (*output_count)(const void* op);          // size of a list output; null: the op has none
  std::vector<dtype> (*output_types)(const void* op);   // of a list output of mixed types; null: the op has none
  const any_tensor* (*constant)(const void* op);        // the value of an op that is one
  const shape* (*placeholder)(const void* op);          // the declared shape of an op that must be fed

  control_flow control;
  bool not_differentiable;
  bool stateful;   // running it twice is not running it once: never folded, shared or dropped when a target
  bool alias;      // output 0 is input 0, perhaps in another shape: no kernel runs
  bool elementwise;  // inputs of one shape give outputs of that shape; others go through the shape rule
  bool in_place;   // the kernel may find an output in the memory of an input of the same size
  bool random;     // draws numbers keyed by how often it has run
  bool expensive;  // worth a thread of its own whatever the size of its tensors
  bool shape_only; // its outputs depend on the shapes of its inputs, not on their elements
  bool per_run;    // it uses resources that live as long as the run
};

// "Swish", or "Gather<float, int32>".
std::string to_string(const op_table& table);

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/op/impl/table.hpp>
#endif

#pragma once
// The layout of a body in an arena: the values whose shapes are known before the run have fixed positions, and their kernels are
// called without checks. All other values own their memory (owned_schedule.hpp). Without devices that have memory of their own.

#include <flowgraph/core/sequence.hpp>
#include <flowgraph/core/shape.hpp>
#include <flowgraph/core/type.hpp>

#include <vector>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

// Computes one number from the input numbers. Returns false if the kernel must be called instead, to compute the number or to
// report an error.
using scalar_function = bool (*)(const void* const* inputs, void* output);

struct body_layout {
  static constexpr std::size_t nowhere = static_cast<std::size_t>(-1);

  enum class place_kind : std::uint8_t {
    own,    // owns its memory, or shares the memory of a value outside of the arena
    fixed,  // has memory in the arena
    shown,  // shows the elements of another place or of a constant; the run sets it
  };
  struct place {
    place_kind kind = place_kind::own;
    dtype type = dtype::invalid;
    flowgraph::shape shape;  // unknown: known only in the run
    std::size_t at = nowhere;
  };

  enum class call_kind : std::uint8_t {
    checked,   // each call checks shapes and memory
    expected,  // checked, and the outputs must have the shapes of the layout
    direct,    // the kernel is called without checks
    shown,     // the output shows the elements of an input
  };
  struct call {
    call_kind kind = call_kind::checked;
    std::size_t scratch = nowhere;
  };

  // How a value is passed to the next iteration.
  enum class passing : std::uint8_t {
    own,   // as body_plan::carry describes
    swap,  // the two places swap their memory
    copy,  // the value is copied to spare memory, with which the variable swaps its own
  };
  struct carry {
    passing kind = passing::own;
    std::size_t spare = nowhere;
  };

  bool is_own(std::uint32_t k) const { return places[k].kind == place_kind::own; }

  sequence<place> places;          // by slot
  sequence<call> calls;            // by step
  sequence<carry> next;            // like body_plan::next
  std::vector<body_layout> inner;  // like body_plan::inner
  // A loop of scalars (detail/scalar_loop.hpp).
  struct scalar_steps {
    sequence<scalar_function> functions;  // by step of the condition and of the body; null: the step calls its kernel
    sequence<char> joined;                // like body_plan::next; true: the step of the new value overwrites the old value
    bool empty() const { return functions.empty(); }
  };
  scalar_steps scalars;  // empty: the loop is not a loop of scalars
  std::size_t bytes = 0;
  std::size_t at = 0;  // of a loop: its position in the arena around it
};

}  // namespace flowgraph::detail

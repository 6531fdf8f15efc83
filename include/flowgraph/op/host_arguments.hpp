#pragma once
// Inputs and outputs that are in host memory on every device, because the op's kernels or its shape rule access them there:
// shapes, axes, sizes, counts, predicates. An op declares them by index:
//
//     static constexpr auto host_inputs = fg::host_inputs(1, 2);  // index of the input, from 0; a list counts once
//     static constexpr auto host_outputs = fg::host_outputs(0);   // index of the output, from 0
//
// Strings, resources and variants are always on the host and need no declaration.

#include <flowgraph/config.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace flowgraph::inline FLOWGRAPH_ABI {

// A set of argument indices, which is only used at compile time.
class argument_numbers {
public:
  static constexpr std::size_t most = 64;

  constexpr argument_numbers() = default;
  template <std::integral... N> constexpr explicit argument_numbers(N... all) { (add(all), ...); }

  constexpr bool has(std::size_t i) const { return i < most && (bits_ >> i & 1) != 0; }
  // Returns whether each index is below `count`.
  constexpr bool are_below(std::size_t count) const { return all_fit_ && (count >= most || bits_ >> count == 0); }
  constexpr std::uint64_t bits() const { return bits_; }

private:
  template <class N> constexpr void add(N number) {
    if (std::cmp_less(number, 0) || std::cmp_greater_equal(number, most)) all_fit_ = false;
    else bits_ |= std::uint64_t{1} << number;
  }

  std::uint64_t bits_ = 0;
  bool all_fit_ = true;
};

// Inputs and outputs have separate types, so that they cannot be exchanged by mistake.
struct host_input_numbers : argument_numbers {
  using argument_numbers::argument_numbers;
};
struct host_output_numbers : argument_numbers {
  using argument_numbers::argument_numbers;
};

// Declares that the inputs with these indices are in host memory on every device.
template <std::integral... N> constexpr host_input_numbers host_inputs(N... all) { return host_input_numbers(all...); }
// Declares that the outputs with these indices are in host memory on every device.
template <std::integral... N> constexpr host_output_numbers host_outputs(N... all) { return host_output_numbers(all...); }

namespace detail {

// Only static members count: an attribute may have the same name.
template <class Op> concept declares_host_inputs = requires { requires std::is_pointer_v<decltype(&Op::host_inputs)>; };
template <class Op> concept declares_host_outputs = requires { requires std::is_pointer_v<decltype(&Op::host_outputs)>; };

template <class Op> constexpr argument_numbers host_inputs_of() {
  if constexpr (declares_host_inputs<Op>) return Op::host_inputs;
  else return {};
}
template <class Op> constexpr argument_numbers host_outputs_of() {
  if constexpr (declares_host_outputs<Op>) return Op::host_outputs;
  else return {};
}
// Returns whether host_inputs and host_outputs have their own types and are not exchanged.
template <class Op> constexpr bool are_host_lists_of_their_kind() {
  bool are = true;
  if constexpr (declares_host_inputs<Op>) are = are && std::same_as<decltype(Op::host_inputs), const host_input_numbers>;
  if constexpr (declares_host_outputs<Op>) are = are && std::same_as<decltype(Op::host_outputs), const host_output_numbers>;
  return are;
}

}  // namespace detail

}  // namespace flowgraph

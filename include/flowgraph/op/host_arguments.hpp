#pragma once
// Inputs and outputs of an op that are in host memory on every device, because its kernels or its shape rule read or write them there:
// shapes, axes, sizes, counts, predicates. An op declares them by their numbers in its kernel's signature:
//
//     static constexpr auto host_inputs = fg::host_inputs(1, 2);  // counted over the inputs from 0; a list counts once
//     static constexpr auto host_outputs = fg::host_outputs(0);   // likewise over the outputs
//
// Strings, resources and variants need no declaration: they are on the host by their type.

#include <flowgraph/config.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

// Numbers of arguments. Constant data alone: made and read while an op's tables are compiled.
class argument_numbers {
public:
  static constexpr std::size_t most = 64;

  constexpr argument_numbers() = default;
  template <std::integral... N> constexpr explicit argument_numbers(N... all) { (add(all), ...); }

  constexpr bool has(std::size_t i) const { return i < most && (bits_ >> i & 1) != 0; }
  // Whether each is the number of one of `count` arguments.
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

// Of inputs and of outputs: types of their own, so that neither is declared as the other.
struct host_input_numbers : argument_numbers {
  using argument_numbers::argument_numbers;
};
struct host_output_numbers : argument_numbers {
  using argument_numbers::argument_numbers;
};

// The inputs of these numbers are in host memory, whatever the device.
template <std::integral... N> constexpr host_input_numbers host_inputs(N... all) { return host_input_numbers(all...); }
// The outputs of these numbers are in host memory, whatever the device.
template <std::integral... N> constexpr host_output_numbers host_outputs(N... all) { return host_output_numbers(all...); }

namespace detail {

// An attribute, which is no static member, may have the name.
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
// Neither is declared as the other.
template <class Op> constexpr bool are_host_lists_of_their_kind() {
  bool are = true;
  if constexpr (declares_host_inputs<Op>) are = are && std::same_as<decltype(Op::host_inputs), const host_input_numbers>;
  if constexpr (declares_host_outputs<Op>) are = are && std::same_as<decltype(Op::host_outputs), const host_output_numbers>;
  return are;
}

}  // namespace detail

}
}  // namespace flowgraph

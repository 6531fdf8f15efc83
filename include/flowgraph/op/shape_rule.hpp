#pragma once
// The context of a shape rule: the rule uses it to report errors, and to read the values of constant inputs.
//
//     constexpr fg::shape shape(fg::shape_context& c, fg::shape x, fg::shape axes) const;
//
// The same rule runs when a node is added (with partly known shapes), in a run (with known shapes), and at compile time.

#include <flowgraph/core/sequence.hpp>
#include <flowgraph/core/shape.hpp>
#include <flowgraph/core/tensor.hpp>

#include <optional>
#include <string>
#include <utility>

namespace flowgraph::inline FLOWGRAPH_ABI {

// The context of a shape rule.
class shape_context {
public:
  constexpr shape_context() = default;
  // `asked` receives a bit for each input whose value the rule reads. Inputs from index 63 on share a bit.
  constexpr shape_context(const any_tensor* const* constants, std::size_t count, std::uint64_t* asked = nullptr)
      : constants_(constants), count_(count), asked_(asked) {}

  // Prepares the context for the next evaluation. Precondition: the caller has read an earlier error.
  void reset(const any_tensor* const* constants, std::size_t count, std::size_t outputs) {
    constants_ = constants;
    count_ = count;
    output_count_ = outputs;
    failed_ = false;
  }

  // Ends the rule with an error: `return c.fail("inner dimensions differ")`. The node, the op and the input shapes are added to
  // the message.
  FLOWGRAPH_COLD shape fail(std::string expected);
  FLOWGRAPH_COLD shape fail(const char* expected);
  FLOWGRAPH_COLD shape fail(const flowgraph::message& expected);
  constexpr bool failed() const { return failed_; }
  // Returns the message of the error. Precondition: failed() returns true.
  const std::string& message() const { return *message_; }

  // Returns the value of input `i`, or null if it is not known. At run time, all values are known. When the node is added, only
  // the values of constants are known.
  constexpr const any_tensor* constant(std::size_t i) const {
    if (asked_) *asked_ |= std::uint64_t{1} << (i < 63 ? i : 63);
    return i < count_ ? constants_[i] : nullptr;
  }

  // Returns the elements of an input of signed integers as a shape. The rank of the shape is -1 if the elements are not known, or
  // if there are too many for a shape.
  constexpr shape integers(std::size_t i) const {
    const any_tensor* t = constant(i);
    return t ? read(*t) : shape::unknown();
  }

  // Returns the number of outputs in a list output, if the node determines it.
  constexpr std::size_t output_count() const { return output_count_; }
  // Sets the number of outputs in a list output.
  constexpr void set_output_count(std::size_t n) { output_count_ = n; }

private:
  static shape read(const any_tensor& t);

  const any_tensor* const* constants_ = nullptr;
  std::size_t count_ = 0;
  std::size_t output_count_ = 0;
  std::uint64_t* asked_ = nullptr;
  bool failed_ = false;
  // Optional, because a plain string would prevent compile-time evaluation in some compilers.
  std::optional<std::string> message_;
};

// The result of a shape rule with several outputs.
using shape_list = detail::sequence<shape>;

}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/op/impl/shape_rule.hpp>
#endif

#pragma once
// The context of a shape rule: how it refuses its inputs and how it reads the value of a constant one.
//
//     constexpr fg::shape shape(fg::shape_context& c, fg::shape x, fg::shape axes) const;
//
// One rule serves build time (partly known shapes), run time (known ones) and compile time.

#include <flowgraph/core/sequence.hpp>
#include <flowgraph/core/shape.hpp>
#include <flowgraph/core/tensor.hpp>

#include <optional>
#include <string>
#include <utility>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

class shape_context {
public:
  constexpr shape_context() = default;
  // `asked` gets the bit of each input whose value the rule looks for; those from the 64th on share one.
  constexpr shape_context(const any_tensor* const* constants, std::size_t count, std::uint64_t* asked = nullptr)
      : constants_(constants), count_(count), asked_(asked) {}

  // For the next evaluation; what failed before must have been read.
  void reset(const any_tensor* const* constants, std::size_t count, std::size_t outputs) {
    constants_ = constants;
    count_ = count;
    output_count_ = outputs;
    failed_ = false;
  }

  // Ends the rule with a refusal: `return c.fail("inner dimensions differ")`. The error adds node, op and the shapes found.
  FLOWGRAPH_COLD shape fail(std::string expected);
  FLOWGRAPH_COLD shape fail(const char* expected);
  FLOWGRAPH_COLD shape fail(const flowgraph::message& expected);
  constexpr bool failed() const { return failed_; }
  // Precondition: failed().
  const std::string& message() const { return *message_; }

  // The value of input `i` when it is known already: always at run time, for constants at build time. Null otherwise.
  constexpr const any_tensor* constant(std::size_t i) const {
    if (asked_) *asked_ |= std::uint64_t{1} << (i < 63 ? i : 63);
    return i < count_ ? constants_[i] : nullptr;
  }

  // The elements of an input of signed integers as a list; its rank is -1 when they are not known (or too many for a shape).
  constexpr shape integers(std::size_t i) const {
    const any_tensor* t = constant(i);
    return t ? read(*t) : shape::unknown();
  }

  // Outputs of a list output whose number the node fixes.
  constexpr std::size_t output_count() const { return output_count_; }
  constexpr void set_output_count(std::size_t n) { output_count_ = n; }

private:
  static shape read(const any_tensor& t);

  const any_tensor* const* constants_ = nullptr;
  std::size_t count_ = 0;
  std::size_t output_count_ = 0;
  std::uint64_t* asked_ = nullptr;
  bool failed_ = false;
  std::optional<std::string> message_;  // a string of its own would keep a compiler from evaluating rules at compile time
};

// The result of a shape rule with several outputs.
using shape_list = detail::sequence<shape>;

}
}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/op/impl/shape_rule.hpp>
#endif

#pragma once
// The kernels of one kind of device, found by op name and element types. A library makes the set once; all devices of the kind
// share it:
//
//     const auto kernels = std::make_shared<fg::kernel_set>();
//     kernels->add<swish, float>([](const swish& op, accel_context ctx, fg::view<const float> x, fg::view<float> y) { ... });
//     fg::device first("accel:0", kernels, &memory), second("accel:1", kernels, &other_memory);
//
// op/device_kernel.hpp defines the templates.

#include <flowgraph/core/error.hpp>
#include <flowgraph/core/sequence.hpp>
#include <flowgraph/op/kernel_entry.hpp>
#include <flowgraph/op/table.hpp>

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {
template <class F> concept scratch_rule = std::is_class_v<F> && !std::is_same_v<F, kernel_facts>;

template <class Op> struct kernel_header;  // op/device_kernel.hpp defines it
template <class Op> inline constexpr bool has_kernel_header = requires { sizeof(kernel_header<Op>); };
}  // namespace detail

// A set of kernels. Add all kernels before the first session uses the set.
class kernel_set {
public:
  // Adds `f`, a lambda without captures, as the kernel of Op for the element types Ts, which are in the order of the op's type
  // attributes. The first parameter of `f` is the op, the second is the context: fg::cpu, or the context of the device's kind, which
  // derives from fg::device_context. The other parameters are those of the op's own kernel. If `f` has an additional last parameter
  // fg::done, the kernel is asynchronous: it may return immediately and complete later, from any thread. If the set contains a
  // kernel for these types already, returns an error.
  template <class Op, class... Ts, class F> result<void> add(F f, kernel_facts facts = {}) {
    static_assert(detail::has_kernel_header<Op>, "flowgraph: to add a kernel, include <flowgraph/op/device_kernel.hpp>");
    return add_kernel<Op, Ts...>(f, facts);
  }
  // Adds a kernel that needs working memory. `scratch` is a lambda without captures; it gets the op and the shapes of the inputs,
  // like the member `scratch` of an op, and returns a number of bytes.
  template <class Op, class... Ts, class F, detail::scratch_rule Scratch>
  result<void> add(F f, Scratch scratch, kernel_facts facts = {}) {
    static_assert(detail::has_kernel_header<Op>, "flowgraph: to add a kernel, include <flowgraph/op/device_kernel.hpp>");
    return add_kernel<Op, Ts...>(f, scratch, facts);
  }
  // Adds the op's own kernel, which then uses the device's memory.
  template <class Op, class... Ts> result<void> add() {
    static_assert(detail::has_kernel_header<Op>, "flowgraph: to add a kernel, include <flowgraph/op/device_kernel.hpp>");
    return add_kernel<Op, Ts...>();
  }
  // Adds a kernel of an op that is given by its name.
  result<void> add(std::string_view name, std::vector<dtype> types, const kernel_entry& kernel);

  // Returns the kernel for an op and its element types, or null if the set contains no such kernel. The result is valid as long as
  // the set.
  const kernel_entry* find(const op_table& table) const { return find(table.name(), table.element_types()); }
  const kernel_entry* find(std::string_view name, std::span<const dtype> types) const;
  // Returns the kernels that the set contains for an op as text, for example "Swish<float>, Swish<double>".
  std::string list(std::string_view name) const;

private:
  friend class device;
  template <class Op, class... Ts, class F> result<void> add_kernel(F, kernel_facts facts);
  template <class Op, class... Ts, class F, detail::scratch_rule Scratch> result<void> add_kernel(F, Scratch, kernel_facts facts);
  template <class Op, class... Ts> result<void> add_kernel();

  struct item {
    std::vector<dtype> types;
    kernel_entry kernel;
  };
  struct hash_of_text : std::hash<std::string_view> {
    using is_transparent = void;
  };
  // Plans point to the entries, so an entry keeps its address.
  std::unordered_map<std::string, detail::sequence<std::unique_ptr<item>>, hash_of_text, std::equal_to<>> items_;
};

}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/op/impl/kernel_set.hpp>
#endif

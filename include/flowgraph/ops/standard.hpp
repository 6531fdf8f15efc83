#pragma once
// Every standard op by name, for programs that read graphs from files.
//
//     fg::registry r;
//     fg::add_standard_ops(r).value();
//
// With flowgraph::compiled, the program must also link flowgraph::by_name, which contains the tables of all ops. In a header-only
// build, the program that calls add_standard_ops must include ops/all.hpp, and compiles every kernel.

#include <flowgraph/op/registry.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

#ifdef FLOWGRAPH_HEADER_ONLY
template <class Registry>  // instantiated only where it is called
// Adds every standard op to a registry, so that ops are found by name.
result<void> add_standard_ops(Registry& r);
#else
namespace detail {
// If the linker reports this function as missing, link flowgraph::by_name in addition to flowgraph::compiled.
result<void> needs_the_target_flowgraph_by_name(registry& r);
}  // namespace detail

inline result<void> add_standard_ops(registry& r) { return detail::needs_the_target_flowgraph_by_name(r); }
#endif

}  // namespace flowgraph

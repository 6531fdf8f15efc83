#pragma once
// Every standard op by name: what a program asks for that reads graphs from files.
//
//     fg::registry r;
//     fg::add_standard_ops(r).value();
//
// With flowgraph::compiled the program links flowgraph::by_name too, which has the tables of all ops. Header-only, the program that calls the function includes ops/all.hpp and compiles
// every kernel there is.

#include <flowgraph/op/registry.hpp>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

#ifdef FLOWGRAPH_HEADER_ONLY
template <class Registry>  // made where it is called, and nowhere else
// Makes every standard op known by its name.
result<void> add_standard_ops(Registry& r);
#else
namespace detail {
// A program that lacks it links flowgraph::compiled without flowgraph::by_name.
result<void> needs_the_target_flowgraph_by_name(registry& r);
}  // namespace detail

inline result<void> add_standard_ops(registry& r) { return detail::needs_the_target_flowgraph_by_name(r); }
#endif

}
}  // namespace flowgraph

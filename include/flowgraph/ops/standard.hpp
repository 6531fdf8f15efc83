#pragma once
// Every standard op by name: what a program asks for that reads graphs from files.
//
//     fg::registry r;
//     fg::add_standard_ops(r).value();
//
// With flowgraph::compiled this header is enough. Header-only, the program that calls the function includes ops/all.hpp and compiles
// every kernel there is.

#include <flowgraph/op/registry.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

#ifdef FLOWGRAPH_HEADER_ONLY
template <class Registry>  // made where it is called, and nowhere else
// Makes every standard op known by its name.
result<void> add_standard_ops(Registry& r);
#else
result<void> add_standard_ops(registry& r);
#endif

}  // namespace flowgraph

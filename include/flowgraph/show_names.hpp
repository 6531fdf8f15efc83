// Restores the macros that <flowgraph/hide_names.hpp> has hidden.

#ifdef FLOWGRAPH_HIDDEN_NAMES
#undef FLOWGRAPH_HIDDEN_NAMES
#pragma pop_macro("min")
#pragma pop_macro("max")
#pragma pop_macro("far")
#pragma pop_macro("near")
#pragma pop_macro("small")
#pragma pop_macro("slots")
#pragma pop_macro("check")
#pragma pop_macro("verify")
#pragma pop_macro("interface")
#endif

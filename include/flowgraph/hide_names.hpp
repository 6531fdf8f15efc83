// Puts macros of other people out of the way that have names of ours (<windows.h>, Qt and Apple's SDK define such): a header of the
// library that uses one of these names includes this before its own code, and <flowgraph/show_names.hpp> after it. What either includes
// otherwise stands outside. Neither guards against being included again.

#if defined(min) || defined(max) || defined(far) || defined(near) || defined(small) || defined(slots) || defined(check) || \
    defined(verify) || defined(interface)
#define FLOWGRAPH_HIDDEN_NAMES
#pragma push_macro("min")
#pragma push_macro("max")
#pragma push_macro("far")
#pragma push_macro("near")
#pragma push_macro("small")
#pragma push_macro("slots")
#pragma push_macro("check")
#pragma push_macro("verify")
#pragma push_macro("interface")
#undef min
#undef max
#undef far
#undef near
#undef small
#undef slots
#undef check
#undef verify
#undef interface
#endif

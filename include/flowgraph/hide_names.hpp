// Hides macros of other libraries whose names flowgraph also uses (<windows.h>, Qt and Apple's SDK define such macros). A header
// that uses one of these names includes this file before its own code, and <flowgraph/show_names.hpp> after it. All other includes
// are outside this pair. Neither file has an include guard.

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

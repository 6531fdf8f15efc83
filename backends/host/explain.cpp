// What is read by people, once in a while: built for size, and linked only where it is named.
#include <flowgraph/runtime/impl/explain.hpp>

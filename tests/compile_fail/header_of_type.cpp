// A type whose header is missing: the compiler's message says which one it is.
// expect: include <flowgraph/train/adamw.hpp>
#include <flowgraph/flowgraph.hpp>
#ifdef CONTROL
#include <flowgraph/train/adamw.hpp>
#endif

namespace fg = flowgraph;

void train() { fg::adamw{}; }

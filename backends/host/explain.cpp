// Explanations: built for size, and linked only into programs that call session::explain.
#include <flowgraph/runtime/impl/explain.hpp>

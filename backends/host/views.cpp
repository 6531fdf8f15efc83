// What drafts do about views of variables: only a program that marks them, as an import does, links it.
#include <flowgraph/passes/impl/views.hpp>

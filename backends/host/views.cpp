// The rules of drafts for views of variables. Only a program that marks views, as an import does, links them.
#include <flowgraph/passes/impl/views.hpp>

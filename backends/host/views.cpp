// The rules of drafts for views of variables: linked only into programs that mark views, as imports do.
#include <flowgraph/passes/impl/views.hpp>

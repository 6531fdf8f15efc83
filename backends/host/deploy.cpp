#include <flowgraph/deploy/impl/freeze.hpp>

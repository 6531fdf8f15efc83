// The pass for the products of loops: not linked into programs that do not name it.
#include <flowgraph/train/impl/loop_products.hpp>

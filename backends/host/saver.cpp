// Programs that save no variables do not link it.
#include <flowgraph/train/impl/saver.hpp>

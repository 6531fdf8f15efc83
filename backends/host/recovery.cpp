// Recovery of training: linked only into programs that use a recovery_hook.
#include <flowgraph/train/impl/recovery_hook.hpp>

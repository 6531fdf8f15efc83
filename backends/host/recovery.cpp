// Programs whose training does not go back by itself do not link it.
#include <flowgraph/train/impl/recovery_hook.hpp>

// The passes that depend on costs: linked only into programs that use one of them.
#include <flowgraph/placement/impl/delay_transfers.hpp>
#include <flowgraph/placement/impl/save_memory.hpp>

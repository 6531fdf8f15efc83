// The passes that go by cost: linked only into programs that name one of them.
#include <flowgraph/placement/impl/delay_transfers.hpp>
#include <flowgraph/placement/impl/save_memory.hpp>

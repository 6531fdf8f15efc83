#pragma once
// The old name of placement/delay_transfers.hpp, for one release.

#include <flowgraph/placement/delay_transfers.hpp>

#pragma once
// The old name of train/rate_schedule.hpp. It remains for one release.

#include <flowgraph/train/rate_schedule.hpp>

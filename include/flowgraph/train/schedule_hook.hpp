#pragma once
// The old name of train/rate_schedule_hook.hpp. It remains for one release.

#include <flowgraph/train/rate_schedule_hook.hpp>

#pragma once

#include <flowgraph/ops/strings/hash_bucket.hpp>

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/ops/strings/impl/hash_bucket.hpp>
#endif

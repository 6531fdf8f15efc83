#pragma once
// The library's version. The build system reads it from this file; the ABI tag in config.hpp contains its first two parts.

#define FLOWGRAPH_VERSION_MAJOR 0
#define FLOWGRAPH_VERSION_MINOR 1
#define FLOWGRAPH_VERSION_PATCH 0

// The ABI tag follows the version's first two parts.

#include <flowgraph/config.hpp>
#include <flowgraph/version.hpp>

#include <string_view>

#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)

static_assert(std::string_view(TEXT(FLOWGRAPH_ABI_VERSION)) ==
              "v" TEXT(FLOWGRAPH_VERSION_MAJOR) "_" TEXT(FLOWGRAPH_VERSION_MINOR));

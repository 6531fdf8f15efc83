// A shared library that trains a model with the version of flowgraph that the build gives it.

#include "../single_include/model.hpp"

#define EXPORTED extern "C" __attribute__((visibility("default")))
#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)

EXPORTED float LOSS_AFTER(int steps);
EXPORTED const char* VERSION_TAG();

float LOSS_AFTER(int steps) { return loss_after(steps); }
const char* VERSION_TAG() { return TEXT(FLOWGRAPH_ABI); }

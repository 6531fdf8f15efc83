// Programs that read and write no safetensors do not link it.
#include <flowgraph/formats/impl/safetensors.hpp>

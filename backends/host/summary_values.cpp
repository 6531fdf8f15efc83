#include <flowgraph/formats/impl/summary_values.hpp>
#include <flowgraph/formats/impl/wav.hpp>

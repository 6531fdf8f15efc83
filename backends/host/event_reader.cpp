#include <flowgraph/formats/impl/event_reader.hpp>

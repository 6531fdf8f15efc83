#include <flowgraph/formats/impl/example.hpp>
#include <flowgraph/formats/impl/json_example.hpp>
#include <flowgraph/formats/impl/serialized_tensor.hpp>

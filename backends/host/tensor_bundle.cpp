// Checkpoints: programs that save and restore none do not link it.
#include <flowgraph/formats/impl/object_checkpoint.hpp>
#include <flowgraph/formats/impl/tensor_bundle.hpp>
#include <flowgraph/formats/impl/tensor_slice.hpp>

// Formats of files: not linked into programs that read and write no files. Compressed files need zlib: cmake/zlib.cmake.
#include <flowgraph/formats/impl/byte_stream.hpp>
#include <flowgraph/formats/impl/compression.hpp>
#include <flowgraph/formats/impl/event_reader.hpp>
#include <flowgraph/formats/impl/example.hpp>
#include <flowgraph/formats/impl/json_example.hpp>
#include <flowgraph/formats/impl/npz.hpp>
#include <flowgraph/formats/impl/object_checkpoint.hpp>
#include <flowgraph/formats/impl/png_reader.hpp>
#include <flowgraph/formats/impl/record_file.hpp>
#include <flowgraph/formats/impl/safetensors.hpp>
#include <flowgraph/formats/impl/saved_slices.hpp>
#include <flowgraph/formats/impl/serialized_tensor.hpp>
#include <flowgraph/formats/impl/summary_values.hpp>
#include <flowgraph/formats/impl/tensor_bundle.hpp>
#include <flowgraph/formats/impl/tensor_slice.hpp>
#include <flowgraph/formats/impl/wav.hpp>

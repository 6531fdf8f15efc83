// The full entries of the reference: files of tensors, records, pictures and sound; models of other programs.

#include "shown.hpp"

#include <flowgraph/flowgraph.hpp>

#include <flowgraph/deploy/freeze.hpp>
#include <flowgraph/formats/byte_stream.hpp>
#include <flowgraph/formats/compression.hpp>
#include <flowgraph/formats/crc32c.hpp>
#include <flowgraph/formats/event_reader.hpp>
#include <flowgraph/formats/click_stream.hpp>
#include <flowgraph/formats/example.hpp>
#include <flowgraph/formats/file.hpp>
#include <flowgraph/formats/json_example.hpp>
#include <flowgraph/formats/npy.hpp>
#include <flowgraph/formats/object_checkpoint.hpp>
#include <flowgraph/formats/png.hpp>
#include <flowgraph/formats/png_reader.hpp>
#include <flowgraph/formats/record_file.hpp>
#include <flowgraph/formats/safetensors.hpp>
#include <flowgraph/formats/saved_slices.hpp>
#include <flowgraph/formats/serialized_tensor.hpp>
#include <flowgraph/formats/summary_values.hpp>
#include <flowgraph/formats/tensor_bundle.hpp>
#include <flowgraph/formats/tensor_slice.hpp>
#include <flowgraph/formats/wav.hpp>
#include <flowgraph/interop/export.hpp>
#include <flowgraph/interop/import.hpp>
#include <flowgraph/interop/save_model.hpp>
#include <flowgraph/interop/saved_model.hpp>
#include <flowgraph/interop/served_model.hpp>
#include <flowgraph/io/graph_record.hpp>
#include <flowgraph/io/planned_record.hpp>
#include <flowgraph/observe/event_writer.hpp>
#include <flowgraph/ops/all.hpp>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iostream>
#include <limits>
#include <string>
#include <vector>

namespace fg = flowgraph;

#include "shown/bytes.hpp"
#include "shown/events.hpp"
#include "shown/models.hpp"
#include "shown/records.hpp"
#include "shown/slice_files.hpp"
#include "shown/tensor_files.hpp"

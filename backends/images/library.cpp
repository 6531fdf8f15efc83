#include <images/image_files.hpp>

// The target's link option -u names this symbol, so that the linker takes this file although no other file refers to it.
extern "C" const flowgraph_images_1::image_library flowgraph_images_1_library;
const flowgraph_images_1::image_library flowgraph_images_1_library{flowgraph_images_1::read_jpeg,
                                                                   flowgraph_images_1::read_jpeg_shape,
                                                                   flowgraph_images_1::write_jpeg, flowgraph_images_1::read_gif};

namespace {

[[maybe_unused]] const bool is_in_use = (flowgraph_images_1::library = &flowgraph_images_1_library) != nullptr;

}  // namespace

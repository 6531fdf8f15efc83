#pragma once
// Converts a tf.train.Example in JSON to its bytes, as DecodeJSONExample does.
//
//     auto bytes = fg::example_from_json(R"({"features": {"feature": {"label": {"int64List": {"value": [7]}}}}})");

#include <flowgraph/core/error.hpp>

#include <string>
#include <string_view>

namespace flowgraph::inline FLOWGRAPH_ABI {

// Returns the bytes of the Example. If the text is not JSON, or has fields that an Example does not have, returns the error
// invalid_argument.
result<std::string> example_from_json(std::string_view json);

}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/formats/impl/json_example.hpp>
#endif

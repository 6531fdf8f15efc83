#pragma once
// A tf.train.Example written as JSON, made into its bytes: what DecodeJSONExample reads.
//
//     auto bytes = fg::example_from_json(R"({"features": {"feature": {"label": {"int64List": {"value": [7]}}}}})");

#include <flowgraph/core/error.hpp>

#include <string>
#include <string_view>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

// Refuses, as invalid_argument, whatever is not JSON, or says of fields that an Example does not have.
result<std::string> example_from_json(std::string_view json);

}
}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/formats/impl/json_example.hpp>
#endif

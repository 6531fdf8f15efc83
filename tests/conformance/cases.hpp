#pragma once
// Recorded sessions: the requests to TensorFlow and its answers.
//
// A .cases file is a sequence of messages, each after its length as a varint:
//
//     Case  { name = 1; repeated Step steps = 2; repeated string ops = 3; repeated string tags = 4; }
//     Step  { bytes extend = 1 (GraphDef); repeated Value feeds = 2; repeated Value fetches = 3; repeated string targets = 4;
//             int32 error = 5; string error_text = 6; repeated Partition partitions = 7; int32 like = 8; }
//     Partition { string device = 1; bytes graph = 2 (GraphDef); }
//     Value { string tensor = 1; bytes value = 2 (TensorProto); Compare compare = 3; }

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace conformance {

enum class comparison { exact, close, shape };

struct value {
  std::string tensor;
  std::string_view proto;
  bool present = false;
  comparison compare = comparison::exact;
};

// The graph that TensorFlow ran on one device.
struct partition {
  std::string device;
  std::string_view graph;
};

struct step {
  std::string_view extend;
  std::vector<value> feeds, fetches;
  std::vector<std::string> targets;
  int error = 0;
  std::string error_text;
  std::vector<partition> partitions;  // only in some files
  int like = 0;                       // the partitions are those of this step, counted from 1
};

// A case. Its views refer to the bytes of the file.
struct recorded_case {
  std::string name;
  std::vector<step> steps;
  std::vector<std::string> ops, tags;

  bool has_tag(std::string_view tag) const;
};

// Returns the case as in a file, after its length.
std::string write_case(const recorded_case& c);

// Throws std::runtime_error if the file is not a file of cases.
std::vector<recorded_case> read_cases(std::string_view file);

}  // namespace conformance

#pragma once
// Recorded sessions: what TensorFlow was asked and what it answered.
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

// What TensorFlow ran on one device.
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
  std::vector<partition> partitions;  // of files that have them
  int like = 0;                       // the partitions are those of this step, counted from 1
};

// Views are into the file's bytes.
struct recorded_case {
  std::string name;
  std::vector<step> steps;
  std::vector<std::string> ops, tags;

  bool has_tag(std::string_view tag) const;
};

// As it stands in a file, after its length.
std::string write_case(const recorded_case& c);

// Throws std::runtime_error where the file is none.
std::vector<recorded_case> read_cases(std::string_view file);

}  // namespace conformance

#include "cases.hpp"

#include <protozero/pbf_reader.hpp>
#include <protozero/pbf_writer.hpp>

#include <algorithm>
#include <stdexcept>

namespace conformance {

namespace {

protozero::pbf_reader inside(protozero::pbf_reader& r) { return protozero::pbf_reader(r.get_view()); }
std::string_view view_of(protozero::pbf_reader& r) {
  const auto v = r.get_view();
  return {v.data(), v.size()};
}

value read_value(protozero::pbf_reader r) {
  value made;
  while (r.next()) {
    switch (static_cast<int>(r.tag())) {
      case 1: made.tensor = r.get_string(); break;
      case 2:
        made.proto = view_of(r);
        made.present = true;
        break;
      case 3: made.compare = static_cast<comparison>(r.get_enum()); break;
      default: r.skip();
    }
  }
  return made;
}

partition read_partition(protozero::pbf_reader r) {
  partition made;
  while (r.next()) {
    switch (static_cast<int>(r.tag())) {
      case 1: made.device = r.get_string(); break;
      case 2: made.graph = view_of(r); break;
      default: r.skip();
    }
  }
  return made;
}

step read_step(protozero::pbf_reader r) {
  step made;
  while (r.next()) {
    switch (static_cast<int>(r.tag())) {
      case 1: made.extend = view_of(r); break;
      case 2: made.feeds.push_back(read_value(inside(r))); break;
      case 3: made.fetches.push_back(read_value(inside(r))); break;
      case 4: made.targets.push_back(r.get_string()); break;
      case 5: made.error = r.get_int32(); break;
      case 6: made.error_text = r.get_string(); break;
      case 7: made.partitions.push_back(read_partition(inside(r))); break;
      case 8: made.like = r.get_int32(); break;
      default: r.skip();
    }
  }
  return made;
}

recorded_case read_case(protozero::pbf_reader r) {
  recorded_case made;
  while (r.next()) {
    switch (static_cast<int>(r.tag())) {
      case 1: made.name = r.get_string(); break;
      case 2: made.steps.push_back(read_step(inside(r))); break;
      case 3: made.ops.push_back(r.get_string()); break;
      case 4: made.tags.push_back(r.get_string()); break;
      default: r.skip();
    }
  }
  return made;
}

void write_value(protozero::pbf_writer& to, protozero::pbf_tag_type field, const value& v) {
  protozero::pbf_writer part(to, field);
  part.add_string(1, v.tensor);
  if (v.present) part.add_bytes(2, v.proto.data(), v.proto.size());
  part.add_enum(3, static_cast<int>(v.compare));
}

}  // namespace

bool recorded_case::has_tag(std::string_view tag) const { return std::find(tags.begin(), tags.end(), tag) != tags.end(); }

std::string write_case(const recorded_case& c) {
  std::string made;
  protozero::pbf_writer to(made);
  to.add_string(1, c.name);
  for (const step& s : c.steps) {
    protozero::pbf_writer part(to, 2);
    part.add_bytes(1, s.extend.data(), s.extend.size());
    for (const value& v : s.feeds) write_value(part, 2, v);
    for (const value& v : s.fetches) write_value(part, 3, v);
    for (const std::string& t : s.targets) part.add_string(4, t);
    part.add_int32(5, s.error);
    part.add_string(6, s.error_text);
  }
  for (const std::string& op : c.ops) to.add_string(3, op);
  for (const std::string& tag : c.tags) to.add_string(4, tag);
  std::string length;
  protozero::add_varint_to_buffer(&length, made.size());
  return length + made;
}

std::vector<recorded_case> read_cases(std::string_view file) {
  std::vector<recorded_case> cases;
  const char* at = file.data();
  const char* const end = at + file.size();
  while (at != end) {
    const std::uint64_t size = protozero::decode_varint(&at, end);
    if (size > static_cast<std::uint64_t>(end - at)) throw std::runtime_error("the file ends inside a case");
    cases.push_back(read_case(protozero::pbf_reader(at, size)));
    at += size;
  }
  return cases;
}

}  // namespace conformance

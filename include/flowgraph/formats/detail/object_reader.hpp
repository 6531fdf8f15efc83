#pragma once
// The reader of the object graph of an object checkpoint.

#include <flowgraph/formats/fields.hpp>
#include <flowgraph/formats/object_checkpoint.hpp>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

// A TrackableObjectGraph: objects by number. All others are below the first object.
class object_reader {
public:
  struct child {
    std::uint64_t object = 0;
    std::string_view name;
  };
  struct slot {
    std::uint64_t variable = 0, object = 0;
    std::string_view name;
  };
  struct object {
    std::vector<child> children;
    std::vector<slot> slots;
    std::vector<checkpoint_object> values;
    std::string path;
    bool is_found = false;
  };

  bool read(std::string_view graph) {
    field_reader all(graph);
    while (all.next())
      if (all.is_bytes(1) && !read_object(all.bytes())) return false;
    if (all.is_broken()) return false;
    for (const object& o : objects_) {
      for (const child& c : o.children)
        if (c.object >= objects_.size()) return false;
      for (const slot& s : o.slots)
        if (s.object >= objects_.size() || s.variable >= objects_.size()) return false;
    }
    find_paths();
    return true;
  }

  std::vector<checkpoint_object> values() {
    std::vector<checkpoint_object> all;
    for (object& o : objects_)
      for (checkpoint_object& v : o.values) {
        v.path = o.path;
        all.push_back(std::move(v));
      }
    return all;
  }

private:
  bool read_object(std::string_view message) {
    object& result = objects_.emplace_back();
    field_reader r(message);
    while (r.next()) {
      bool is_good = true;
      if (r.is_bytes(1)) is_good = read_child(r.bytes(), result.children.emplace_back());
      else if (r.is_bytes(2)) is_good = read_value(r.bytes(), result.values.emplace_back());
      else if (r.is_bytes(3)) is_good = read_slot(r.bytes(), result.slots.emplace_back());
      if (!is_good) return false;
    }
    return !r.is_broken();
  }
  static bool read_child(std::string_view message, child& to) {
    field_reader r(message);
    while (r.next())
      if (r.is_varint(1)) to.object = r.value();
      else if (r.is_bytes(2)) to.name = r.bytes();
    return !r.is_broken();
  }
  static bool read_value(std::string_view message, checkpoint_object& to) {
    field_reader r(message);
    while (r.next())
      if (r.is_bytes(2)) to.name = r.bytes();
      else if (r.is_bytes(3)) to.key = r.bytes();
    return !r.is_broken();
  }
  static bool read_slot(std::string_view message, slot& to) {
    field_reader r(message);
    while (r.next())
      if (r.is_varint(1)) to.variable = r.value();
      else if (r.is_bytes(2)) to.name = r.bytes();
      else if (r.is_varint(3)) to.object = r.value();
    return !r.is_broken();
  }

  // Finds a shortest path to each object: objects may contain each other. Paths that need more than `most_path` bytes are not
  // followed, so their objects have only their keys.
  void find_paths() {
    constexpr std::size_t most_path = 4096;
    if (objects_.empty()) return;
    std::vector<std::size_t> open{0};
    objects_[0].is_found = true;
    for (std::size_t i = 0; i < open.size(); ++i)
      for (const child& c : objects_[open[i]].children) {
        object& below = objects_[static_cast<std::size_t>(c.object)];
        const std::string& above = objects_[open[i]].path;
        if (below.is_found || above.size() + c.name.size() > most_path) continue;
        below.is_found = true;
        below.path = above + (above.empty() ? "" : "/") + std::string(c.name);
        open.push_back(static_cast<std::size_t>(c.object));
      }
    for (const object& o : objects_)
      for (const slot& s : o.slots) {
        object& value = objects_[static_cast<std::size_t>(s.object)];
        const std::string& of = objects_[static_cast<std::size_t>(s.variable)].path;
        if (!value.is_found && of.size() + s.name.size() <= most_path) value.path = of + '/' + std::string(s.name);
      }
  }

  std::vector<object> objects_;
};

}  // namespace flowgraph::detail

#include <flowgraph/show_names.hpp>

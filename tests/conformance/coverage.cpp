// Compares the standard ops with TensorFlow's registry: signatures, attributes, defaults, element types, gradients.
//
//     coverage REGISTRY SCOPE             prints a line per family of the catalogue's core, then the total
//     coverage --all REGISTRY SCOPE       also prints every missing op and every difference
//     coverage --whole REGISTRY SCOPE     all families of the catalogue; --all may be added
//     coverage --op NAME REGISTRY SCOPE   prints the result for one op
//     coverage --known LIST ...           fails unless the core is complete except for the lines of LIST: op: difference | reason

#include "../harness/op_value.hpp"
#include "scope.hpp"

#include <flowgraph/op/registry.hpp>
#include <flowgraph/ops/standard.hpp>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <memory>
#include <sstream>
#include <stdexcept>

namespace {

namespace fg = flowgraph;
using conformance::declared_argument;
using conformance::declared_attribute;
using conformance::declared_op;
using conformance::element_type;
using conformance::json;

// The required fraction of the (op, element type) pairs.
constexpr double pairs_wanted = 0.95;

struct found {
  bool present = false;
  std::size_t pairs = 0, pairs_there = 0;
  std::vector<std::string> differences;  // "attribute: difference"
};

std::string text_of(const json& j) {
  if (const bool* b = j.get<bool>()) return *b ? "true" : "false";
  if (const double* d = j.get<double>()) return fg::to_string(fg::attribute_value(static_cast<float>(*d)));
  if (j.get<std::string>()) return j.text();
  std::string made = "[";
  for (const json& item : j.items()) made += (made.size() > 1 ? ", " : "") + text_of(item);
  return made + "]";
}

template <class T> bool same_items(const std::vector<T>& ours, const json& theirs, bool (*same)(const T&, const json&)) {
  return std::ranges::equal(ours, theirs.items(), same);
}
bool is_number(double ours, const json& theirs) {
  const double* d = theirs.get<double>();
  return d && (*d == ours || static_cast<float>(*d) == static_cast<float>(ours));
}

bool same_shape(const fg::shape& ours, const json& theirs) {
  if (!ours.has_rank() || theirs.get<std::nullptr_t>()) return true;  // dimensions that one of the two leaves unknown
  const auto& dims = theirs.items();
  if (static_cast<std::size_t>(ours.rank) != dims.size()) return false;
  for (int i = 0; i < ours.rank; ++i)
    if (!is_number(static_cast<double>(ours[i]), dims[static_cast<std::size_t>(i)])) return false;
  return true;
}

bool same_default(const fg::attribute_value& ours, const json& theirs) {
  using kind = fg::attribute_kind;
  switch (ours.kind()) {
    case kind::integer: return is_number(static_cast<double>(*ours.get<std::int64_t>()), theirs);
    case kind::real: return is_number(*ours.get<float>(), theirs);
    case kind::boolean: return theirs.get<bool>() && *theirs.get<bool>() == *ours.get<bool>();
    case kind::string: return theirs.get<std::string>() && theirs.text() == *ours.get<std::string>();
    case kind::type: return element_type(theirs.text()) == *ours.get<fg::dtype>();
    case kind::shape: return same_shape(*ours.get<fg::shape>(), theirs);
    case kind::list_of_integers:
      return same_items<std::int64_t>(*ours.get<std::vector<std::int64_t>>(), theirs,
                                      [](const std::int64_t& i, const json& j) { return is_number(static_cast<double>(i), j); });
    case kind::list_of_reals:
      return same_items<float>(*ours.get<std::vector<float>>(), theirs,
                               [](const float& f, const json& j) { return is_number(f, j); });
    case kind::list_of_strings:
      return same_items<std::string>(*ours.get<std::vector<std::string>>(), theirs,
                                     [](const std::string& s, const json& j) { return s == j.text(); });
    case kind::list_of_types:
      return same_items<fg::dtype>(*ours.get<std::vector<fg::dtype>>(), theirs,
                                   [](const fg::dtype& t, const json& j) { return t == element_type(j.text()); });
    default: return theirs.items().empty();
  }
}

class comparison {
public:
  comparison(const std::string& name, const declared_op& declared, std::span<const fg::op_table* const> tables)
      : name_(name), declared_(declared), tables_(tables) {}

  found compare() {
    result_.present = !tables_.empty();
    count_pairs();
    if (!result_.present) return result_;
    compare_arguments("input", declared_.inputs, tables_[0]->inputs());
    compare_arguments("output", declared_.outputs, tables_[0]->outputs());
    compare_attributes();
    compare_gradient();
    return result_;
  }

private:
  void differs(const std::string& what) { result_.differences.push_back(what); }

  // Returns the type that flowgraph's table has for the type attribute.
  static fg::dtype bound(const fg::op_table& t, std::string_view attribute) {
    for (const fg::type_binding b : t.types())
      if (b.attribute == attribute) return b.type;
    return fg::dtype::invalid;
  }
  bool supports(std::string_view attribute, fg::dtype type) const {
    return std::ranges::any_of(tables_, [&](const fg::op_table* t) { return bound(*t, attribute) == type; });
  }

  // Counts the element types for which TensorFlow has a kernel, which the op allows, and which flowgraph has.
  void count_pairs() {
    for (const auto& [attribute, facts] : declared_.attributes) {
      if (facts.kind != "type") continue;
      const auto kernels = declared_.kernels.find(attribute);
      if (kernels == declared_.kernels.end()) continue;
      const bool is_ours = tables_.empty() || bound(*tables_[0], attribute) != fg::dtype::invalid;
      std::vector<std::string> types = kernels->second;
      std::ranges::sort(types);
      types.erase(std::unique(types.begin(), types.end()), types.end());
      for (const std::string& type : types) {
        const fg::dtype number = element_type(type);
        if (number == fg::dtype::invalid || fg::is_counted(number)) continue;
        if (!facts.allowed.empty() && std::ranges::find(facts.allowed, type) == facts.allowed.end()) continue;
        ++result_.pairs;
        // If no argument has the type, but an attribute of the struct, any type is supported.
        if (!tables_.empty() && (!is_ours ? is_attribute(attribute) : supports(attribute, number))) ++result_.pairs_there;
        else lacking_ += " " + attribute + "=" + type;
      }
    }
    if (!tables_.empty() && !lacking_.empty()) result_.differences.push_back("types:" + lacking_);
  }
  bool is_attribute(std::string_view attribute) const {
    return std::ranges::any_of(tables_[0]->attributes(), [&](const fg::attribute_info& a) { return a.name == attribute; });
  }

  void compare_arguments(const std::string& what, const std::vector<declared_argument>& theirs,
                         std::span<const fg::argument> ours) {
    if (theirs.size() != ours.size()) {
      differs(what + "s: " + std::to_string(ours.size()) + ", expected " + std::to_string(theirs.size()));
      return;
    }
    for (std::size_t i = 0; i < theirs.size(); ++i) compare_argument(what + " " + std::to_string(i), theirs[i], ours[i]);
  }
  void compare_argument(const std::string& what, const declared_argument& theirs, const fg::argument& ours) {
    using form = fg::argument::form;
    const form wanted = theirs.is_mixed ? form::mixed_list : theirs.count.empty() ? form::single : form::list;
    if (ours.kind != wanted) differs(what + ": a list of another kind, or none");
    if (theirs.is_reference != ours.is_reference)
      differs(what + (theirs.is_reference ? ": expected a reference" : ": is a reference"));
    if (theirs.is_mixed || ours.kind == form::mixed_list) return;
    const bool is_attribute = declared_.attributes.contains(theirs.type);
    if (ours.is_handle) {
      if (theirs.type != "resource") differs(what + ": is a handle, expected " + theirs.type);
    } else if (ours.type_parameter >= 0) {
      const std::string_view attribute = tables_[0]->types()[static_cast<std::size_t>(ours.type_parameter)].attribute;
      if (attribute != theirs.type) differs(what + ": has type " + std::string(attribute) + ", expected " + theirs.type);
    } else if (is_attribute || ours.fixed != element_type(theirs.type)) {
      differs(what + ": has type " + std::string(fg::name_of(ours.fixed)) + ", expected " + theirs.type);
    }
  }

  // Returns whether the attribute counts a list, or lists its types. Such attributes follow from the list.
  bool is_of_a_list(const std::string& attribute) const {
    const auto lists = [&](const declared_argument& a) { return a.count == attribute || (a.is_mixed && a.type == attribute); };
    return std::ranges::any_of(declared_.inputs, lists) || std::ranges::any_of(declared_.outputs, lists);
  }

  void compare_attributes() {
    const fg::op_table& t = *tables_[0];
    for (const auto& [name, facts] : declared_.attributes) {
      if (bound(t, name) != fg::dtype::invalid) continue;
      const auto ours = std::ranges::find(t.attributes(), name, &fg::attribute_info::name);
      if (ours != t.attributes().end()) compare_attribute(*ours, name, facts);
      else if (!is_of_a_list(name)) differs("attribute " + name + ": missing");
    }
    for (const fg::attribute_info& ours : t.attributes())
      if (!declared_.attributes.contains(std::string(ours.name)))
        differs("attribute " + std::string(ours.name) + ": TensorFlow has none");
    for (const fg::type_binding ours : t.types())
      if (!declared_.attributes.contains(std::string(ours.attribute)))
        differs("type attribute " + std::string(ours.attribute) + ": TensorFlow has none");
  }
  void compare_attribute(const fg::attribute_info& ours, const std::string& name, const declared_attribute& theirs) {
    const std::string what = "attribute " + name + ": ";
    const std::string kind(fg::name_of(ours.kind));
    if (kind != theirs.kind) {
      differs(what + "is of kind " + kind + ", expected " + theirs.kind);
      return;
    }
    const harness::op_value made(*tables_[0]);
    if (is_of_a_list(name)) {
    } else if (!theirs.preset) {
      if (!ours.required) differs(what + "must be given in TensorFlow, and has a default here");
    } else if (ours.required) {
      differs(what + "must be given; TensorFlow's default is " + text_of(*theirs.preset));
    } else if (!same_default(ours.get(made.get()), *theirs.preset)) {
      differs(what + "default " + fg::to_string(ours.get(made.get())) + ", expected " + text_of(*theirs.preset));
    }
    if (ours.kind == fg::attribute_kind::string)
      for (const std::string& spelling : theirs.allowed)
        if (!ours.set(made.get(), fg::attribute_value(spelling))) differs(what + "refuses '" + spelling + "'");
  }

  void compare_gradient() {
    if (!declared_.has_gradient) return;
    for (const fg::op_table* t : tables_) {
      if (!t->sum || t->gradient) continue;  // no output can have a gradient, or the op has a gradient
      // Lists have gradients if an op passes them on, but not if it concatenates elements: docs/decisions/lists.md.
      if (std::ranges::any_of(t->types(), [](const auto& chosen) { return chosen.type == fg::dtype::variant; })) continue;
      differs("gradient: missing");
      return;
    }
  }

  const std::string& name_;
  const declared_op& declared_;
  std::span<const fg::op_table* const> tables_;
  std::string lacking_;
  found result_;
};

struct family_counts {
  std::size_t ops = 0, present = 0, pairs = 0, pairs_there = 0, differing = 0;
  void add(const found& f) {
    ++ops, present += f.present, pairs += f.pairs, pairs_there += f.pairs_there, differing += !f.differences.empty();
  }
};

struct arguments {
  std::vector<std::string> files;
  std::string known, one_op;
  bool all = false, whole = false;
};

arguments parse(int count, char** words) {
  arguments made;
  for (int i = 1; i < count; ++i) {
    const std::string word = words[i];
    const auto next = [&]() -> std::string {
      if (++i == count) throw std::runtime_error(word + " wants an argument");
      return words[i];
    };
    if (word == "--all") made.all = true;
    else if (word == "--whole") made.whole = true;
    else if (word == "--known") made.known = next();
    else if (word == "--op") made.one_op = next();
    else made.files.push_back(word);
  }
  if (made.files.size() != 2) throw std::runtime_error("wants the registry and the scope");
  return made;
}

// Reads "op: difference" from lines of the form "op: difference | reason".
std::set<std::string> read_known(const std::string& path) {
  std::set<std::string> made;
  std::istringstream lines(conformance::read_file(path));
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || line.starts_with('#')) continue;
    const auto end = line.find(" | ");
    if (end == line.npos) throw std::runtime_error("'" + line + "': no reason is given");
    made.insert(line.substr(0, end));
  }
  return made;
}

void print(const std::string& family, const family_counts& c) {
  std::printf("%-18s %3zu of %3zu ops, %4zu of %4zu types, %zu with differences\n", family.c_str(), c.present, c.ops,
              c.pairs_there, c.pairs, c.differing);
}

bool report(const arguments& given) {
  const conformance::scope scope(given.files[0], given.files[1]);
  fg::registry ours;
  fg::add_standard_ops(ours).value();
  std::set<std::string> known = given.known.empty() ? std::set<std::string>{} : read_known(given.known);
  std::map<std::string, family_counts> families;
  family_counts total;
  bool good = true;
  for (const auto& [name, declared] : scope.ops()) {
    if (given.one_op.empty() ? !given.whole && !declared.is_core : name != given.one_op) continue;
    const found f = comparison(name, declared, ours.tables(name)).compare();
    families[declared.family].add(f);
    total.add(f);
    if (!f.present) {
      if (given.all || !given.one_op.empty() || !given.known.empty()) std::printf("%s: missing\n", name.c_str());
      good = false;
    }
    for (const std::string& d : f.differences) {
      const bool is_known = known.erase(name + ": " + d) > 0 || d.starts_with("types:");  // types are counted
      if (!is_known) good = false;
      if (given.all || !given.one_op.empty() || (!is_known && !given.known.empty()))
        std::printf("%s: %s\n", name.c_str(), d.c_str());
    }
  }
  for (const auto& [family, c] : families) print(family, c);
  print("total", total);
  for (const std::string& k : known)
    good = false, std::printf("is known, and does not differ; strike it from the list: %s\n", k.c_str());
  const bool enough = static_cast<double>(total.pairs_there) >= pairs_wanted * static_cast<double>(total.pairs);
  if (!enough) std::printf("of the types %.0f %% are wanted\n", 100 * pairs_wanted);
  return good && enough;
}

}  // namespace

int main(int count, char** words) {
  try {
    const arguments given = parse(count, words);
    const bool good = report(given);
    return given.known.empty() || good ? 0 : 1;
  } catch (const std::exception& why) {
    std::fprintf(stderr, "coverage: %s\n", why.what());
    return 2;
  }
}

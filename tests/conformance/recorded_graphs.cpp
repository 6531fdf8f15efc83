// Converts graphs of recorded sessions to plain values and back, and checks that their answers have the same bits.
//
//     recorded_graphs FILE.cases...      prints a line for each case that differs, then the number of equal cases; fails if a
//                                        case differs
//
// Cases whose graphs cannot be imported are tested only by the replay.

#include "cases.hpp"
#include "compare.hpp"

#include <flowgraph/flowgraph.hpp>
#include <flowgraph/interop/import.hpp>
#include <flowgraph/io/graph_record.hpp>
#include <flowgraph/ops/standard.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <sstream>

namespace {

namespace fg = flowgraph;
using conformance::recorded_case;
using conformance::step;

std::span<const std::byte> bytes_of(std::string_view text) { return std::as_bytes(std::span(text.data(), text.size())); }

struct totals {
  std::size_t cases = 0, equal = 0, not_imported = 0, nodes = 0, answers = 0;
};

fg::result<std::vector<fg::any_tensor>> answer(fg::session& s, const step& at) {
  fg::named_run request;
  for (const auto& v : at.feeds) {
    auto t = fg::read_tensor(bytes_of(v.proto));
    if (!t) return t.error();
    request.feeds.emplace_back(v.tensor, *t);
  }
  for (const auto& v : at.fetches) request.fetches.push_back(v.tensor);
  request.targets = at.targets;
  return s.try_run(request, fg::run_options::within(std::chrono::seconds(20)));
}

// Compares errors without their texts, which may contain names of temporary files.
bool is_same(const fg::error& a, const fg::error& b) {
  return a.code() == b.code() && a.node() == b.node() && a.op() == b.op() && a.where().line() == b.where().line();
}

std::string compare(const recorded_case& c, const fg::registry& ops, totals& all) {
  fg::graph g, grown;
  std::string library;
  for (const step& s : c.steps) {
    auto file = fg::read_graph_def(bytes_of(s.extend));
    if (!file) return ++all.not_imported, "";
    file->library.insert(0, library);
    library = file->library;
    const std::size_t before = g.size();
    if (!fg::import_graph(g, *file, ops, {.extend = true})) return ++all.not_imported, "";
    const auto piece = fg::record_of(g, before);
    if (!piece) return piece.error().what();
    if (const auto added = fg::add_record(grown, *piece, ops); !added) return added.error().what();
  }
  const auto kept = fg::record_of(g);
  if (!kept) return kept.error().what();
  const auto twin = fg::graph_of(*kept, ops);
  if (!twin) return twin.error().what();
  if (!(fg::record_of(*twin).value() == *kept)) return "the twin has another record";
  if (!(fg::record_of(grown).value() == *kept)) return "the graph that grew by records has another record";
  all.nodes += g.size();
  const auto has = [&](const char* op) { return std::find(c.ops.begin(), c.ops.end(), op) != c.ops.end(); };
  if (has("Timestamp") || has("MergeV2Checkpoints")) return ++all.equal, "";  // the second session runs later, or finds no files
  fg::session original(g), copy(*twin);
  for (std::size_t i = 0; i < c.steps.size(); ++i) {
    const auto expected = answer(original, c.steps[i]), found = answer(copy, c.steps[i]);
    const std::string where = "step " + std::to_string(i) + ": ";
    if (expected.has_value() != found.has_value())
      return where + (found ? "no error, but " + std::string(expected.error().what()) : found.error().what());
    if (!expected && !is_same(expected.error(), found.error()))
      return where + found.error().what() + " instead of " + expected.error().what();
    for (std::size_t k = 0; expected && k < expected->size(); ++k, ++all.answers)
      if (!conformance::is_same_to_the_bit((*found)[k], (*expected)[k])) return where + c.steps[i].fetches[k].tensor + " differs";
  }
  ++all.equal;
  return "";
}

}  // namespace

int main(int count, char** words) {
  fg::registry ops;
  fg::add_standard_ops(ops).value();
  totals all;
  std::size_t differing = 0;
  for (int i = 1; i < count; ++i) {
    std::ostringstream text;
    text << std::ifstream(words[i], std::ios::binary).rdbuf();
    const std::string file = text.str();
    for (const recorded_case& c : conformance::read_cases(file)) {
      ++all.cases;
      const std::string why = compare(c, ops, all);
      if (why.empty()) continue;
      ++differing;
      std::printf("%s: %s\n", c.name.c_str(), why.c_str());
    }
  }
  std::printf("%zu cases: %zu equal, %zu not imported, %zu differ; %zu nodes, %zu answers\n", all.cases, all.equal,
              all.not_imported, differing, all.nodes, all.answers);
  return differing == 0 && all.equal > 0 ? 0 : 1;
}

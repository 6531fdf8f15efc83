#include "model.hpp"

#include <flowgraph/formats/npy.hpp>

#include <cstdio>
#include <filesystem>
#include <set>

namespace command {

namespace {

constexpr auto run_options = options_of_runs({
    {"--output", "FOLDER", "write each fetched tensor as FOLDER/NAME.npy, with '_' for '/' and ':'"},
    {"--show", "N", "print so many elements of each tensor, 8"},
});

std::string file_name(const std::string& edge) {
  std::string made = edge.ends_with(":0") ? edge.substr(0, edge.size() - 2) : edge;
  for (char& c : made)
    if (c == '/' || c == ':' || c == '\\') c = '_';
  return made + ".npy";
}

std::filesystem::path folder_of(const arguments& given) {
  const std::filesystem::path folder = given.text("--output");
  std::error_code why;
  std::filesystem::create_directories(folder, why);
  if (why) throw failure{bad_input, "'" + folder.string() + "': the folder cannot be made: " + why.message()};
  return folder;
}

exit_code carry_out_run(const arguments& given) {
  model m(given);
  const auto feeds = m.feeds();
  const auto fetches = m.fetches();
  const auto targets = m.targets();
  const auto shown = static_cast<std::size_t>(given.whole_number("--show", 8, 0));
  std::set<std::string> files;
  if (given.has("--output"))
    for (const auto& f : fetches)
      if (!files.insert(file_name(f.name)).second)
        throw failure{bad_usage, "two fetches would be written as " + file_name(f.name)};
  const auto edges = model::edges_of(fetches, targets);
  const auto made = m.run_value(m.session().try_run({feeds, edges, targets}));
  std::vector<std::vector<std::string>> rows;
  for (std::size_t i = 0; i < made.size(); ++i)
    rows.push_back({fetches[i].name, text_of(fg::name_of(made[i].type()), made[i].shape()), first_elements(made[i], shown)});
  std::fputs(table(rows, {}).c_str(), stdout);
  if (!given.has("--output")) return right;
  const std::filesystem::path folder = folder_of(given);
  for (std::size_t i = 0; i < made.size(); ++i)
    take(fg::save_npy((folder / file_name(fetches[i].name)).string(), made[i], false));
  return right;
}

}  // namespace

const verb run{
    "run",
    "MODEL",
    "computes outputs of a graph",
    1,
    1,
    "Runs a graph once: a GraphDef (.pb, .pbtxt), a MetaGraph (.meta) or the folder of a SavedModel, whose variables are "
    "restored. Without\n"
    "--fetch the outputs of the signature are computed, or those that no other node reads.\n\n"
    "  flowgraph run model.pb --feed x=x.npy --fetch y:0 --output answers\n"
    "  flowgraph run saved_model_folder --feed images=x.npy --signature serving_default\n"
    "  flowgraph run saved_model_folder --text words=first --text words=second\n",
    run_options,
    carry_out_run,
};

}  // namespace command

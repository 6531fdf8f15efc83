// The program `flowgraph`: inspects, runs, converts, draws, compares and profiles files of graphs and tensors, and trains models
// of clicks.

#include "command.hpp"

#include <flowgraph/version.hpp>

#include <cstdio>
#include <exception>
#include <new>

namespace {

using namespace command;

const verb* const verbs[] = {&inspect, &run, &convert, &draw, &diff, &profile, &fm, &ffm, &nfm, &widedeep};

std::string help() {
  std::string text =
      "flowgraph VERB ARGUMENTS...\n\n"
      "Works with TensorFlow's graphs (GraphDef, MetaGraph, SavedModel), checkpoints, safetensors, NumPy's arrays, and files of "
      "records\n"
      "and clicks.\n"
      "Files are told by their contents; names matter for .pbtxt, .meta and saved_model.pb alone.\n\nVerbs:\n";
  for (const verb* v : verbs)
    text += "  " + std::string(v->name) + std::string(10 - v->name.size(), ' ') + std::string(v->says) + "\n";
  text +=
      "\nflowgraph help VERB tells the options of a verb, flowgraph --version the version.\n\n"
      "It returns 0 where all is right, 1 where diff finds differences, 2 for a command line that is wrong, 3 for a file that "
      "cannot be\n"
      "read or written or is damaged, 4 for a run that ends in an error.\n";
  return text;
}

int say(const std::string& text) {
  std::fputs(text.c_str(), stdout);
  return std::fflush(stdout) == 0 ? right : bad_input;
}

int complain(std::string_view verb, exit_code code, std::string_view text) {
  std::fprintf(stderr, "flowgraph%s%.*s: %.*s\n", verb.empty() ? "" : " ", static_cast<int>(verb.size()), verb.data(),
               static_cast<int>(text.size()), text.data());
  if (code == bad_usage)
    std::fprintf(stderr, "see: flowgraph%s%.*s --help\n", verb.empty() ? "" : " ", static_cast<int>(verb.size()), verb.data());
  return code;
}

int carry_out(const verb& v, std::span<const std::string> words) try {
  for (const std::string& word : words) {
    if (word == "--") break;
    if (word == "--help" || word == "-h") return say(help_of(v));
  }
  const exit_code code = v.run(arguments(v.options, {v.operands, v.least, v.most}, words));
  if (std::fflush(stdout) != 0 || std::ferror(stdout)) return complain(v.name, bad_input, "the output cannot be written");
  return code;
} catch (const failure& why) { return complain(v.name, why.code, why.text); } catch (const wrong_usage& why) {
  return complain(v.name, bad_usage, why.text);
} catch (const flowgraph::error& why) { return complain(v.name, bad_input, why.what()); } catch (const std::bad_alloc&) {
  return complain(v.name, bad_input, "not enough memory");
} catch (const std::exception& why) { return complain(v.name, bad_input, why.what()); }

}  // namespace

int main(int count, char** given) {
  const std::vector<std::string> words(given + (count > 0 ? 1 : 0), given + count);
  if (words.empty()) {
    std::fputs(help().c_str(), stderr);
    return bad_usage;
  }
  const bool is_help = words[0] == "--help" || words[0] == "-h" || words[0] == "help";
  if (is_help && words.size() == 1) return say(help());
  const std::string& name = words[is_help ? 1 : 0];
  if (words[0] == "--version")
    return say("flowgraph " + std::to_string(FLOWGRAPH_VERSION_MAJOR) + "." + std::to_string(FLOWGRAPH_VERSION_MINOR) + "." +
               std::to_string(FLOWGRAPH_VERSION_PATCH) + "\n");
  for (const verb* v : verbs)
    if (name == v->name) return is_help ? say(help_of(*v)) : carry_out(*v, std::span(words).subspan(1));
  return complain("", bad_usage, "there is no verb '" + name + "'");
}

// Imports and runs graphs that are good ones changed by seed: graph number i of a campaign has the seed S + i.
//
//     run_mutations --seed 1 --count 1000000 FILE.cases... MODEL.pb...
//     run_mutations --seed 4711 --count 1 FILE.cases...             the graph of that seed alone, with the same files
//
// --guarded   each tensor lies between pages that nobody may touch: a program without sanitizers is then stopped where it leaves one
// --text      writes the changed graphs to stdout
//
// A crash, a failed check and a graph that does not end are told with the seed of their graph.

#include "../../interop/graph_mutations.hpp"
#include "guarded_memory.hpp"
#include "seeds.hpp"

#include <signal.h>
#include <unistd.h>

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <stdexcept>
#include <string_view>

// In a build with sanitizers: what they call before they end the program.
extern "C" [[gnu::weak]] void __sanitizer_set_death_callback(void (*)());

namespace {

struct arguments {
  std::uint64_t seed = 1, count = 1000;
  bool guarded = false, text = false;
  std::vector<std::string> files;
};

volatile std::uint64_t current_seed = 0;
constexpr unsigned longest = 60;  // seconds for a graph

// Async-signal-safe.
void tell_seed() {
  char text[64] = "\nthe graph of seed ";
  char* end = std::to_chars(text + std::strlen(text), text + sizeof text - 1, static_cast<std::uint64_t>(current_seed)).ptr;
  *end++ = '\n';
  static_cast<void>(!::write(STDERR_FILENO, text, static_cast<std::size_t>(end - text)));
}
void tell_and_die(int signal) {
  if (signal == SIGALRM) {
    constexpr std::string_view why = "\nthe graph does not end";
    static_cast<void>(!::write(STDERR_FILENO, why.data(), why.size()));
  }
  tell_seed();
  ::signal(signal, SIG_DFL);
  ::raise(signal);
}

void watch() {
  if (__sanitizer_set_death_callback) __sanitizer_set_death_callback(tell_seed);
  else
    for (const int s : {SIGSEGV, SIGBUS, SIGFPE, SIGILL}) ::signal(s, tell_and_die);
  for (const int s : {SIGABRT, SIGALRM}) ::signal(s, tell_and_die);
}

std::uint64_t number(std::string_view word, const char* text) {
  char* end = nullptr;
  const std::uint64_t n = text ? std::strtoull(text, &end, 10) : 0;
  if (!end || *end || end == text) throw std::runtime_error(std::string(word) + " wants a number");
  return n;
}

arguments parse(int count, char** words) {
  arguments made;
  for (int i = 1; i < count; ++i) {
    const std::string_view word = words[i];
    const char* const next = i + 1 < count ? words[i + 1] : nullptr;
    if (word == "--seed") made.seed = number(word, next), ++i;
    else if (word == "--count") made.count = number(word, next), ++i;
    else if (word == "--guarded") made.guarded = true;
    else if (word == "--text") made.text = true;
    else if (word.starts_with("--")) throw std::runtime_error("unknown option " + std::string(word));
    else made.files.emplace_back(word);
  }
  if (made.files.empty()) throw std::runtime_error("no file to begin with");
  return made;
}

void report(std::uint64_t done, const fuzz_targets::run_counts& counts, std::chrono::steady_clock::time_point since) {
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - since).count();
  std::printf("%llu graphs: %zu refused, %zu imported; %zu runs, %zu answered; %.0f graphs/s\n",
              static_cast<unsigned long long>(done), counts.refused, counts.imported, counts.runs, counts.answered,
              static_cast<double>(done) / seconds);
  std::fflush(stdout);
}

std::string text_of(const fuzz_targets::fg::graph_def& g) {
  auto text = fuzz_targets::fg::write_graph_def_text(g);
  return text ? *std::move(text) : std::string(text.error().what());
}

int campaign(const arguments& wanted) {
  std::vector<fuzz_targets::asked_graph> seeds;
  for (const std::string& file : wanted.files) fuzz_runs::read_seeds(file, {}, seeds);
  std::erase_if(seeds, [](const fuzz_targets::asked_graph& s) { return !fuzz_targets::can_be_imported(s.graph); });
  if (seeds.empty()) throw std::runtime_error("the files have no graph that is small enough and can be imported");
  std::printf("%zu graphs to begin with\n", seeds.size());

  fuzz_runs::guarded_memory guarded;
  fuzz_targets::run_limits limits;
  if (wanted.guarded) limits.buffers = &guarded;
  fuzz_targets::run_counts counts;
  watch();
  const auto since = std::chrono::steady_clock::now();
  for (std::uint64_t i = 0; i < wanted.count; ++i) {
    current_seed = wanted.seed + i;
    ::alarm(longest);
    fuzz_targets::random_values random(current_seed);
    fuzz_targets::asked_graph asked = random.of(seeds);
    fuzz_targets::graph_mutations(random).change(asked.graph);
    if (wanted.text) std::printf("%s\n", text_of(asked.graph).c_str());
    fuzz_targets::run_graph(std::move(asked), random, limits, counts);
    if ((i + 1) % 10'000 == 0) report(i + 1, counts, since);
  }
  ::alarm(0);
  report(wanted.count, counts, since);
  return counts.imported > 0 || wanted.count < 1000 ? 0 : 1;  // of many, some can be imported
}

}  // namespace

int main(int count, char** words) {
  try {
    return campaign(parse(count, words));
  } catch (const std::exception& why) {
    std::fprintf(stderr, "run_mutations: %s\n", why.what());
    if (current_seed != 0) tell_seed();  // nothing may be thrown by what returns results
    return 2;
  }
}

// The program `flowgraph-worker`: a task of a cluster with all standard ops, for clients whose graphs have no ops of their own. A program
// with ops of its own is as short: it adds them to the registry, and makes the server.

#include <flowgraph/distributed/launch.hpp>
#ifdef FLOWGRAPH_WORKER_ENCRYPTS
#include <flowgraph/distributed/tls.hpp>
#endif
#include <flowgraph/observe/trace.hpp>
#include <flowgraph/ops/exchange.hpp>
#include <flowgraph/ops/standard.hpp>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <string>

namespace {

namespace fg = flowgraph;

constexpr const char* usage =
    "flowgraph-worker runs a task of a cluster until it is told to end.\n"
    "\n"
    "  flowgraph-worker --cluster \"worker=127.0.0.1:4000,127.0.0.1:4001\" --job worker --task 0\n"
    "\n"
    "  flowgraph-worker --from-environment      started by mpirun, srun, torchrun or Kubernetes\n"
    "\n"
    "  --cluster TEXT       the cluster: job=address,address;job=address\n"
    "  --job NAME           which of its jobs this is a task of (worker)\n"
    "  --task N             which task of the job (0)\n"
    "  --from-environment   takes cluster, job and task from the environment, as launchers set it\n"
    "  --roles TEXT         of its ranks: ps=2 makes the first two tasks of job ps, and the others of job worker\n"
    "  --listen ADDRESS     where it listens, if not where the cluster has it\n"
    "  --token-file FILE    the secret of clients and tasks is the first line of the file\n"
    "  --certificate FILE   connections are encrypted by TLS; with --key FILE, and --authority FILE, whose word is taken of "
    "peers\n"
    "  --any-host           a peer's certificate need not name its host\n"
    "  --allow-other-hosts  listens and connects beyond this machine, though nothing is encrypted\n"
    "  --io-threads N       threads that read and write (1)\n"
    "  --compute-threads N  threads that run kernels (2)\n"
    "  --traces FOLDER      its part of each step that a client traces becomes a file there, for Perfetto\n";

struct arguments {
  std::string cluster, job = "worker", roles;
  bool from_environment = false;
  std::uint32_t task = 0;
  fg::task_options options;
  fg::tcp::transport_options network;
  std::string certificate, key, authority;
  bool any_host = false;
};

// What is wrong with the files of TLS, if anything.
std::string encrypt(arguments& made) {
  if (made.certificate.empty() && made.key.empty() && made.authority.empty()) return {};
#ifdef FLOWGRAPH_WORKER_ENCRYPTS
  auto by = fg::tcp::make_encryption(
      {.certificate = made.certificate, .key = made.key, .authority = made.authority, .checks_hosts = !made.any_host});
  if (!by) return by.error().what();
  made.network.encrypted = *std::move(by);
  return {};
#else
  return "this program was built without TLS";
#endif
}

int refuse(const std::string& what) {
  std::fprintf(stderr, "flowgraph-worker: %s\n\n%s", what.c_str(), usage);
  return 2;
}

// What is wrong with the words, if anything.
std::string read(int count, char** words, arguments& made) {
  for (int i = 1; i < count; ++i) {
    const std::string word = words[i];
    if (word == "--allow-other-hosts") {
      made.network.allow_other_hosts = true;
      continue;
    }
    if (word == "--any-host") {
      made.any_host = true;
      continue;
    }
    if (word == "--from-environment") {
      made.from_environment = true;
      continue;
    }
    if (i + 1 == count) return word + " is not an option, or wants a value";
    const std::string value = words[++i];
    const auto number = [&] { return static_cast<int>(std::strtol(value.c_str(), nullptr, 10)); };
    if (word == "--cluster") made.cluster = value;
    else if (word == "--roles") made.roles = value;
    else if (word == "--job") made.job = value;
    else if (word == "--task") made.task = static_cast<std::uint32_t>(number());
    else if (word == "--certificate") made.certificate = value;
    else if (word == "--key") made.key = value;
    else if (word == "--authority") made.authority = value;
    else if (word == "--listen") made.options.listen = value;
    else if (word == "--io-threads") made.network.io_threads = number();
    else if (word == "--compute-threads") made.network.compute_threads = number();
    else if (word == "--traces") {
      auto files = fg::trace_files(value);
      if (!files) return files.error().what();
      made.options.on_trace = *std::move(files);
    } else if (word == "--token-file") {
      std::ifstream file(value);
      if (!std::getline(file, made.options.token)) return "no token can be read from " + value;
    } else return word + " is not an option";
  }
  if (made.cluster.empty() != made.from_environment) return "one of --cluster and --from-environment is expected";
  if (made.network.io_threads < 1 || made.network.compute_threads < 1) return "the number of threads is 1 at least";
  return encrypt(made);
}

void say_waiting(const fg::waiting_for& w) { std::fprintf(stderr, "flowgraph-worker %s\n", fg::to_string(w).c_str()); }

// One line, whatever the error tells of its causes.
void say_lost(const fg::error& why) {
  std::string line = why.what();
  for (std::size_t at = 0; (at = line.find('\n', at)) != line.npos;)
    line.replace(at, std::min(line.find_first_not_of("\n ", at), line.size()) - at, "; ");
  std::fprintf(stderr, "flowgraph-worker: %s\n", line.c_str());
}

fg::result<fg::tcp::launched_task> task_of(const arguments& given) {
  if (given.from_environment)
    return fg::tcp::cluster_from_environment({.roles = given.roles, .token = given.options.token, .on_waiting = say_waiting},
                                             given.network);
  auto all = fg::cluster::parse(given.cluster);
  if (!all) return all.error();
  return fg::tcp::launched_task{.all = *std::move(all), .job = given.job, .index = given.task};
}

}  // namespace

int main(int count, char** words) {
  if (count == 2 && std::string(words[1]) == "--help") return std::fputs(usage, stdout), 0;
  arguments given;
  if (const std::string wrong = read(count, words, given); !wrong.empty()) return refuse(wrong);
  // The threads of the server leave these signals to this one.
  sigset_t ending;
  sigemptyset(&ending);
  sigaddset(&ending, SIGINT);
  sigaddset(&ending, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &ending, nullptr);

  given.options.record = fg::record_parts;
  given.options.on_waiting = say_waiting;
  given.options.on_lost = say_lost;
  const auto launched = task_of(given);
  if (!launched) return refuse(launched.error().what());
  if (given.options.listen.empty()) given.options.listen = launched->listen;
  fg::registry ops;
  for (const auto& added : {fg::add_standard_ops(ops), fg::add_exchange_ops(ops)})
    if (!added) return std::fprintf(stderr, "flowgraph-worker: %s\n", added.error().what()), 1;
  const auto here = fg::tcp::server::make(launched->all, launched->job, launched->index, ops, given.options, given.network);
  if (!here) return std::fprintf(stderr, "flowgraph-worker: %s\n", here.error().what()), 1;
  std::printf("%s listens at %s\n", here->name().c_str(), here->address().c_str());
  std::fflush(stdout);
  int signal = 0;
  sigwait(&ending, &signal);
  std::printf("%s ends\n", here->name().c_str());
}

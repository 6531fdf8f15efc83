#include "settings.hpp"

#include "../shared/arguments.hpp"

#include <flowgraph/distributed/token.hpp>
#ifdef FLOWGRAPH_WORKER_ENCRYPTS
#include <flowgraph/distributed/tls.hpp>
#endif
#include <flowgraph/observe/trace.hpp>

#include <chrono>
#include <cstdint>

namespace worker {

namespace {

using command::arguments;
using command::wrong_usage;

// docs/launch.md lists these options, too.
constexpr command::option options[] = {
    {"--cluster", "TEXT", "all tasks of the cluster: job=address,address;job=address"},
    {"--job", "NAME", "the job of this task (worker)"},
    {"--task", "N", "the number of this task in its job (0)"},
    {"--from-environment", "", "reads cluster, job and task from the environment variables of a launcher"},
    {"--roles", "TEXT", "with --from-environment: ps=2 assigns the first two ranks to job ps, and the others to job worker"},
    {"--listen", "ADDRESS", "the address at which the task listens, if it differs from the address in the cluster"},
    {"--token-file", "FILE", "a file whose first line is the token of the cluster"},
    {"--certificate", "FILE", "encrypts connections by TLS with this certificate; needs --key and --authority"},
    {"--key", "FILE", "the key of the certificate"},
    {"--authority", "FILE", "certificates of the authorities that may sign the certificates of peers"},
    {"--any-host", "", "accepts certificates of peers that do not contain the name of the host"},
    {"--allow-other-hosts", "", "allows unencrypted connections to and from other machines"},
    {"--silence", "SECONDS", "the time without messages after which the connection to a peer is lost (2.5)"},
    {"--checksums", "", "sends messages with checksums, and refuses messages that have no checksum"},
    {"--most-links", "N", "limit of open connections from peers (4096)"},
    {"--most-text", "MB", "limit of the text of a message, such as a part of a graph (256)"},
    {"--most-tensors", "N", "limit of the number of tensors in a message (65536)"},
    {"--most-tensor-bytes", "MB", "limit of the size of all tensors in a message (16384)"},
    {"--io-threads", "N", "number of threads for network input and output (1)"},
    {"--compute-threads", "N", "number of threads that run kernels (2)"},
    {"--traces", "FOLDER", "the folder for the traces of this task, one per step that a client traces"},
    {"--version", "", "prints the version"},
    {"--help", "", "prints this text"},
};

// Returns the value of an option. If the option is given with an empty value, throws.
std::string word(const arguments& given, std::string_view option, std::string_view otherwise = {}) {
  const std::string value = given.text(option, otherwise);
  if (given.has(option) && value.empty()) throw wrong_usage{std::string(option) + ": the value is empty"};
  return value;
}

void read_place(const arguments& given, settings& made) {
  made.is_from_environment = given.has("--from-environment");
  if (given.has("--cluster") == made.is_from_environment) throw wrong_usage{"either --cluster or --from-environment is expected"};
  for (const char* option : {"--job", "--task"})
    if (made.is_from_environment && given.has(option))
      throw wrong_usage{std::string(option) + " is for --cluster: with --from-environment the launcher says it"};
  if (!made.is_from_environment && given.has("--roles")) throw wrong_usage{"--roles is for --from-environment"};
  made.cluster = word(given, "--cluster");
  made.job = word(given, "--job", "worker");
  made.task = static_cast<std::uint32_t>(given.whole_number("--task", 0, 0, UINT32_MAX));
  made.roles = word(given, "--roles");
  made.options.listen = word(given, "--listen");
}

void read_encryption(const arguments& given, fg::tcp::transport_options& network) {
  const char* const files[] = {"--certificate", "--key", "--authority"};
  const bool is_wanted = given.has(files[0]) || given.has(files[1]) || given.has(files[2]) || given.has("--any-host");
  if (!is_wanted) return;
#ifdef FLOWGRAPH_WORKER_ENCRYPTS
  for (const char* option : files)
    if (!given.has(option))
      throw wrong_usage{"TLS needs --certificate, --key and --authority; " + std::string(option) + " is missing"};
  network.encrypted = fg::tcp::make_encryption({.certificate = word(given, files[0]),
                                                .key = word(given, files[1]),
                                                .authority = word(given, files[2]),
                                                .checks_hosts = !given.has("--any-host")})
                          .value();
#else
  static_cast<void>(network);
  throw wrong_usage{"this program was built without TLS"};
#endif
}

void read_limits(const arguments& given, fg::tcp::transport_options& network) {
  const auto size = [&](std::string_view option, std::size_t otherwise, std::int64_t most) {
    return static_cast<std::size_t>(given.whole_number(option, static_cast<std::int64_t>(otherwise), 1, most));
  };
  constexpr std::int64_t most_megabytes = 1 << 20;  // a terabyte
  network.most_links = size("--most-links", network.most_links, 1 << 20);
  network.limits.body_bytes = size("--most-text", network.limits.body_bytes >> 20, 4095) << 20;
  network.limits.tensors = size("--most-tensors", network.limits.tensors, 1 << 24);
  network.limits.tensor_bytes = size("--most-tensor-bytes", network.limits.tensor_bytes >> 20, most_megabytes) << 20;
  network.io_threads = static_cast<int>(size("--io-threads", 1, 1024));
  network.compute_threads = static_cast<int>(size("--compute-threads", 2, 1024));
}

}  // namespace

settings read_settings(std::span<const std::string> words) {
  const arguments given(options, {}, words);
  settings made;
  read_place(given, made);
  read_limits(given, made.network);
  made.network.checksums = given.has("--checksums");
  made.network.allow_other_hosts = given.has("--allow-other-hosts");
  const std::chrono::duration<double> silence(given.number("--silence", 2.5, 2, 86400));
  made.options.silence = std::chrono::duration_cast<std::chrono::nanoseconds>(silence);
  if (given.has("--token-file")) made.options.token = fg::read_token(word(given, "--token-file")).value();
  read_encryption(given, made.network);
  if (given.has("--traces")) made.options.on_trace = fg::trace_files(word(given, "--traces")).value();
  return made;
}

std::string help() {
  return "flowgraph-worker runs a task of a cluster, with all standard ops, until SIGTERM or SIGINT ends it.\n"
         "\n"
         "  flowgraph-worker --cluster \"worker=127.0.0.1:4000,127.0.0.1:4001\" --job worker --task 0\n"
         "  flowgraph-worker --from-environment      started by mpirun, srun, torchrun or Kubernetes\n"
         "\n" +
         command::help_of(options) +
         "\n"
         "It returns 0 where a signal has ended it, 2 for a mistake that stays until somebody corrects it (a wrong option, file "
         "or\n"
         "cluster), 1 for a reason that may pass (the address is in use, other tasks did not come in time).\n";
}

}  // namespace worker

// A cluster whose connections are encrypted. Each process shows a certificate, and takes the word of one authority; who has none, or speaks
// plain text, is told so.
//
//     client ══ TLS ══ worker 0 ══ TLS ══ worker 1          certificates.sh makes the files
//
// The example's argument is the path of examples/data.

#include "own_processes.hpp"

#include <flowgraph/distributed/tls.hpp>
#include <flowgraph/flowgraph.hpp>

#include <cstdio>
#include <cstdlib>
#include <filesystem>

namespace fg = flowgraph;

// What each process is started with.
fg::tcp::transport_options encrypted_by(const std::string& folder, const std::string& name) {
  const auto by = fg::tcp::make_encryption(
      {.certificate = folder + name + ".pem", .key = folder + name + ".key", .authority = folder + "ours.pem"});
  return {.encrypted = by.value()};
}

int main(int count, char** words) {
  const std::string data = count > 1 ? words[1] : "examples/data";
  if (std::system("openssl version > /dev/null 2>&1") != 0) return std::puts("skipped: there is no command openssl"), 0;
  const std::string folder =
      (std::filesystem::temp_directory_path() / ("example_encrypted_" + std::to_string(getpid()) + "/")).string();
  for (const char* name : {"client", "worker"}) {
    const std::string make = "sh " + data + "/../cluster/certificates.sh " + folder + " " + name + " IP:127.0.0.1 2> /dev/null";
    if (std::system(make.c_str()) != 0) return 1;
  }

  const auto encrypted_task = [&](const own_processes::own_task& t) {
    fg::registry ops;
    fg::add_standard_ops(ops).value();
    const fg::tcp::server here(t.all, t.job, t.index, ops, {}, encrypted_by(folder, "worker"));
    t.until_the_end();
  };
  const own_processes tasks({{"worker", 2}}, encrypted_task);

  fg::graph g;
  auto x = g.placeholder<float>("x", {3});
  fg::out<float> y;
  {
    const auto on = g.on_device("/job:worker/task:1");
    y = x * x + 1.f;
  }
  fg::session s{g, fg::tcp::connect(tasks.address("worker", 0), {}, encrypted_by(folder, "client"))};
  const auto got = s.run(fg::fetch(y), {{x, fg::tensor<float>({3}, {1, 2, 3})}});
  std::printf("%g %g %g\n", static_cast<double>(got[0]), static_cast<double>(got[1]), static_cast<double>(got[2]));

  fg::session plain{g, fg::tcp::connect(tasks.address("worker", 0))};
  const auto refused = plain.try_run(fg::fetch(y), {{x, fg::tensor<float>({3}, {1, 2, 3})}});
  std::printf("%s\n", refused ? "" : refused.error().what());
  std::filesystem::remove_all(folder);
  return got[2] == 10 && !refused ? 0 : 1;
}

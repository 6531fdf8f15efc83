// Messages there and back between two processes of this machine, by our transport and by others, in turns: what slows the machine for a
// while slows them all. One line of JSON for each work and contender.
//
//     bench_network [--work NAME[,NAME]] [--samples 9] [--seconds 0.2] [--variant NAME[,NAME]]

#include "contenders.hpp"

#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <vector>

namespace {

struct work {
  std::string_view name;
  bench::traffic traffic;
};
constexpr std::size_t megabyte = 1 << 20;
const std::vector<work> works = {{"echo_64b_1", {64, 64, 1}},        {"echo_1kb_1", {1024, 1024, 1}},
                                 {"echo_64b_64", {64, 64, 64}},      {"echo_1kb_64", {1024, 1024, 64}},
                                 {"fetch_1mb_4", {64, megabyte, 4}}, {"fetch_64mb_1", {64, 64 * megabyte, 1}}};

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }
double seconds_of(clockid_t clock) {
  timespec t{};
  ::clock_gettime(clock, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}
// Processor seconds of this process and the other.
double used_by(pid_t other) {
  clockid_t clock{};
  return seconds_of(CLOCK_PROCESS_CPUTIME_ID) + (::clock_getcpuclockid(other, &clock) == 0 ? seconds_of(clock) : 0);
}

struct running {
  bench::contender what;
  pid_t server = 0;
  std::unique_ptr<bench::client> client;
  std::vector<double> samples, processor;
};

void start(running& r) {
  int ends[2];
  if (::pipe(ends) != 0) std::exit(2);
  r.server = ::fork();
  if (r.server == 0) {
    ::close(ends[0]);
    r.what.serve([&](const std::string& address) {
      if (::write(ends[1], address.data(), address.size()) < 0) ::_exit(2);
      ::close(ends[1]);
    });
    ::_exit(0);
  }
  ::close(ends[1]);
  char address[64] = {};
  if (::read(ends[0], address, sizeof address - 1) <= 0) std::exit(2);
  ::close(ends[0]);
  r.client = r.what.connect(address);
}

bool wants(const std::string& list, std::string_view name) {
  for (std::size_t at = 0; at < list.size();) {
    const std::size_t end = std::min(list.find(',', at), list.size());
    if (std::string_view(list).substr(at, end - at) == name) return true;
    at = end + 1;
  }
  return list.empty();
}

void measure(const work& w, std::vector<running>& all, int samples, double seconds) {
  std::vector<running*> here;
  for (running& r : all)
    if (r.what.most_in_flight >= w.traffic.in_flight) here.push_back(&r);
  std::vector<int> requests;
  for (running* r : here) {
    r->samples.clear();
    r->processor.clear();
    const int trial = w.traffic.reply > megabyte ? 4 : w.traffic.reply > 4096 ? 100 : 2000;
    r->client->ask(w.traffic, trial);
    const double began = now();
    r->client->ask(w.traffic, trial);
    requests.push_back(std::max({4, w.traffic.in_flight, static_cast<int>(trial * seconds / (now() - began))}));
  }
  for (int s = 0; s < samples; ++s) {
    for (std::size_t i = 0; i < here.size(); ++i) {
      const double used = used_by(here[i]->server), began = now();
      here[i]->client->ask(w.traffic, requests[i]);
      here[i]->samples.push_back((now() - began) / requests[i]);
      here[i]->processor.push_back((used_by(here[i]->server) - used) / requests[i]);
    }
  }
  for (running* r : here) {
    std::sort(r->samples.begin(), r->samples.end());
    std::sort(r->processor.begin(), r->processor.end());
    std::printf(
        "{\"peer\": \"%s\", \"work\": \"%.*s\", \"threads\": 1, \"unit\": \"us/request\", \"median\": %.4f, \"min\": %.4f, "
        "\"max\": %.4f, "
        "\"samples\": %d, \"check\": %.7g, \"processor\": %.4f}\n",
        r->what.name.c_str(), static_cast<int>(w.name.size()), w.name.data(), 1e6 * r->samples[r->samples.size() / 2],
        1e6 * r->samples.front(), 1e6 * r->samples.back(), samples, static_cast<double>(w.traffic.reply),
        1e6 * r->processor[r->processor.size() / 2]);
    std::fflush(stdout);
  }
}

}  // namespace

int main(int count, char** arguments) {
  std::string asked, variants;
  int samples = 9;
  double seconds = 0.2;
  for (int i = 1; i + 1 < count; i += 2) {
    const std::string_view name = arguments[i];
    if (name == "--work") asked = arguments[i + 1];
    else if (name == "--variant") variants = arguments[i + 1];
    else if (name == "--samples") samples = std::max(std::atoi(arguments[i + 1]), 1);
    else if (name == "--seconds") seconds = std::atof(arguments[i + 1]);
    else count = 0;
  }
  if (count % 2 == 0) {
    std::fprintf(stderr, "usage: %s [--work NAME,NAME] [--variant NAME,NAME] [--samples 9] [--seconds 0.2]\n", arguments[0]);
    return 2;
  }
  std::vector<bench::contender> contenders = {bench::transport_contender(false, false), bench::transport_contender(true, false),
                                              bench::asio_contender(), bench::socket_contender()};
  if (variants.find("polling") != std::string::npos) contenders.push_back(bench::transport_contender(false, true));
  std::vector<running> all;
  for (bench::contender& c : contenders)
    if (wants(variants, std::string_view(c.name).substr(c.name.find('/') + 1))) all.push_back({std::move(c), 0, nullptr, {}, {}});
  for (running& r : all) start(r);
  for (const work& w : works)
    if (wants(asked, w.name)) measure(w, all, samples, seconds);
  for (running& r : all) {
    r.client.reset();
    ::kill(r.server, SIGKILL);
    ::waitpid(r.server, nullptr, 0);
  }
}

#include <flowgraph/distributed/launch.hpp>

#include <distributed/launching/host_list.hpp>
#include <distributed/launching/launchers.hpp>

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <thread>
#include <vector>

namespace fg = flowgraph;
namespace wire = fg::distributed;
using namespace std::chrono_literals;

namespace {

using variables = std::map<std::string, std::string>;

fg::tcp::launch_options in(variables set) {
  fg::tcp::launch_options made;
  made.variables = [set = std::move(set)](const std::string& name) {
    const auto at = set.find(name);
    return at == set.end() ? std::optional<std::string>() : std::optional(at->second);
  };
  return made;
}

fg::result<fg::tcp::launched_task> launched(variables set) { return fg::tcp::cluster_from_environment(in(std::move(set))); }

std::string all_of(const fg::cluster& all) {
  std::string made;
  for (std::uint32_t t = 0; t < all.size(); ++t) made.append(all.name_of(t)).append("=").append(all.address_of(t)).append(" ");
  return made;
}

void check_error(variables set, fg::error_code code, std::initializer_list<const char*> words) {
  const auto made = launched(std::move(set));
  REQUIRE_FALSE(made.has_value());
  const std::string text = made.error().what();
  CAPTURE(text);
  CHECK(made.error().code() == code);
  for (const char* word : words) {
    CAPTURE(word);
    CHECK(text.find(word) != std::string::npos);
  }
}

// The result of a task. Tasks are threads, each with its own environment.
struct launched_outcome {
  fg::error why;
  fg::tcp::launched_task made;
};
std::vector<launched_outcome> launch_all(const std::vector<fg::tcp::launch_options>& of) {
  std::vector<launched_outcome> made(of.size());
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < of.size(); ++i)
    threads.emplace_back([&, i] {
      auto one = fg::tcp::cluster_from_environment(of[i]);
      if (one) made[i].made = *std::move(one);
      else made[i].why = one.error();
    });
  for (std::thread& t : threads) t.join();
  return made;
}

// Returns an address of this machine at which no process listens.
std::string free_address() {
  const auto t = fg::tcp::make_transport();
  return t->listen("127.0.0.1:0", {}).value();
}

variables mpi(int rank, int size, const std::string& at) {
  return {{"OMPI_COMM_WORLD_RANK", std::to_string(rank)},
          {"OMPI_COMM_WORLD_SIZE", std::to_string(size)},
          {"PMIX_NAMESPACE", "prterun-1"},
          {"PMIX_RANK", std::to_string(rank)},
          {"FLOWGRAPH_MEETING", at}};
}

}  // namespace

TEST_CASE("launch: lists of hosts with brackets, and what is no list") {
  using names = std::vector<std::string>;
  CHECK(wire::expand_hosts("a").value() == names{"a"});
  CHECK(wire::expand_hosts("node[08-11,3],login").value() == names{"node08", "node09", "node10", "node11", "node3", "login"});
  CHECK(wire::expand_hosts("r[1-2]n[0-1].lan").value() == names{"r1n0.lan", "r1n1.lan", "r2n0.lan", "r2n1.lan"});
  CHECK(wire::expand_hosts("n[001]").value() == names{"n001"});
  for (const char* wrong : {"", "a,", ",a", "a[", "a]", "a[1", "a[[1]]", "a[]", "a[1-]", "a[x]", "a[3-1]", "a[1,]", "a[-1]",
                            "a[0-4294967295]", "a[0-99999]b[0-99999]"}) {
    CAPTURE(wrong);
    CHECK(wire::expand_hosts(wrong).error().code() == fg::error_code::invalid_argument);
  }
  CHECK(wire::expand_counts("2(x3),1").value() == std::vector<std::uint32_t>{2, 2, 2, 1});
  for (const char* wrong : {"", "2(x", "2(x)", "(x2)", "2(x3", "a", "1,,1", "-1", "1(x4294967295)"}) {
    CAPTURE(wrong);
    CHECK(wire::expand_counts(wrong).error().code() == fg::error_code::invalid_argument);
  }
}

TEST_CASE("launch: SLURM says where each task is") {
  const variables step = {{"SLURM_PROCID", "3"},
                          {"SLURM_NTASKS", "4"},
                          {"SLURM_JOB_ID", "77"},
                          {"SLURM_STEP_ID", "0"},
                          {"SLURM_JOB_NODELIST", "n[1-9]"},
                          {"SLURM_STEP_NODELIST", "n[1-3]"},
                          {"SLURM_STEP_TASKS_PER_NODE", "1,2,1"},
                          {"FLOWGRAPH_PORT", "5000"}};
  const auto blocks = launched(step).value();
  CHECK(all_of(blocks.all) ==
        "/job:worker/task:0=n1:5000 /job:worker/task:1=n2:5000 /job:worker/task:2=n2:5001 /job:worker/task:3=n3:5000 ");
  CHECK(blocks.index == 3);
  CHECK(blocks.listen == ":5000");
  CHECK(blocks.launcher == "SLURM");

  auto cyclic = step;
  cyclic["SLURM_DISTRIBUTION"] = "cyclic:cyclic";
  CHECK(all_of(launched(cyclic).value().all) ==
        "/job:worker/task:0=n1:5000 /job:worker/task:1=n2:5000 /job:worker/task:2=n3:5000 /job:worker/task:3=n2:5001 ");

  auto here = step;
  here["SLURM_STEP_NODELIST"] = "n1";
  here["SLURM_STEP_TASKS_PER_NODE"] = "4";
  CHECK(launched(here).value().listen == "127.0.0.1:5003");

  // Without a port from the user, all tasks of a step compute the same port, and other steps compute other ports.
  auto first = step, second = step;
  first.erase("FLOWGRAPH_PORT");
  second = first;
  second["SLURM_PROCID"] = "0";
  CHECK(all_of(launched(first).value().all) == all_of(launched(second).value().all));
  second["SLURM_STEP_ID"] = "1";
  CHECK(all_of(launched(first).value().all) != all_of(launched(second).value().all));

  auto wrong = step;
  wrong["SLURM_NODEID"] = "0";
  check_error(wrong, fg::error_code::invalid_argument, {"task 3 should be on node 2, and is on node 0", "FLOWGRAPH_HOSTS"});
  wrong = step;
  wrong["SLURM_DISTRIBUTION"] = "plane=2";
  check_error(wrong, fg::error_code::invalid_argument, {"plane=2"});
  wrong["FLOWGRAPH_LAUNCHER"] = "openmpi";
  check_error(wrong, fg::error_code::not_found, {"has not started this process"});
  wrong = step;
  wrong["SLURM_STEP_TASKS_PER_NODE"] = "1,1,1";
  check_error(wrong, fg::error_code::invalid_argument, {"3 tasks together, and the step has 4"});
  wrong = step;
  wrong["SLURM_PROCID"] = "4";
  wrong.erase("SLURM_STEP_NODELIST");
  wrong.erase("SLURM_JOB_NODELIST");
  check_error(wrong, fg::error_code::invalid_argument, {"SLURM_PROCID", "task 4 of 4"});
  wrong["SLURM_PROCID"] = "x";
  check_error(wrong, fg::error_code::invalid_argument, {"SLURM_PROCID is 'x'"});
}

TEST_CASE("launch: TF_CONFIG") {
  const auto chief = launched({{"TF_CONFIG", R"( {"cluster": {"chief": ["a:1"], "worker": ["b:1", "c:1"]},
      "task": {"type": "worker", "index": 1, "trial": "1"}, "rpc_layer": "grpc", "job": {"x": [1, -2.5e3, null, {"y": true}]}} )"}})
                         .value();
  CHECK(chief.all.name_of(2) == "/job:worker/task:1");
  CHECK(chief.job == "worker");
  CHECK(chief.index == 1);
  CHECK(chief.launcher == "TF_CONFIG");
  CHECK(launched({{"TF_CONFIG", R"({"task":{"index":"0","type":"w"},"cluster":{"w":["localhost:7"]}})"}}).value().listen ==
        "localhost:7");
  for (const char* wrong : {"{", "[]", "{}", R"({"cluster":{}})", R"({"cluster":{"w":["a:1"]}} x)",
                            R"({"cluster":{"w":["a:1","a:1"]}})", R"({"cluster":{"w":"a:1"}})",
                            R"({"cluster":{"w":["a:1"]},"task":{"index":-1}})", R"({"cluster":{"w":["a:1"]},"other":})"}) {
    CAPTURE(wrong);
    CHECK(launched({{"TF_CONFIG", wrong}}).error().code() == fg::error_code::invalid_argument);
  }
  CHECK(launched({{"TF_CONFIG", "{\"other\":" + std::string(100000, '[')}}).error().code() == fg::error_code::invalid_argument);
  check_error({{"TF_CONFIG", R"({"cluster":{"w":["a:1"]},"task":{"type":"evaluator","index":0}})"}}, fg::error_code::not_found,
              {"TF_CONFIG names a task that is not in its cluster", "no /job:evaluator/task:0"});
  check_error({{"TF_CONFIG", R"({"cluster":{"w":["a:1"]}})"}}, fg::error_code::not_found,
              {"does not name the task of this process", "add its member 'task'"});
  check_error({{"FLOWGRAPH_CLUSTER", "w=a:1"}}, fg::error_code::not_found,
              {"does not name the task of this process", "set FLOWGRAPH_TASK"});
}

TEST_CASE("launch: our own list of addresses, as text and as a file") {
  const auto named = launched({{"FLOWGRAPH_CLUSTER", "worker=a:1,b:1;ps=c:1"}, {"FLOWGRAPH_JOB", "ps"}}).value();
  CHECK(named.job == "ps");
  CHECK(named.listen == ":1");
  const std::string path = (std::filesystem::temp_directory_path() / "flowgraph_launch_test.cluster").string();
  std::ofstream(path)
      << "# the machines of the group\nps=10.0.0.1:4000\n\n10.0.0.2:4000, 10.0.0.3:4000  # two\nworker = 10.0.0.4:4000\r\n";
  const auto counted = launched({{"FLOWGRAPH_CLUSTER_FILE", path}, {"PMI_RANK", "3"}, {"PMI_SIZE", "4"}}).value();
  CHECK(all_of(counted.all) ==
        "/job:ps/task:0=10.0.0.1:4000 /job:worker/task:0=10.0.0.2:4000 /job:worker/task:1=10.0.0.3:4000 "
        "/job:worker/task:2=10.0.0.4:4000 ");
  CHECK(counted.job == "worker");
  CHECK(counted.index == 2);
  check_error({{"FLOWGRAPH_CLUSTER_FILE", path}, {"PMI_RANK", "3"}, {"PMI_SIZE", "5"}}, fg::error_code::failed_precondition,
              {"4 tasks", "MPICH", "3 of 5"});
  check_error({{"FLOWGRAPH_CLUSTER_FILE", path}, {"FLOWGRAPH_CLUSTER", "w=a:1"}}, fg::error_code::failed_precondition,
              {"both set"});
  check_error({{"FLOWGRAPH_CLUSTER_FILE", path}, {"FLOWGRAPH_TASK", "x"}}, fg::error_code::invalid_argument, {"FLOWGRAPH_TASK"});
  std::filesystem::remove(path);
  check_error({{"FLOWGRAPH_CLUSTER_FILE", path}}, fg::error_code::not_found, {path.c_str()});
  check_error({}, fg::error_code::not_found, {"does not name the task of this process", "mpirun, srun, torchrun"});
  check_error({{"OMPI_COMM_WORLD_RANK", ""}}, fg::error_code::not_found, {"mpirun, srun, torchrun"});
}

TEST_CASE("launch: Kubernetes counts, and a list of hosts says where; the first ranks have roles") {
  const variables pod = {{"JOB_COMPLETION_INDEX", "1"}, {"FLOWGRAPH_HOSTS", "train-[0-2].train"}, {"FLOWGRAPH_ROLES", "ps=1"}};
  const auto made = launched(pod).value();
  CHECK(all_of(made.all) ==
        "/job:ps/task:0=train-0.train:4000 /job:worker/task:0=train-1.train:4000 /job:worker/task:1=train-2.train:4000 ");
  CHECK(made.job == "worker");
  CHECK(made.index == 0);
  check_error({{"JOB_COMPLETION_INDEX", "1"}}, fg::error_code::not_found, {"JOB_COMPLETION_INDEX", "FLOWGRAPH_HOSTS"});
  auto wrong = pod;
  wrong["JOB_COMPLETION_INDEX"] = "3";
  check_error(wrong, fg::error_code::invalid_argument, {"task 3 of 3"});
  for (const char* roles : {"ps", "ps=", "ps=4", "ps=-1", "ps=1,", "/=1"}) {
    CAPTURE(roles);
    wrong = pod;
    wrong["FLOWGRAPH_ROLES"] = roles;
    check_error(wrong, fg::error_code::invalid_argument, {});
  }
  auto last = pod;
  last["FLOWGRAPH_ROLES"] = "worker=1,ps=1";
  CHECK(launched(last).value().job == "ps");
  check_error({{"PMIX_RANK", "0"}}, fg::error_code::not_found, {"PMIx", "set FLOWGRAPH_TASKS"});
}

TEST_CASE("launch: two launchers that disagree are an error that names both, and one of them may be chosen") {
  variables both = {{"SLURM_PROCID", "0"},
                    {"SLURM_NTASKS", "2"},
                    {"OMPI_COMM_WORLD_RANK", "1"},
                    {"OMPI_COMM_WORLD_SIZE", "2"},
                    {"FLOWGRAPH_HOSTS", "a:1,b:1"}};
  check_error(both, fg::error_code::failed_precondition, {"SLURM (SLURM_PROCID) this is task 0 of 2", "Open MPI", "task 1 of 2"});
  both["FLOWGRAPH_LAUNCHER"] = "openmpi";
  CHECK(launched(both).value().index == 1);
  both["FLOWGRAPH_LAUNCHER"] = "flux";
  check_error(both, fg::error_code::invalid_argument, {"'flux'"});
  both.erase("FLOWGRAPH_LAUNCHER");
  both["SLURM_PROCID"] = "1";
  CHECK(launched(both).value().launcher == "SLURM");
}

TEST_CASE("launch: a launcher that says nothing of places has tasks announce themselves, each with a port of its own") {
  constexpr int size = 4;
  const std::string at = free_address();
  std::vector<fg::tcp::launch_options> options;
  for (int rank = 0; rank < size; ++rank) {
    options.push_back(in(mpi(rank, size, at)));
    options.back().roles = "ps=1";
    options.back().token = "secret";
  }
  const auto made = launch_all(options);
  std::vector<std::string> listens;
  const auto transport = fg::tcp::make_transport();
  for (int rank = 0; rank < size; ++rank) {
    const launched_outcome& o = made[static_cast<std::size_t>(rank)];
    REQUIRE_MESSAGE(!o.why, o.why.what());
    CHECK(all_of(o.made.all) == all_of(made[0].made.all));
    CHECK(o.made.job == (rank == 0 ? "ps" : "worker"));
    CHECK(o.made.index == static_cast<std::uint32_t>(rank == 0 ? 0 : rank - 1));
    CHECK(o.made.all.address_of(static_cast<std::uint32_t>(rank)) == o.made.listen);
    CHECK(transport->listen(o.made.listen, {}).value() == o.made.listen);
  }
  CHECK(made[0].made.all.check().code() == fg::error_code::ok);
}

TEST_CASE("launch: torchrun's address is where they meet, beside its own store") {
  std::string at = free_address();
  const int port = std::stoi(at.substr(at.rfind(':') + 1));
  std::vector<fg::tcp::launch_options> options;
  for (const char* rank : {"0", "1"})
    options.push_back(in({{"RANK", rank},
                          {"WORLD_SIZE", "2"},
                          {"MASTER_ADDR", "127.0.0.1"},
                          {"MASTER_PORT", std::to_string(port - 1)},
                          {"TORCHELASTIC_USE_AGENT_STORE", "True"},
                          {"TORCHELASTIC_RUN_ID", "r"}}));
  const auto made = launch_all(options);
  REQUIRE_MESSAGE(!made[0].why, made[0].why.what());
  REQUIRE_MESSAGE(!made[1].why, made[1].why.what());
  CHECK(made[1].made.index == 1);
}

TEST_CASE("launch: a rank that does not come is an error at all others, which names it") {
  const std::string at = free_address();
  std::vector<fg::tcp::launch_options> options;
  for (const int rank : {0, 2, 3}) {
    options.push_back(in(mpi(rank, 5, at)));
    options.back().patience = 1s;
  }
  for (const launched_outcome& o : launch_all(options)) {
    REQUIRE(o.why);
    const std::string text = o.why.what();
    CAPTURE(text);
    CHECK(o.why.code() == fg::error_code::deadline_exceeded);
    CHECK(text.find("2 of 5 tasks") != std::string::npos);
    CHECK(text.find("rank 1, 4") != std::string::npos);
  }
}

TEST_CASE("launch: without rank 0 the others give up in time") {
  auto lonely = in(mpi(1, 2, free_address()));
  lonely.patience = 300ms;
  const auto made = fg::tcp::cluster_from_environment(lonely);
  CHECK(made.error().code() == fg::error_code::deadline_exceeded);
  CHECK(std::string_view(made.error().what()).find("nobody listens") != std::string_view::npos);
}

TEST_CASE("launch: tasks that disagree are an error everywhere") {
  struct bad_case {
    const char* name;
    variables other;
    const char* word;
    bool fails_all;
  };
  for (const bool same_rank : {false, true}) {
    CAPTURE(same_rank);
    const std::string at = free_address();
    std::vector<fg::tcp::launch_options> options = {in(mpi(0, 3, at)), in(mpi(1, 3, at)),
                                                    in(same_rank ? mpi(1, 3, at) : mpi(2, 4, at))};
    for (auto& o : options) o.patience = 20s;
    for (const launched_outcome& o : launch_all(options)) {
      REQUIRE(o.why);
      const std::string text = o.why.what();
      CAPTURE(text);
      CHECK(o.why.code() == fg::error_code::failed_precondition);
      CHECK(text.find(same_rank ? "two tasks are rank 1 of 3" : "tasks disagree") != std::string::npos);
    }
  }
}

TEST_CASE("launch: a task of another run, or with another token, is refused and the others go on") {
  const std::string at = free_address();
  auto stranger = mpi(1, 2, at);
  stranger["PMIX_NAMESPACE"] = "prterun-2";
  std::vector<fg::tcp::launch_options> options = {in(mpi(0, 2, at)), in(stranger), in(mpi(1, 2, at))};
  for (auto& o : options) o.patience = 20s;
  options[2].token = "secret";
  options[1].token = options[0].token = "other";
  std::vector<launched_outcome> made;
  const auto begun = std::chrono::steady_clock::now();
  std::thread late([&] {
    std::this_thread::sleep_for(300ms);
    auto right = in(mpi(1, 2, at));
    right.token = "other";
    CHECK(fg::tcp::cluster_from_environment(right).has_value());
  });
  made = launch_all(options);
  late.join();
  CHECK_FALSE(made[0].why);
  CHECK(std::string_view(made[1].why.what()).find("prterun-2") != std::string_view::npos);
  CHECK(std::string_view(made[2].why.what()).find("does not know the token") != std::string_view::npos);
  CHECK(std::chrono::steady_clock::now() - begun < 15s);  // the tasks do not wait for an event that cannot happen
}

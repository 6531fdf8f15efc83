#pragma once
// The certificates of a test, and transports that encrypt with them.

#include <flowgraph/core/message.hpp>
#include <flowgraph/distributed/tls.hpp>

#include <doctest/doctest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace flowgraph_test {

namespace fg = flowgraph;

inline int status_of(const std::string& command) {
  const int status = std::system((command + " > /dev/null 2>&1 < /dev/null").c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// Two certificate authorities, ours and another, with their certificates, made by the command openssl.
class certificates {
public:
  static const certificates& get() {
    static const certificates made;
    return made;
  }
  fg::tcp::tls_options of(const std::string& who, const std::string& authority = "ours") const {
    return {.certificate = file(who, "pem"), .key = file(who, "key"), .authority = file(authority, "pem")};
  }
  std::string file(const std::string& who, const char* kind) const { return (folder_ / (who + "." + kind)).string(); }

  ~certificates() { std::filesystem::remove_all(folder_); }

private:
  certificates() : folder_(std::filesystem::temp_directory_path() / fg::message{"flowgraph_tls_", ::getpid()}.string()) {
    std::filesystem::create_directories(folder_);
    for (const char* authority : {"ours", "others"}) {
      REQUIRE(status_of(fg::message{make_key, file(authority, "key"), " -x509 -days 2 -subj /CN=", authority, " -out ",
                                    file(authority, "pem")}) == 0);
    }
    sign("a", "ours", "IP:127.0.0.1,DNS:localhost");
    sign("b", "ours", "IP:127.0.0.1,DNS:localhost");
    sign("far", "ours", "IP:192.0.2.1,DNS:far.example");
    sign("stranger", "others", "IP:127.0.0.1,DNS:localhost");
  }
  void sign(const std::string& who, const std::string& by, const char* names) const {
    std::ofstream(file(who, "names")) << "subjectAltName=" << names << "\n";
    REQUIRE(status_of(fg::message{make_key, file(who, "key"), " -subj /CN=", who, " -out ", file(who, "asked")}) == 0);
    REQUIRE(status_of(fg::message{"openssl x509 -req -days 2 -in ", file(who, "asked"), " -CA ", file(by, "pem"), " -CAkey ",
                                  file(by, "key"), " -CAcreateserial -extfile ", file(who, "names"), " -out ",
                                  file(who, "pem")}) == 0);
  }
  static constexpr const char* make_key = "openssl req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout ";
  std::filesystem::path folder_;
};

inline bool has_openssl() {
  static const bool has = status_of("openssl version") == 0;
  if (!has) MESSAGE("skipped: there is no command openssl");
  return has;
}

inline fg::tcp::transport_options by_tls(const fg::tcp::tls_options& o) {
  return {.encrypted = fg::tcp::make_encryption(o).value()};
}

}  // namespace flowgraph_test

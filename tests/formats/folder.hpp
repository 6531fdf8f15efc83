#pragma once
// A folder that lives as long as a test.

#include <filesystem>
#include <random>
#include <string>

class test_folder {
public:
  test_folder() {
    std::random_device random;
    path_ = std::filesystem::temp_directory_path() / ("flowgraph_" + std::to_string(random()) + std::to_string(random()));
    std::filesystem::create_directory(path_);
  }
  ~test_folder() {
    std::error_code none;
    std::filesystem::permissions(path_, std::filesystem::perms::owner_all, none);
    std::filesystem::remove_all(path_, none);
  }
  test_folder(const test_folder&) = delete;
  test_folder& operator=(const test_folder&) = delete;

  std::string operator/(const std::string& name) const { return (path_ / name).string(); }
  std::string path() const { return path_.string(); }
  std::size_t files() const {
    std::size_t count = 0;
    for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(path_)) ++count;
    return count;
  }

private:
  std::filesystem::path path_;
};

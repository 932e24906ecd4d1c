//===- VendorFiles.h - bmodels of the vendor's compiler ---------*- C++ -*-===//

#ifndef WEFT_TESTS_UNIT_RUNTIME_VENDORFILES_H
#define WEFT_TESTS_UNIT_RUNTIME_VENDORFILES_H

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

namespace weft::test {

/// All vendor files of the repository, by name.
inline std::vector<std::string> vendorFiles() {
  std::vector<std::string> files;
  for (const auto &entry :
       std::filesystem::directory_iterator(WEFT_TEST_DATA "/vendor-bmodels"))
    if (entry.path().extension() == ".bmodel")
      files.push_back(entry.path().string());
  std::sort(files.begin(), files.end());
  return files;
}

} // namespace weft::test

#endif // WEFT_TESTS_UNIT_RUNTIME_VENDORFILES_H

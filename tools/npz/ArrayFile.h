//===- ArrayFile.h - arrays of a .npz or .npy file --------------*- C++ -*-===//

#ifndef WEFT_TOOLS_NPZ_ARRAYFILE_H
#define WEFT_TOOLS_NPZ_ARRAYFILE_H

#include "tools/npz/Npz.h"

#include <functional>

namespace weft::npz {

/// Whether a file of this name is to be an archive: it ends in ".npz".
bool isArchiveName(const std::string &path);

/// An archive, or a .npy file as one of a single array that has the file's name
/// without folder and extension. Contents decide which it is. Arrays of an
/// archive are read one by one.
class ArrayFile {
public:
  /// Messages begin with the path, as those of Reader.
  static rt::Result<std::unique_ptr<ArrayFile>> open(const std::string &path);

  const std::string &path() const { return thePath; }
  /// In the order of the file.
  const std::vector<std::string> &names() const { return theNames; }
  bool has(const std::string &name) const;
  /// Of an array that is there.
  numeric::ElementType type(const std::string &name) const;
  bool isText(const std::string &name) const;
  const std::vector<int64_t> &shape(const std::string &name) const;
  rt::Result<numeric::HostTensor> read(const std::string &name) const;

private:
  std::string thePath;
  std::vector<std::string> theNames;
  std::optional<Reader> archive;
  numeric::HostTensor only; ///< where there is no archive
  bool onlyIsText = false;
};

/// An array that is made when its turn to be written comes, so that not all of
/// an archive are in memory.
struct ArraySource {
  std::string name;
  numeric::ElementType type = numeric::ElementType::F32;
  std::vector<int64_t> shape;
  /// Gives a tensor of that type and shape.
  std::function<rt::Result<numeric::HostTensor>()> read;
  /// Whether it is of strings: U8 with an axis of their bytes. They are made
  /// before all others, their header tells the longest.
  bool isText = false;
};

/// writeNpz() of arrays that are made one after the other. What `read` fails
/// with is what this fails with.
rt::Status streamNpz(const std::string &path,
                     const std::vector<ArraySource> &arrays);

} // namespace weft::npz

#endif // WEFT_TOOLS_NPZ_ARRAYFILE_H

//===- Sample.h - the inputs of a model from files --------------*- C++ -*-===//
//
// Arrays (.npz, .npy) are taken as they are, images (.png, .jpg) are
// preprocessed. The contents of a file decide what it is, not its name.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_TOOLS_SAMPLES_SAMPLE_H
#define WEFT_TOOLS_SAMPLES_SAMPLE_H

#include "tools/npz/Npz.h"
#include "tools/preprocess/Preprocess.h"
#include "tools/samples/SampleFiles.h"

namespace weft::samples {

/// An input of a model and the shapes that it may have. Quantized inputs are
/// F32 here: they take reals.
struct Input {
  std::string name;
  numeric::ElementType type = numeric::ElementType::F32;
  std::vector<std::vector<int64_t>> shapes;
  /// Strings: `type` is U8, the last size of a shape is the bytes of each.
  bool isText = false;
};

/// The tensors of one sample by input name; what several entries of the batch
/// have (SampleFile::entry) is stacked along the first axis. Whether they fit
/// the model is for the reader to check: what is known of images follows from
/// the model, what is known of arrays stands in their headers.
class Sample {
public:
  /// Reads images and .npy files, and the headers of .npz files. Messages begin
  /// with the path.
  static rt::Result<Sample> open(const SampleFiles &files,
                                 const std::vector<Input> &inputs,
                                 const preprocess::Options &options);

  /// All files, for messages.
  const std::string &path() const { return allPaths; }
  const std::vector<std::string> &names() const { return theNames; }
  bool has(const std::string &name) const { return tensors.count(name); }
  /// The file, type and shape of a tensor that is there.
  const std::string &path(const std::string &name) const;
  numeric::ElementType type(const std::string &name) const;
  std::vector<int64_t> shape(const std::string &name) const;
  /// Whether it is of strings: U8 with an axis of their bytes.
  bool isText(const std::string &name) const;
  rt::Result<numeric::HostTensor> read(const std::string &name) const;

  /// read() of strings for an input of `shape`, whose last size is the bytes
  /// that it takes of each. Code::OutOfRange names one that is longer.
  rt::Result<numeric::HostTensor>
  readTexts(const std::string &name, const std::vector<int64_t> &shape) const;
  /// The bytes in UTF-8 of the longest string of a tensor of strings.
  rt::Result<int64_t> longestText(const std::string &name) const;

  /// Whether arrays of the tensor's type can stand for `wanted`: they carry it
  /// (CarrierTypes.h), or hold numbers.
  bool canBe(const std::string &name, numeric::ElementType wanted) const;
  /// read() in elements of `wanted`, which it can be. Numbers keep their values
  /// as numeric::convertValues() says; one that `wanted` does not have is
  /// Code::OutOfRange, and the message tells its place.
  rt::Result<numeric::HostTensor> readAs(const std::string &name,
                                         numeric::ElementType wanted) const;

private:
  struct Tensor {
    std::string path;
    numeric::ElementType type = numeric::ElementType::F32;
    std::vector<int64_t> shape;
    numeric::HostTensor value; ///< where there is no archive
    const npz::Reader *archive = nullptr;
    std::string array; ///< its name in the archive
    bool isText = false;
    size_t entry = 0; ///< of the batch

    rt::Result<numeric::HostTensor> read() const;
  };
  /// What is stacked, in its order.
  using Stack = std::vector<Tensor>;

  rt::Status addFile(const SampleFile &file, const std::vector<Input> &inputs,
                     const preprocess::Options &options);
  rt::Status addArchive(const SampleFile &file,
                        const std::vector<Input> &inputs);
  rt::Status addTensor(const std::string &name, Tensor tensor);
  /// Whether every input has every entry of the batch.
  rt::Status checkStacks(const SampleFiles &files) const;

  std::string allPaths;
  std::vector<std::string> theNames; ///< in the order of the files
  std::map<std::string, Stack> tensors;
  std::vector<std::unique_ptr<npz::Reader>> archives;
};

/// How many of such samples a tensor of each of `inputs` takes, stacked along
/// the first axis: their first shapes have it there, the sample has 1. 0: other
/// sizes differ, or there is no such number. 1: the sample is one as it is.
size_t entriesOf(const Sample &sample, const std::vector<Input> &inputs);

/// Fails if there is no image among the samples: preprocessing that was asked
/// for would do nothing.
rt::Status checkAnyImage(const std::vector<SampleFiles> &samples);

} // namespace weft::samples

#endif // WEFT_TOOLS_SAMPLES_SAMPLE_H

#include "tools/samples/Sample.h"
#include "runtime/host/Texts.h"
#include "runtime/numeric/CarrierTypes.h"
#include "runtime/numeric/ConvertValues.h"
#include "runtime/status/Quote.h"
#include "tools/files/InputFile.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sys/stat.h>

using namespace weft;
using namespace weft::samples;
using numeric::ElementType;
using numeric::HostTensor;
using rt::Code;
using rt::Result;
using rt::Status;

/// The first bytes of a regular file; nothing of others, which are left to who
/// reads them to report.
static std::string beginningOf(const std::string &path) {
  struct stat facts;
  if (::stat(path.c_str(), &facts) != 0 || !S_ISREG(facts.st_mode))
    return "";
  std::ifstream in(path, std::ios::binary);
  char bytes[12];
  in.read(bytes, sizeof bytes);
  return std::string(bytes, size_t(in.gcount()));
}

Status samples::checkAnyImage(const std::vector<SampleFiles> &samples) {
  for (const SampleFiles &sample : samples)
    for (const SampleFile &file : sample)
      if (images::isImage(beginningOf(file.path)))
        return Status::ok();
  return rt::fail(Code::InvalidArgument,
                  samples.front().front().path +
                      ": preprocessing is given and there is no image; arrays "
                      "are taken as they are, leave it out");
}

static std::string namesOf(const std::vector<Input> &inputs) {
  std::string names;
  for (const Input &input : inputs)
    names += (names.empty() ? "" : ", ") + rt::quoteName(input.name);
  return names;
}

/// The input that a file of one tensor is for.
static Result<const Input *> inputOf(const SampleFile &file,
                                     const std::vector<Input> &inputs) {
  if (file.input.empty() && inputs.size() == 1)
    return &inputs[0];
  for (const Input &input : inputs)
    if (input.name == file.input)
      return &input;
  if (file.input.empty())
    return rt::fail(Code::InvalidArgument,
                    "it is for one input, the model has " + namesOf(inputs) +
                        "; say NAME=PATH for each, or give .npz files");
  return rt::fail(Code::NotFound, "there is no input " +
                                      rt::quoteName(file.input) +
                                      "; the model has " + namesOf(inputs));
}

/// The shape that an image is made for.
static Result<preprocess::Input> shaped(const Input &input,
                                        const preprocess::Options &options) {
  preprocess::Input chosen;
  std::vector<preprocess::Size> all, fitting;
  std::string names;
  for (const std::vector<int64_t> &shape : input.shapes) {
    preprocess::Input one = {input.name, input.type, shape};
    Result<preprocess::Geometry> found = preprocess::geometryOf(options, one);
    if (!found)
      return found.status();
    const preprocess::Size &size = found->size;
    if (std::find(all.begin(), all.end(), size) != all.end())
      continue;
    all.push_back(size);
    names += (names.empty() ? "" : ", ") + std::to_string(size.height) + "x" +
             std::to_string(size.width);
    if (options.size && !(*options.size == size))
      continue;
    fitting.push_back(size);
    chosen = one;
  }
  if (fitting.size() == 1)
    return chosen;
  std::string sizes =
      "images of input " + rt::quoteName(input.name) + " may have " + names;
  if (fitting.empty())
    return rt::fail(Code::ShapeMismatch,
                    "size is " + std::to_string(options.size->height) + "x" +
                        std::to_string(options.size->width) + ", " + sizes);
  return rt::fail(Code::ShapeMismatch, sizes + "; choose with --size "
                                               "HEIGHTxWIDTH");
}

static Result<HostTensor> readImage(const std::string &path, const Input &input,
                                    const preprocess::Options &options) {
  Result<preprocess::Input> wanted = shaped(input, options);
  if (!wanted)
    return wanted.status().withContext(path);
  Result<std::string> bytes = tools::readInputFile(path, images::kMaxFileBytes);
  if (!bytes)
    return bytes.status();
  Result<images::Image> image = images::decode(*bytes);
  if (!image)
    return image.status().withContext(path);
  Result<HostTensor> tensor = preprocess::preprocess(*image, options, *wanted);
  return tensor ? std::move(tensor) : tensor.status().withContext(path);
}

Status Sample::addTensor(const std::string &name, Tensor tensor) {
  Stack &stack = tensors[name];
  if (stack.empty())
    theNames.push_back(name);
  else if (stack.back().entry == tensor.entry)
    return rt::fail(Code::InvalidArgument,
                    "input " + rt::quoteName(name) + " is given twice");
  stack.push_back(std::move(tensor));
  if (stack.size() == 1)
    return Status::ok();
  auto restOf = [](const Tensor &one) {
    return std::vector<int64_t>(one.shape.begin() +
                                    std::min<size_t>(1, one.shape.size()),
                                one.shape.end());
  };
  const Tensor &first = stack.front(), &last = stack.back();
  if (!first.shape.empty() && first.type == last.type &&
      first.isText == last.isText && first.shape.size() == last.shape.size() &&
      restOf(first) == restOf(last))
    return Status::ok();
  auto text = [](const Tensor &one) {
    return std::string(numeric::elementTypeName(one.type)) + " " +
           numeric::shapeText(one.shape);
  };
  return rt::fail(Code::ShapeMismatch,
                  last.path + ": input " + rt::quoteName(name) + " is " +
                      text(last) + ", that of " + first.path + " " +
                      text(first) +
                      "; what is stacked along the first axis must have the "
                      "same type and other sizes");
}

Status Sample::checkStacks(const SampleFiles &files) const {
  const size_t entries = files.empty() ? 1 : files.back().entry + 1;
  for (const auto &[name, stack] : tensors)
    if (stack.size() != entries)
      return rt::fail(Code::InvalidArgument,
                      allPaths + ": input " + rt::quoteName(name) + " is in " +
                          std::to_string(stack.size()) + " of " +
                          std::to_string(entries) +
                          " files that are stacked; each needs it, or say "
                          "NAME=PATH for files of several inputs");
  return Status::ok();
}

Status Sample::addArchive(const SampleFile &file,
                          const std::vector<Input> &inputs) {
  Result<npz::Reader> opened = npz::Reader::open(file.path);
  if (!opened)
    return opened.status();
  archives.push_back(std::make_unique<npz::Reader>(*std::move(opened)));
  const npz::Reader &archive = *archives.back();
  auto add = [&](const std::string &array, const std::string &name) {
    const npz::NpyHeader &header = *archive.header(array);
    return addTensor(name, {file.path,
                            header.type,
                            header.shape,
                            {},
                            &archive,
                            array,
                            header.isText(),
                            file.entry});
  };
  if (!file.input.empty())
    if (Result<const Input *> input = inputOf(file, inputs); !input)
      return input.status().withContext(file.path);
  if (file.input.empty()) {
    for (const std::string &name : archive.names())
      WEFT_TRY(add(name, name));
    return Status::ok();
  }
  if (archive.header(file.input))
    return add(file.input, file.input);
  if (archive.names().size() == 1)
    return add(archive.names()[0], file.input);
  return rt::fail(Code::NotFound, file.path + ": no array " +
                                      rt::quoteName(file.input) + " among " +
                                      std::to_string(archive.names().size()));
}

Status Sample::addFile(const SampleFile &file, const std::vector<Input> &inputs,
                       const preprocess::Options &options) {
  std::string beginning = beginningOf(file.path);
  std::error_code error;
  if (beginning.empty() && std::filesystem::file_size(file.path, error) == 0)
    return rt::fail(Code::BadFile,
                    file.path +
                        ": the file is empty; save it again, or leave it out");
  bool isArray = npz::isNpy(beginning);
  if (!isArray && !images::isImage(beginning)) {
    // A photo of another format should not be called a broken archive.
    bool isArchive = std::filesystem::path(file.path).extension() == ".npz" ||
                     beginning.substr(0, 2) == "PK";
    std::string format = images::otherFormat(beginning);
    if (!format.empty())
      return rt::fail(Code::BadFile, file.path + ": a " + format +
                                         " image; PNG and JPEG are read, "
                                         "convert it");
    if (!isArchive && !beginning.empty())
      return rt::fail(Code::BadFile,
                      file.path + ": neither a PNG or JPEG image nor a .npy or "
                                  ".npz array; convert it");
    return addArchive(file, inputs);
  }
  Result<const Input *> input = inputOf(file, inputs);
  if (!input)
    return input.status().withContext(file.path);
  bool isText = false;
  Result<HostTensor> tensor = isArray ? npz::readNpy(file.path, &isText)
                                      : readImage(file.path, **input, options);
  if (!tensor)
    return tensor.status();
  ElementType type = tensor->type();
  std::vector<int64_t> shape = tensor->shape();
  return addTensor((*input)->name, {file.path, type, shape, *std::move(tensor),
                                    nullptr, "", isText, file.entry});
}

Result<Sample> Sample::open(const SampleFiles &files,
                            const std::vector<Input> &inputs,
                            const preprocess::Options &options) {
  Sample sample;
  sample.allPaths = nameOf(files);
  for (const SampleFile &file : files)
    WEFT_TRY(sample.addFile(file, inputs, options));
  WEFT_TRY(sample.checkStacks(files));
  return sample;
}

const std::string &Sample::path(const std::string &name) const {
  return tensors.at(name).front().path;
}

ElementType Sample::type(const std::string &name) const {
  return tensors.at(name).front().type;
}

std::vector<int64_t> Sample::shape(const std::string &name) const {
  const Stack &stack = tensors.at(name);
  std::vector<int64_t> shape = stack.front().shape;
  for (size_t i = 1; i < stack.size(); ++i)
    shape[0] += stack[i].shape[0];
  return shape;
}

bool Sample::isText(const std::string &name) const {
  return tensors.at(name).front().isText;
}

Result<HostTensor> Sample::Tensor::read() const {
  if (archive)
    return archive->read(array);
  return value;
}

Result<HostTensor> Sample::read(const std::string &name) const {
  const Stack &stack = tensors.at(name);
  if (stack.size() == 1)
    return stack.front().read();
  HostTensor whole(type(name), shape(name));
  size_t filled = 0;
  for (const Tensor &part : stack) {
    Result<HostTensor> tensor = part.read();
    if (!tensor)
      return tensor;
    if (size_t size = tensor->sizeBytes())
      std::memcpy(whole.bytes() + filled, tensor->bytes(), size);
    filled += tensor->sizeBytes();
  }
  return whole;
}

size_t samples::entriesOf(const Sample &sample,
                          const std::vector<Input> &inputs) {
  int64_t entries = 0;
  for (const Input &input : inputs) {
    std::vector<int64_t> given = sample.has(input.name)
                                     ? sample.shape(input.name)
                                     : std::vector<int64_t>();
    if (given.empty() || given[0] != 1 ||
        given.size() != input.shapes.front().size())
      return 0;
    const int64_t count = input.shapes.front()[0];
    given[0] = count;
    if (count < 1 || (entries != 0 && entries != count) ||
        (given != input.shapes.front() && !input.isText))
      return 0;
    entries = count;
  }
  return size_t(entries);
}

Result<int64_t> Sample::longestText(const std::string &name) const {
  Result<HostTensor> tensor = read(name);
  if (!tensor)
    return tensor.status();
  host::Texts texts(*tensor);
  int64_t longest = 0;
  for (int64_t i = 0; i < texts.size(); ++i)
    longest = std::max(longest, int64_t(texts[i].size()));
  return longest;
}

Result<HostTensor> Sample::readTexts(const std::string &name,
                                     const std::vector<int64_t> &shape) const {
  Result<HostTensor> tensor = read(name);
  if (!tensor)
    return tensor;
  std::optional<int64_t> place = host::fitTexts(*tensor, shape.back());
  if (!place)
    return tensor;
  host::Texts texts(*tensor);
  std::vector<int64_t> longer = shape;
  for (int64_t i = 0; i < texts.size(); ++i)
    longer.back() = std::max(longer.back(), int64_t(texts[i].size()));
  return rt::fail(Code::OutOfRange,
                  path(name) + ": input " + rt::quoteName(name) +
                      ": the string at " +
                      numeric::placeText(texts.shape(), *place) + " has " +
                      std::to_string(texts[*place].size()) +
                      " bytes in UTF-8, the program takes up to " +
                      std::to_string(shape.back()) + "; convert with --shape " +
                      name + "=" + numeric::shapeText(longer));
}

bool Sample::canBe(const std::string &name, ElementType wanted) const {
  return !isText(name) && (numeric::carries(type(name), wanted) ||
                           numeric::convertsByValue(type(name), wanted));
}

Result<HostTensor> Sample::readAs(const std::string &name,
                                  ElementType wanted) const {
  Result<HostTensor> tensor = read(name);
  if (!tensor || numeric::fromCarrier(*tensor, wanted))
    return tensor;
  const std::string subject = path(name) + ": input " + rt::quoteName(name);
  // What carries bits has no numbers that could be converted.
  if (numeric::carries(tensor->type(), wanted) &&
      tensor->type() == ElementType::U8)
    return rt::fail(Code::OutOfRange,
                    subject + " has values out of the range of " +
                        numeric::elementTypeName(wanted) +
                        "; give one value of that type for each element");
  std::optional<int64_t> place = numeric::convertValues(*tensor, wanted);
  if (!place)
    return tensor;
  return rt::fail(Code::OutOfRange,
                  subject + " is " + numeric::elementText(*tensor, *place) +
                      " at " + numeric::placeText(tensor->shape(), *place) +
                      ", which " + numeric::elementTypeName(wanted) +
                      " does not have; give values of " +
                      numeric::elementTypeName(wanted));
}

#include "tools/samples/SampleFiles.h"
#include "runtime/status/Quote.h"
#include "tools/files/InputFile.h"

#include <algorithm>
#include <filesystem>
#include <map>

using namespace weft;
using namespace weft::samples;
using rt::Code;
using rt::Result;

static bool exists(const std::string &path) {
  std::error_code ignored;
  return std::filesystem::exists(path, ignored);
}

static bool isFile(const std::string &path) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(path, ignored);
}

/// `mayStack`: several without names are one input's.
static Result<SampleFiles> parse(const std::vector<std::string> &texts,
                                 bool mayStack) {
  SampleFiles files;
  for (const std::string &text : texts) {
    size_t equals = text.find('=');
    if (equals == text.npos || equals == 0 || exists(text))
      files.push_back({text, ""});
    else
      files.push_back({text.substr(equals + 1), text.substr(0, equals)});
  }
  auto isUnnamed = [](const SampleFile &file) { return file.input.empty(); };
  if (mayStack && std::all_of(files.begin(), files.end(), isUnnamed)) {
    for (size_t i = 0; i < files.size(); ++i)
      files[i].entry = i;
    return files;
  }
  for (size_t i = 1; i < files.size(); ++i) {
    if (isUnnamed(files[i]) || isUnnamed(files[0]))
      return rt::fail(Code::InvalidArgument,
                      rt::quoteName(texts[0]) + " and " +
                          rt::quoteName(texts[i]) +
                          " are given; several need the input's name each: "
                          "NAME=PATH");
    for (size_t j = 0; j < i; ++j)
      if (files[i].input == files[j].input)
        return rt::fail(Code::InvalidArgument,
                        "input " + rt::quoteName(files[i].input) +
                            " is given twice");
  }
  return files;
}

Result<SampleFiles> samples::parseFiles(const std::vector<std::string> &texts) {
  return parse(texts, /*mayStack=*/true);
}

static bool isSampleName(const std::filesystem::path &path) {
  std::string extension = path.extension().string();
  for (char &c : extension)
    c = c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c;
  for (const char *known : {".npz", ".npy", ".png", ".jpg", ".jpeg"})
    if (extension == known)
      return true;
  return false;
}

/// The samples in one folder, sorted.
static Result<std::vector<std::string>> listFolder(const std::string &folder) {
  std::error_code error;
  std::filesystem::directory_iterator entries(folder, error), end;
  std::vector<std::string> files;
  for (; !error && entries != end; entries.increment(error))
    if (isSampleName(entries->path()))
      files.push_back(entries->path().string());
  if (error)
    return rt::fail(Code::IoError, "cannot read the folder " +
                                       rt::quoteName(folder) + ": " +
                                       error.message());
  if (files.empty())
    return rt::fail(Code::NotFound,
                    "no samples: " + rt::quoteName(folder) +
                        " holds no .npz, .npy, .png or .jpg file; put one for "
                        "each sample there");
  std::sort(files.begin(), files.end());
  return files;
}

/// Adds one folder's files to the samples of their names.
static rt::Status addFolder(const SampleFile &folder,
                            std::map<std::string, SampleFiles> &samples) {
  Result<std::vector<std::string>> files = listFolder(folder.path);
  if (!files)
    return files.status();
  for (const std::string &file : *files) {
    SampleFiles &sample = samples[std::filesystem::path(file).stem().string()];
    if (!sample.empty() && sample.back().input == folder.input)
      return rt::fail(Code::InvalidArgument,
                      rt::quoteName(sample.back().path) + " and " +
                          rt::quoteName(file) +
                          " have one name, and are the same sample of input " +
                          rt::quoteName(folder.input) + "; remove one");
    sample.push_back({file, folder.input});
  }
  return rt::Status::ok();
}

static std::vector<SampleFiles> firstOf(std::vector<SampleFiles> samples,
                                        int64_t limit) {
  if (limit > 0 && samples.size() > size_t(limit))
    samples.resize(size_t(limit));
  return samples;
}

Result<std::vector<SampleFiles>>
samples::listSamples(const std::vector<std::string> &texts, int64_t limit) {
  std::vector<SampleFiles> samples;
  if (std::all_of(texts.begin(), texts.end(), isFile)) {
    for (const std::string &text : texts)
      samples.push_back({{text, ""}});
    return firstOf(std::move(samples), limit);
  }
  Result<SampleFiles> folders = parse(texts, /*mayStack=*/false);
  if (!folders)
    return folders.status();
  if (folders->size() == 1) {
    Result<std::vector<std::string>> files = listFolder(folders->front().path);
    if (!files)
      return files.status();
    for (const std::string &file : *files)
      samples.push_back({{file, folders->front().input}});
  } else {
    std::map<std::string, SampleFiles> byName;
    for (const SampleFile &folder : *folders)
      WEFT_TRY(addFolder(folder, byName));
    for (auto &[name, sample] : byName) {
      if (sample.size() != folders->size())
        return rt::fail(Code::InvalidArgument,
                        rt::quoteName(sample[0].path) +
                            " has no file of the same name in the other "
                            "folders; each needs one");
      samples.push_back(std::move(sample));
    }
  }
  return firstOf(std::move(samples), limit);
}

std::vector<SampleFiles>
samples::stacked(const std::vector<SampleFiles> &samples, size_t count) {
  if (count <= 1)
    return samples;
  std::vector<SampleFiles> stacks((samples.size() + count - 1) / count);
  for (size_t i = 0; i < stacks.size() * count; ++i)
    for (SampleFile file : samples[i % samples.size()]) {
      file.entry = i % count;
      stacks[i / count].push_back(std::move(file));
    }
  return stacks;
}

std::string samples::nameOf(const SampleFiles &files) {
  if (!files.empty() && files.back().entry > 0)
    return files.front().path + " .. " + files.back().path;
  std::string name;
  for (const SampleFile &file : files)
    name += (name.empty() ? "" : ", ") + file.path;
  return name;
}

const std::string *
samples::overwrittenBy(const std::string &output,
                       const std::vector<SampleFiles> &samples) {
  for (const SampleFiles &files : samples)
    for (const SampleFile &file : files)
      if (tools::isSameFile(file.path, output))
        return &file.path;
  return nullptr;
}

rt::Status samples::checkKept(const std::vector<std::string> &texts,
                              const std::string &option,
                              const std::string &output) {
  Result<std::vector<SampleFiles>> samples = listSamples(texts, /*limit=*/0);
  const std::string *one = samples ? overwrittenBy(output, *samples) : nullptr;
  return one ? tools::checkInputsKept(option, output, {{"a sample", *one}})
             : rt::Status::ok();
}

#include "tools/preprocess/SettingsFile.h"
#include "runtime/status/Quote.h"
#include "tools/files/InputFile.h"
#include "tools/preprocess/Settings.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/YAMLParser.h"

#include <set>

using namespace weft;
using namespace weft::preprocess;
using rt::Code;
using rt::Status;

/// Ten lines are usual.
static constexpr size_t kMaxBytes = 64 * 1024;

namespace {

/// Reads one file. Nodes are parsed as they are asked for, so a nested or
/// endless structure ends where it stops being a flat mapping.
class Parser {
public:
  Parser(llvm::StringRef text, std::string name)
      : name(std::move(name)), stream(text, sources, /*ShowColors=*/false) {
    sources.setDiagHandler(keepFirst, this);
  }

  Status parse(Options &options);

private:
  static void keepFirst(const llvm::SMDiagnostic &diagnostic, void *self) {
    auto *parser = static_cast<Parser *>(self);
    if (parser->problem)
      parser->problem =
          parser->at(diagnostic.getLineNo(), diagnostic.getMessage().str());
  }
  Status at(int line, const std::string &message) const {
    return rt::fail(Code::InvalidArgument,
                    name + ":" + std::to_string(line) + ": " + message);
  }
  Status at(llvm::yaml::Node &node, const std::string &message) const {
    auto start = node.getSourceRange().Start;
    return at(start.isValid() ? int(sources.getLineAndColumn(start).first) : 1,
              message);
  }
  Status readPair(llvm::yaml::KeyValueNode &pair, Options &options);
  Status readValues(llvm::yaml::Node *node, const std::string &key,
                    std::vector<std::string> &values);

  std::string name;
  llvm::SourceMgr sources;
  llvm::yaml::Stream stream;
  Status problem; ///< the first that LLVM reported
  std::set<std::string> seen;
};

} // namespace

static std::string textOf(llvm::yaml::ScalarNode &scalar) {
  llvm::SmallString<32> storage;
  return scalar.getValue(storage).str();
}

Status Parser::readValues(llvm::yaml::Node *node, const std::string &key,
                          std::vector<std::string> &values) {
  if (auto *scalar = llvm::dyn_cast_or_null<llvm::yaml::ScalarNode>(node)) {
    values.push_back(textOf(*scalar));
    return Status::ok();
  }
  auto *list = llvm::dyn_cast_or_null<llvm::yaml::SequenceNode>(node);
  auto wrong = [&](llvm::yaml::Node &where) {
    return at(where, key + " must be a value or a list of values");
  };
  if (!list)
    return node ? wrong(*node) : problem;
  for (llvm::yaml::Node &element : *list) {
    auto *scalar = llvm::dyn_cast<llvm::yaml::ScalarNode>(&element);
    if (!scalar)
      return wrong(element);
    values.push_back(textOf(*scalar));
  }
  return Status::ok();
}

Status Parser::readPair(llvm::yaml::KeyValueNode &pair, Options &options) {
  auto *keyNode = llvm::dyn_cast_or_null<llvm::yaml::ScalarNode>(pair.getKey());
  if (!keyNode)
    return at(pair, "a key is no word");
  std::string key = textOf(*keyNode);
  const Setting *setting = findSetting(key);
  if (!setting)
    return at(*keyNode, "unknown key " + rt::quoteName(key) +
                            "; known: " + settingNames());
  if (!seen.insert(key).second)
    return at(*keyNode, key + " is given twice");
  llvm::yaml::Node *value = pair.getValue();
  // A missing value has the place of what comes next.
  if (value && llvm::isa<llvm::yaml::NullNode>(value))
    return at(*keyNode, key + " has no value");
  std::vector<std::string> values;
  WEFT_TRY(readValues(value, key, values));
  WEFT_TRY(problem);
  Status status = setting->set(options, values);
  return status ? status : at(*keyNode, status.message());
}

Status Parser::parse(Options &options) {
  auto document = stream.begin();
  llvm::yaml::Node *root =
      document == stream.end() ? nullptr : document->getRoot();
  WEFT_TRY(problem);
  if (!root || llvm::isa<llvm::yaml::NullNode>(root))
    return at(1, "the file is empty; known keys: " + settingNames());
  auto *mapping = llvm::dyn_cast<llvm::yaml::MappingNode>(root);
  if (!mapping)
    return at(*root, "not a mapping; write one `key: value` a line");
  for (llvm::yaml::KeyValueNode &pair : *mapping) {
    WEFT_TRY(problem);
    WEFT_TRY(readPair(pair, options));
  }
  WEFT_TRY(problem);
  if (++document != stream.end())
    return at(1, "several documents; leave one");
  return problem;
}

Status preprocess::parseSettings(std::string_view text, const std::string &name,
                                 Options &options) {
  return Parser(llvm::StringRef(text.data(), text.size()), name).parse(options);
}

Status preprocess::readSettingsFile(const std::string &path, Options &options) {
  rt::Result<std::string> text = tools::readInputFile(path, kMaxBytes);
  if (!text)
    return text.status();
  return parseSettings(*text, path, options);
}

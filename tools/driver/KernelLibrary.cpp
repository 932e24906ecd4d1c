//===- KernelLibrary.cpp - kernels compiled by the host's compiler -------===//

#include "tools/driver/KernelLibrary.h"
#include "frontend/ppl/Recorder.h"
#include "tools/driver/UserCode.h"
#include "tools/files/TemporaryFolder.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <dlfcn.h>
#include <elf.h>
#include <exception>

using namespace weft;
using namespace weft::driver;

rt::Result<std::string> KernelLibrary::includeFolder() {
  if (const char *given = std::getenv("WEFT_PPL_INCLUDE"); given && *given)
    return std::string(given);
  // The library or program that this code is in: <prefix>/bin/weft or
  // <prefix>/lib/libweft-compiler.so.
  Dl_info own;
  if (dladdr(reinterpret_cast<void *>(&KernelLibrary::includeFolder), &own) &&
      own.dli_fname) {
    llvm::SmallString<256> file(own.dli_fname);
    if (!llvm::StringRef(own.dli_fname).contains('/'))
      if (auto found = llvm::sys::findProgramByName(own.dli_fname))
        file = *found;
    llvm::SmallString<256> real;
    if (!llvm::sys::fs::real_path(file, real))
      file = real;
    llvm::StringRef folder = llvm::sys::path::parent_path(file);
    for (llvm::StringRef prefix :
         {llvm::sys::path::parent_path(folder), folder}) {
      llvm::SmallString<256> include(prefix);
      llvm::sys::path::append(include, "include", "weft");
      if (llvm::sys::fs::exists(include + "/ppl/ppl.h"))
        return std::string(include);
    }
  }
  return rt::fail(rt::Code::NotFound,
                  "the kernel headers (ppl/ppl.h) are not beside the program; "
                  "set WEFT_PPL_INCLUDE to the folder that holds ppl/");
}

/// `count` objects of type T at `offset` of the file; null if they leave it.
template <class T>
static const T *objectsAt(llvm::StringRef file, uint64_t offset,
                          uint64_t count) {
  bool fits = offset <= file.size() && offset % alignof(T) == 0 &&
              count <= (file.size() - offset) / sizeof(T);
  return fits ? reinterpret_cast<const T *>(file.data() + offset) : nullptr;
}

/// The text that starts at `offset` of a string table.
static llvm::StringRef textAt(llvm::StringRef table, uint64_t offset) {
  llvm::StringRef rest = table.substr(std::min<uint64_t>(offset, table.size()));
  return rest.take_until([](char c) { return c == '\0'; });
}

static llvm::StringRef contentsOf(llvm::StringRef file,
                                  const Elf64_Shdr &section) {
  const char *data = objectsAt<char>(file, section.sh_offset, section.sh_size);
  return data ? llvm::StringRef(data, section.sh_size) : llvm::StringRef();
}

namespace {
struct NamedFunction {
  uint64_t address;
  std::string name;
  bool isTest;
};
} // namespace

/// Functions by the section that __TEST__ or __KERNEL__ puts them in, in the
/// order of the source.
static std::vector<NamedFunction> functionsOf(llvm::StringRef file) {
  std::vector<NamedFunction> functions;
  auto *header = objectsAt<Elf64_Ehdr>(file, 0, 1);
  if (!header || header->e_ident[EI_CLASS] != ELFCLASS64)
    return functions;
  auto *sections =
      objectsAt<Elf64_Shdr>(file, header->e_shoff, header->e_shnum);
  if (!sections || header->e_shstrndx >= header->e_shnum)
    return functions;
  llvm::StringRef sectionNames = contentsOf(file, sections[header->e_shstrndx]);
  for (unsigned i = 0; i < header->e_shnum; ++i) {
    const Elf64_Shdr &table = sections[i];
    if (table.sh_type != SHT_DYNSYM || table.sh_link >= header->e_shnum)
      continue;
    llvm::StringRef names = contentsOf(file, sections[table.sh_link]);
    uint64_t count = table.sh_size / sizeof(Elf64_Sym);
    auto *symbols = objectsAt<Elf64_Sym>(file, table.sh_offset, count);
    for (uint64_t k = 0; symbols && k < count; ++k) {
      const Elf64_Sym &symbol = symbols[k];
      if (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC ||
          symbol.st_shndx >= header->e_shnum)
        continue;
      llvm::StringRef section =
          textAt(sectionNames, sections[symbol.st_shndx].sh_name);
      if (section == "ppl_test" || section == "ppl_kernel")
        functions.push_back({symbol.st_value,
                             textAt(names, symbol.st_name).str(),
                             section == "ppl_test"});
    }
  }
  std::sort(functions.begin(), functions.end(),
            [](const NamedFunction &a, const NamedFunction &b) {
              return a.address < b.address;
            });
  return functions;
}

rt::Result<KernelLibrary> KernelLibrary::load(const std::string &path,
                                              const std::string &source) {
  // A name without a slash would be looked for among the system's libraries.
  std::string file = path.find('/') == std::string::npos ? "./" + path : path;
  UserCode running("loading " + path); // its static initializers
  void *handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    const char *why = dlerror();
    return rt::fail(rt::Code::InvalidArgument,
                    path + ": cannot be loaded: " + (why ? why : "unknown"));
  }
  KernelLibrary library(handle);
  library.theSource = source;
  if (!library.symbol("weft_ppl_bind"))
    return rt::fail(rt::Code::InvalidArgument,
                    (source.empty() ? path + ": no kernel library; compile it "
                                             "with ppl/ppl.h"
                                    : source + ": includes no ppl/ppl.h; a "
                                               "kernel begins with #include "
                                               "\"ppl/ppl.h\""));
  auto contents = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                              /*RequiresNullTerminator=*/false);
  if (!contents)
    return rt::fail(rt::Code::IoError, path + ": cannot be read: " +
                                           contents.getError().message());
  for (NamedFunction &function : functionsOf((*contents)->getBuffer()))
    (function.isTest ? library.theTests : library.theKernels)
        .push_back(std::move(function.name));
  return library;
}

bool KernelLibrary::isLibrary(const std::string &path) {
  auto file = llvm::MemoryBuffer::getFileSlice(path, SELFMAG, 0);
  return file && (*file)->getBuffer() == llvm::StringRef(ELFMAG, SELFMAG);
}

/// Runs the C++ compiler of the host on a kernel, with the words that every
/// compilation has, then `words`. `named`: the file that messages are about.
static rt::Status runCompiler(const std::string &named,
                              const std::vector<std::string> &words) {
  if (!llvm::sys::fs::exists(named))
    return rt::fail(rt::Code::NotFound, named + ": no such file");
  if (llvm::sys::fs::is_directory(named))
    return rt::fail(rt::Code::InvalidArgument,
                    named + ": is a folder; give a file in it");
  rt::Result<std::string> include = KernelLibrary::includeFolder();
  if (!include)
    return include.status();
  const char *chosen = std::getenv("CXX");
  // CXX may hold words, as "ccache g++ -O2".
  llvm::SmallVector<llvm::StringRef> chosenWords;
  llvm::StringRef(chosen ? chosen : "").split(chosenWords, ' ', -1, false);
  if (chosenWords.empty())
    chosenWords.push_back("c++");
  auto compiler = llvm::sys::findProgramByName(chosenWords.front());
  if (!compiler)
    return rt::fail(rt::Code::NotFound,
                    "no C++ compiler: '" + chosenWords.front().str() +
                        "' is not on the path; install one or name it in CXX");
  std::vector<std::string> command = {*compiler};
  for (llvm::StringRef word : llvm::ArrayRef(chosenWords).drop_front())
    command.push_back(word.str());
  command.insert(command.end(),
                 {"-std=c++17", "-O1", "-fPIC", "-I" + *include});
  command.insert(command.end(), words.begin(), words.end());
  std::vector<llvm::StringRef> all(command.begin(), command.end());
  std::string why;
  int code =
      llvm::sys::ExecuteAndWait(*compiler, all, std::nullopt, {}, 0, 0, &why);
  if (code == 0)
    return rt::Status::ok();
  return rt::fail(rt::Code::InvalidArgument,
                  named + ": does not compile" +
                      (why.empty() ? std::string() : " (" + why + ")"));
}

rt::Result<KernelLibrary>
KernelLibrary::compile(const std::string &source,
                       const std::vector<std::string> &arguments,
                       const std::string &driver) {
  // In a folder: a compiler that outlives this program finds no place then.
  rt::Result<std::unique_ptr<tools::TemporaryFolder>> folder =
      tools::TemporaryFolder::make("weft-kernel");
  if (!folder)
    return folder.status();
  const std::string output = (*folder)->path() + "/kernel.so"; // stays mapped
  std::vector<std::string> words = {"-shared", "-x", "c++"};
  if (driver.empty()) {
    words.push_back(source);
  } else {
    const std::string file = (*folder)->path() + "/driver.cpp";
    std::error_code error;
    llvm::raw_fd_ostream stream(file, error);
    stream << driver;
    stream.close();
    if (error || stream.has_error())
      return rt::fail(rt::Code::IoError, file + ": cannot be written");
    // Included by its name, which messages then have.
    words.insert(words.end(), {"-include", source, file});
  }
  words.insert(words.end(), {"-o", output});
  words.insert(words.end(), arguments.begin(), arguments.end());
  if (rt::Status status = runCompiler(source, words); !status)
    return status;
  return load(output, source);
}

//===----------------------------------------------------------------------===//
// Signatures
//===----------------------------------------------------------------------===//

static bool isNameChar(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}

static llvm::StringRef nameAtEnd(llvm::StringRef text) {
  size_t start = text.size();
  while (start > 0 && isNameChar(text[start - 1]))
    --start;
  return text.drop_front(start);
}

/// "fp16 *ptr_res" in its parts; a parameter without a name has none.
static KernelParameter parameterOf(llvm::StringRef text) {
  text = text.split('=').first.trim();
  llvm::StringRef name = nameAtEnd(text);
  llvm::StringRef type = text.drop_back(name.size()).trim();
  if (type.empty())
    return {text.str(), ""};
  return {type.str(), name.str()};
}

/// The declarations of kernels in preprocessed text: behind the attribute that
/// __KERNEL__ stands for.
static std::vector<KernelSignature> signaturesIn(llvm::StringRef text) {
  std::vector<KernelSignature> signatures;
  constexpr llvm::StringLiteral mark = "section(\"ppl_kernel\")))";
  for (size_t at = text.find(mark); at != llvm::StringRef::npos;
       at = text.find(mark, at)) {
    at += mark.size();
    llvm::StringRef rest = text.drop_front(at);
    size_t open = rest.find('('), close = open;
    for (int depth = 0; close < rest.size(); ++close) {
      depth += rest[close] == '(' ? 1 : rest[close] == ')' ? -1 : 0;
      if (depth == 0)
        break;
    }
    if (close >= rest.size())
      break;
    KernelSignature signature;
    signature.name = nameAtEnd(rest.take_front(open).rtrim()).str();
    llvm::SmallVector<llvm::StringRef> parts;
    rest.slice(open + 1, close).split(parts, ',');
    for (llvm::StringRef part : parts)
      if (!part.trim().empty() && part.trim() != "void")
        signature.parameters.push_back(parameterOf(part));
    bool isKnown =
        std::any_of(signatures.begin(), signatures.end(),
                    [&](const auto &s) { return s.name == signature.name; });
    if (!isKnown) // declared before
      signatures.push_back(std::move(signature));
  }
  return signatures;
}

rt::Result<std::vector<KernelSignature>>
KernelLibrary::signatures(const std::string &source,
                          const std::vector<std::string> &arguments) {
  rt::Result<std::unique_ptr<tools::TemporaryFolder>> folder =
      tools::TemporaryFolder::make("weft-kernel");
  if (!folder)
    return folder.status();
  const std::string output = (*folder)->path() + "/kernel.ii";
  std::vector<std::string> words = {"-E",   "-P", "-x",  "c++",
                                    source, "-o", output};
  words.insert(words.end(), arguments.begin(), arguments.end());
  if (rt::Status status = runCompiler(source, words); !status)
    return status;
  auto text = llvm::MemoryBuffer::getFile(output);
  if (!text)
    return rt::fail(rt::Code::IoError,
                    source + ": cannot be read once preprocessed");
  return signaturesIn((*text)->getBuffer());
}

KernelLibrary::KernelLibrary(KernelLibrary &&other) noexcept
    : handle(other.handle), theTests(std::move(other.theTests)),
      theKernels(std::move(other.theKernels)),
      theSource(std::move(other.theSource)) {
  other.handle = nullptr;
}

KernelLibrary::~KernelLibrary() {
  UserCode running("unloading the kernel library"); // its destructors
  if (handle)
    dlclose(handle);
}

void *KernelLibrary::symbol(const std::string &name) const {
  return dlsym(handle, name.c_str());
}

/// Reports what a test threw at the last line that it recorded.
static rt::Status thrown(const std::string &test, const std::string &what,
                         const weft_ppl_recorder &recorder) {
  weft_ppl_line last =
      static_cast<frontend::Recorder *>(recorder.self)->lastLine();
  if (last.line <= 0) // nothing was recorded
    return rt::fail(rt::Code::InvalidArgument,
                    test + " threw an exception" + what);
  std::string text = test + " threw an exception after this call" + what;
  recorder.fail(recorder.self, text.c_str(), last);
  return rt::Status::ok();
}

rt::Status KernelLibrary::callTest(const std::string &name,
                                   const weft_ppl_recorder &recorder) const {
  if (std::find(theTests.begin(), theTests.end(), name) == theTests.end())
    return rt::fail(rt::Code::NotFound, "no __TEST__ function '" + name + "'");
  auto bind = reinterpret_cast<void (*)(const weft_ppl_recorder *)>(
      symbol("weft_ppl_bind"));
  auto test = reinterpret_cast<void (*)()>(symbol(name));
  rt::Status status;
  auto *words = static_cast<const char *>(symbol(name + "_runs"));
  UserCode running(words ? words : "test " + name, theSource);
  bind(&recorder);
  // What a user's code throws is the user's.
  try {
    test();
  } catch (const std::exception &exception) {
    // The headers end a test so after an error that has been reported.
    if (!recorder.get(recorder.self, WEFT_PPL_FAILED, 0))
      status = thrown(words ? words : name,
                      std::string(": ") + exception.what(), recorder);
  } catch (...) {
    status = thrown(words ? words : name, "", recorder);
  }
  bind(nullptr);
  return status;
}

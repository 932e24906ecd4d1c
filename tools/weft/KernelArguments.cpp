//===- KernelArguments.cpp - what --arg gives a kernel --------------------===//

#include "tools/weft/KernelArguments.h"
#include "runtime/catalog/Dense.h"
#include "runtime/status/Quote.h"
#include "tools/npz/Npz.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <sstream>

using namespace weft;
using namespace weft::cli;
using driver::KernelParameter;
using driver::KernelSignature;

static constexpr const char *kForms =
    "; memory is FILE.npz:ARRAY, out:[1x64x1x128] or rand:[1x64x1x128], with "
    "or without the type in front, as in out:fp16[1x64x1x128]; a number is 64, "
    "0.5 (decimal, at most 1.8e308), true or false";

static rt::Status wrong(const std::string &word, const std::string &why) {
  return rt::fail(rt::Code::InvalidArgument, "--arg " + word + ": " + why);
}

static bool endsIn(std::string_view text, std::string_view end) {
  return text.size() >= end.size() &&
         text.substr(text.size() - end.size()) == end;
}

/// Whether the type is one of those that --arg cannot give. Names that the
/// kernel's file gives to others show when it is compiled (ppl/driver.h).
static bool isNoNumber(const KernelParameter &parameter) {
  std::string_view type = parameter.type;
  for (std::string_view structure : {"dim4", "dim2", "padding_t"})
    if (endsIn(type, structure))
      return true;
  return !parameter.isPointer() &&
         type.find_first_of("<&[") != std::string_view::npos;
}

bool cli::canBeCalled(const KernelSignature &kernel) {
  return std::none_of(kernel.parameters.begin(), kernel.parameters.end(),
                      isNoNumber);
}

std::string cli::textOf(const KernelSignature &kernel) {
  std::string text;
  for (const KernelParameter &parameter : kernel.parameters)
    text += (text.empty() ? "" : ", ") + parameter.type +
            (parameter.isPointer() ? "" : " ") + parameter.name;
  return kernel.name + "(" + text + ")";
}

std::string cli::exampleOf(const KernelSignature &kernel) {
  std::string text = "--kernel " + kernel.name;
  for (const KernelParameter &parameter : kernel.parameters)
    text += " --arg " + parameter.name +
            (parameter.isPointer() ? "=out:[1x64x1x128]" : "=NUMBER");
  return text;
}

//===----------------------------------------------------------------------===//
// Words
//===----------------------------------------------------------------------===//

/// "1x64x1x128", at most four sizes; empty if it is none.
static std::vector<int64_t> parseShape(std::string_view text) {
  std::vector<int64_t> shape;
  std::istringstream stream{std::string(text)};
  for (std::string size; std::getline(stream, size, 'x');) {
    bool isNumber = !size.empty() && size.size() < 10 &&
                    size.find_first_not_of("0123456789") == std::string::npos;
    if (!isNumber || std::stoll(size) == 0 || shape.size() == 4)
      return {};
    shape.push_back(std::stoll(size));
  }
  if (!text.empty() && text.back() == 'x')
    return {};
  return shape;
}

/// "fp16[1x64x1x128]" or "[64]".
static bool parseMemory(std::string_view text, std::string &type,
                        std::vector<int64_t> &shape) {
  size_t open = text.find('[');
  if (open == text.npos || text.back() != ']')
    return false;
  type = text.substr(0, open);
  shape = parseShape(text.substr(open + 1, text.size() - open - 2));
  return !shape.empty();
}

/// A decimal number: whole ones are kept exactly. No other number stands for
/// one that is too large.
static bool parseNumber(const std::string &text, bool &isWhole,
                        long long &whole, double &real) {
  isWhole = true;
  whole = text == "true";
  real = double(whole);
  if (text == "true" || text == "false")
    return true;
  if (text.find_first_of("xX") != text.npos) // hexadecimal to strtod()
    return false;
  char *end = nullptr;
  errno = 0;
  whole = std::strtoll(text.c_str(), &end, 10);
  real = double(whole);
  if (*end == '\0' && errno == 0)
    return true;
  isWhole = false;
  errno = 0;
  real = std::strtod(text.c_str(), &end);
  bool isTooLarge = errno == ERANGE && std::isinf(real);
  return *end == '\0' && !isTooLarge;
}

/// A shape of n, c, h and w: missing axes are ones in front, further ones are
/// folded into n.
static std::vector<int64_t> fourAxes(const std::vector<int64_t> &shape) {
  std::vector<int64_t> four(4, 1);
  for (size_t i = 0; i < shape.size(); ++i) {
    size_t fromEnd = shape.size() - 1 - i;
    four[fromEnd < 4 ? 3 - fromEnd : 0] *= shape[i];
  }
  return four;
}

//===----------------------------------------------------------------------===//
// Arrays
//===----------------------------------------------------------------------===//

/// The array and whether it is of strings, whose bytes it then has.
static rt::Result<numeric::HostTensor> readArray(const std::string &text,
                                                 bool &isText) {
  if (endsIn(text, ".npy"))
    return npz::readNpy(text, &isText);
  size_t colon = text.rfind(".npz:");
  bool isNamed = colon != text.npos;
  std::string path = isNamed ? text.substr(0, colon + 4) : text;
  rt::Result<npz::Reader> reader = npz::Reader::open(path);
  if (!reader)
    return reader.status();
  std::string name = isNamed ? text.substr(colon + 5) : "";
  if (!isNamed && reader->names().size() == 1)
    name = reader->names().front();
  if (!reader->header(name)) {
    std::string known;
    for (const std::string &each : reader->names())
      known += (known.empty() ? "" : ", ") + each;
    return rt::fail(rt::Code::NotFound,
                    (isNamed ? "no array " + rt::quoteName(name)
                             : std::string("no array is named")) +
                        "; " + path + " has " + known + ": write " + path +
                        ":NAME");
  }
  isText = reader->header(name)->isText();
  return reader->read(name);
}

rt::Status KernelArguments::parseArray(Given &given, KernelArguments &all) {
  bool isText = false;
  rt::Result<numeric::HostTensor> array = readArray(given.text, isText);
  if (!array)
    return array.status().withContext("--arg " + given.name + "=" + given.text);
  if (array->elements() == 0)
    return wrong(given.name + "=" + given.text, "the array has no elements");
  bool isComplex = array->type() == numeric::ElementType::C64 ||
                   array->type() == numeric::ElementType::C128;
  if (isText || isComplex)
    return wrong(given.name + "=" + given.text,
                 std::string("the array is of ") +
                     (isText ? "strings" : "complex numbers") +
                     "; give real numbers");
  given.isMemory = true;
  given.shape = fourAxes(array->shape());
  all.arrays.emplace(given.name, std::move(*array));
  return rt::Status::ok();
}

//===----------------------------------------------------------------------===//
// The call
//===----------------------------------------------------------------------===//

rt::Result<KernelArguments>
KernelArguments::parse(const KernelSignature &kernel,
                       const std::vector<std::string> &words) {
  KernelArguments all;
  all.kernel = kernel.name;
  for (const KernelParameter &parameter : kernel.parameters)
    if (isNoNumber(parameter))
      return rt::fail(rt::Code::InvalidArgument,
                      "--arg: parameter '" + parameter.name + "' of " +
                          textOf(kernel) +
                          " is neither a pointer nor a number; write a "
                          "__TEST__ function that calls the kernel");
  std::map<std::string, Given> byName;
  for (const std::string &word : words) {
    size_t equals = word.find('=');
    if (equals == word.npos || equals == 0)
      return wrong(word, "is NAME=VALUE" + std::string(kForms));
    Given one;
    one.name = word.substr(0, equals);
    one.text = word.substr(equals + 1);
    bool isParameter = std::any_of(
        kernel.parameters.begin(), kernel.parameters.end(),
        [&](const KernelParameter &p) { return p.name == one.name; });
    if (!isParameter)
      return wrong(word, "the kernel has no such parameter: " + textOf(kernel));
    if (byName.count(one.name))
      return wrong(word, "the parameter has a value already; give it one");
    bool isOut = one.text.rfind("out:", 0) == 0,
         isRandom = one.text.rfind("rand:", 0) == 0;
    std::string_view memory = std::string_view(one.text);
    memory.remove_prefix(isOut ? 4 : isRandom ? 5 : 0);
    if (isOut || isRandom || endsIn(memory, "]")) {
      one.isMemory = true;
      one.isRandom = isRandom;
      if (!parseMemory(memory, one.type, one.shape))
        return wrong(word, "memory is TYPE[SHAPE] with one to four sizes, as "
                           "in fp16[1x64x1x128]");
      one.shape = fourAxes(one.shape);
    } else if (endsIn(one.text, ".npy") || endsIn(one.text, ".npz") ||
               one.text.find(".npz:") != one.text.npos) {
      if (rt::Status status = parseArray(one, all); !status)
        return status;
    } else if (one.text.empty() ||
               !parseNumber(one.text, one.isWhole, one.whole, one.real)) {
      return wrong(word, "neither memory nor a number" + std::string(kForms));
    }
    byName.emplace(one.name, std::move(one));
  }
  for (const KernelParameter &parameter : kernel.parameters) {
    auto found = byName.find(parameter.name);
    if (found == byName.end())
      return rt::fail(
          rt::Code::InvalidArgument,
          "--arg: parameter '" + parameter.name + "' of " + textOf(kernel) +
              " has no value; add --arg " + parameter.name +
              (parameter.isPointer() ? "=out:[1x64x1x128] or =FILE.npz:ARRAY"
                                     : "=NUMBER"));
    all.given.push_back(found->second);
  }
  return all;
}

/// As a string literal of C++.
static std::string literal(const std::string &text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\')
      out += '\\';
    out += static_cast<unsigned char>(c) < 32 ? '?' : c;
  }
  return out + "\"";
}

std::string KernelArguments::driver() const {
  std::ostringstream out;
  out.precision(17);
  out << "#include \"ppl/driver.h\"\nextern \"C\" __attribute__((used, "
         "visibility(\"default\"))) const char "
      << kDriverName << "_runs[] = \"kernel " << kernel << "\";\n__TEST__ void "
      << kDriverName << "() {\n  const ::ppl::driver::Given given[] = {\n";
  for (const Given &one : given) {
    std::vector<int64_t> shape =
        one.isMemory ? one.shape : std::vector<int64_t>(4, 1);
    out << "    {" << literal(one.name) << ", " << literal(one.text) << ", "
        << one.isMemory << ", " << literal(one.type) << ", {" << shape[0]
        << ", " << shape[1] << ", " << shape[2] << ", " << shape[3] << "}, "
        << one.isRandom << ", " << one.isWhole << ", ";
    if (one.whole == INT64_MIN)
      out << "-9223372036854775807ll - 1, ";
    else
      out << one.whole << "ll, ";
    if (std::isfinite(one.real))
      out << one.real << "},\n";
    else
      out << (std::isnan(one.real) ? "NAN"
              : one.real < 0       ? "-HUGE_VAL"
                                   : "HUGE_VAL")
          << "},\n";
  }
  out << "    {}};\n  ::ppl::driver::run(&" << kernel << ", given);\n}\n";
  return out.str();
}

/// A double holds integers of up to 53 bits only.
static bool isLong(const numeric::HostTensor &array) {
  return array.type() == numeric::ElementType::I64 ||
         array.type() == numeric::ElementType::U64;
}

static std::string elementText(const numeric::HostTensor &array, int64_t i) {
  if (array.type() == numeric::ElementType::U64)
    return std::to_string(array.as<uint64_t>()[i]);
  return isLong(array) ? std::to_string(array.as<int64_t>()[i])
                       : std::to_string(array.toDouble(i));
}

/// Whether an integer type has the element of an array of 64 bits, which it
/// then gets.
static bool storeLong(const numeric::HostTensor &array, int64_t i,
                      catalog::Dense &values) {
  uint64_t code = uint64_t(array.as<int64_t>()[i]);
  bool isNegative =
      array.type() == numeric::ElementType::I64 && int64_t(code) < 0;
  unsigned bits = catalog::bitsOf(values.type);
  bool isSigned = catalog::isSigned(values.type);
  if (isNegative ? !isSigned || int64_t(code) < INT64_MIN >> (64 - bits)
                 : bits - isSigned < 64 && code >> (bits - isSigned) != 0)
    return false;
  values.setBits(i, bits == 64 ? code : code & ((uint64_t(1) << bits) - 1));
  return true;
}

/// Whether the type of `values` has an element of an array, which it then
/// gets. Floats are rounded, but stay finite.
static bool store(const numeric::HostTensor &array, int64_t i,
                  catalog::Dense &values) {
  bool isFloat = catalog::isFloat(values.type);
  if (isLong(array) && !isFloat)
    return storeLong(array, i, values);
  double value = array.toDouble(i);
  bool isWhole = std::isfinite(value) && std::fabs(value) < 0x1p63;
  if (isFloat || isWhole)
    values.setValue(i, value);
  if (isFloat)
    return !std::isfinite(value) || std::isfinite(values.value(i));
  return isWhole && values.value(i) == value;
}

rt::Status KernelArguments::fill(frontend::DeviceMemory &memory) const {
  for (const auto &[name, array] : arrays) {
    const std::string &wanted = name;
    auto piece = std::find_if(
        memory.pieces.begin(), memory.pieces.end(),
        [&](const auto &p) { return p.isTest && p.name == wanted; });
    if (piece == memory.pieces.end()) // the kernel's call has failed
      continue;
    std::optional<catalog::DataType> type = catalog::dataTypeOf(piece->type);
    catalog::Dense values(*type, {1, 1, 1, array.elements()});
    for (int64_t i = 0; i < array.elements(); ++i)
      if (!store(array, i, values))
        return wrong(name, "element " + std::to_string(i) +
                               " of the array is " + elementText(array, i) +
                               ", the parameter points "
                               "to " +
                               std::string(catalog::spelling(*type)) +
                               "; give values of that type");
    std::copy(values.bytes.begin(), values.bytes.end(),
              memory.at(piece->address));
  }
  return rt::Status::ok();
}

//===- Assemble.cpp - text to commands -----------------------------------===//

#include "runtime/isa/Assemble.h"
#include "runtime/isa/Symbols.h"
#include "runtime/numeric/Float16.h"
#include "runtime/status/Quote.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <tuple>

using namespace weft;
using namespace weft::isa;

namespace {

/// A word of the line and where it begins.
struct Word {
  std::string_view text;
  size_t column = 0;
};

/// A number as written: its magnitude and sign.
struct Number {
  uint64_t magnitude;
  bool isNegative;
};

/// Reads one line word by word; the first fault ends it.
class LineParser {
public:
  LineParser(const InstructionSet &set, std::string_view line)
      : set(set), rest(line.substr(0, line.find(';'))) {}
  AssembledLine parse();

private:
  Word next();
  AssembledLine wrong(const Word &word, const std::string &why);
  bool readOrder(const Word &word, AssembledLine &line);
  bool chooseInstruction(Word word, AssembledLine &line);
  bool setField(const Word &word, AssembledLine &line);
  bool claim(const Word &word, const FieldSpec *field, AssembledLine &line);
  AssembledLine fail(const Word &word, const std::string &why,
                     AssembledLine &line);

  const InstructionSet &set;
  std::string_view rest;
  size_t column = 1;
  Engine engine = Engine::Tiu;
  std::optional<uint64_t> id, dep;
  Word idWord, depWord;
  std::optional<Word> pending; ///< read one word too far
  std::vector<const FieldSpec *> seen;
};

} // namespace

static bool isBlank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

static std::optional<Number> readNumber(std::string_view text) {
  Number number{0, !text.empty() && text[0] == '-'};
  if (number.isNegative)
    text.remove_prefix(1);
  unsigned base = 10;
  if (text.size() > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) {
    base = 16;
    text.remove_prefix(2);
  }
  if (text.empty())
    return std::nullopt;
  for (char c : text) {
    unsigned digit = c >= '0' && c <= '9'   ? unsigned(c - '0')
                     : c >= 'a' && c <= 'f' ? unsigned(c - 'a' + 10)
                     : c >= 'A' && c <= 'F' ? unsigned(c - 'A' + 10)
                                            : 16;
    if (digit >= base)
      return std::nullopt;
    if (__builtin_mul_overflow(number.magnitude, base, &number.magnitude) ||
        __builtin_add_overflow(number.magnitude, digit, &number.magnitude))
      return std::nullopt;
  }
  return number;
}

/// A number as T, rounded half to even; none for what is no number, and for a
/// finite one that is beyond the type. from_chars knows no locale.
template <typename T>
static std::optional<T> readFloat(std::string_view text) {
  T value{};
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size())
    return std::nullopt;
  return value;
}

/// The bits of "fp32(1.5)", "fp16(..)" or "bf16(..)".
static std::optional<uint64_t> readReal(std::string_view text) {
  size_t open = text.find('(');
  if (open == std::string_view::npos || text.back() != ')')
    return std::nullopt;
  std::string_view type = text.substr(0, open);
  std::string_view real = text.substr(open + 1, text.size() - open - 2);
  if (type == "fp32") {
    std::optional<float> value = readFloat<float>(real);
    return value ? std::optional<uint64_t>(numeric::floatBits(*value))
                 : std::nullopt;
  }
  std::optional<double> value = readFloat<double>(real);
  if (!value || (type != "fp16" && type != "bf16"))
    return std::nullopt;
  uint16_t bits = type == "fp16" ? numeric::doubleToHalf(*value)
                                 : numeric::doubleToBf16(*value);
  uint16_t infinity = type == "fp16" ? 0x7c00 : 0x7f80;
  if ((bits & 0x7fff) == infinity && std::isfinite(*value))
    return std::nullopt;
  return bits;
}

/// Levenshtein distance, for words of a few dozen characters; `limit` if it is
/// not less.
static size_t distance(std::string_view a, std::string_view b, size_t limit) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j)
    row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0], least = i;
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      size_t above = row[j];
      row[j] = std::min(
          {above + 1, row[j - 1] + 1, diagonal + (a[i - 1] != b[j - 1])});
      least = std::min(least, row[j]);
      diagonal = above;
    }
    if (least >= limit) // no later row has less
      return limit;
  }
  return std::min(row[b.size()], limit);
}

std::string_view
weft::isa::nearestName(std::string_view word,
                       const std::vector<std::string_view> &names) {
  constexpr size_t kLongestWord = 64;
  if (word.size() > kLongestWord)
    return {};
  std::string_view best;
  size_t least = word.size() / 2 + 1; // more changes: another word
  for (std::string_view name : names) {
    size_t longer = std::max(word.size(), name.size());
    if (longer - std::min(word.size(), name.size()) >= least)
      continue; // every missing character is a change
    size_t changes = distance(word, name, least);
    if (changes < least) {
      least = changes;
      best = name;
    }
  }
  return best;
}

static std::string nearestHint(std::string_view word,
                               const std::vector<std::string_view> &names) {
  std::string_view nearest = nearestName(word, names);
  return nearest.empty() ? std::string()
                         : "; the nearest is " + rt::quoteName(nearest);
}

static std::vector<std::string_view> fieldsOf(const FormSpec &form) {
  std::vector<std::string_view> names;
  for (const FieldSpec &spec : form)
    if (spec.name != Field::Reserved && !isHeadField(spec.name))
      names.push_back(fieldName(spec.name));
  return names;
}

static std::string joined(Symbols symbols) {
  std::string text;
  for (std::string_view name : symbols)
    text += (text.empty() ? "" : ", ") + std::string(name);
  return text;
}

Word LineParser::next() {
  if (pending) {
    Word word = *pending;
    pending.reset();
    return word;
  }
  while (!rest.empty() && isBlank(rest[0])) {
    rest.remove_prefix(1);
    ++column;
  }
  size_t length = 0;
  while (length < rest.size() && !isBlank(rest[length]))
    ++length;
  Word word{rest.substr(0, length), column};
  rest.remove_prefix(length);
  column += length;
  return word;
}

AssembledLine LineParser::wrong(const Word &word, const std::string &why) {
  AssembledLine line;
  line.error = TextError{
      word.column, word.text.empty() ? "the line ends here; " + why
                                     : rt::quoteName(word.text) + ": " + why};
  return line;
}

AssembledLine LineParser::fail(const Word &word, const std::string &why,
                               AssembledLine &line) {
  return line = wrong(word, why);
}

/// `id=` and `dep=`; false and an error for a value that is no 20-bit number.
bool LineParser::readOrder(const Word &word, AssembledLine &line) {
  bool isId = word.text.substr(0, 3) == "id=";
  std::optional<Number> number = readNumber(word.text.substr(isId ? 3 : 4));
  std::optional<uint64_t> &slot = isId ? id : dep;
  constexpr uint64_t kMaxId = (1u << 20) - 1;
  if (!number || number->isNegative || number->magnitude > kMaxId)
    fail(word, "must be a number from 0 to 1048575", line);
  else if (slot)
    fail(word, "is given twice", line);
  if (line.error)
    return false;
  slot = number->magnitude;
  (isId ? idWord : depWord) = word;
  return true;
}

/// Mnemonic and form; `word` is the mnemonic.
bool LineParser::chooseInstruction(Word word, AssembledLine &line) {
  std::vector<std::string_view> mnemonics;
  const Opcode *found = nullptr;
  for (const Opcode &opcode : set.opcodes()) {
    if (opcode.engine != engine)
      continue;
    mnemonics.push_back(opcode.mnemonic);
    if (opcode.mnemonic == word.text)
      found = &opcode;
  }
  if (!found) {
    std::string hint = nearestHint(word.text, mnemonics);
    fail(word,
         (word.text.empty()
              ? "a mnemonic of the engine must follow, like "
              : "no instruction of the engine has this name, it must be one "
                "like ") +
             rt::quoteName(mnemonics.front()) + hint,
         line);
    return false;
  }
  Form form = usualForm(*found);
  Word second = next();
  bool isForm =
      !second.text.empty() && second.text.find('=') == std::string_view::npos;
  if (!isForm) {
    pending = second;
  } else {
    form = Form::None;
    for (Form own : {found->longForm, found->shortForm})
      if (own != Form::None && set.form(own).name == second.text)
        form = own;
  }
  if (form == Form::None) {
    std::string names;
    for (Form own : {found->shortForm, found->longForm})
      if (own != Form::None && names.find(set.form(own).name) != 0)
        names +=
            (names.empty() ? "" : " or ") + std::string(set.form(own).name);
    fail(second,
         "the form of " + std::string(found->mnemonic) + " must be " + names +
             ", or a field=value must follow",
         line);
    return false;
  }
  line.command.emplace(set, *found, form);
  return true;
}

/// Notes the field as given; false and an error if it was before.
bool LineParser::claim(const Word &word, const FieldSpec *field,
                       AssembledLine &line) {
  if (std::find(seen.begin(), seen.end(), field) != seen.end()) {
    fail(word, "the field is given twice", line);
    return false;
  }
  seen.push_back(field);
  return true;
}

/// What a field of `width` bits takes, for messages.
static std::string rangeText(unsigned width, Symbols symbols) {
  std::string text =
      "must be " + (symbols.isEmpty() ? "" : joined(symbols) + ", or ") +
      "a number from 0 to " + std::to_string(detail::maskOf(width));
  if (symbols.isEmpty() && width > 1)
    text += " (or down to -" + std::to_string(uint64_t(1) << (width - 1)) + ")";
  return text;
}

static std::optional<uint64_t> readValue(std::string_view text, unsigned width,
                                         Symbols symbols) {
  for (size_t code = 0; code < symbols.count; ++code)
    if (symbols.names[code] == text)
      return code;
  uint64_t mask = detail::maskOf(width);
  if (std::optional<Number> number = readNumber(text)) {
    if (!number->isNegative)
      return number->magnitude <= mask ? std::optional(number->magnitude)
                                       : std::nullopt;
    if (number->magnitude > mask / 2 + 1)
      return std::nullopt;
    return (~number->magnitude + 1) & mask;
  }
  if (text.empty())
    return std::nullopt;
  std::optional<uint64_t> bits = readReal(text);
  return bits && *bits <= mask ? bits : std::nullopt;
}

/// The field that a name means in this form: of the table, or reserved bits.
static const FieldSpec *findField(const FormSpec &form, std::string_view name) {
  constexpr std::string_view kReserved = "rsvd_b";
  std::optional<Number> bit;
  if (name.substr(0, kReserved.size()) == kReserved)
    bit = readNumber(name.substr(kReserved.size()));
  for (const FieldSpec &spec : form) {
    if (spec.name == Field::Reserved) {
      if (bit && !bit->isNegative && bit->magnitude == spec.offset)
        return &spec;
    } else if (!isHeadField(spec.name) && fieldName(spec.name) == name) {
      return &spec;
    }
  }
  return nullptr;
}

/// One `field=value`.
bool LineParser::setField(const Word &word, AssembledLine &line) {
  CommandBuilder &command = *line.command;
  size_t equals = word.text.find('=');
  if (equals == std::string_view::npos) {
    fail(word, "must be field=value", line);
    return false;
  }
  std::string_view name = word.text.substr(0, equals);
  const FieldSpec *spec = findField(command.spec(), name);
  if (!spec) {
    std::optional<Field> known = fieldByName(name);
    if (known && isHeadField(*known))
      fail(word,
           "this field follows from the mnemonic and the form; id and "
           "dependency are written id= and dep= behind the engine",
           line);
    else
      fail(word,
           "form " + std::string(command.spec().name) + " has no field " +
               rt::quoteName(name) +
               nearestHint(name, fieldsOf(command.spec())),
           line);
    return false;
  }
  if (!claim(word, spec, line))
    return false;
  bool isReserved = spec->name == Field::Reserved;
  Symbols symbols =
      isReserved ? Symbols{} : symbolsOf(*command.opcode(), spec->name);
  std::optional<uint64_t> bits =
      readValue(word.text.substr(equals + 1), spec->width, symbols);
  if (!bits) {
    fail(word, "the value " + rangeText(spec->width, symbols), line);
    return false;
  }
  rt::Status status = isReserved ? command.setReserved(spec->offset, *bits)
                                 : command.set(spec->name, *bits);
  if (!status)
    fail(word, status.message(), line);
  return status.isOk();
}

AssembledLine LineParser::parse() {
  AssembledLine line;
  Word word = next();
  if (word.text.empty())
    return line;
  if (word.text != "tiu" && word.text != "gdma")
    return wrong(word, "a command begins with tiu or gdma");
  engine = word.text == "tiu" ? Engine::Tiu : Engine::Gdma;
  word = next();
  while (word.text.substr(0, 3) == "id=" || word.text.substr(0, 4) == "dep=") {
    if (!readOrder(word, line))
      return line;
    word = next();
  }
  if (!chooseInstruction(word, line))
    return line;
  for (auto [value, field, place] :
       {std::tuple(id, Field::cmd_id, idWord),
        std::tuple(dep, Field::cmd_id_dep, depWord)})
    if (value && !line.command->set(field, *value))
      return wrong(place, "form " + std::string(line.command->spec().name) +
                              " has no such field");
  line.hasId = id.has_value();
  line.hasDep = dep.has_value();
  for (word = next(); !word.text.empty(); word = next())
    if (!setField(word, line))
      return line;
  return line;
}

AssembledLine weft::isa::assemble(const InstructionSet &set,
                                  std::string_view line) {
  return LineParser(set, line).parse();
}

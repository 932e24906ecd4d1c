//===- ProgramFile.h - programs as bytes, and what makes one legal -*- C++
//-*-===//

#ifndef WEFT_RUNTIME_ZHOUYI_PROGRAMFILE_H
#define WEFT_RUNTIME_ZHOUYI_PROGRAMFILE_H

#include "runtime/zhouyi/Program.h"

namespace weft::zhouyi {

/// Version of the container that is written; older ones are read.
inline constexpr uint32_t kFormatVersion = 1;

/// True if the bytes begin as a .zyp file does ("WZYP" at byte 4).
bool isProgramFile(rt::ByteSpan bytes);
/// The same for a file; false if it cannot be read, which who opens it reports.
bool isProgramFile(const std::string &path);

/// Checks everything that running relies on: sizes, that buffers lie apart,
/// that registers are written before they are read and of types that fit, that
/// every function is legal (catalog::problemOf), that addresses stay in their
/// buffers for all indices, and the total of the work. Code::BadFile or
/// Code::Unsupported; the message begins with the place: "instruction 3.0.2
/// (vadd) of node 'Add_4': ...", counted from 0, one number a nest of loops.
/// `fault` gets these numbers, none if the fault is in no instruction.
rt::Status verify(const Program &program, std::vector<size_t> *fault = nullptr);

/// The bytes of a legal program (verify() has passed); the same bytes for the
/// same program on every machine. `producer` is kept for readers. Fails above
/// the 2 GiB that a flatbuffer can hold.
rt::Result<std::vector<uint8_t>> serialize(const Program &program,
                                           const std::string &producer);

/// A program and who wrote it.
struct ProgramFile {
  Program program;
  std::string producer;
  uint32_t version = kFormatVersion;
  uint64_t fileBytes = 0;
};
/// Trusts none of the bytes; what it gives has passed verify(). Code::BadFile,
/// Code::Unsupported.
rt::Result<ProgramFile> parseProgramFile(rt::ByteSpan bytes);
/// The same for a file; messages begin with the path. Code::NotFound,
/// Code::IoError beside those of parseProgramFile.
rt::Result<ProgramFile> loadProgramFile(const std::string &path);

/// "vadd", "load", "loop": the word of an instruction in messages and listings.
std::string mnemonic(const Instruction &instruction);
/// "instruction 3.0.2 (vadd) of node 'Add_4'". `path` has one number a nest of
/// loops and names an instruction of the program.
std::string placeText(const Program &program, const std::vector<size_t> &path);

/// An instruction as the catalog's rules see it; `apply` has passed verify().
catalog::Call callOf(const Program &program, const Apply &apply);

} // namespace weft::zhouyi

#endif // WEFT_RUNTIME_ZHOUYI_PROGRAMFILE_H

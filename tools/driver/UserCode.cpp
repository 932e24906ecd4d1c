//===- UserCode.cpp - whose fault a broken process is ---------------------===//

#include "tools/driver/UserCode.h"

#include <cstdio>
#include <cstdlib>
#include <unistd.h>

using namespace weft::driver;

// Read by a signal handler.
static const char *volatile theName = nullptr;
static const char *volatile theFile = "";

static void refuseExit() {
  if (!theName)
    return;
  std::fprintf(stderr, "weft: error: %s%s%s ended the program; let it return\n",
               theFile, *theFile ? ": " : "", theName);
  std::fflush(nullptr);
  ::_exit(2);
}

UserCode::UserCode(const std::string &what, const std::string &file)
    : what(what), place(file), outer(theName), outerPlace(theFile) {
  // Without room for the handler an exit() only goes unnoticed.
  [[maybe_unused]] static const bool isWatched = std::atexit(refuseExit) == 0;
  theName = this->what.c_str();
  theFile = place.c_str();
}

UserCode::~UserCode() {
  theName = outer;
  theFile = outerPlace;
}

const char *UserCode::running() { return theName; }

const char *UserCode::file() { return theFile; }

#include "connector/formats.h"

namespace millstream::connector {

Status unknown_format(const std::string& format, std::string_view use) {
  const Status unknown = Status::error("DATA_SOURCE_NOT_FOUND", {{"provider", format}});
  ErrorInfo info = unknown.info();
  info.message += "\nMillstream: ";
  info.message += use;
  return Status(std::move(info));
}

}  // namespace millstream::connector

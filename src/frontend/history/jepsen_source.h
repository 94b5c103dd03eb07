// The events of a Jepsen history one after another, whichever way they are written: EDN (maps in a
// vector, in a list, one after another, or a mix of these), JSON (objects in an array or one per
// line), or log lines.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "frontend/history/forms/jepsen_form_reader.h"
#include "frontend/history/history_format.h"

namespace heddle {

class OperationSource {
 public:
  virtual ~OperationSource() = default;
  OperationSource(const OperationSource&) = delete;
  OperationSource& operator=(const OperationSource&) = delete;

  // Fills in the next event, reusing what `operation` holds. False: at the end, or trouble().
  virtual bool next(JepsenOperation& operation) = 0;
  // Reads the value that begins at a byte where one was read before.
  void read_again(std::size_t at, Form& form);
  // The line of a byte, counted from 1. Linear over ascending calls.
  std::uint32_t line_of(std::size_t at);

  const FormReader& reader() const { return *reader_; }

 protected:
  explicit OperationSource(std::unique_ptr<FormReader> reader) : reader_(std::move(reader)) {}

  std::unique_ptr<FormReader> reader_;

 private:
  std::size_t counted_to_ = 0;
  std::uint32_t line_ = 1;
};

// REQUIRES: format is one of the three of Jepsen's. `bytes` outlives the source.
std::unique_ptr<OperationSource> make_operation_source(HistoryFormat format, std::string_view bytes,
                                                       const std::string& name);

}  // namespace heddle

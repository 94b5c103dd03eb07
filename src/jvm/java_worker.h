// One thread of a Java machine, to which lines are said: HeddleLauncher.java tells which.
#pragma once

#include <optional>
#include <utility>

#include "control/controlled_program.h"
#include "stream/line_channel.h"

namespace heddle {

class JavaWorker : public ProgramWorker {
 public:
  explicit JavaWorker(LineChannel lines) : lines_(std::move(lines)) {}

  bool begin(const ProgramCall& call, const DriverPlace& driver) override;
  bool ask_place() override { return lines_.write({"where"}); }
  std::optional<WorkerWord> next() override;
  bool has_ended() const override { return lines_.has_ended(); }
  Watched readable() const override { return lines_.readable(); }

 private:
  LineChannel lines_;
};

}  // namespace heddle

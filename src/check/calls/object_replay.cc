#include "check/calls/object_replay.h"

#include <deque>
#include <set>
#include <utility>

#include "check/calls/model_objects.h"

namespace heddle {

namespace {

// Any model, and those whose states are small.
class ModelReplay final : public ObjectReplay {
 public:
  explicit ModelReplay(const CallModel& model) : model_(model), state_(model.initial()) {}
  explicit ModelReplay(std::unique_ptr<CallModel> model) : ModelReplay(*model) {
    owned_ = std::move(model);
  }
  bool take(const ObjectCall& call) override { return model_.step(state_, call); }

 private:
  const CallModel& model_;
  std::unique_ptr<CallModel> owned_;
  std::string state_;
};

bool agrees(const ObjectCall& call, Value actual) {
  return result_of(call) == kUnseen || result_of(call) == actual;
}

class SequenceReplay final : public ObjectReplay {
 public:
  explicit SequenceReplay(bool first_in_first_out) : first_in_first_out_(first_in_first_out) {}
  bool take(const ObjectCall& call) override {
    if (call.function == ObjectFunction::enqueue || call.function == ObjectFunction::push) {
      elements_.push_back(call.argument);
      return true;
    }
    if (elements_.empty()) return agrees(call, kNil);
    const Value taken = first_in_first_out_ ? elements_.front() : elements_.back();
    first_in_first_out_ ? elements_.pop_front() : elements_.pop_back();
    return agrees(call, taken);
  }

 private:
  bool first_in_first_out_;
  std::deque<Value> elements_;
};

class PriorityQueueReplay final : public ObjectReplay {
 public:
  explicit PriorityQueueReplay(const ValueTexts& texts) : elements_(Smaller{texts}) {}
  bool take(const ObjectCall& call) override {
    if (call.function == ObjectFunction::insert) {
      elements_.insert(call.argument);
      return true;
    }
    if (elements_.empty()) return agrees(call, kNil);
    const Value taken = *elements_.begin();
    elements_.erase(elements_.begin());
    return agrees(call, taken);
  }

 private:
  struct Smaller {
    const ValueTexts& texts;
    bool operator()(Value a, Value b) const { return is_smaller(texts, a, b); }
  };
  std::multiset<Value, Smaller> elements_;
};

class SetReplay final : public ObjectReplay {
 public:
  explicit SetReplay(const Lists& lists) : lists_(lists) {}
  bool take(const ObjectCall& call) override {
    switch (call.function) {
      case ObjectFunction::add:
        return agrees(call, Value::number(elements_.insert(call.argument).second ? 1 : 0));
      case ObjectFunction::remove:
        return agrees(call, Value::number(elements_.erase(call.argument) > 0 ? 1 : 0));
      case ObjectFunction::contains:
        return agrees(call, Value::number(elements_.contains(call.argument) ? 1 : 0));
      default:
        break;
    }
    if (result_of(call) == kUnseen) return true;
    const std::span<const Value> told = lists_[ListId(call.result.code)];
    return std::set<Value>(told.begin(), told.end()) == elements_;
  }

 private:
  const Lists& lists_;
  std::set<Value> elements_;
};

}  // namespace

std::unique_ptr<ObjectReplay> make_replay(const ObjectHistory& history) {
  switch (history.model) {
    case ObjectModel::set:
      return std::make_unique<SetReplay>(history.lists);
    case ObjectModel::queue:
      return std::make_unique<SequenceReplay>(true);
    case ObjectModel::stack:
      return std::make_unique<SequenceReplay>(false);
    case ObjectModel::priority_queue:
      return std::make_unique<PriorityQueueReplay>(history.texts);
    default:
      return std::make_unique<ModelReplay>(make_model(history));
  }
}

std::unique_ptr<ObjectReplay> make_replay(const CallModel& model) {
  return std::make_unique<ModelReplay>(model);
}

}  // namespace heddle

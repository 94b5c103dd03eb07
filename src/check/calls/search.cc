// A search for an order of calls that a model allows: Wing and Gong's depth-first search ("Testing
// and verifying concurrent objects", 1993) with Lowe's cache of configurations ("Testing for
// linearizability", 2017, section 4). A configuration is which calls were taken and the state they
// left; one that was met before need not be searched again. What makes it shorter: calls that only
// read and fit are taken at once, as no order is lost by it; the call that returns first is tried
// first; optional calls with the same effect stand for each other, so that only the first of them
// is tried, and not where it changes nothing. The set of taken calls is the exclusive or of one
// fingerprint per call, so that a configuration costs 16 bytes whatever the length of the history.
// It leaves out Lowe's just-in-time variant, which visits the same configurations in another order.
#include "check/calls/search.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>

#include "base/assert.h"
#include "check/calls/cache.h"
#include "check/calls/frontier.h"

namespace heddle {

namespace {

// Optional calls with the same effect, the first one that was called in front.
struct OptionalGroup {
  std::vector<std::uint32_t> calls;
  std::size_t taken = 0;
};

// Where a walk through the candidates stands: the urgent call, the other certain ones, optional
// ones, nothing more.
struct Cursor {
  enum class Stage : std::uint8_t { urgent, certain, optional, end };
  Stage stage = Stage::urgent;
  std::uint32_t place = 0;
};

struct Frame {
  std::uint32_t call = 0;
  bool is_forced = false;  // no other candidate needs to be tried in its place
  Cursor cursor;           // of the candidates after this one
  std::string before;      // the state of the call's object
};

template <class Frontier>
class Search {
 public:
  Search(const CallProblem& problem, const CallModel& model, BoundMeter& meter)
      : problem_(problem),
        model_(model),
        meter_(meter),
        frontier_(problem),
        cache_(meter),
        object_of_(problem.calls.size()),
        group_of_(problem.calls.size(), 0) {
    number_objects();
    group_optional_calls();
  }
  ~Search() { meter_.give_memory(stack_memory_); }
  Search(const Search&) = delete;
  Search& operator=(const Search&) = delete;

  SearchOutcome run() {
    note_progress();
    while (!frontier_.is_empty()) {
      if (!advance() && !retreat()) {
        const bool gave_up = !meter_.hit().empty();
        return finish(gave_up ? Verdict::unknown : Verdict::violated);
      }
    }
    return finish(Verdict::satisfied);
  }

 private:
  void number_objects() {
    std::unordered_map<std::uint32_t, std::uint32_t> numbers;
    for (std::size_t i = 0; i < problem_.calls.size(); ++i) {
      const std::uint32_t object = problem_.calls[i].call->object.value;
      const auto [entry, is_new] = numbers.emplace(object, states_.size());
      if (is_new) states_.push_back(model_.initial());
      object_of_[i] = entry->second;
    }
  }

  void group_optional_calls() {
    using Effect = std::tuple<std::uint32_t, std::uint32_t, ObjectFunction, Value, Value, Value>;
    std::map<Effect, std::uint32_t> numbers;
    for (std::uint32_t i = 0; i < problem_.calls.size(); ++i) {
      if (problem_.calls[i].certain) continue;
      const ObjectCall& call = *problem_.calls[i].call;
      const bool apart = problem_.order == CallOrder::sequential;
      const Effect effect = {object_of_[i], apart ? call.process : 0,
                             call.function, call.argument,
                             call.second,   call.result};
      const auto [entry, is_new] = numbers.emplace(effect, groups_.size());
      if (is_new) groups_.emplace_back();
      groups_[entry->second].calls.push_back(i);
      group_of_[i] = entry->second;
    }
  }

  // The next call to try, in the order in which they are likely to fit.
  std::optional<std::uint32_t> next_candidate() {
    using enum Cursor::Stage;
    if (cursor_.stage == urgent) {
      cursor_ = {certain, 0};
      if (const auto call = frontier_.urgent()) return call;
    }
    while (cursor_.stage == certain) {
      const auto call = frontier_.candidate(cursor_.place);
      if (!call) {
        cursor_ = {optional, 0};
      } else if (call != frontier_.urgent()) {
        return call;
      }
    }
    while (cursor_.stage == optional && cursor_.place < groups_.size()) {
      const OptionalGroup& group = groups_[cursor_.place++];
      if (group.taken == group.calls.size()) continue;
      const std::uint32_t call = group.calls[group.taken];
      if (frontier_.may_take_optional(call)) return call;
    }
    cursor_ = {end, 0};
    return std::nullopt;
  }

  // Takes one call more. False: none of those that may come next fits, or a bound was hit.
  bool advance() {
    if (is_fresh_ && take_read()) return true;
    is_fresh_ = false;
    while (const auto call = next_candidate()) {
      if (!meter_.take_step()) return false;
      if (problem_.calls[*call].certain && model_.only_reads(*problem_.calls[*call].call)) {
        continue;  // take_read has tried it
      }
      if (!try_step(*call)) continue;
      const auto insertion = cache_.insert(configuration_after(*call));
      if (insertion == ConfigurationCache::Insertion::no_room) return false;
      if (insertion == ConfigurationCache::Insertion::added) return take(*call, false);
    }
    return false;
  }

  // Whether the model lets the call come next, and it changes something unless it must come. The
  // state after it is then in scratch_.
  bool try_step(std::uint32_t call) {
    const RankedCall& ranked = problem_.calls[call];
    const std::string& state = states_[object_of_[call]];
    scratch_ = state;
    return model_.step(scratch_, *ranked.call) && (ranked.certain || scratch_ != state);
  }

  // A call that only reads and fits comes next in some order if there is any: it changes nothing
  // for the others.
  bool take_read() {
    std::uint32_t place = 0;
    while (const auto call = frontier_.candidate(place)) {
      if (!model_.only_reads(*problem_.calls[*call].call)) continue;
      if (!meter_.take_step()) return false;
      if (try_step(*call)) return take(*call, true);
    }
    return false;
  }

  Fingerprint state_fingerprint(std::uint32_t object, const std::string& state) const {
    return fingerprint_of(state, object);
  }

  Fingerprint configuration_after(std::uint32_t call) const {
    const std::uint32_t object = object_of_[call];
    Fingerprint result = configuration_;
    result ^= fingerprint_of(call);
    result ^= state_fingerprint(object, states_[object]);
    result ^= state_fingerprint(object, scratch_);
    return result;
  }

  // False: there is no memory for it.
  bool take(std::uint32_t call, bool is_forced) {
    std::string& state = states_[object_of_[call]];
    if (!meter_.take_memory(frame_bytes(state))) return false;
    stack_memory_ += frame_bytes(state);
    configuration_ = configuration_after(call);
    set_taken(call, true);
    stack_.push_back({call, is_forced, cursor_, std::move(state)});
    state = scratch_;
    arrive();
    note_progress();
    return true;
  }

  void arrive() {
    cursor_ = {};
    is_fresh_ = true;
  }

  void set_taken(std::uint32_t call, bool taken) {
    if (!problem_.calls[call].certain) {
      OptionalGroup& group = groups_[group_of_[call]];
      taken ? ++group.taken : --group.taken;
    } else if (taken) {
      frontier_.take(call);
    } else {
      frontier_.give_back(call);
    }
  }

  // Back to the last choice. False: there is none, or a bound was hit.
  bool retreat() {
    if (!meter_.hit().empty()) return false;
    while (!stack_.empty()) {
      Frame frame = std::move(stack_.back());
      stack_.pop_back();
      synced_ = std::min(synced_, stack_.size());
      std::string& state = states_[object_of_[frame.call]];
      scratch_ = std::move(state);
      state = std::move(frame.before);
      configuration_ = configuration_after(frame.call);
      set_taken(frame.call, false);
      meter_.give_memory(frame_bytes(state));
      stack_memory_ -= frame_bytes(state);
      if (frame.is_forced) continue;
      cursor_ = frame.cursor;
      is_fresh_ = false;
      return true;
    }
    return false;
  }

  // Keeps the order that came furthest. `synced_` calls of it are still those of the stack, so that
  // each call is copied once.
  void note_progress() {
    const std::uint64_t progress = frontier_.progress(stack_.size());
    if (noted_ && progress <= best_progress_) return;
    noted_ = true;
    best_progress_ = progress;
    best_.resize(stack_.size());
    for (; synced_ < stack_.size(); ++synced_) best_[synced_] = stack_[synced_].call;
    stuck_ = frontier_.urgent();
  }

  SearchOutcome finish(Verdict verdict) {
    SearchOutcome outcome;
    outcome.verdict = verdict;
    outcome.order = best_;
    if (verdict == Verdict::satisfied) {
      for (std::size_t i = synced_; i < stack_.size(); ++i) {
        if (i < outcome.order.size()) outcome.order.resize(i);
        outcome.order.push_back(stack_[i].call);
      }
      outcome.order.resize(stack_.size());
    } else if (verdict == Verdict::violated) {
      outcome.stuck = stuck_;
    }
    return outcome;
  }

  static std::uint64_t frame_bytes(const std::string& state) {
    constexpr std::uint64_t kGrowth = 2;  // of the vector of frames
    return kGrowth * sizeof(Frame) + (state.size() > 15 ? state.size() + 1 : 0);
  }

  const CallProblem& problem_;
  const CallModel& model_;
  BoundMeter& meter_;
  Frontier frontier_;
  ConfigurationCache cache_;
  std::vector<std::uint32_t> object_of_;  // into states_, by call
  std::vector<std::string> states_;
  std::vector<OptionalGroup> groups_;
  std::vector<std::uint32_t> group_of_;
  std::vector<Frame> stack_;
  std::uint64_t stack_memory_ = 0;
  Fingerprint configuration_;
  Cursor cursor_;
  bool is_fresh_ = true;  // no candidate was tried yet
  std::string scratch_;
  std::vector<std::uint32_t> best_;
  std::size_t synced_ = 0;
  std::uint64_t best_progress_ = 0;
  bool noted_ = false;
  std::optional<std::uint32_t> stuck_;
};

template <class Frontier>
SearchOutcome run_search(const CallProblem& problem, const CallModel& model, BoundMeter& meter) {
  constexpr std::uint64_t kBytesPerCall = 16;
  const MemoryShare share(meter, Frontier::bytes(problem) + kBytesPerCall * problem.calls.size());
  if (!share.is_granted() || !meter.has_time()) return {};
  return Search<Frontier>(problem, model, meter).run();
}

}  // namespace

SearchOutcome search_order(const CallProblem& problem, const CallModel& model, BoundMeter& meter) {
  return problem.order == CallOrder::sequential
             ? run_search<ProcessFrontier>(problem, model, meter)
             : run_search<RealTimeFrontier>(problem, model, meter);
}

}  // namespace heddle

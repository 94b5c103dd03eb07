"""A random search for histories that heddle check is slow on: settings of made-up ones of bounded size
are changed a little at a time, and what takes the most processor time for its size is kept. Each is
also checked at one level alone, which must not take longer than all of them together. What does not
end is told, and not changed further: there would be no end of it."""
import random
import subprocess
import time

SECONDS_OF_ONE = 20
KEPT_OF_SHAPE = 2
CALLS = ["register", "cas-register", "key-value", "queue", "stack", "priority-queue", "set"]
SHAPES = ["small", "general", "tpcc", "rubis", "twitter", "awdit", "list-append", *CALLS]
ANOMALIES = ["dirty-write", "aborted-read", "intermediate-read", "unwritten-read", "future-read",
             "inconsistent-order", "circular-flow", "lost-update", "fractured-read", "read-skew",
             "long-fork", "write-skew", "session-cycle"]
LEVELS = ["read-uncommitted", "read-committed", "monotonic-writes", "monotonic-reads",
          "read-your-writes", "writes-follow-reads", "read-committed-biswas-enea", "read-atomic",
          "transactional-causal", "prefix", "parallel-snapshot", "snapshot",
          "strong-session-snapshot", "serializable", "strong-session-serializable"]
MADE_AT = ["serializable", "strict-serializable", "snapshot", "transactional-causal",
           "read-committed", "read-uncommitted", "read-atomic", "prefix"]
# What takes less is noise.
LEAST_SECONDS = 0.05

SETTINGS = {
    "level": MADE_AT, "sessions": [1, 2, 3, 5, 10, 30, 100, 300],
    "operations": ["1", "2", "1..4", "4", "8", "1..20"],
    "keys": [1, 2, 5, 20, 100, 1000], "reads": [0.05, 0.2, 0.5, 0.8, 0.95], "updates": [0, 0.5, 1],
    "kind": ["unique-register", "register", "list"], "values": [2, 3, 5, 20],
    "distribution": ["uniform", "zipf", "hotspot"], "writes-per-key": [0, 5, 50],
    "aborted": [0, 0.1, 0.5],
    "unknown": [0, 0.05, 0.3], "times": ["no", "yes"], "initial": ["nil", 0],
}
CALL_SETTINGS = {"processes": [2, 3, 5, 10, 30, 100], "objects": [1, 3, 10], "reads": [0.1, 0.5, 0.9],
                 "crashed": [0, 0.002, 0.01], "violation": ["no", "yes"]}


class Candidate:
    """A shape with settings; `seconds` and `size` once it was measured; `ends`: in SECONDS_OF_ONE."""

    def __init__(self, shape, settings, planted):
        self.shape, self.settings, self.planted = shape, settings, planted
        self.size, self.seconds, self.ends = 1, 0.0, True

    def text(self):
        parts = [self.shape, *(f"{name}={value}" for name, value in sorted(self.settings.items()))]
        return ",".join(parts + [f"plant={name}" for name in self.planted])

    def microseconds(self):
        return self.seconds / self.size * 1e6


def choices_of(shape):
    return CALL_SETTINGS if shape in CALLS else SETTINGS


def make(rng, most):
    shape = rng.choice(SHAPES)
    settings = {"calls" if shape in CALLS else "transactions": rng.choice([most // 10, most // 3, most]),
                "seed": rng.randrange(1000)}
    candidate = Candidate(shape, settings, [])
    for name in rng.sample(sorted(choices_of(shape)), rng.randrange(5)):
        candidate.settings[name] = rng.choice(choices_of(shape)[name])
    if shape not in CALLS and rng.random() < 0.5:
        candidate.planted = [f"{rng.choice(ANOMALIES)}:{rng.choice([1, 1, 3])}"]
    return candidate


def change(rng, old):
    new = Candidate(old.shape, dict(old.settings), list(old.planted))
    kind = rng.random()
    if kind < 0.2:
        new.settings["seed"] = rng.randrange(1000)
    elif kind < 0.3 and new.shape not in CALLS:
        new.planted = [] if new.planted else [f"{rng.choice(ANOMALIES)}:1"]
    else:
        name = rng.choice(sorted(choices_of(new.shape)))
        new.settings[name] = rng.choice(choices_of(new.shape)[name])
    return new


def measure(program, candidate, levels, memory):
    """Fills in what it takes; False: such a history cannot be made."""
    command = [program, "made", candidate.text(), levels, str(memory)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS_OF_ONE,
                              check=False)
    except subprocess.TimeoutExpired:
        candidate.seconds, candidate.ends = float(SECONDS_OF_ONE), False
        return True
    if done.returncode != 0 or not done.stdout:
        return False
    size, seconds, _, _ = done.stdout.split(" ", 3)
    candidate.size, candidate.seconds = max(1, int(size)), float(seconds)
    return True


def alone_ratio(program, candidate, level, memory):
    """Seconds at one level by those at all; noise is small where each is the least of three."""
    alone, together = [], []
    for _ in range(3):
        for levels, seconds in ((level, alone), ("all", together)):
            again = Candidate(candidate.shape, candidate.settings, candidate.planted)
            if not measure(program, again, levels, memory):
                return 0.0
            seconds.append(again.seconds)
    return min(alone) / max(min(together), LEAST_SECONDS)


def keep_slowest(kept, candidate):
    """The slowest of each shape, so that one hard kind hides no other; whether this is the first."""
    of_shape = kept.setdefault(candidate.shape, [])
    of_shape.append(candidate)
    of_shape.sort(key=Candidate.microseconds, reverse=True)
    del of_shape[KEPT_OF_SHAPE:]
    return of_shape[0] is candidate


def search(program, seconds, seed, memory, most=2000):
    """Prints each slower one as it is found, and at the end the slowest and the worst level alone."""
    rng = random.Random(seed)
    kept, endless, worst_alone, tried = {}, [], (0.0, "", ""), 0
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        is_new = len(kept) < len(SHAPES) // 2 or rng.random() < 0.3
        candidate = (make(rng, most) if is_new
                     else change(rng, rng.choice(rng.choice(list(kept.values())))))
        if not measure(program, candidate, "all", memory):
            continue
        tried += 1
        if not candidate.ends:
            endless.append(candidate)
            print(f"   no answer  {candidate.text()}", flush=True)
            continue
        if keep_slowest(kept, candidate):
            print(f"{candidate.microseconds():10.1f} us each  {candidate.text()}", flush=True)
        if candidate.shape in CALLS:
            continue
        level = rng.choice(LEVELS)
        single = Candidate(candidate.shape, candidate.settings, candidate.planted)
        if not measure(program, single, level, memory) or single.seconds < LEAST_SECONDS:
            continue
        if single.seconds > 1.1 * candidate.seconds:
            ratio = alone_ratio(program, candidate, level, memory)
            if ratio > worst_alone[0]:
                worst_alone = (ratio, level, candidate.text())
                print(f"{ratio:10.2f} times   {level} alone: {candidate.text()}", flush=True)
    print(f"tried {tried}; the slowest of each shape, microseconds for an operation or call:")
    for of_shape in kept.values():
        print(f"{of_shape[0].microseconds():10.1f}  {of_shape[0].seconds:7.2f} s  {of_shape[0].text()}")
    print(f"without an answer in {SECONDS_OF_ONE} s: {len(endless)}")
    ratio, level, text = worst_alone
    print(f"a level alone by all together, at most: {ratio:.2f} {level} {text}")

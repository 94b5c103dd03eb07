// What the methods of Redis's clients in Java are: of Jedis, of Lettuce's synchronous commands, and
// of Spring's templates. Tables alone.
#pragma once

#include <cstdint>
#include <string_view>

namespace heddle::java {

// What an object of a client is.
enum class RedisPart : std::uint8_t {
  none,
  source,      // gives others: a pool, a client, a connection
  commands,    // Jedis, RedisCommands
  group,       // Transaction and Pipeline of Jedis
  template_,   // RedisTemplate of Spring
  values,      // its ValueOperations
  hashes,      // its HashOperations
  lists,       // its ListOperations
  sets,        // its SetOperations
  sorted_sets  // its ZSetOperations
};

// By the type's simple name.
RedisPart redis_part(std::string_view type);

// What a method gives.
enum class RedisGives : std::uint8_t {
  nothing,
  text,     // the value, or null
  number,   // the value, a number
  count,    // how many rows it changed
  whether,  // whether it changed some
  found,    // whether there is one
  ok,       // OK, or null where it did nothing
  some,     // a collection
};

// How the command is known.
enum class RedisForm : std::uint8_t {
  shape,     // of that name (program/redis_commands.h)
  each,      // the same, once for each argument
  pairs,     // the same, once for each two arguments
  set,       // SET with its options
  then_set,  // reads the value, then SET
  then_del,  // reads the value, then DEL
  reads,     // its key, in a way that is not known
  writes,    // its key, in a way that is not known
  anything,  // may do anything to any key
};

struct RedisMethod {
  RedisPart part = RedisPart::none;
  std::string_view name;     // Java's
  std::string_view command;  // a shape's name, or Redis's
  RedisForm form = RedisForm::shape;
  RedisGives gives = RedisGives::nothing;
};

// Null: it is not known.
const RedisMethod* find_redis_method(RedisPart part, std::string_view name);
// The type of what a method gives that uses no key itself: Jedis; empty: it is none of these.
std::string_view type_given_by(RedisPart part, std::string_view method);
// Whether the method has nothing to do with keys.
bool is_harmless_redis_method(std::string_view name);
// Whether the name is one of a method that may use keys, of any of the parts.
bool is_redis_method(std::string_view name);
// Whether a file says that it uses one of the clients.
bool mentions_redis(std::string_view text);

}  // namespace heddle::java

/* A worker that waits is cancelled: what it has locked is given back by a handler, or not
 * ("wrong"). */
#include <assert.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int handled;
static int wrong;

static void unlock(void* unused) {
  (void)unused;
  ++handled;
  if (!wrong) pthread_mutex_unlock(&mutex);
}

static void wait_deep_below(int depth) {
  if (depth > 0) {
    wait_deep_below(depth - 1);
    return;
  }
  for (;;) pthread_cond_wait(&changed, &mutex);
}

static void* wait_for_ever(void* given) {
  pthread_mutex_lock(&mutex);
  pthread_cleanup_push(unlock, NULL);
  wait_deep_below(3);
  pthread_cleanup_pop(0);
  return given;
}

/* It cannot be cancelled where it sleeps, but behind that. */
static void* sleep_first(void* given) {
  int before;
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
  usleep(10);
  *(int*)given = 1;
  pthread_setcancelstate(before, NULL);
  for (;;) pthread_testcancel();
  return given;
}

static volatile long turns;
static void* turn_for_ever(void* given) {
  pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
  for (;;) ++turns;
  return given;
}

static void* leave(void* given) {
  pthread_mutex_lock(&mutex);
  pthread_cleanup_push(unlock, NULL);
  pthread_exit(given);
  pthread_cleanup_pop(0);
  return NULL;
}

static void* result_of(void* (*body)(void*), void* given, int cancels) {
  pthread_t thread;
  void* result;
  pthread_create(&thread, NULL, body, given);
  if (cancels) pthread_cancel(thread);
  assert(pthread_join(thread, &result) == 0);
  return result;
}

int main(int count, char** words) {
  int slept = 0;
  wrong = count > 1 && strcmp(words[1], "wrong") == 0;
  assert(result_of(wait_for_ever, NULL, 1) == PTHREAD_CANCELED && handled == 1);
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
  assert(result_of(sleep_first, &slept, 1) == PTHREAD_CANCELED && slept == 1);
  assert(result_of(leave, &slept, 0) == &slept && handled == 2);
  if (count > 1 && strcmp(words[1], "turns") == 0) {
    assert(result_of(turn_for_ever, NULL, 1) == PTHREAD_CANCELED);
  }
  return 0;
}

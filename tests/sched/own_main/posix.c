/* Spin locks, joins with a limit, threads of C11. With the word "spin" or "c11" one lock is left
   away. */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <threads.h>
#include <time.h>

static const char* wrong = "";

static pthread_spinlock_t spin;
static int spun;
static void* count_spinning(void* given) {
  const int locks = strcmp(wrong, "spin") != 0;
  if (locks) pthread_spin_lock(&spin);
  spun = spun + 1;
  if (locks) pthread_spin_unlock(&spin);
  return given;
}

static void try_spin_locks(void) {
  pthread_t threads[2];
  assert(pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE) == 0);
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, count_spinning, NULL);
  while (pthread_tryjoin_np(threads[0], NULL) == EBUSY) sched_yield();
  struct timespec limit;
  clock_gettime(CLOCK_REALTIME, &limit);
  limit.tv_sec += 5;
  const int joined = pthread_timedjoin_np(threads[1], NULL, &limit);
  if (joined == ETIMEDOUT) {
    assert(pthread_join(threads[1], NULL) == 0);
  } else {
    assert(joined == 0);
  }
  assert(pthread_spin_trylock(&spin) == 0 && pthread_spin_trylock(&spin) == EBUSY);
  pthread_spin_unlock(&spin);
  assert(spun == 2);
}

static mtx_t mutex;
static cnd_t changed;
static int ready;
static once_flag once = ONCE_FLAG_INIT;
static int begun;
static tss_t key;
static void begin(void) { ++begun; }

static int get_ready(void* given) {
  call_once(&once, begin);
  tss_set(key, given);
  const int locks = strcmp(wrong, "c11") != 0;
  if (locks) mtx_lock(&mutex);
  ready = ready + 1;
  if (locks) cnd_signal(&changed);
  if (locks) mtx_unlock(&mutex);
  assert(tss_get(key) == given);
  if (given == NULL) thrd_exit(6);
  return 5;
}

static void try_threads_of_c11(void) {
  thrd_t threads[2];
  int results[2];
  assert(mtx_init(&mutex, mtx_plain) == thrd_success && cnd_init(&changed) == thrd_success);
  assert(tss_create(&key, NULL) == thrd_success);
  assert(thrd_create(&threads[0], get_ready, NULL) == thrd_success);
  assert(thrd_create(&threads[1], get_ready, &key) == thrd_success);
  call_once(&once, begin);
  mtx_lock(&mutex);
  while (ready < 2) cnd_wait(&changed, &mutex);
  mtx_unlock(&mutex);
  for (int i = 0; i < 2; ++i) assert(thrd_join(threads[i], &results[i]) == thrd_success);
  assert(results[0] == 6 && results[1] == 5 && begun == 1);
}

int main(int count, char** words) {
  if (count > 1) wrong = words[1];
  try_spin_locks();
  try_threads_of_c11();
  return 0;
}

/* A server and two clients talk through sockets, and wait for each other in poll, read and write.
   "wrong": both sides wait for what the other one says first. "lost": the sum is counted without
   its lock. */
#include <assert.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { kClients = 2, kBlock = 100000 };

static const char* mode = "";
static int ends[kClients][2];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int sum;

static void add(int value) {
  const int locks = strcmp(mode, "lost") != 0;
  if (locks) pthread_mutex_lock(&mutex);
  sum = sum + value;
  if (locks) pthread_mutex_unlock(&mutex);
}

static void* serve(void* given) {
  char said;
  int open = kClients;
  struct pollfd polled[kClients];
  for (int i = 0; i < kClients; ++i) polled[i] = (struct pollfd){ends[i][1], POLLIN, 0};
  while (open > 0) {
    assert(poll(polled, kClients, -1) > 0);
    for (int i = 0; i < kClients; ++i) {
      if (polled[i].revents == 0) continue;
      if (read(polled[i].fd, &said, 1) == 1) {
        add(said);
        assert(write(polled[i].fd, &said, 1) == 1);
      } else {
        close(polled[i].fd);
        polled[i].fd = -1;
        --open;
      }
    }
  }
  return given;
}

static void* ask(void* given) {
  const int end = *(int*)given;
  char said = 1;
  if (strcmp(mode, "wrong") == 0) assert(read(end, &said, 1) == 1);
  assert(write(end, &said, 1) == 1);
  assert(read(end, &said, 1) == 1);
  add(said);
  close(end);
  return NULL;
}

/* More than a pipe holds. */
static void* swallow(void* given) {
  char* block = malloc(kBlock);
  long all = 0;
  for (ssize_t some; (some = read(*(int*)given, block, kBlock)) > 0;) all += some;
  free(block);
  return (void*)all;
}

static void send_much(void) {
  int pipe_ends[2];
  pthread_t thread;
  void* all;
  char* block = calloc(1, kBlock);
  assert(pipe(pipe_ends) == 0);
  pthread_create(&thread, NULL, swallow, &pipe_ends[0]);
  assert(write(pipe_ends[1], block, kBlock) == kBlock);
  close(pipe_ends[1]);
  pthread_join(thread, &all);
  assert((long)all == kBlock);
  free(block);
}

int main(int count, char** words) {
  pthread_t server, clients[kClients];
  if (count > 1) mode = words[1];
  for (int i = 0; i < kClients; ++i) assert(socketpair(AF_UNIX, SOCK_STREAM, 0, ends[i]) == 0);
  pthread_create(&server, NULL, serve, NULL);
  for (int i = 0; i < kClients; ++i) pthread_create(&clients[i], NULL, ask, &ends[i][0]);
  for (int i = 0; i < kClients; ++i) pthread_join(clients[i], NULL);
  pthread_join(server, NULL);
  assert(sum == 2 * kClients);
  send_much();
  return 0;
}

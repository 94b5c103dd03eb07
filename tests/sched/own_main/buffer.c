/* A bounded buffer with semaphores, in C. A word from standard input is how much is put in. */
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>

#define PLACES 2
static int places[PLACES];
static int in, out, count;
static sem_t empty, full;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void* produce(void* unused) {
  for (int i = 1; i <= count; ++i) {
    sem_wait(&empty);
    pthread_mutex_lock(&mutex);
    places[in] = i;
    in = (in + 1) % PLACES;
    pthread_mutex_unlock(&mutex);
    sem_post(&full);
  }
  return unused;
}

static void* consume(void* unused) {
  long sum = 0;
  (void)unused;
  for (int i = 1; i <= count; ++i) {
    sem_wait(&full);
    pthread_mutex_lock(&mutex);
    sum += places[out];
    out = (out + 1) % PLACES;
    pthread_mutex_unlock(&mutex);
    sem_post(&empty);
  }
  return (void*)sum;
}

int main(void) {
  char word[16];
  pthread_t producer;
  pthread_t consumer;
  void* sum;
  if (fgets(word, sizeof word, stdin) == NULL) return EXIT_FAILURE;
  count = atoi(word);
  sem_init(&empty, 0, PLACES);
  sem_init(&full, 0, 0);
  pthread_create(&producer, NULL, produce, NULL);
  pthread_create(&consumer, NULL, consume, NULL);
  pthread_join(producer, NULL);
  pthread_join(consumer, &sum);
  printf("sum %ld\n", (long)sum);
  return count > 0 && (long)sum == count * (count + 1) / 2 ? EXIT_SUCCESS : EXIT_FAILURE;
}

/* A thread of the program's own. Signals are the first thread's business. */
#ifndef BSONSCOPE_BASE_THREAD_H
#define BSONSCOPE_BASE_THREAD_H

#include <pthread.h>
#include <stdbool.h>

/* Signals of a fault reach their handler from the thread that made it; all others go elsewhere. False: none is to be had. */
bool thread_start(pthread_t *thread, void *(*run)(void *context), void *context);

/* Processors that may be used; at least 1. */
int thread_processors(void);

#endif

/* libmongoc's log: to a file or nowhere, never on the screen. Private to the room. */
#ifndef BSONSCOPE_REMOTE_LOG_H
#define BSONSCOPE_REMOTE_LOG_H

/* Starts libmongoc. The first call decides where its log goes; null: nowhere. Any thread. */
void log_open(const char *file);

/* A password that lines must not show; null: none. */
void log_hide(const char *password);

#endif

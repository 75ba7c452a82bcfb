/* What the engine says it is, besides the version that it follows (emulation.h). */
#ifndef BSONSCOPE_ENGINE_COMMAND_SERVER_H
#define BSONSCOPE_ENGINE_COMMAND_SERVER_H

#define SERVER_GIT_VERSION "bsonscope-" BSONSCOPE_VERSION

/* The engine has no address of its own: who listens for it has. */
#define SERVER_HOST "embedded"

#endif

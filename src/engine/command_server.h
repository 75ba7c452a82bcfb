/* What the engine says it is: the server version whose rules it follows. */
#ifndef BSONSCOPE_ENGINE_COMMAND_SERVER_H
#define BSONSCOPE_ENGINE_COMMAND_SERVER_H

#define SERVER_VERSION "7.0.0"
#define SERVER_VERSION_NUMBERS { 7, 0, 0, 0 }
#define SERVER_GIT_VERSION "bsonscope-" BSONSCOPE_VERSION

#endif

/*
 * libmongoc, loaded when a server is first asked for: with the libraries that it needs it takes four times as long to
 * start as all the rest of the program, and most uses have no server. Private to the room.
 */
#ifndef BSONSCOPE_REMOTE_DRIVER_H
#define BSONSCOPE_REMOTE_DRIVER_H

#include <mongoc/mongoc.h>

/* What is called of it. */
#define DRIVER_FUNCTIONS(X)                            \
	X(mongoc_client_command_with_opts)             \
	X(mongoc_client_pool_destroy)                  \
	X(mongoc_client_pool_new_with_error)           \
	X(mongoc_client_pool_pop)                      \
	X(mongoc_client_pool_push)                     \
	X(mongoc_client_pool_set_appname)              \
	X(mongoc_client_pool_set_error_api)            \
	X(mongoc_client_select_server)                 \
	X(mongoc_client_session_append)                \
	X(mongoc_client_session_destroy)               \
	X(mongoc_client_session_get_lsid)              \
	X(mongoc_client_start_session)                 \
	X(mongoc_init)                                 \
	X(mongoc_log_level_str)                        \
	X(mongoc_log_set_handler)                      \
	X(mongoc_read_prefs_copy)                      \
	X(mongoc_read_prefs_destroy)                   \
	X(mongoc_read_prefs_new)                       \
	X(mongoc_server_description_destroy)           \
	X(mongoc_server_description_hello_response)    \
	X(mongoc_server_description_id)                \
	X(mongoc_session_opts_destroy)                 \
	X(mongoc_session_opts_new)                     \
	X(mongoc_session_opts_set_causal_consistency)  \
	X(mongoc_uri_destroy)                          \
	X(mongoc_uri_get_database)                     \
	X(mongoc_uri_get_hosts)                        \
	X(mongoc_uri_get_option_as_utf8)               \
	X(mongoc_uri_get_password)                     \
	X(mongoc_uri_get_read_prefs_t)                 \
	X(mongoc_uri_get_srv_hostname)                 \
	X(mongoc_uri_get_username)                     \
	X(mongoc_uri_has_option)                       \
	X(mongoc_uri_new)                              \
	X(mongoc_uri_new_with_error)                   \
	X(mongoc_uri_set_option_as_bool)               \
	X(mongoc_uri_set_option_as_int32)

struct driver {
#define X(name) __typeof__(name) *name;
	DRIVER_FUNCTIONS(X)
#undef X
};

/* Any thread. Where the library cannot be loaded the program ends, as it would have at its start, and says so. */
const struct driver *driver(void);

#endif

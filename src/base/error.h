/*
 * Errors are values: a code and one line that names what, where and what to do. libbson's bson_error_t carries them
 * everywhere, so that libmongoc's errors need no translation. Functions that can fail return bool and take an error
 * that may be null.
 */
#ifndef BSONSCOPE_BASE_ERROR_H
#define BSONSCOPE_BASE_ERROR_H

#include <bson/bson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/interrupt.h"

/* The domain says who speaks: a code of ERROR_SERVER is MongoDB's own and its message is MongoDB's wording. */
enum error_domain { ERROR_SERVER = 0x7001, ERROR_INPUT, ERROR_USAGE, ERROR_SYSTEM };

/* Fills `error` when it is not null. Returns false, so that a failure is `return error_set(...)`. */
bool error_set(bson_error_t *error, enum error_domain domain, uint32_t code, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/* MongoDB's codes that this program answers with: name, code. Source: mongo/base/error_codes.yml. */
#define SERVER_CODES(X)                                  \
	X(InternalError, 1)                              \
	X(BadValue, 2)                                   \
	X(GraphContainsCycle, 5)                         \
	X(FailedToParse, 9)                              \
	X(Unauthorized, 13)                              \
	X(TypeMismatch, 14)                              \
	X(Overflow, 15)                                  \
	X(InvalidLength, 16)                             \
	X(IllegalOperation, 20)                          \
	X(InvalidBSON, 22)                               \
	X(NamespaceNotFound, 26)                         \
	X(IndexNotFound, 27)                             \
	X(PathNotViable, 28)                             \
	X(NonExistentPath, 29)                           \
	X(ConflictingUpdateOperators, 40)                \
	X(CursorNotFound, 43)                            \
	X(NamespaceExists, 48)                           \
	X(MaxTimeMSExpired, 50)                          \
	X(DollarPrefixedFieldName, 52)                   \
	X(InvalidIdField, 53)                            \
	X(EmptyFieldName, 56)                            \
	X(DottedFieldName, 57)                           \
	X(CommandNotFound, 59)                           \
	X(ImmutableField, 66)                            \
	X(CannotCreateIndex, 67)                         \
	X(OperationFailed, 96)                           \
	X(InvalidOptions, 72)                            \
	X(InvalidNamespace, 73)                          \
	X(NoReplicationEnabled, 76)                      \
	X(IndexOptionsConflict, 85)                      \
	X(IndexKeySpecsConflict, 86)                     \
	X(NotAReplicaSet, 123)                           \
	X(DocumentValidationFailure, 121)                \
	X(ConversionFailure, 241)                        \
	X(NoQueryExecutionPlans, 291)                    \
	X(QueryExceededMemoryLimitNoDiskUseAllowed, 292) \
	X(CommandNotSupportedOnView, 166)                \
	X(OptionNotSupportedOnView, 167)                 \
	X(CannotIndexParallelArrays, 171)                \
	X(QueryPlanKilled, 175)                          \
	X(CommandOnShardedViewNotSupportedOnMongod, 169) \
	X(InvalidIndexSpecificationOption, 197)          \
	X(CannotImplicitlyCreateCollection, 227)         \
	X(NotImplemented, 238)                           \
	X(APIVersionError, 322)                          \
	X(APIStrictError, 323)                           \
	X(UnsupportedOpQueryCommand, 352)                \
	X(BSONObjectTooLarge, 10334)                     \
	X(MergeStageNoMatchingDocument, 13113)           \
	X(DuplicateKey, 11000)                           \
	X(Interrupted, 11601)

enum server_code {
#define X(name, code) CODE_##name = code,
	SERVER_CODES(X)
#undef X
};

/* False with MongoDB's code and words (11601, 50) once the interrupt, which may be null, says that it is over. */
bool error_poll_interrupt(const struct interrupt *interrupt, bson_error_t *error);

/* The codeName of a reply: "BadValue", or "Location40324" (written to `buffer`) for codes without a name. */
const char *error_code_name(uint32_t code, char buffer[24]);

#endif

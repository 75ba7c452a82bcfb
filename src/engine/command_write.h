/*
 * Writing single documents, counted in the execution; a dry run makes the same checks and counts and changes nothing.
 * On top of it UPDATE and DELETE, the stages that explain shows. Private to the commands.
 */
#ifndef BSONSCOPE_ENGINE_COMMAND_WRITE_H
#define BSONSCOPE_ENGINE_COMMAND_WRITE_H

#include "engine/command.h"
#include "engine/update.h"

/*
 * The document as MongoDB stores it: _id first, made when there is none, empty timestamps filled in. `out` is reset.
 * Fails with the rules of _id and of depth.
 */
bool write_prepare(struct value document, struct bytes *out, bson_error_t *error);

/* `collection` null: a dry run on one that does not exist. False: the execution failed. */
bool write_insert(struct execution *x, struct collection *collection, struct value document);
bool write_replace(struct execution *x, struct collection *collection, record_id id, struct value document,
                   bool changed);
bool write_remove(struct execution *x, struct collection *collection, record_id id, struct value document);

/* What an upsert would insert: equalities of the filter, the update on top, prepared. `out` is reset. */
bool write_upsert_document(struct execution *x, const struct update *update, const struct match *filter,
                           struct bytes *out);

/* UPDATE (with an update) or DELETE (update null) over the plan of `q`, as its new root. All is borrowed. */
struct write_stage;
struct write_stage *write_stage_put(struct query *q, struct command_call *call, const struct update *update, bool multi,
                                    bool upsert);

/* The stage gives the document that it wrote, as it was: findAndModify. */
void write_stage_give_document(struct write_stage *s);

struct write_result {
	int64_t matched, modified; /* modified: without no-ops; for DELETE both are what was deleted */
	struct value upserted_id;  /* good as long as the stage; missing: none */
};
struct write_result write_stage_result(const struct write_stage *s);

/*
 * The statement's query, planned, with its write on top. Null: call->error. The update is given back in *update (null
 * after a failure); the caller destroys both, the query first.
 */
struct query *write_query_for_update(struct command_call *call, struct value statement, struct update **update,
                                     struct write_stage **stage);
struct query *write_query_for_modify(struct command_call *call, struct update **update, struct write_stage **stage);
struct query *write_query_for_delete(struct command_call *call, struct value statement, struct write_stage **stage);

#endif

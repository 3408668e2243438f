import type { Migration } from '../migrate.ts'
import { execute, statements } from './statements.ts'

/** The knowledge base, and what replicas share. */
export const SHARED: readonly Migration[] = [
  /** Documents, their chunks and vectors, ingestion jobs, requests and recorded queries. */
  {
    name: '0010-knowledge',
    up: statements(`
      create table @knowledge_sources (
        id text primary key, collection text not null, location text not null,
        title text not null, source_type text not null, authority_tier text not null,
        document_type text not null, status text not null, format text, reason text,
        error_json text, content_hash text, etag text, last_modified text,
        word_count integer not null, page_count integer, chunk_count integer not null,
        metadata_json text not null, deleted integer not null, revision bigint not null,
        created_at bigint not null, updated_at bigint not null, crawled_at bigint,
        constraint knowledge_sources_once unique (collection, location)
      );
      create table @knowledge_chunks (
        id text primary key,
        source_id text not null references @knowledge_sources (id) on delete cascade,
        ordinal integer not null, content text not null, lead_length integer not null,
        token_count integer not null, content_hash text not null, section_title text not null,
        section_path_json text not null, clause_number text, parts_json text not null,
        chunk_type text not null, normative integer, obligation text, pages_json text not null,
        references_json text not null, parent_id text
      );
      create table @knowledge_vectors (
        chunk_id text not null references @knowledge_chunks (id) on delete cascade,
        model text not null, dimensions integer not null, embedding :vector not null,
        constraint knowledge_vectors_pk primary key (chunk_id, model)
      );
      create table @knowledge_jobs (
        id text primary key, targets_json text not null, options_json text not null,
        status text not null, total integer not null, done integer not null,
        failed integer not null, current text, errors_json text not null, owner text,
        lease_until bigint not null, created_at bigint not null, updated_at bigint not null
      );
      create table @knowledge_requests (
        id text primary key, url text not null, reason text, priority integer not null,
        status text not null, requested_by text, created_at bigint not null, processed_at bigint
      );
      create table @knowledge_queries (
        id text primary key, project_id text not null, query text not null,
        workflow text not null, result_count integer not null, created_at bigint not null
      );
      create index knowledge_sources_by_revision on @knowledge_sources (revision);
      create index knowledge_sources_by_content_hash on @knowledge_sources (content_hash);
      create index knowledge_chunks_by_source_id_ordinal on @knowledge_chunks (source_id, ordinal);
      create index knowledge_chunks_by_content_hash on @knowledge_chunks (content_hash);
      create index knowledge_jobs_by_status on @knowledge_jobs (status)
    `),
  },
  /** Data that replicas share: keys, secrets, kept results, sign-ins, configuration. */
  {
    name: '0020-shared',
    up: statements(`
      create table @api_keys (
        id text primary key, agent text not null, sha256 text not null, role text,
        created_at bigint not null, expires_at bigint, revoked_at bigint
      );
      create table @secrets (
        name text primary key, value text not null, updated_at bigint not null
      );
      create table @kept_results (
        handle text primary key, agent text not null, result_json text not null,
        bytes bigint not null, expires_at bigint not null
      );
      create index kept_results_by_end on @kept_results (expires_at, bytes);
      create table @config_versions (
        version bigint primary key, author text not null, message text not null,
        pushed_by text not null, created_at bigint not null, mcp text, rules text, settings text
      )
    `),
  },
  /**
   * The searchable audit record of all replicas. On PostgreSQL it is partitioned by day: old entries
   * are removed by dropping a table, and a search by time reads only the days it needs.
   */
  {
    name: '0021-audit',
    async up(db, engine) {
      const byDay = engine === 'postgres' ? 'partition by range (at)' : ''
      await execute(
        db,
        `create table @audit_entries (
          at bigint not null, id text not null, agent text, server text, tool text,
          decision text not null, line text not null,
          primary key (at, id)
        ) ${byDay}`,
      )
      if (engine === 'postgres')
        await execute(db, 'create table @audit_entries_other partition of @audit_entries default')
      // Nearly every call is allowed, and searches by decision are for the others.
      await execute(
        db,
        `create index audit_by_agent on @audit_entries (agent, at);
         create index audit_by_tool on @audit_entries (server, tool, at);
         create index audit_not_allowed on @audit_entries (decision, at)
           where decision <> 'ALLOW'`,
      )
    },
  },
  /** Scripts that wait for a person's answer; any replica may continue one, but only once. */
  {
    name: '0023-suspended-scripts',
    up: statements(`
      create table @suspended_scripts (
        id text primary key, owner text not null, image text, trail text not null,
        bytes bigint not null, created_at bigint not null, expires_at bigint not null,
        resumed_at bigint
      );
      create index suspended_scripts_by_owner on @suspended_scripts (owner, created_at);
      create index suspended_scripts_by_end on @suspended_scripts (expires_at, bytes)
    `),
  },
  /** The server and the tool that gave a kept result, so that rights are checked when it is read. */
  {
    name: '0024-kept-sources',
    up: statements(`
      alter table @kept_results add column server text;
      alter table @kept_results add column tool text
    `),
  },
  /** Records of the authorization server, and users who sign in with a Portolan password. */
  {
    name: '0030-sign-in',
    up: statements(`
      create table @oauth_records (
        kind text not null, id text not null, payload_json text not null, grant_id text,
        uid text, consumed_at bigint, expires_at bigint,
        constraint oauth_records_pk primary key (kind, id)
      );
      create index oauth_records_by_grant on @oauth_records (grant_id);
      create index oauth_records_by_uid on @oauth_records (kind, uid);
      create index oauth_records_by_end on @oauth_records (expires_at);
      create table @users (
        name text primary key, password_hash text not null, groups_json text not null,
        role text, created_at bigint not null
      )
    `),
  },
  /** Saved scripts with all their versions. */
  {
    name: '0040-saved-scripts',
    up: statements(`
      create table @saved_scripts (name text primary key, active_version integer);
      create table @saved_script_versions (
        name text not null, version integer not null, description text not null,
        input_schema_json text not null, source text not null, state text not null,
        author text not null, created_at bigint not null, decided_by text, decided_at bigint,
        constraint saved_script_versions_pk primary key (name, version)
      )
    `),
  },
  /** The names that clients were shown, so that a replica understands names another has shown. */
  {
    name: '0041-given-names',
    up: statements(`
      create table @given_names (
        source text primary key, body text not null, updated_at bigint not null
      )
    `),
  },
  /**
   * The id of a person, which nobody else ever gets, and that of their account, which is another one
   * after each new password. People without them were made by an earlier version.
   */
  {
    name: '0042-user-ids',
    up: statements(`
      alter table @users add column id text;
      alter table @users add column account_id text
    `),
  },
  /** Questions about calls that need the approval of a person. */
  {
    name: '0044-approvals',
    up: statements(`
      create table @approvals (
        id text primary key, state text not null, call_bond text not null,
        session_bond text not null, waiting_bond text unique, agent text not null,
        question text not null, scope text, reason text, answered_by text, via text,
        created_at bigint not null, answered_at bigint, expires_at bigint not null, used_by text
      );
      create index approvals_by_call on @approvals (call_bond, state);
      create index approvals_by_session on @approvals (session_bond, state);
      create index approvals_by_end on @approvals (state, expires_at)
    `),
  },
  /** How many calls there were of whom, in steps of time: what the pages show of the past. */
  {
    name: '0045-audit-usage',
    up: statements(`
      create table @audit_usage (
        span text not null, at bigint not null, kind text not null, name text not null,
        calls double precision not null, denied double precision not null,
        failed double precision not null, hits double precision not null,
        misses double precision not null, tokens double precision not null,
        cached_tokens double precision not null, saved_tokens double precision not null,
        lists double precision not null, list_chars double precision not null,
        ms double precision not null, money double precision not null,
        constraint audit_usage_pk primary key (span, at, kind, name)
      )
    `),
  },
  /** Saved scripts as the texts of files, without versions. */
  {
    name: '0043-script-files',
    up: statements(`create table @script_files (file text primary key, text text not null)`),
  },
]

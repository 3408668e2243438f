import type { Migration } from '../migrate.ts'
import { statements } from './statements.ts'

/** Accounts, their traces, and how people and agents use them. */
export const TRACES: readonly Migration[] = [
  {
    name: '0001-accounts',
    up: statements(`
      create table @accounts (
        id text primary key, email text, email_key text unique, key_hash text not null unique,
        revoked_at bigint, display_name text,
        reputation_score double precision default 0 not null,
        is_seed integer default 0 not null, is_moderator integer default 0 not null,
        can_contribute integer default 0 not null, entry_door text, invited_by text,
        invites_remaining integer default 0 not null, country_code text, platform text,
        skill_version text, install_source text, last_seen_at bigint,
        created_at bigint not null, updated_at bigint not null
      );
      create table @invitations (
        id text primary key, code_hash text not null unique, created_by text, redeemed_by text,
        door text not null, note text, created_at bigint not null, redeemed_at bigint
      );
      create table @counters (name text primary key, value bigint not null);
      create table @daily_counts (
        day bigint not null, name text not null, value bigint not null,
        constraint daily_counts_pk primary key (day, name)
      )
    `),
  },
  {
    name: '0002-traces',
    up: statements(`
      create table @traces (
        id text primary key, title text not null, context_text text not null,
        solution_text text not null, content_hash text not null unique, status text not null,
        trust_score double precision default 0 not null,
        confirmation_count integer default 0 not null,
        contributor_id text not null references @accounts (id), agent_model text,
        agent_version text, metadata_json text not null, fingerprint_json text not null,
        injection_json text not null, is_seed integer default 0 not null,
        is_stale integer default 0 not null, is_flagged integer default 0 not null,
        flagged_at bigint, retrieval_count integer default 0 not null, last_retrieved_at bigint,
        depth_score integer not null, half_life_days integer not null,
        trace_type text default 'episodic' not null, review_after bigint, watch_condition text,
        convergence_level integer, convergence_cluster_id text,
        somatic_intensity double precision not null, impact_level text not null,
        memory_temperature text default 'WARM' not null, valid_from bigint not null,
        valid_until bigint, consolidated_period bigint default 0 not null,
        revision bigint not null, created_at bigint not null, updated_at bigint not null
      );
      create table @tags (
        name text primary key, is_curated integer default 0 not null, created_at bigint not null
      );
      create table @trace_tags (
        trace_id text not null references @traces (id) on delete cascade,
        tag text not null references @tags (name),
        constraint trace_tags_pk primary key (trace_id, tag)
      );
      create index traces_by_revision on @traces (revision);
      create index traces_by_contributor_id on @traces (contributor_id);
      create index traces_by_created_at on @traces (created_at);
      create index traces_by_trust_score on @traces (trust_score);
      create index traces_by_consolidated_period on @traces (consolidated_period);
      create index trace_tags_by_tag_trace_id on @trace_tags (tag, trace_id)
    `),
  },
  /** How people and agents use traces: votes, amendments, flags, links, searches without results. */
  {
    name: '0003-trace-signals',
    up: statements(`
      create table @votes (
        id text primary key, trace_id text not null references @traces (id) on delete cascade,
        voter_id text not null references @accounts (id), vote_type text not null,
        weight double precision not null, confirms integer not null, feedback_tag text,
        feedback_text text, context_json text, created_at bigint not null,
        constraint votes_once unique (trace_id, voter_id)
      );
      create table @amendments (
        id text primary key,
        original_trace_id text not null references @traces (id) on delete cascade,
        submitter_id text not null references @accounts (id), improved_solution text not null,
        explanation text not null, status text not null,
        trust_score double precision default 0 not null,
        confirmation_count integer default 0 not null, created_at bigint not null,
        decided_at bigint
      );
      create table @amendment_votes (
        amendment_id text not null references @amendments (id) on delete cascade,
        voter_id text not null references @accounts (id), vote_type text not null,
        weight double precision not null, created_at bigint not null,
        constraint amendment_votes_pk primary key (amendment_id, voter_id)
      );
      create table @flags (
        trace_id text not null references @traces (id) on delete cascade,
        account_id text not null references @accounts (id), category text not null,
        reason text not null, counts integer not null, created_at bigint not null,
        constraint flags_pk primary key (trace_id, account_id)
      );
      create table @domain_reputation (
        contributor_id text not null references @accounts (id), tag text not null,
        upvote_count integer not null, downvote_count integer not null,
        wilson_score double precision not null,
        constraint domain_reputation_pk primary key (contributor_id, tag)
      );
      create table @relationships (
        source_id text not null references @traces (id) on delete cascade,
        target_id text not null references @traces (id) on delete cascade, type text not null,
        strength double precision not null,
        constraint relationships_pk primary key (source_id, target_id, type)
      );
      create table @retrievals (
        trace_id text not null references @traces (id) on delete cascade,
        account_id text not null, day bigint not null, at bigint not null,
        constraint retrievals_pk primary key (trace_id, account_id, day)
      );
      create table @search_misses (
        id text primary key, query text, tags_json text not null, language text, framework text,
        created_at bigint not null
      );
      create table @consolidation_runs (
        period bigint primary key, status text not null, stats_json text not null,
        started_at bigint not null, finished_at bigint
      );
      create table @tag_trends (
        tag text not null, period_end bigint not null, growth_rate double precision not null,
        trace_count integer not null, prior_count integer not null,
        constraint tag_trends_pk primary key (tag, period_end)
      );
      create table @trigger_reports (
        id text primary key, account_id text not null, session_id text not null,
        stats_json text not null, searches_fired integer not null,
        traces_consumed integer not null, resolutions_total integer not null,
        resolutions_assisted integer not null, created_at bigint not null
      );
      create table @savings (
        id text primary key, minutes double precision not null, tokens bigint not null,
        event_type text not null, created_at bigint not null
      );
      create index amendments_by_trace on @amendments (original_trace_id);
      create index relationships_by_target on @relationships (target_id);
      create index retrievals_by_account on @retrievals (account_id, day);
      create index votes_by_voter on @votes (voter_id)
    `),
  },
  {
    name: '0004-trace-vectors',
    up: statements(`
      create table @trace_vectors (
        trace_id text not null references @traces (id) on delete cascade, model text not null,
        dimensions integer not null, embedding :vector not null, revision bigint not null,
        constraint trace_vectors_pk primary key (trace_id, model)
      );
      create index trace_vectors_by_revision on @trace_vectors (model, revision)
    `),
  },
  /** Bands that near-identical texts share, so that an index finds them without comparing texts. */
  {
    name: '0005-trace-bands',
    up: statements(`
      create table @trace_bands (
        trace_id text not null references @traces (id) on delete cascade, band text not null,
        constraint trace_bands_pk primary key (band, trace_id)
      );
      create index trace_bands_by_trace on @trace_bands (trace_id)
    `),
  },
  /** Which traces readers pass over for which others, and the rankings that result from it. */
  {
    name: '0011-passed-over',
    up: statements(`
      create table @passed_over (
        winner_id text not null references @traces (id) on delete cascade,
        loser_id text not null references @traces (id) on delete cascade,
        account_id text not null, day bigint not null,
        constraint passed_over_pk primary key (loser_id, winner_id, account_id, day)
      );
      create table @rif_shadows (
        winner_id text not null references @traces (id) on delete cascade,
        loser_id text not null references @traces (id) on delete cascade,
        sessions integer not null, constraint rif_shadows_pk primary key (loser_id, winner_id)
      );
      create index passed_over_by_winner on @passed_over (winner_id);
      create index rif_shadows_by_winner on @rif_shadows (winner_id)
    `),
  },
  {
    name: '0012-email-verification',
    up: statements(`
      alter table @accounts add column email_verified_at bigint;
      alter table @accounts add column verification_hash text;
      alter table @accounts add column verification_expires_at bigint;
      create index accounts_by_verification on @accounts (verification_hash)
    `),
  },
  /** Results shown to each account; a trace may be opened in another process than the search. */
  {
    name: '0022-shown-results',
    up: statements(`
      create table @shown_results (
        id text primary key, account_id text not null, trace_ids_json text not null,
        at bigint not null
      );
      create index shown_results_by_account on @shown_results (account_id, at);
      create index shown_results_by_age on @shown_results (at)
    `),
  },
]

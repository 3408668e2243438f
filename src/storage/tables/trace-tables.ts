import type { Generated, Selectable } from 'kysely'

export interface TraceTables {
  accounts: AccountTable
  invitations: InvitationTable
  traces: TraceTable
  tags: { name: string; is_curated: Generated<number>; created_at: number }
  trace_tags: { trace_id: string; tag: string }
  votes: VoteTable
  amendments: AmendmentTable
  amendment_votes: AmendmentVoteTable
  flags: FlagTable
  domain_reputation: DomainReputationTable
  relationships: RelationshipTable
  retrievals: { trace_id: string; account_id: string; day: number; at: number }
  passed_over: { winner_id: string; loser_id: string; account_id: string; day: number }
  shown_results: { id: string; account_id: string; trace_ids_json: string; at: number }
  /** Which traces readers prefer to which others; the contract gives the name. */
  rif_shadows: { winner_id: string; loser_id: string; sessions: number }
  search_misses: SearchMissTable
  daily_counts: { day: number; name: string; value: number }
  consolidation_runs: ConsolidationRunTable
  tag_trends: TagTrendTable
  trace_vectors: TraceVectorTable
  trace_bands: { trace_id: string; band: string }
  counters: { name: string; value: number }
}

export type Account = Selectable<AccountTable>
export type TraceRow = Selectable<TraceTable>
export type Vote = Selectable<VoteTable>
export type Amendment = Selectable<AmendmentTable>
export type Invitation = Selectable<InvitationTable>

interface AccountTable {
  id: string
  email: string | null
  /** The address without case and plus tag, so that a person has one account. */
  email_key: string | null
  email_verified_at: number | null
  /** The hash of the code in the last link that was sent. */
  verification_hash: string | null
  verification_expires_at: number | null
  key_hash: string
  revoked_at: number | null
  display_name: string | null
  reputation_score: Generated<number>
  is_seed: Generated<number>
  is_moderator: Generated<number>
  can_contribute: Generated<number>
  entry_door: string | null
  invited_by: string | null
  invites_remaining: Generated<number>
  created_at: number
  updated_at: number
}

interface InvitationTable {
  id: string
  code_hash: string
  created_by: string | null
  redeemed_by: string | null
  door: string
  note: string | null
  created_at: number
  redeemed_at: number | null
}

interface TraceTable {
  id: string
  title: string
  context_text: string
  solution_text: string
  /** The hash of the normalised text; unique, so that the same text cannot be stored twice. */
  content_hash: string
  status: 'pending' | 'validated'
  trust_score: Generated<number>
  confirmation_count: Generated<number>
  contributor_id: string
  agent_model: string | null
  agent_version: string | null
  metadata_json: string
  fingerprint_json: string
  injection_json: string
  is_seed: Generated<number>
  is_stale: Generated<number>
  is_flagged: Generated<number>
  flagged_at: number | null
  retrieval_count: Generated<number>
  last_retrieved_at: number | null
  depth_score: number
  half_life_days: number
  trace_type: Generated<'episodic' | 'pattern'>
  review_after: number | null
  watch_condition: string | null
  convergence_level: number | null
  convergence_cluster_id: string | null
  somatic_intensity: number
  impact_level: 'critical' | 'high' | 'normal' | 'low'
  memory_temperature: Generated<'HOT' | 'WARM' | 'COOL' | 'COLD' | 'FROZEN'>
  valid_from: number
  valid_until: number | null
  /** The last consolidation period that aged this row, so that a period ages it only once. */
  consolidated_period: Generated<number>
  /** Grows with every change of the searchable text, in commit order. */
  revision: number
  created_at: number
  updated_at: number
}

interface VoteTable {
  id: string
  trace_id: string
  voter_id: string
  vote_type: 'up' | 'down'
  weight: number
  /** 1 when this vote counts towards validation. */
  confirms: number
  feedback_tag: string | null
  feedback_text: string | null
  context_json: string | null
  created_at: number
}

interface AmendmentTable {
  id: string
  original_trace_id: string
  submitter_id: string
  improved_solution: string
  explanation: string
  status: 'proposed' | 'applied' | 'rejected'
  trust_score: Generated<number>
  confirmation_count: Generated<number>
  created_at: number
  decided_at: number | null
}

interface AmendmentVoteTable {
  amendment_id: string
  voter_id: string
  vote_type: 'up' | 'down'
  weight: number
  created_at: number
}

interface FlagTable {
  trace_id: string
  account_id: string
  category: string
  reason: string
  /** 1 when the account is established enough for its flag to help hide a trace. */
  counts: number
  created_at: number
}

interface DomainReputationTable {
  contributor_id: string
  tag: string
  upvote_count: number
  downvote_count: number
  wilson_score: number
}

export interface RelationshipTable {
  source_id: string
  target_id: string
  type: string
  strength: number
}

interface SearchMissTable {
  id: string
  query: string | null
  tags_json: string
  language: string | null
  framework: string | null
  created_at: number
}

interface ConsolidationRunTable {
  period: number
  status: 'running' | 'completed'
  stats_json: string
  started_at: number
  finished_at: number | null
}

export interface TagTrendTable {
  tag: string
  period_end: number
  growth_rate: number
  trace_count: number
  prior_count: number
}

interface TraceVectorTable {
  trace_id: string
  model: string
  dimensions: number
  /** `vector` on PostgreSQL, little-endian float32 on SQLite; read it with `trace-vectors.ts`. */
  embedding: unknown
  revision: number
}

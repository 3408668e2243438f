import { randomUUID } from 'node:crypto'
import type { Account, TraceRow } from '../../../../storage/tables/trace-tables.ts'
import { saveRelationships } from '../../../../storage/traces/relationships.ts'
import { storageFailure } from '../../../../storage/storage-failure.ts'
import {
  type NewTrace,
  type NewTraceParts,
  findByBands,
  findTraceByContent,
  insertTraces,
  lockTrace,
  updateTrace,
} from '../../../../storage/traces/trace-rows.ts'
import type { Deps } from '../deps.ts'
import { ApiError } from '../api-error.ts'
import { toFingerprint } from '../rules/context-fingerprint.ts'
import { enrichMetadata } from '../rules/enrich-metadata.ts'
import { findInjections } from '../rules/find-injections.ts'
import { NEAR_IDENTICAL, bandsOf, contentHash, similarity } from '../rules/near-duplicate.ts'
import { normaliseTags } from '../rules/normalise-tags.ts'
import { depthScore, halfLifeDays, impactLevel, difficulty } from '../rules/score-contribution.ts'
import type { NewTraceRequest } from '../schemas.ts'
import { refuseSensitive } from './refuse-sensitive.ts'

export interface ContributionResult {
  readonly id: string
  readonly ignoredTags: readonly string[]
}

/** Checks everything before the first write, then writes in one transaction. */
export async function contributeTrace(
  deps: Deps,
  account: Account,
  request: NewTraceRequest,
): Promise<ContributionResult> {
  refuseSensitive(request)
  const reasons = checkQuality(request)
  if (reasons.length > 0)
    throw new ApiError(422, `Content rejected: ${reasons.join('; ')}`, { extra: { reasons } })
  const { tags, ignored } = normaliseTags(request.tags)
  const trace = toTrace(deps, account, request, tags)
  const accepted = {
    parts: { trace, tags, bands: bandsOf(trace) },
    supersedes: request.supersedes_trace_id ?? undefined,
  }
  await refuseNearDuplicate(deps, accepted)
  try {
    await store(deps, account, accepted)
  } catch (error) {
    // Another caller stored the same text between the check and this write.
    if (storageFailure(error) !== 'duplicate') throw error
    throw duplicateOf(await findTraceByContent(deps.storage.db, trace.content_hash))
  }
  deps.onContributed?.(trace)
  return { id: trace.id, ignoredTags: ignored }
}

/** Builds the row of a trace, with all derived fields. */
export function toTrace(
  { settings, now }: Pick<Deps, 'settings' | 'now'>,
  account: Pick<Account, 'id'>,
  request: NewTraceRequest,
  tags: readonly string[],
): NewTrace {
  const effort = request.tokens_to_resolution
  const metadata = enrichMetadata(
    { ...request.metadata_json, ...(effort != null && { tokens_to_resolution: effort }) },
    request.solution_text,
  )
  const at = now()
  return {
    id: randomUUID(),
    title: request.title,
    context_text: request.context_text,
    solution_text: request.solution_text,
    content_hash: contentHash(request),
    status: 'pending',
    contributor_id: account.id,
    agent_model: request.agent_model ?? null,
    agent_version: request.agent_version ?? null,
    metadata_json: JSON.stringify(metadata),
    fingerprint_json: JSON.stringify(toFingerprint(metadata, tags)),
    injection_json: JSON.stringify(
      findInjections(request.title, request.context_text, request.solution_text),
    ),
    depth_score: depthScore(metadata, request.solution_text),
    half_life_days: halfLifeDays(tags, settings.temporalDecayDefaultHalfLifeDays),
    review_after: request.review_after ? Date.parse(request.review_after) : null,
    watch_condition: request.watch_condition ?? null,
    somatic_intensity: difficulty(metadata),
    impact_level: impactLevel(tags, metadata),
    valid_from: at,
    created_at: at,
    updated_at: at,
  }
}

interface Accepted {
  readonly parts: NewTraceParts
  readonly supersedes: string | undefined
}

async function store(
  { storage, writes, now }: Deps,
  account: Account,
  { parts, supersedes }: Accepted,
): Promise<void> {
  if (!supersedes) return writes.add(parts)
  const { trace } = parts
  await storage.transaction(async (tx) => {
    refuseForeign(await lockTrace(tx, storage.engine, supersedes), account)
    await insertTraces(tx, [parts])
    await updateTrace(tx, supersedes, { valid_until: now(), updated_at: now() })
    await saveRelationships(tx, [
      { source_id: trace.id, target_id: supersedes, type: 'SUPERSEDES', strength: 1 },
    ])
  })
}

function refuseForeign(old: TraceRow | undefined, account: Account): void {
  if (!old) throw new ApiError(404, 'Superseded trace not found')
  if (old.contributor_id !== account.id)
    throw new ApiError(403, 'Can only supersede your own traces')
}

async function refuseNearDuplicate(
  { storage }: Deps,
  { parts: { trace, bands }, supersedes }: Accepted,
): Promise<void> {
  const near = await findByBands(storage.db, bands)
  const twin = near.find((row) => row.id !== supersedes && similarity(row, trace) >= NEAR_IDENTICAL)
  if (twin) throw duplicateOf(twin.id)
}

function duplicateOf(id: string | undefined): ApiError {
  return new ApiError(
    409,
    `A nearly identical trace exists already${id ? ` (${id})` : ''}: vote for it or amend it instead`,
    { extra: id ? { existing_trace_id: id } : {} },
  )
}

interface Contribution {
  readonly title: string
  readonly context_text: string
  readonly solution_text: string
}

const WORD = /[\p{L}\p{N}]+/gu
const PLACEHOLDER =
  /^(?:n\/?a|none|null|undefined|todo|tbd|wip|fixed|done|solved|see above|no (?:details|context|solution)|untitled|auto[- ]?(?:generated|submitted)|session summary|placeholder|lorem ipsum)\b[\s.!:-]*$/i

/** Returns the reasons why a trace is too empty to be useful; none if it is not. */
export function checkQuality({ title, context_text, solution_text }: Contribution): string[] {
  const reasons = [
    ...tooThin('title', title, { words: 2, characters: 6 }),
    ...tooThin('context_text', context_text, { words: 3, characters: 12 }),
    ...tooThin('solution_text', solution_text, { words: 3, characters: 15 }),
  ]
  if (reasons.length > 0) return reasons
  const [context, solution] = [words(context_text), words(solution_text)]
  if (context.join(' ') === solution.join(' '))
    reasons.push('solution_text repeats context_text: say what was done about the problem')
  if (words(title).join(' ') === solution.join(' '))
    reasons.push('solution_text only repeats the title: say how it is done')
  return reasons
}

function tooThin(
  field: string,
  text: string,
  least: { readonly words: number; readonly characters: number },
): string[] {
  const found = words(text)
  if (PLACEHOLDER.test(text.trim()))
    return [`${field} is a placeholder ("${text.trim().slice(0, 40)}")`]
  if (found.length < least.words || text.trim().length < least.characters)
    return [`${field} is too short: write at least ${least.words} words`]
  if (found.length >= 8 && new Set(found).size <= found.length / 8)
    return [`${field} repeats the same few words`]
  return []
}

function words(text: string): string[] {
  return text.toLowerCase().match(WORD) ?? []
}

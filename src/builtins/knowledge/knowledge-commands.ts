import { type JsonObject, isObject } from '../../base/json/json.ts'
import { parseGoldenSet } from './eval/golden-set.ts'
import { type GoldenReport, runGoldenSet } from './eval/run-golden-set.ts'
import type { JobResult } from './ingest/run-job.ts'
import type { JobWatch } from './ingest/ingest-queue.ts'
import { ingestOptions } from './ingest/ingest-options.ts'
import type { BuiltinContext } from '../kit/define-builtin.ts'
import { openKnowledge } from './open-knowledge.ts'
import { NO_CALLER } from '../../protocol/service.ts'
import type { KnowledgeBase } from './knowledge-base.ts'
import { KnowledgeError } from './knowledge-error.ts'
import { serviceOf } from './create-knowledge-service.ts'
import { chunkTotals, chunksOfSource } from '../../storage/knowledge/chunks.ts'
import { listSources } from '../../storage/knowledge/sources.ts'
import { contentHash } from './chunks/chunk-document.ts'

/** The knowledge base as the command line uses it. */
export interface KnowledgeCommands {
  ingest(targets: readonly string[], options: IngestRequest, watch: JobWatch): Promise<JobResult>
  /** Calls a tool as an agent would. */
  call(tool: string, args: JsonObject): Promise<JsonObject>
  verify(options: {
    readonly collection?: string
    readonly embeddings?: boolean
  }): Promise<Verification>
  /** Scores a golden set, given as YAML. */
  evaluate(goldenSet: string, options: { readonly collection?: string }): Promise<GoldenReport>
  close(): Promise<void>
}

interface IngestRequest {
  readonly collection: string
  readonly documentType?: string | undefined
  readonly authorityTier: string
  readonly depth: number
  readonly include: readonly string[]
  readonly exclude: readonly string[]
}

export async function openKnowledgeCommands(context: BuiltinContext): Promise<KnowledgeCommands> {
  const base = await openKnowledge(context)
  return {
    ingest: async (targets, options, watch) =>
      base.queue.run(targets, ingestOptions.parse(options), watch),
    call: async (tool, args) => callKnowledgeTool(base, tool, args),
    verify: async (options) => verifyKnowledge(base, options),
    evaluate: async (goldenSet, options) =>
      runGoldenSet(base.store, parseGoldenSet(goldenSet), options),
    close: async () => base.close(),
  }
}

/** Calls a tool for the command line, with the arguments and the result that an agent has. */
async function callKnowledgeTool(
  base: KnowledgeBase,
  name: string,
  args: JsonObject,
): Promise<JsonObject> {
  const result = await serviceOf(base).handle('tools/call', { name, arguments: args }, NO_CALLER)
  const answer = result['structuredContent']
  if (!isObject(answer)) throw new TypeError(`${name} gave no structured answer`)
  if (result['isError'] === true) {
    throw new KnowledgeError('internal_error', String(answer['error']), {
      suggestion: String(answer['suggestion']),
    })
  }
  return answer
}

interface Verification {
  readonly documents: number
  readonly chunks: number
  readonly problems: readonly string[]
}

/** Verifies counts, hashes and the index, and on request the number of vectors. */
async function verifyKnowledge(
  base: KnowledgeBase,
  {
    collection,
    embeddings,
  }: { readonly collection?: string | undefined; readonly embeddings?: boolean },
): Promise<Verification> {
  const { db } = base.store.storage
  const sources = await listSources(db, { collection })
  const problems: string[] = []
  let chunks = 0
  for (const source of sources) {
    const rows = await chunksOfSource(db, source.id)
    chunks += rows.length
    if (rows.length !== source.chunk_count) {
      problems.push(
        `${source.location}: ${rows.length} of ${source.chunk_count} passages are there`,
      )
    }
    const damaged = rows.filter((row) => contentHash(row.content) !== row.content_hash)
    if (damaged.length > 0)
      problems.push(`${source.location}: ${damaged.length} passages are damaged`)
    if (source.status === 'failed')
      problems.push(`${source.location}: failed: ${source.error_json}`)
    if (source.status === 'ingesting') problems.push(`${source.location}: was never finished`)
  }
  const { chunks: stored } = await chunkTotals(db)
  const index = await base.store.index()
  if (index.size !== stored) problems.push(`The index holds ${index.size} of ${stored} passages`)
  if (embeddings) problems.push(...(await missingVectors(base, stored)))
  return { documents: sources.length, chunks, problems }
}

async function missingVectors(base: KnowledgeBase, stored: number): Promise<string[]> {
  const vectors = await base.store.vectors()
  if (!vectors) return ['There are no vectors: no embedding model is set']
  const held = await vectors.count()
  return held === stored ? [] : [`${held} vectors for ${stored} passages`]
}

import { type JsonObject, isObject } from '../../base/json/json.ts'
import { parseGoldenSet } from './eval/golden-set.ts'
import { type GoldenReport, runGoldenSet } from './eval/run-golden-set.ts'
import type { JobResult } from './ingest/run-job.ts'
import type { JobWatch } from './ingest/ingest-queue.ts'
import { ingestOptions } from './ingest/ingest-options.ts'
import { type Verification, verifyKnowledge } from './verify-knowledge.ts'
import type { BuiltinContext } from '../kit/define-builtin.ts'
import { openKnowledge } from './open-knowledge.ts'
import { NO_CALLER } from '../../protocol/service.ts'
import type { KnowledgeBase } from './knowledge-base.ts'
import { KnowledgeError } from './knowledge-error.ts'
import { serviceOf } from './create-knowledge-service.ts'

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

export interface IngestRequest {
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

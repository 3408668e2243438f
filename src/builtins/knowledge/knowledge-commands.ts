import type { JsonObject } from '../../base/json/json.ts'
import { callKnowledgeTool } from './call-knowledge-tool.ts'
import { parseGoldenSet } from './eval/golden-set.ts'
import { type GoldenReport, runGoldenSet } from './eval/run-golden-set.ts'
import type { JobResult } from './ingest/run-job.ts'
import type { JobWatch } from './ingest/ingest-queue.ts'
import { ingestOptions } from './ingest/ingest-options.ts'
import { type Verification, verifyKnowledge } from './verify-knowledge.ts'
import type { BuiltinContext } from '../kit/define-builtin.ts'
import { openKnowledge } from './open-knowledge.ts'

/** The knowledge base as the command line uses it. */
export interface KnowledgeCommands {
  ingest(targets: readonly string[], options: IngestRequest, watch: JobWatch): Promise<JobResult>
  /** A tool, called as an agent would. */
  call(tool: string, args: JsonObject): Promise<JsonObject>
  verify(options: {
    readonly collection?: string
    readonly embeddings?: boolean
  }): Promise<Verification>
  /** The score of a golden set, given as YAML. */
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

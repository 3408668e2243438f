/** What the command line may use of the knowledge base: one door, so that `cli` reaches no server itself. */
export { parseGoldenSet } from '../servers/knowledge/eval/golden-set.ts'
export { runGoldenSet } from '../servers/knowledge/eval/run-golden-set.ts'
export { DOCUMENT_TYPES, ingestOptions } from '../servers/knowledge/ingest/ingest-options.ts'
export type { JobProgress } from '../servers/knowledge/ingest/run-job.ts'
export type { KnowledgeBase } from '../servers/knowledge/knowledge-base.ts'
export { KnowledgeError } from '../servers/knowledge/knowledge-error.ts'
export { callKnowledgeTool } from '../servers/knowledge/call-knowledge-tool.ts'
export { verifyKnowledge } from '../servers/knowledge/verify-knowledge.ts'

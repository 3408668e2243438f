import { randomUUID } from 'node:crypto'
import { isAbsolute, resolve } from 'node:path'
import { z } from 'zod'
import { decodeUri } from '../../../base/text/decode-uri.ts'
import type { ServiceContext } from '../../../protocol/service.ts'
import { findJob, listJobs } from '../../../storage/knowledge/jobs.ts'
import { insertRequest, settleRequests } from '../../../storage/knowledge/requests.ts'
import type { JobRow } from '../../../storage/tables/knowledge-tables.ts'
import { isAddress } from '../ingest/expand-target.ts'
import type { IngestOutcome } from '../ingest/ingest-item.ts'
import {
  AUTHORITY_TIERS,
  DOCUMENT_TYPES,
  SOURCE_TYPES,
  ingestOptions,
} from '../ingest/ingest-options.ts'
import { type JobProgress, type JobResult, placeOf } from '../ingest/run-job.ts'
import { type Job, ingestAnswer, jobsAnswer } from '../answers.ts'
import { KnowledgeError } from '../knowledge-error.ts'
import { checkUrl } from '../sources/guard-address.ts'
import type { SkippedFile } from '../sources/list-files.ts'
import { preflight } from '../sources/preflight.ts'
import { knowledgeTool } from './tool-kit.ts'

/** The most skipped files that an answer lists. */
const MAX_SKIPPED = 20

const authorityTier = z
  .enum(AUTHORITY_TIERS)
  .default('tier3')
  .describe('How much the source weighs in ranking: tier1 is canonical')

/** Limited because every file or link is compared with each; real patterns are far below. */
const globs = z.array(z.string().max(1000)).max(100).default([])

export const knowledgeIngest = knowledgeTool({
  name: 'knowledge_ingest',
  title: 'Add documents',
  description:
    'Add a file, a folder, a git repository (https://….git) or a web page to the knowledge base: read, cut into passages, stored and searchable when this returns. Formats: Markdown, HTML, AsciiDoc, text, CSV, PDF (with text; scans need OCR first), DOCX, ODT, RTF, PPTX, ODP, XLSX, ODS, EPUB, Jupyter.',
  writes: 'adds',
  openWorld: true,
  input: z.object({
    url: z.string().min(1).describe('URL, file or folder'),
    source_type: z
      .enum(SOURCE_TYPES)
      .default('web')
      .describe('What it is; files are documents or standards'),
    authority_tier: authorityTier,
    title: z.string().optional().describe('Instead of the title the document gives itself'),
    collection: z.string().min(1).default('knowledge').describe('Where it is kept'),
    document_type: z.enum(DOCUMENT_TYPES).optional(),
    depth: z
      .number()
      .int()
      .min(0)
      .max(5)
      .default(0)
      .describe('How far links of a web page are followed'),
    max_pages: z.number().int().min(1).max(2000).default(200),
    include: globs.describe('Only paths that match one of these globs'),
    exclude: globs.describe('No paths that match one of these globs'),
    background: z
      .boolean()
      .default(false)
      .describe('Return at once with a job_id for knowledge_jobs'),
  }),
  output: ingestAnswer,
  async answer(input, base, context) {
    const target = await toTarget(input.url, context)
    const options = ingestOptions.parse({
      collection: input.collection,
      documentType: input.document_type,
      sourceType: input.source_type,
      authorityTier: input.authority_tier,
      title: input.title,
      depth: input.depth,
      maxPages: input.max_pages,
      include: input.include,
      exclude: input.exclude,
    })
    if (input.background) {
      const id = await base.queue.add([target], options)
      return {
        job_id: id,
        status: 'pending',
        message: 'Queued; see knowledge_jobs for its progress.',
      }
    }
    const { id, ...result } = await base.queue.run([target], options, watching(context))
    return { job_id: id, ...summary(result, target) }
  },
})

export const knowledgeJobs = knowledgeTool({
  name: 'knowledge_jobs',
  title: 'Progress of ingestion',
  description:
    'The state of ingestion jobs: how far they are, what failed and why. Can cancel one.',
  writes: 'adds',
  input: z.object({
    job_id: z.string().optional().describe('One job; without it, the latest'),
    cancel: z.boolean().default(false).describe('Stop this job; the document at hand is given up'),
    limit: z.number().int().min(1).max(100).default(10),
  }),
  output: jobsAnswer,
  async answer({ job_id: id, cancel, limit }, base) {
    const { db } = base.store.storage
    if (id === undefined) return { jobs: (await listJobs(db, limit)).map(toJob) }
    if (cancel) await base.queue.cancel(id)
    const job = await findJob(db, id)
    if (!job) throw new KnowledgeError('not_found', `There is no job ${id}`)
    return toJob(job)
  },
})

export const knowledgePreflight = knowledgeTool({
  name: 'knowledge_preflight',
  title: 'Check a page before acquiring it',
  description:
    'Whether a URL can be reached and whether robots.txt allows it; fetches both for real.',
  openWorld: true,
  input: z.object({
    url: z.string(),
    check_robots: z.boolean().default(true).describe('Whether robots.txt is asked'),
  }),
  async answer({ url, check_robots: checkRobots }, base) {
    return { ...(await preflight(url, base.access.fetch, checkRobots)) }
  },
})

export const knowledgeAcquire = knowledgeTool({
  name: 'knowledge_acquire',
  title: 'Acquire a web page',
  description: 'Check a web page, then ingest it; open requests for it are settled.',
  writes: 'adds',
  openWorld: true,
  input: z.object({
    url: z.string(),
    authority_tier: authorityTier,
    title: z.string().optional(),
    reason: z.string().optional().describe('Why it is needed; kept with the source'),
    collection: z.string().min(1).default('knowledge'),
  }),
  async answer(input, base, context) {
    const { url } = input
    const { db } = base.store.storage
    const checked = await preflight(url, base.access.fetch, true)
    if (!checked.accessible) {
      await settleRequests(db, url, 'failed', Date.now())
      return { ...acquisition(url, undefined, checked.error), suggestion: checked.suggestion }
    }
    const options = ingestOptions.parse({
      collection: input.collection,
      sourceType: 'web',
      authorityTier: input.authority_tier,
      title: input.title,
      reason: input.reason,
    })
    const { outcomes } = await base.queue.run([url], options, watching(context))
    const stored = outcomes.find(({ status }) => status !== 'failed')
    await settleRequests(db, url, stored ? 'done' : 'failed', Date.now())
    return acquisition(url, stored, stored ? input.reason : outcomes[0]?.error?.message)
  },
})

function acquisition(url: string, stored: IngestOutcome | undefined, reason: string | null = null) {
  return {
    url,
    acquired: stored !== undefined,
    source_id: stored?.sourceId ?? null,
    title: stored?.title ?? null,
    word_count: stored?.words ?? 0,
    reason,
  }
}

export const knowledgeRequest = knowledgeTool({
  name: 'knowledge_request',
  title: 'Ask for content to be added',
  description: 'Note a URL that somebody should add later, with a reason and a priority.',
  writes: 'adds',
  input: z.object({
    url: z.string(),
    reason: z.string().optional(),
    priority: z.number().int().min(1).max(5).default(3).describe('1 is the highest'),
  }),
  async answer({ url, reason, priority }, base, context) {
    checkUrl(url, base.access.fetch)
    const request = {
      id: randomUUID(),
      url,
      reason: reason ?? null,
      priority,
      status: 'pending' as const,
      requested_by: context.agent ?? null,
      created_at: Date.now(),
      processed_at: null,
    }
    await insertRequest(base.store.storage.db, request)
    return {
      request_id: request.id,
      url,
      reason: request.reason,
      priority,
      status: request.status,
      created_at: new Date(request.created_at).toISOString(),
      message: 'Noted; knowledge_acquire ingests it.',
    }
  },
})

/** Resolves a relative path from the agent's project. */
async function toTarget(url: string, context: ServiceContext): Promise<string> {
  if (isAddress(url) && !url.startsWith('file://')) return url
  const path = url.startsWith('file://') ? decodeUri(new URL(url).pathname) : url
  return isAbsolute(path) ? path : resolve((await context.project()).path, path)
}

function watching(context: ServiceContext) {
  return {
    signal: context.signal,
    onProgress: ({ done, total, current, pages, outcome }: JobProgress) => {
      if (pages && outcome === undefined && pages.read % 10 !== 0) return
      const share = pages ? pages.read / (pages.total + 1) : 0
      context.progress({ progress: done + share, total, message: placeOf({ current, pages }) })
    },
  }
}

/** Summarises a job: one document in the form of the contract, several also as a list. */
function summary(
  { outcomes, skipped, removed }: JobResult,
  target: string,
): Record<string, unknown> {
  const [first] = outcomes
  if (!first) {
    throw new KnowledgeError('not_found', `${target} holds no document that can be read`, {
      suggestion: 'Check the path and the include and exclude patterns.',
      details: skippedFiles(skipped),
    })
  }
  if (outcomes.length === 1 && first.error) throw first.error
  const failed = outcomes.filter(({ status }) => status === 'failed')
  const exists = first.status === 'unchanged' || first.status === 'duplicate'
  return {
    source_id: first.sourceId,
    status: failed.length === outcomes.length ? 'failed' : 'complete',
    title: first.title,
    word_count: outcomes.reduce((sum, { words }) => sum + words, 0),
    chunk_count: outcomes.reduce((sum, { chunks }) => sum + chunks, 0),
    message: message(outcomes, { failed, skipped, removed }),
    ...(outcomes.length === 1 && exists && { already_exists: true }),
    ...(outcomes.length > 1 && { sources: outcomes.map(toLine) }),
    ...skippedFiles(skipped),
    ...removedFiles(removed),
  }
}

function removedFiles(removed: JobResult['removed']): Record<string, unknown> {
  if (removed.length === 0) return {}
  return { removed: removed.map(({ location, title }) => ({ url: location, title })) }
}

/** Reports the number of skipped files, their reasons, and up to `MAX_SKIPPED` of them. */
function skippedFiles(skipped: readonly SkippedFile[]): Record<string, unknown> {
  if (skipped.length === 0) return {}
  const reasons = new Map<string, number>()
  for (const { reason } of skipped) reasons.set(reason, (reasons.get(reason) ?? 0) + 1)
  const files = skipped
    .slice(0, MAX_SKIPPED)
    .map(({ location, reason }) => ({ url: location, reason }))
  return {
    skipped_count: skipped.length,
    skipped_reasons: Object.fromEntries(reasons),
    skipped_files: files,
  }
}

function message(
  outcomes: readonly IngestOutcome[],
  others: Readonly<Record<'failed' | 'skipped' | 'removed', readonly unknown[]>>,
): string {
  const count = (status: IngestOutcome['status']) =>
    outcomes.filter((outcome) => outcome.status === status).length
  const parts = [
    `${count('stored')} stored`,
    `${count('unchanged')} unchanged`,
    `${count('duplicate')} already there under another name`,
    ...Object.entries(others).map(([what, files]) => `${files.length} ${what}`),
  ]
  return parts.filter((part) => !part.startsWith('0 ')).join(', ')
}

function toLine({ location, sourceId, status, title, chunks, error }: IngestOutcome) {
  const failure = error && { error: error.message, suggestion: error.suggestion }
  return { url: location, source_id: sourceId, status, title, chunk_count: chunks, ...failure }
}

function toJob(job: JobRow) {
  const errors: Job['errors'] = JSON.parse(job.errors_json)
  const targets: Job['targets'] = JSON.parse(job.targets_json)
  return {
    job_id: job.id,
    status: job.status,
    targets,
    done: job.done,
    failed: job.failed,
    total: job.total,
    current: job.current,
    errors,
    created_at: new Date(job.created_at).toISOString(),
    updated_at: new Date(job.updated_at).toISOString(),
  }
}

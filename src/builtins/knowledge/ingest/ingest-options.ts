import { z } from 'zod'

export const SOURCE_TYPES = ['document', 'web', 'standard'] as const
export const AUTHORITY_TIERS = ['tier1', 'tier2', 'tier3'] as const
export const DOCUMENT_TYPES = [
  'standard',
  'handbook',
  'guide',
  'specification',
  'report',
  'policy',
  'custom',
] as const

/** How documents are ingested. Stored with the job as JSON, so another process can continue it. */
export const ingestOptions = z.object({
  collection: z.string().min(1).default('knowledge'),
  documentType: z.enum(DOCUMENT_TYPES).optional(),
  sourceType: z.enum(SOURCE_TYPES).optional(),
  authorityTier: z.enum(AUTHORITY_TIERS).default('tier3'),
  /** Only for a single document. */
  title: z.string().optional(),
  reason: z.string().optional(),
  /** How many links deep to follow from a web page. */
  depth: z.number().int().min(0).max(10).default(0),
  maxPages: z.number().int().min(1).max(10_000).default(200),
  include: z.array(z.string()).default([]),
  exclude: z.array(z.string()).default([]),
})

export type IngestOptions = z.output<typeof ingestOptions>

export const ingestJob = z.object({ targets: z.array(z.string()), options: ingestOptions })

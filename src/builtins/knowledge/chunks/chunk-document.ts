import { createHash } from 'node:crypto'
import type { KnowledgeDocument } from '../documents/document.ts'
import { keywordStyle } from '../documents/keyword-style.ts'
import {
  type KeywordStyle,
  normativeState,
  strongest,
  type Obligation,
} from '../documents/normative.ts'
import {
  CHUNK_OPTIONS,
  type Chunk,
  type ChunkOptions,
  type ChunkPart,
  type CountTokens,
  type ChunkType,
} from './chunk.ts'
import { type Draft, type DraftSection, mergeSmall, sectionDrafts } from './draft.ts'
import { toSections } from './section.ts'
import type { Unit } from './unit.ts'

const REFERENCE =
  /\b(?:RFC\s?\d{3,5}|(?:ISO|IEC|IEEE|SAE|MIL-STD|IATF|ECSS)(?:\/[A-Z]+)*[ -]J?\d{3,5}[A-Z]?(?:-\d+)?(?::\d{4})?|(?:[Cc]lause|[Ss]ection|Annex|Appendix)\s(?:\d+(?:\.\d+)*|[A-Z](?:\.\d+)*)(?![A-Za-z]))/g

/**
 * Cuts a document into chunks along its structure. No text is dropped: the chunks without their
 * leads add up to the document.
 */
export function chunkDocument(
  document: KnowledgeDocument,
  count: CountTokens,
  { isStandard = false, ...sizes }: Partial<ChunkOptions> & { readonly isStandard?: boolean } = {},
): Chunk[] {
  const options = { ...CHUNK_OPTIONS, ...sizes }
  const style = keywordStyle(document.blocks, isStandard)
  const drafts = toSections(document).flatMap((section) => sectionDrafts(section, options, count))
  const chunks: Chunk[] = []
  for (const draft of mergeSmall(drafts, options, count)) {
    chunks.push(toChunk(draft, chunks, style))
  }
  return chunks
}

function toChunk(draft: Draft, before: readonly Chunk[], style: KeywordStyle): Chunk {
  const content = draft.lead + draft.body
  const main = mainSection(draft)
  const path = main?.path ?? []
  const parts = partsOf(draft, style)
  const { normative, obligation } = strongest(parts)
  return {
    ordinal: before.length,
    content,
    leadLength: draft.lead.length,
    tokenCount: draft.tokens,
    contentHash: contentHash(content),
    sectionPath: path,
    sectionTitle: main?.title ?? '',
    clauseNumber: main?.clause ?? null,
    parts,
    chunkType: chunkType({ kinds: draft.kinds, path, normative, obligation }),
    normative,
    obligation,
    pages: draft.pages,
    references: [...new Set(draft.body.match(REFERENCE))],
    parent: parentOf(path, before),
  }
}

/** Describes each section of a chunk, with its own normative state. */
function partsOf({ body, lead, sections }: Draft, style: KeywordStyle): ChunkPart[] {
  return sections.map(({ start, path, title, clause, page, informative }, at) => ({
    offset: lead.length + start,
    path,
    title,
    clause,
    page,
    ...(informative
      ? { normative: false, obligation: null }
      : normativeState(body.slice(start, sections[at + 1]?.start), path, style)),
  }))
}

/** Returns the section a chunk is named after: the first that is more than a heading. */
function mainSection({ sections }: Draft): DraftSection | undefined {
  return sections.find(({ bare }) => !bare) ?? sections.at(-1)
}

/** Returns the chunk that opens the nearest section above. */
function parentOf(path: readonly string[], before: readonly Chunk[]): number | null {
  for (let depth = path.length - 1; depth > 0; depth--) {
    const above = path.slice(0, depth).join('\u0000')
    const isPart = (chunk: Chunk | undefined) =>
      chunk?.parts.some((part) => part.path.join('\u0000') === above) === true
    let at = before.findLastIndex(isPart)
    while (isPart(before[at - 1])) at -= 1
    if (at >= 0) return at
  }
  return null
}

/** Hashes a text without its outer whitespace; line endings make no difference. */
export function contentHash(text: string): string {
  return createHash('sha256').update(text.replaceAll('\r\n', '\n').trim()).digest('hex')
}

/** Titles that also classify the sections directly below them; those in `BY_TITLE` do not. */
const BY_PARENT: readonly [RegExp, ChunkType][] = [
  [/\b(?:terms|definitions?|glossary|abbreviations|acronyms|terminology)\b/i, 'definition'],
  [/\b(?:references|bibliography|table of contents)\b|^(?:contents|index)$/i, 'reference'],
]

const BY_TITLE: readonly [RegExp, ChunkType][] = [
  [/\bexamples?\b/i, 'example'],
  [/\b(?:scope|introduction|overview|abstract|purpose|foreword|summary)\b/i, 'overview'],
]

interface ChunkTraits {
  readonly kinds: readonly Unit['kind'][]
  readonly path: readonly string[]
  readonly normative: boolean | null
  readonly obligation: Obligation | null
}

/** Classifies a chunk by the kinds of its blocks, its section titles, and its obligation. */
function chunkType({ kinds, path, normative, obligation }: ChunkTraits): ChunkType {
  const body = kinds.filter((kind) => kind !== 'heading')
  if (body.length > 0 && body.every((kind) => kind === 'figure')) return 'figure'
  const tables = body.filter((kind) => kind === 'table').length
  if (tables > 0 && tables * 2 >= body.length) return 'table'
  const named =
    BY_PARENT.find(([pattern]) => path.slice(-2).some((title) => pattern.test(title))) ??
    BY_TITLE.find(([pattern]) => pattern.test(path.at(-1) ?? ''))
  if (named) return named[1]
  if (obligation === 'requirement' || obligation === 'recommendation') return obligation
  if (path.some(isAnnex)) return 'annex'
  return normative === false ? 'guidance' : 'content'
}

function isAnnex(title: string): boolean {
  return /^(?:annex|appendix)\b/i.test(title)
}

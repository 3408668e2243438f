import { clauseNumber } from '../documents/clause-number.ts'
import { type Block, type KnowledgeDocument } from '../documents/document.ts'

/** A heading with the blocks below it, up to the next heading. */
export interface Section {
  /** Headings from the top of the document down to this one. */
  readonly path: readonly string[]
  readonly heading: (Block & { kind: 'heading' }) | undefined
  /** Its own clause, or that of the nearest numbered heading above it. */
  readonly clause: string | null
  readonly blocks: readonly Block[]
  /** Whether the document says explicitly that this part is not binding. */
  readonly informative: boolean
}

/** Matches "this list is not itself normative", "this section is non-normative". */
const NOT_NORMATIVE =
  /\bthis (section|\w+)(?: \w+)? (?:is (?:not (?:itself |[a-z]+ (?:and|or) )?normative|non-normative|(?:purely |only )?informative)|gives non-normative)\b/i

export function toSections(document: KnowledgeDocument): Section[] {
  const sections = splitSections(document)
  const informative = new Set(sections.flatMap((section) => informativePath(section) ?? []))
  if (informative.size === 0) return sections
  return sections.map((section) => {
    const above = section.path.map((_, at) => key(section.path.slice(0, at + 1)))
    return { ...section, informative: above.some((path) => informative.has(path)) }
  })
}

/**
 * Returns the path that a section declares informative: its own for "this section", its whole
 * chapter for "this list" or "this annex".
 */
function informativePath({ path, blocks }: Section): string | undefined {
  for (const block of blocks) {
    const what = block.kind === 'paragraph' ? NOT_NORMATIVE.exec(block.text)?.[1] : undefined
    if (what && path.length > 0) {
      return key(what.toLowerCase() === 'section' ? path : path.slice(0, 1))
    }
  }
  return undefined
}

function key(path: readonly string[]): string {
  return path.join('\u0000')
}

function splitSections(document: KnowledgeDocument): Section[] {
  const sections: (Section & { blocks: Block[] })[] = []
  let open: (Block & { kind: 'heading' })[] = []
  for (const block of document.blocks) {
    if (block.kind === 'heading') {
      open = [...open.filter(({ level }) => level < block.level), block]
      sections.push({ ...describe(open), heading: block, blocks: [], informative: false })
    } else {
      if (sections.length === 0)
        sections.push({ ...describe([]), heading: undefined, blocks: [], informative: false })
      sections.at(-1)?.blocks.push(block)
    }
  }
  return sections
}

function describe(open: readonly { readonly text: string }[]): Pick<Section, 'path' | 'clause'> {
  const path = open.map(({ text }) => text)
  return { path, clause: path.toReversed().map(clauseNumber).find(Boolean) ?? null }
}

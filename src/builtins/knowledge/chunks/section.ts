import { clauseNumber } from '../documents/clause-number.ts'
import { type Block, type KnowledgeDocument } from '../documents/document.ts'

/** A heading with what stands under it, up to the next heading. */
export interface Section {
  /** Headings from the top of the document down to this one. */
  readonly path: readonly string[]
  readonly heading: (Block & { kind: 'heading' }) | undefined
  /** Its own clause, or that of the nearest numbered heading above it. */
  readonly clause: string | null
  readonly blocks: readonly Block[]
}

export function toSections(document: KnowledgeDocument): Section[] {
  const sections: (Section & { blocks: Block[] })[] = []
  let open: (Block & { kind: 'heading' })[] = []
  for (const block of document.blocks) {
    if (block.kind === 'heading') {
      open = [...open.filter(({ level }) => level < block.level), block]
      sections.push({ ...describe(open), heading: block, blocks: [] })
    } else {
      if (sections.length === 0) sections.push({ ...describe([]), heading: undefined, blocks: [] })
      sections.at(-1)?.blocks.push(block)
    }
  }
  return sections
}

function describe(open: readonly { readonly text: string }[]): Pick<Section, 'path' | 'clause'> {
  const path = open.map(({ text }) => text)
  return { path, clause: path.toReversed().map(clauseNumber).find(Boolean) ?? null }
}

import type { Block } from './document.ts'

const LABEL =
  /^(?:notes?|tips?|hints?|cautions?|warnings?|important|danger|attention|remarks?|hinweis|achtung)\s*[:!]?$/i

/** "Note" or "Tip" over a box is set like a heading, but the text after the box is not under it. */
export function withoutAdmonitionHeadings(blocks: readonly Block[]): Block[] {
  return blocks.map((block) => {
    if (block.kind !== 'heading' || !LABEL.test(block.text.trim())) return block
    const { kind: _kind, level: _level, ...rest } = block
    return { kind: 'paragraph', ...rest }
  })
}

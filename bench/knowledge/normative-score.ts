import { readFile } from 'node:fs/promises'
import type { KnowledgeStore } from '../../src/builtins/knowledge/store/knowledge-store.ts'
import { chunksOfSource } from '../../src/storage/knowledge/chunks.ts'
import { listSources } from '../../src/storage/knowledge/sources.ts'

const HEADING = /^(\d+(?:\.\d+)*)\.?\s{1,4}\S/
const BINDING = /\b(?:MUST|SHALL|REQUIRED|SHOULD|RECOMMENDED)\b/
/** The paragraph that defines the keywords does not use them normatively. */
const BOILERPLATE = /key\s+words\s+"MUST"/

/**
 * Computes the F1 score of "normative" per clause, over the RFCs that follow BCP 14. The truth is
 * read from the raw text by separate code, independent of the readers and chunks under test.
 */
export async function normativeScore(store: KnowledgeStore, folder: string): Promise<number> {
  let [both, judged, true_] = [0, 0, 0]
  for (const source of await listSources(store.storage.db)) {
    const raw = await readFile(`${folder}/${source.location.split('/').at(-1)}`, 'utf8')
    if (!/RFC\s?2119|BCP\s?14/.test(raw)) continue
    const truth = bindingClauses(raw)
    const found = new Set<string>()
    for (const row of await chunksOfSource(store.storage.db, source.id)) {
      const parts: { clause: string | null; offset: number }[] = JSON.parse(row.parts_json)
      // A chunk of several clauses is judged as a whole; each clause must then have keywords
      // itself.
      for (const [at, { clause, offset }] of parts.entries()) {
        const own = row.content.slice(Math.max(offset, row.lead_length), parts[at + 1]?.offset)
        if (clause && row.normative === 1 && (parts.length === 1 || BINDING.test(own)))
          found.add(clause)
      }
    }
    both += [...truth].filter((clause) => found.has(clause)).length
    judged += [...found].filter((clause) => /^\d/.test(clause)).length
    true_ += truth.size
  }
  const [precision, recall] = [both / judged, both / true_]
  return (2 * precision * recall) / (precision + recall)
}

function bindingClauses(raw: string): Set<string> {
  const clauses = new Set<string>()
  let clause = ''
  for (const paragraph of raw.replaceAll('\f', '\n').split(/\n\s*\n/)) {
    const [first = ''] = paragraph.replace(/^\n+/, '').split('\n')
    const heading = HEADING.exec(first)
    const isHeading =
      heading && paragraph.trim().split('\n').length <= 2 && !/\.{4}|\s\d+$/.test(first)
    if (isHeading) clause = heading[1] ?? ''
    else if (/^(?:Appendix|Authors?'|Acknowledg|References)/.test(first)) clause = ''
    else if (clause && BINDING.test(paragraph) && !BOILERPLATE.test(paragraph)) clauses.add(clause)
  }
  return clauses
}

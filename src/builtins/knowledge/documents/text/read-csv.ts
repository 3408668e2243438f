import { parseCsv } from '../../../../base/text/csv.ts'
import type { KnowledgeDocument, RawDocument } from '../document.ts'
import { titleFromName } from '../title-from-name.ts'
import { decodeText } from '../decode-text.ts'

/** Reads one table. The first row is the header, which RFC 4180 leaves open but most files have. */
export async function readCsv({ name, bytes }: RawDocument): Promise<KnowledgeDocument> {
  const [header, ...rest] = parseCsv(decodeText(bytes))
  const title = titleFromName(name)
  if (!header) return { title, blocks: [], properties: {} }
  const blocks =
    rest.length > 0
      ? [{ kind: 'table' as const, header, rows: rest }]
      : [{ kind: 'table' as const, header: [], rows: [header] }]
  return { title, blocks, properties: {} }
}

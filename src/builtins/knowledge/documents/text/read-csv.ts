import { parseCsv } from '../../../../base/text/csv.ts'
import { type KnowledgeDocument, type RawDocument, toTable } from '../document.ts'
import { titleFromName } from '../title-from-name.ts'
import { decodeText } from '../decode-text.ts'

/** Reads one table. The first row is the header, which RFC 4180 leaves open but most files have. */
export async function readCsv({ name, bytes }: RawDocument): Promise<KnowledgeDocument> {
  const rows = parseCsv(decodeText(bytes))
  const blocks = rows.length > 0 ? [toTable(rows)] : []
  return { title: titleFromName(name), blocks, properties: {} }
}

import { type KnowledgeDocument, type RawDocument, toTable } from '../document.ts'
import { titleFromName } from '../title-from-name.ts'
import { decodeText } from '../decode-text.ts'

/** Reads one table. The first row is the header, which RFC 4180 leaves open but most files have. */
export async function readCsv({ name, bytes }: RawDocument): Promise<KnowledgeDocument> {
  const rows = parseCsv(decodeText(bytes))
  const blocks = rows.length > 0 ? [toTable(rows)] : []
  return { title: titleFromName(name), blocks, properties: {} }
}

/** A quoted field, or anything up to the next separator or line end, with what ends it. */
const FIELDS: Readonly<Record<string, RegExp>> = {
  ',': /(?:"((?:[^"]|"")*)"|([^,\n]*))(,|\n|$)/y,
  ';': /(?:"((?:[^"]|"")*)"|([^;\n]*))(;|\n|$)/y,
  '\t': /(?:"((?:[^"]|"")*)"|([^\t\n]*))(\t|\n|$)/y,
}

/** Returns the rows that are not blank; commas, semicolons or tabs separate their fields. */
function parseCsv(content: string): string[][] {
  const text = content.replace(/^\uFEFF/, '').replace(/\r\n?/g, '\n')
  return csvRows(text, separatorOf(text)).filter((row) => row.some((cell) => cell.trim()))
}

function csvRows(text: string, separator: string): string[][] {
  const field = FIELDS[separator]
  const rows: string[][] = [[]]
  if (!field) return rows
  for (let at = 0; at < text.length;) {
    field.lastIndex = at
    const found = field.exec(text)
    // Never: any text matches, one with a stray quotation mark as it is.
    if (!found) break
    rows.at(-1)?.push(found[1]?.replaceAll('""', '"') ?? found[2] ?? '')
    if (found[3] === '\n') rows.push([])
    at += found[0].length
  }
  return rows
}

/** Returns the separator that is most frequent in the first line. */
function separatorOf(text: string): string {
  const [line = ''] = text.split('\n', 1)
  const count = (sign: string) => line.split(sign).length
  return Object.keys(FIELDS).toSorted((a, b) => count(b) - count(a))[0] ?? ','
}

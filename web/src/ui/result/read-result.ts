type Fields = Readonly<Record<string, unknown>>

/** One block of a result, in the way people read it. */
export type ResultPart =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'json'; readonly value: unknown }
  | {
      readonly kind: 'records'
      readonly rows: readonly Fields[]
      readonly columns: readonly string[]
    }
  | { readonly kind: 'image' | 'audio'; readonly source: string; readonly type: string }
  | { readonly kind: 'link'; readonly name: string; readonly uri: string }

/** Images that a browser shows without running anything in them. */
const IMAGE = /^image\/(?:png|jpeg|gif|webp|avif|bmp)$/
const AUDIO = /^audio\/(?:mpeg|wav|ogg|webm|mp4)$/
const BASE64 = /^[A-Za-z0-9+/=_-]*$/
const MAX_COLUMNS = 12

/** Reads a result of MCP for people; other JSON is one part. */
export function readResult(result: unknown): ResultPart[] {
  if (!isFields(result)) return readValue(result)
  const { content, structuredContent } = result
  const blocks = Array.isArray(content) ? content : []
  const parts = blocks.flatMap((block: unknown) => readBlock(block))
  if (structuredContent === undefined) return parts
  // Servers repeat structured content, or the list in it, as text for clients that do not know it.
  const inner = isFields(structuredContent) ? Object.values(structuredContent) : []
  const said = [structuredContent, ...inner].map((value) => JSON.stringify(value))
  const others = parts.filter((part) => !said.includes(textOfPart(part) ?? ''))
  return [...readValue(structuredContent), ...others]
}

function textOfPart(part: ResultPart): string | undefined {
  if (part.kind === 'json') return JSON.stringify(part.value)
  return part.kind === 'records' ? JSON.stringify(part.rows) : undefined
}

const BLOCKS: Readonly<Record<string, (block: Fields) => ResultPart[] | undefined>> = {
  text: ({ text }) => (typeof text === 'string' ? readText(text) : undefined),
  image: (block) => readMedia('image', block),
  audio: (block) => readMedia('audio', block),
  resource: ({ resource }) =>
    isFields(resource) && typeof resource['text'] === 'string'
      ? readText(resource['text'])
      : undefined,
  resource_link: ({ uri, name }) =>
    typeof uri === 'string'
      ? [{ kind: 'link', uri, name: typeof name === 'string' ? name : uri }]
      : undefined,
}

function readBlock(block: unknown): ResultPart[] {
  if (!isFields(block)) return readValue(block)
  return BLOCKS[String(block['type'])]?.(block) ?? [{ kind: 'json', value: block }]
}

function readMedia(kind: 'image' | 'audio', { data, mimeType }: Fields): ResultPart[] | undefined {
  const [known, type] = [kind === 'image' ? IMAGE : AUDIO, String(mimeType)]
  if (typeof data !== 'string' || !known.test(type) || !BASE64.test(data)) return undefined
  return [{ kind, type, source: `data:${type};base64,${data}` }]
}

function readText(text: string): ResultPart[] {
  if (!/^\s*[[{]/.test(text)) return [{ kind: 'text', text }]
  try {
    return readValue(JSON.parse(text))
  } catch {
    return [{ kind: 'text', text }]
  }
}

/** A list of objects is a table; so is the only list of an object, such as `{results: […]}`. */
function readValue(value: unknown): ResultPart[] {
  const rows = recordsOf(value)
  if (rows) return [rows]
  if (isFields(value)) {
    const lists = Object.entries(value).filter(([, part]) => recordsOf(part))
    const [key, list] = lists[0] ?? []
    const records = recordsOf(list)
    if (lists.length === 1 && key !== undefined && records) {
      const { [key]: _, ...rest } = value
      return Object.keys(rest).length === 0 ? [records] : [{ kind: 'json', value: rest }, records]
    }
  }
  return [{ kind: 'json', value }]
}

function recordsOf(value: unknown): ResultPart | undefined {
  if (!Array.isArray(value) || value.length === 0) return undefined
  const rows = value.filter(isFields)
  if (rows.length !== value.length) return undefined
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))]
  return columns.length === 0 || columns.length > MAX_COLUMNS
    ? undefined
    : { kind: 'records', rows, columns }
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

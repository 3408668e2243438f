import type { JsonObject } from 'portolan'
import { isObject, list, text } from './values.ts'
import { unwrap } from './read-animal.ts'
import { toNumber } from './traits.ts'

/** One ancestor with its own parents: a tree, so that a common ancestor is found at any depth. */
export interface Ancestor {
  readonly lpn_id: string
  readonly farm_name?: string
  readonly us_index?: number
  readonly src_index?: number
  readonly date_of_birth?: string
  readonly sex?: string
  readonly status?: string
  readonly sire?: Ancestor
  readonly dam?: Ancestor
}

const MAX_DEPTH = 12

/** The pedigree: subject, its parents as trees, and the ids of each generation. */
export function readLineage(value: unknown): JsonObject | undefined {
  const tree = readNode(unwrap(value), 0)
  if (!tree) return undefined
  const { sire, dam, ...subject } = tree
  return {
    lpn_id: tree.lpn_id,
    subject,
    sire: sire ?? null,
    dam: dam ?? null,
    generations: generations(tree).map((nodes) => nodes.map(({ lpn_id }) => lpn_id)),
  }
}

function readNode(raw: unknown, depth: number): Ancestor | undefined {
  if (!isObject(raw) || depth > MAX_DEPTH) return undefined
  const lpnId = text(raw['lpnId'] ?? raw['LpnId']).trim()
  if (!lpnId) return undefined
  const children = list(raw['children'] ?? raw['Children'])
  const sire = readNode(children[0], depth + 1)
  const dam = readNode(children[1], depth + 1)
  return {
    lpn_id: lpnId,
    ...readContent(text(raw['content'] ?? raw['Content'])),
    ...(sire && { sire }),
    ...(dam && { dam }),
  }
}

/** The labelled lines of the HTML that the API puts into each node. */
export function readContent(html: string): Omit<Ancestor, 'lpn_id'> {
  const lines = toLines(html)
  const labelled = (label: RegExp) =>
    lines.map((line) => label.exec(line)?.[1]?.trim()).find(Boolean)
  const usIndex = toNumber(labelled(/^US\b.*\bIndex:\s*(.*)$/i))
  const srcIndex = toNumber(labelled(/^SRC\$?\s*Index:\s*(.*)$/i))
  const farm = lines.find((line) => !line.includes(':') && !/^\d{3,}\w*$/.test(line))
  const born = labelled(/^DOB:\s*(.*)$/i)
  const sex = labelled(/^Sex:\s*(.*)$/i)
  const status = labelled(/^Status:\s*(.*)$/i)
  return {
    ...(farm !== undefined && { farm_name: farm }),
    ...(usIndex !== null && { us_index: usIndex }),
    ...(srcIndex !== null && { src_index: srcIndex }),
    ...(born !== undefined && { date_of_birth: born }),
    ...(sex !== undefined && { sex }),
    ...(status !== undefined && { status }),
  }
}

const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
}

function toLines(html: string): string[] {
  return html
    .replaceAll(/<(script|style)\b[^>]*>.*?<\/\1>/gis, '')
    .replaceAll(/<[^>]*>/g, '\n')
    .replaceAll(/&(#\d+|#x[\da-f]+|\w+);/gi, (whole, name: string) => decode(name) ?? whole)
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean)
}

function decode(entity: string): string | undefined {
  if (!entity.startsWith('#')) return ENTITIES[entity.toLowerCase()]
  const code = /^#x/i.test(entity) ? Number.parseInt(entity.slice(2), 16) : Number(entity.slice(1))
  return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : undefined
}

/** Returns the ancestors by generation, starting with the parents. */
export function generations(subject: Ancestor): Ancestor[][] {
  const levels: Ancestor[][] = []
  let current = parentsOf(subject)
  while (current.length > 0) {
    levels.push(current)
    current = current.flatMap(parentsOf)
  }
  return levels
}

function parentsOf({ sire, dam }: Ancestor): Ancestor[] {
  return [sire, dam].filter((parent) => parent !== undefined)
}

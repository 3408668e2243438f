export interface YamlEntry {
  readonly value: string
  /** 1-based. */
  readonly line: number
}

const KEY = /^(\s*)(?:-\s+)?(["']?)([\w.-]+)\2\s*[:={]\s*(.*)$/

/**
 * What stands under a key: one value, `[a, b]`, a list below it, or the keys below it.
 * `indent` is that of the key where only one will do.
 */
export function entriesUnder(lines: readonly string[], key: string, indent?: string): YamlEntry[] {
  return lines.flatMap((text, at) => {
    const [, space = '', , name, rest = ''] = KEY.exec(text) ?? []
    if (name !== key || (indent !== undefined && space !== indent)) return []
    const value = rest.replace(/(?:^|\s)#.*$/, '').trim()
    if (value === '') return below(lines, at, space.length)
    const items = value.startsWith('[') ? value.replace(/^\[|\]$/g, '').split(',') : [value]
    return items
      .map(unquoted)
      .filter(isPlain)
      .map((item) => ({ value: item, line: at + 1 }))
  })
}

/** The items or keys of the block that a key opens; what is deeper is theirs. */
function below(lines: readonly string[], at: number, indent: number): YamlEntry[] {
  const found: YamlEntry[] = []
  let own: number | undefined
  for (let line = at + 1; line < lines.length; line++) {
    const text = lines[line] ?? ''
    if (text.trim() === '' || /^\s*#/.test(text)) continue
    const depth = text.search(/\S/)
    const isItem = /^\s*-\s/.test(text)
    if (depth < indent || (depth === indent && !isItem)) break
    own ??= depth
    if (depth !== own) continue
    const [, item] = /^\s*-\s+((?:[^:#]|:(?=\S))+?)\s*(?:#.*)?$/.exec(text) ?? []
    const value = unquoted(isItem ? (item ?? '') : (KEY.exec(text)?.[3] ?? ''))
    if (isPlain(value)) found.push({ value, line: line + 1 })
  }
  return found
}

/** Whether a line lies in the block that a key opens. */
export function insideOf(lines: readonly string[], key: string): (line: number) => boolean {
  const inside = new Set<number>()
  for (const [at, text] of lines.entries()) {
    const [, space = '', , name] = KEY.exec(text) ?? []
    if (name !== key) continue
    for (let line = at + 1; line < lines.length; line++) {
      const below = lines[line] ?? ''
      if (below.trim() === '') continue
      const depth = below.search(/\S/)
      if (depth < space.length || (depth === space.length && !/^\s*-\s/.test(below))) break
      inside.add(line + 1)
    }
  }
  return (line) => inside.has(line)
}

const unquoted = (text: string): string => text.trim().replace(/^(["'])(.*)\1$/, '$2')

const isPlain = (value: string): boolean => /^[\w./$][^{}]*$/.test(value)

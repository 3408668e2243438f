export interface YamlEntry {
  readonly value: string
  /** 1-based. */
  readonly line: number
}

const KEY = /^(\s*)(?:-\s+)?(["']?)([\w.-]+)\2\s*[:={]\s*(.*)$/

/**
 * Returns the entries under a key: one value, `[a, b]`, a list below it, or the keys below it. With
 * `indent`, only a key of exactly that indentation counts.
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

/** Returns the items or keys directly in the block that a key opens, without deeper ones. */
function below(lines: readonly string[], at: number, indent: number): YamlEntry[] {
  const block = [...blockAfter(lines, at, indent)]
  const own = block[0]?.depth
  return block
    .filter(({ depth }) => depth === own)
    .map(({ line }) => ({ value: nameOf(lines[line - 1] ?? ''), line }))
    .filter(({ value }) => isPlain(value))
}

/** Returns the name in `- item` or `key:`. */
function nameOf(text: string): string {
  const [, item] = /^\s*-\s+((?:[^:#]|:(?=\S))+?)\s*(?:#.*)?$/.exec(text) ?? []
  const isItem = /^\s*-\s/.test(text)
  return unquoted(isItem ? (item ?? '') : (KEY.exec(text)?.[3] ?? ''))
}

/** Yields the lines of the block that a line opens: deeper ones, and list items at its depth. */
function* blockAfter(
  lines: readonly string[],
  at: number,
  indent: number,
): Generator<{ readonly line: number; readonly depth: number }> {
  for (let line = at + 1; line < lines.length; line++) {
    const text = lines[line] ?? ''
    const depth = text.search(/\S/)
    if (depth < 0 || text[depth] === '#') continue
    if (depth < indent || (depth === indent && !/^\s*-\s/.test(text))) return
    yield { line: line + 1, depth }
  }
}

/** Returns whether a line is in a block that the key opens. */
export function insideOf(lines: readonly string[], key: string): (line: number) => boolean {
  const inside = new Set<number>()
  for (const [at, text] of lines.entries()) {
    const [, space = '', , name] = KEY.exec(text) ?? []
    if (name !== key) continue
    for (const { line } of blockAfter(lines, at, space.length)) inside.add(line)
  }
  return (line) => inside.has(line)
}

export const unquoted = (text: string): string => text.trim().replace(/^(["'])(.*)\1$/, '$2')

const isPlain = (value: string): boolean => /^[\w./$][^{}]*$/.test(value)

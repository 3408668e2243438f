/** Reads `NAME=value` lines, as people write them. */
export function parseSecrets(text: string): Record<string, string> {
  const lines = text.split(/\r?\n/).flatMap((line) => {
    const [, name, value] = /^\s*(?:export\s+)?([A-Za-z_]\w*)=(.*)$/.exec(line) ?? []
    return name === undefined || value === undefined ? [] : [[name, unquoted(value)] as const]
  })
  return Object.fromEntries(lines)
}

/** Writes values as JSON strings: each is one line, and a shell reads simple ones the same. */
export function formatSecrets(secrets: ReadonlyMap<string, string>): string {
  return [...secrets].map(([name, value]) => `${name}=${JSON.stringify(value)}\n`).join('')
}

/** Returns the text without the lines of some names; keeps comments and all other lines. */
export function linesWithout(text: string, names: readonly string[]): string {
  const isOf = (line: string) =>
    Object.keys(parseSecrets(line)).some((name) => names.includes(name))
  const kept = text
    .split('\n')
    .filter((line) => !isOf(line))
    .join('\n')
  return kept === '' || kept.endsWith('\n') ? kept : `${kept}\n`
}

function unquoted(value: string): string {
  const trimmed = value.trim()
  if (!trimmed.startsWith('"')) return trimmed.replace(/^'(.*)'$/, '$1')
  try {
    const parsed: unknown = JSON.parse(trimmed)
    return typeof parsed === 'string' ? parsed : trimmed
  } catch {
    return trimmed
  }
}

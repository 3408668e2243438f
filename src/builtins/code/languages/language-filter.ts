import { CONFIG_GRAMMARS } from './config-grammars.ts'
import { LANGUAGES } from './languages.ts'

/** Parses the `language` parameter, a comma list of names, aliases, extensions and grammars. */
export function parseLanguageFilter(filter: string): ReadonlySet<string> {
  const wanted = new Set<string>()
  for (const raw of filter.split(',')) {
    const name = raw.trim().toLowerCase().replace(/^\./, '')
    if (name === '') continue
    const ids = idsFor(name)
    if (ids.length === 0) throw new UnknownLanguage(name)
    for (const id of ids) wanted.add(id)
  }
  return wanted
}

export class UnknownLanguage extends Error {
  override readonly name = 'UnknownLanguage'

  constructor(language: string) {
    const known = [...LANGUAGES.map(({ id }) => id), ...CONFIG_GRAMMARS.map(({ id }) => id)]
    super(`Unknown language '${language}'. Known: ${known.toSorted().join(', ')}`)
  }
}

function idsFor(name: string): string[] {
  if (CONFIG_GRAMMARS.some(({ id }) => id === name)) return [name]
  const ids = LANGUAGES.filter(
    ({ id, aliases, extensions }) =>
      id === name || aliases?.includes(name) || extensions.includes(name),
  ).map(({ id }) => id)
  // A filter for TypeScript includes TSX, and one for a base language includes its config grammars.
  if (ids.includes('typescript')) ids.push('tsx')
  return [...ids, ...CONFIG_GRAMMARS.filter(({ base }) => ids.includes(base)).map(({ id }) => id)]
}

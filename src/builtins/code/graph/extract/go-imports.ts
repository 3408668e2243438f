import type { ImportRef } from '../import-ref.ts'
import { located } from './located.ts'

/** The packages a Go file imports, each with the names it uses of it: a package is many files, and few are meant. */
export function goImports(text: string): ImportRef[] {
  const found = located(text, /^import\s*(?:\(([^)]*)\)|([^\n]+))/gm).flatMap(({ line, match }) =>
    located(match[1] ?? match[2] ?? '', /(?:([\w.]+)[ \t]+)?"([^"\n]+)"/g).map((inner) => {
      const [, alias, specifier = ''] = inner.match
      return { specifier, line: line + inner.line - 1, local: alias ?? packageName(specifier) }
    }),
  )
  const used = membersOf(text, new Set(found.map(({ local }) => local)))
  return found.map(({ specifier, line, local }) => {
    const names = used.get(local)
    return { specifier, kind: 'import', line, ...(names && { names: [...names] }) }
  })
}

/** What a package is called unless its importer says otherwise: `example.com/yaml.v3` and `example.com/yaml/v3` are yaml. */
function packageName(specifier: string): string {
  const parts = specifier.split('/')
  const last = parts.at(-1) ?? ''
  const name = /^v\d+$/.test(last) && parts.length > 1 ? (parts.at(-2) ?? last) : last
  return name.replace(/\.v\d+$/, '')
}

function membersOf(text: string, packages: ReadonlySet<string>): Map<string, Set<string>> {
  const members = new Map<string, Set<string>>()
  for (const [, owner = '', name = ''] of text.matchAll(/\b([A-Za-z_]\w*)\.([A-Z]\w*)/g)) {
    if (!packages.has(owner)) continue
    const known = members.get(owner)
    if (known) known.add(name)
    else members.set(owner, new Set([name]))
  }
  return members
}

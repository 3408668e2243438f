import { readFileSync } from 'node:fs'

export interface DocumentedSetting {
  readonly key: string
  /** Keys of an entry of a mapping have none: they are set with the mapping. */
  readonly variable: string | undefined
}

/** What `docs/reference/config.md` documents; a test of its own keeps that page up to date. */
export function documented() {
  const page = readFileSync(new URL('../../docs/reference/config.md', import.meta.url), 'utf8')
  const section = (title: string) => page.split(/^#{2,3} /m).find((text) => text.startsWith(title))
  const rows = (title: string) => {
    const found = [...(section(title) ?? '').matchAll(/^\| +`(.+?)` +\|.*?(?:`(\w+)` +)?\|$/gm)]
    if (found.length === 0) throw new Error(`${title}: the page has no such table`)
    return found.map(([, key = '', variable]) => ({ key, variable }))
  }
  return {
    settings: rows('portolan.yaml'),
    services: rows('Variables that are read before any file').map(({ key }) => key),
    serverKeys: rows('.mcp.json').map(({ key }) => key),
    foreign: [...page.matchAll(/^- `(\w+)` sets `(\S+)`$/gm)].map(
      ([, variable = '', key = '']) => ({
        variable,
        key,
      }),
    ),
  }
}

import { decodeText } from '../documents/decode-text.ts'
import { type FetchOptions, fetchUrl } from './fetch-url.ts'

export interface Robots {
  isAllowed(url: string): boolean
  /** Seconds between two pages, where the site asks for it. */
  readonly crawlDelay: number
}

const EVERYTHING: Robots = { isAllowed: () => true, crawlDelay: 0 }
const NOTHING: Robots = { isAllowed: () => false, crawlDelay: 0 }

/** What robots.txt of a site allows us (RFC 9309): a missing file allows all, a failing server nothing. */
export async function readRobots(origin: string, options: FetchOptions): Promise<Robots> {
  const { status, bytes } = await fetchUrl(`${origin}/robots.txt`, options)
  if (status >= 500) return NOTHING
  if (status !== 200) return EVERYTHING
  return parseRobots(decodeText(bytes), options.userAgent)
}

interface Group {
  readonly agents: string[]
  readonly rules: { readonly allow: boolean; readonly length: number; readonly pattern: RegExp }[]
  delay: number
}

export function parseRobots(text: string, userAgent: string): Robots {
  const groups = readGroups(text)
  const name = userAgent.toLowerCase()
  const own = groups.filter(({ agents }) => agents.some((agent) => agent && name.startsWith(agent)))
  const chosen = own.length > 0 ? own : groups.filter(({ agents }) => agents.includes('*'))
  // The longest rule wins; of two equally long, the one that allows.
  const rules = chosen
    .flatMap((group) => group.rules)
    .toSorted((a, b) => b.length - a.length || Number(b.allow) - Number(a.allow))
  return {
    isAllowed(address) {
      const { pathname, search } = new URL(address)
      return rules.find(({ pattern }) => pattern.test(pathname + search))?.allow ?? true
    },
    crawlDelay: Math.max(0, ...chosen.map(({ delay }) => delay)),
  }
}

function readGroups(text: string): Group[] {
  const groups: Group[] = []
  let collecting = false
  for (const line of text.split(/\r?\n/)) {
    const found = /^\s*([a-z-]+)\s*:\s*(.*?)\s*(?:#.*)?$/i.exec(line)
    if (!found) continue
    const [key, value] = [found[1]?.toLowerCase(), found[2] ?? '']
    if (key === 'user-agent') {
      if (!collecting) groups.push({ agents: [], rules: [], delay: 0 })
      groups.at(-1)?.agents.push(value.toLowerCase())
      collecting = true
    } else {
      collecting = false
      addRule(groups.at(-1), key, value)
    }
  }
  return groups
}

function addRule(group: Group | undefined, key: string | undefined, value: string): void {
  if (!group) return
  if (key === 'crawl-delay') group.delay = Number(value) || 0
  if ((key !== 'allow' && key !== 'disallow') || !value) return
  group.rules.push({ allow: key === 'allow', length: value.length, pattern: toPattern(value) })
}

function toPattern(path: string): RegExp {
  const body = path
    .replace(/\$$/, '')
    .replace(/[\\^$.|?+()[\]{}]/g, '\\$&')
    .replace(/\*+/g, '.*?')
  return new RegExp(`^${body}${path.endsWith('$') ? '$' : ''}`)
}

import { type Matches, compileWildcards } from '../../../base/text/glob.ts'
import { decodeText } from '../documents/decode-text.ts'
import { type FetchOptions, fetchUrl } from './fetch-url.ts'

export interface Robots {
  isAllowed(url: string): boolean
  /** The seconds between two pages that the site asks for. */
  readonly crawlDelay: number
}

const EVERYTHING: Robots = { isAllowed: () => true, crawlDelay: 0 }
const NOTHING: Robots = { isAllowed: () => false, crawlDelay: 0 }

/** Reads a site's robots.txt (RFC 9309): a missing file allows all, a server error nothing. */
export async function readRobots(origin: string, options: FetchOptions): Promise<Robots> {
  const { status, bytes } = await fetchUrl(`${origin}/robots.txt`, options)
  if (status >= 500) return NOTHING
  if (status !== 200) return EVERYTHING
  return parseRobots(decodeText(bytes), options.userAgent)
}

/** The size that RFC 9309 requires crawlers to read; the rest of a longer file is ignored. */
const MAX_CHARACTERS = 500 * 1024

interface Group {
  readonly agents: string[]
  readonly rules: { readonly allow: boolean; readonly length: number; readonly matches: Matches }[]
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
      return rules.find(({ matches }) => matches(pathname + search))?.allow ?? true
    },
    crawlDelay: Math.max(0, ...chosen.map(({ delay }) => delay)),
  }
}

function readGroups(text: string): Group[] {
  const groups: Group[] = []
  let collecting = false
  for (const line of text.slice(0, MAX_CHARACTERS).split(/\r?\n/)) {
    const found = keyAndValue(line)
    if (!found) continue
    const [key, value] = found
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

function keyAndValue(line: string): readonly [key: string, value: string] | undefined {
  const [said = ''] = line.split('#', 1)
  const colon = said.indexOf(':')
  const key = said.slice(0, Math.max(colon, 0)).trim().toLowerCase()
  return /^[a-z-]+$/.test(key) ? [key, said.slice(colon + 1).trim()] : undefined
}

function addRule(group: Group | undefined, key: string, value: string): void {
  if (!group) return
  if (key === 'crawl-delay') group.delay = Number(value) || 0
  if ((key !== 'allow' && key !== 'disallow') || !value) return
  group.rules.push({ allow: key === 'allow', length: value.length, matches: toMatches(value) })
}

/** Compiles a rule: `*` matches any text, `$` the end; without `$`, more text may follow. */
function toMatches(path: string): Matches {
  const whole = path.endsWith('$') ? path.slice(0, -1) : `${path}*`
  return compileWildcards(whole, { signs: '*' })
}

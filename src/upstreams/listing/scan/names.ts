import { type JsonObject } from '../../../base/json/json.ts'
import type { ScanFinding } from './finding.ts'
import { fold, isDisguised, sentencesOf } from './readable.ts'
import type { DefinitionText } from './texts-of.ts'
import { toQuote } from './to-quote.ts'

/** Names that a definition may mean or imitate. */
export interface KnownNames {
  /** The names of the tools that the server itself offers; without them, none is unknown. */
  readonly own?: readonly string[]
  /** The tools of the other servers, by server. */
  readonly tools?: ReadonlyMap<string, readonly string[]>
}

/** The tools of the gateway itself. */
const GATEWAY_TOOLS: ReadonlySet<string> = new Set([
  'list_servers',
  'find_tools',
  'get_server_tools',
  'execute_tool',
  'read_result',
  'get_gateway_status',
  'run_script',
])

const IDENTIFIER = /[a-z][a-z\d]{0,60}(?:[_-][a-z\d]{1,60}){1,10}/gu
const MENTION =
  /\b(?:call|calls|calling|invoke|invokes|invoking|supersedes?|replaces?|override[sn]?|overrides|instead of)\s(?:the\s)?['"]?([a-z][a-z\d]{0,60}(?:_[a-z\d]{1,60}){1,10})|([a-z][a-z\d]{0,60}(?:_[a-z\d]{1,60}){1,10})['"]?\stools?\b/gu
const ORDER =
  /\b(?:must|should|always|never|first|before|after|instead|replace\w*|reroute\w*|supersede\w*|override\w*|whenever|when|modify|for best results)\b/u

/** A server may say which of its tools had another name. */
const RELEASE_NOTE = /\b(?:deprecated|changelog|formerly|renamed)\b/u

/** Finds names of other tools in the texts of a definition, and a name of its own that imitates. */
export function scanNames(
  definition: JsonObject,
  texts: readonly DefinitionText[],
  { server, own, tools }: KnownNames & { readonly server: string },
): ScanFinding[] {
  const name = typeof definition['name'] === 'string' ? definition['name'] : ''
  const others = othersOf(tools)
  const owned = new Set((own ?? []).map((each) => each.toLowerCase()))
  const mine = (each: string) => owned.has(each) || each === name.toLowerCase()
  const findings = imitations(name, server, others)
  for (const { text, where } of texts) {
    if (where === 'name') continue
    for (const sentence of sentencesOf(fold(text))) {
      const found = (reason: string, rule = 'other-tool') =>
        findings.push({ class: 'medium', rule, quote: toQuote(sentence), reason, where })
      if (!ORDER.test(sentence)) continue
      const known = (sentence.match(IDENTIFIER) ?? []).find(
        (each) => !mine(each) && others.byName.has(each),
      )
      if (known !== undefined)
        found(`it says when to use '${known}', a tool of '${others.byName.get(known)}'`)
      else if (own && !RELEASE_NOTE.test(sentence)) {
        const unknown = Array.from(
          sentence.matchAll(MENTION),
          ([, one, two]) => one ?? two ?? '',
        ).filter((each) => !mine(each) && !isParameter(definition, each))[0]
        if (unknown !== undefined)
          found(`it says when to use '${unknown}', which its server does not have`)
      }
    }
  }
  return firstOfEach(findings)
}

function imitations(name: string, server: string, others: OtherNames): ScanFinding[] {
  const at = { quote: toQuote(name), where: 'name' }
  if (isDisguised(name))
    return [
      {
        ...at,
        class: 'high',
        rule: 'imitation',
        reason: 'letters of another script look like Latin ones',
      },
    ]
  if (GATEWAY_TOOLS.has(name))
    return [
      {
        ...at,
        class: 'medium',
        rule: 'imitation',
        reason: 'it has the name of a tool of the gateway',
      },
    ]
  const [prefix = ''] = name.split('__')
  const owner = others.servers.find((each) => each !== server && each === prefix)
  if (owner !== undefined && name.includes('__'))
    return [
      { ...at, class: 'high', rule: 'imitation', reason: `it looks like a tool of '${owner}'` },
    ]
  const twin = others.byLook.get(lookOf(name))
  // Other words for the same thing, as in `create-issue` and `createIssue`, imitate nothing.
  if (twin === undefined || lettersOf(twin) === lettersOf(name)) return []
  const reason = `it looks like '${twin}' of '${others.byName.get(twin)}'`
  return [{ ...at, class: 'high', rule: 'imitation', reason }]
}

/** The letters of a name, without what divides its words. */
function lettersOf(name: string): string {
  return name.toLowerCase().replaceAll(/[-_.]/gu, '')
}

/** Names that look alike have the same. */
function lookOf(name: string): string {
  return lettersOf(name).replaceAll(/[0|]/gu, 'o').replaceAll(/[1l]/gu, 'i').replaceAll('rn', 'm')
}

interface OtherNames {
  readonly servers: readonly string[]
  /** The server of each tool whose name is no everyday word. */
  readonly byName: ReadonlyMap<string, string>
  readonly byLook: ReadonlyMap<string, string>
}

const otherNames = new WeakMap<ReadonlyMap<string, readonly string[]>, OtherNames>()
const NO_OTHERS: OtherNames = { servers: [], byName: new Map(), byLook: new Map() }

/** Indexes the names of other servers, once for all definitions that are scanned beside them. */
function othersOf(tools: KnownNames['tools']): OtherNames {
  if (!tools) return NO_OTHERS
  const known = otherNames.get(tools)
  if (known) return known
  const owned = [...tools].flatMap(([server, names]) =>
    names.filter((name) => /[_-]/u.test(name)).map((name) => [name.toLowerCase(), server] as const),
  )
  const made = {
    servers: [...tools.keys()],
    byName: new Map(owned),
    byLook: new Map(owned.map(([name]) => [lookOf(name), name])),
  }
  otherNames.set(tools, made)
  return made
}

function isParameter(definition: JsonObject, name: string): boolean {
  return JSON.stringify(definition).toLowerCase().includes(`"${name}":`)
}

function firstOfEach(findings: readonly ScanFinding[]): ScanFinding[] {
  const seen = new Set<string>()
  return findings.filter(({ rule, reason }) => !seen.has(rule + reason) && seen.add(rule + reason))
}

import type { JsonObject } from '../../base/json/json.ts'
import { type Matches, compileFolded } from '../../base/text/glob.ts'
import { type Access, type AccessOptions, compileAccess, noAccess } from './access.ts'
import { claimAt, toNames } from './claims.ts'
import { type Decision, denial, withTerms } from './decision.ts'
import type { Person } from './person.ts'
import type { Principal } from './policy.ts'
import type { GroupMatch, GroupRules, Patterns } from './rules.ts'

/** Compiles the test for membership of a group; a group without conditions has no members. */
export function compileMatch(match: GroupMatch): (who: Principal) => boolean {
  const tests = [
    by(match.user, ({ person }) => person?.user),
    by(match.agent, ({ id }) => id),
    by(match.client, ({ client }) => client),
    byClaim(match),
  ].filter((test) => test !== undefined)
  return (who) => tests.length > 0 && tests.every((test) => test(who))
}

type Test = (who: Principal) => boolean

function by(
  patterns: Patterns | undefined,
  nameOf: (who: Principal) => string | undefined,
): Test | undefined {
  if (patterns === undefined) return undefined
  const matches = oneOf(toNames(patterns))
  return (who) => {
    const name = nameOf(who)
    return name !== undefined && matches(name)
  }
}

function byClaim({ claim, any, all }: GroupMatch): Test | undefined {
  if (claim === undefined) return undefined
  const some = any && oneOf(any)
  const every = all?.map((pattern) => compileFolded(pattern)) ?? []
  if (!some && every.length === 0) return () => false
  return ({ person }) => {
    if (person === undefined) return false
    const said = toNames(claimAt(person.claims ?? {}, claim))
    const values = claim === 'groups' ? [...person.groups, ...said] : said
    return (!some || values.some(some)) && every.every((matches) => values.some(matches))
  }
}

function oneOf(patterns: readonly string[]): Matches {
  const all = patterns.map((pattern) => compileFolded(pattern))
  return (name) => all.some((matches) => matches(name))
}

export interface Groups {
  /** The grant of a principal's group that may run scripts, if there is one. */
  scripts(who: Principal): Decision | undefined
  /** Whether a principal is in any group. */
  has(who: Principal): boolean
  /**
   * The access of a principal in a group: what its own rules and those of its groups allow
   * together, less what one of them denies. Undefined for a principal in no group.
   */
  accessOf(
    who: Principal,
    own: Access | undefined,
    maxTokens: number | undefined,
  ): Access | undefined
}

/** Agents without a person whose access is cached; the cache is cleared when it is full. */
const REMEMBERED = 4_096

export function createGroups(
  groups: Readonly<Record<string, GroupRules>>,
  effectOf: AccessOptions['effectOf'],
): Groups | undefined {
  const compiled = Object.entries(groups).map(([name, rules]) => ({
    scripts: rules.allow?.scripts === true ? `groups.${name}.allow.scripts` : undefined,
    has: compileMatch(rules.match),
    access: compileAccess({ agent: name, path: `groups.${name}`, rules, effectOf }),
  }))
  if (compiled.length === 0) return undefined
  const ofPeople = new WeakMap<Person, Map<string, Access | undefined>>()
  let ofAgents = new Map<string, Access | undefined>()

  function memoryFor({ person }: Principal): Map<string, Access | undefined> {
    if (person === undefined) {
      if (ofAgents.size >= REMEMBERED) ofAgents = new Map()
      return ofAgents
    }
    const known = ofPeople.get(person) ?? new Map<string, Access | undefined>()
    ofPeople.set(person, known)
    return known
  }

  return {
    scripts(who) {
      const rule = compiled.find(({ scripts, has }) => scripts !== undefined && has(who))?.scripts
      return rule === undefined ? undefined : { effect: 'allow', grant: { rule } }
    },
    has: (who) => compiled.some(({ has }) => has(who)),
    accessOf(who, own, maxTokens) {
      const memory = memoryFor(who)
      const key = `${who.id} ${who.client ?? ''}`
      if (memory.has(key)) return memory.get(key)
      const joined = compiled.filter(({ has }) => has(who)).map(({ access }) => access)
      const all = own === undefined ? joined : [own, ...joined]
      const access = joined.length === 0 ? undefined : unite(who.id, all, maxTokens)
      memory.set(key, access)
      return access
    },
  }
}

/** Allows what at least one allows and none denies. */
function unite(agent: string, all: readonly Access[], maxTokens: number | undefined): Access {
  const depends = (server: string, tool: string) => all.some((each) => each.depends(server, tool))
  const asks: Access['asks'] = (...about) => firstOf(all, (access) => access.asks(...about))

  function decide(
    ask: (access: Access) => Decision,
    server: string,
    tool?: string,
    args?: JsonObject,
  ): Decision {
    const denied = firstOf(all, (access) => access.denied(server, tool, args))
    const decisions = denied ? [] : all.map(ask)
    const allowed = decisions.find((each) => each.effect === 'allow')
    if (allowed?.effect === 'allow') {
      const grant = { maxTokens, ...allowed.grant }
      const isOpen = tool !== undefined && !args && depends(server, tool)
      return withTerms({ effect: 'allow', grant }, asks(server, tool, args), isOpen)
    }
    const refused = denied ?? decisions.at(-1)
    return refused?.effect === 'deny'
      ? denial(refused.reason, refused.rule, { ...refused, agent, server, tool })
      : noAccess(agent).server(server)
  }
  return {
    depends,
    server: (server) => decide((access) => access.server(server), server),
    tool: (...asked) => decide((access) => access.tool(...asked), ...asked),
    asks,
    denied: (...asked) => firstOf(all, (access) => access.denied(...asked)),
  }
}

function firstOf<Item, Found>(
  items: readonly Item[],
  find: (item: Item) => Found | undefined,
): Found | undefined {
  for (const item of items) {
    const found = find(item)
    if (found !== undefined) return found
  }
  return undefined
}

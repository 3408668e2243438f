import { digestOf } from '../../config/history/change-file.ts'
import { diffOf } from '../../config/history/describe-version.ts'
import type { Config } from '../../config/load.ts'
import { parseJson } from '../../config/parse-text.ts'
import { describeProblem } from '../../config/problem.ts'
import { type AccessChange, withAccess } from '../../config/rules/edit-access.ts'
import { mergeRules } from '../../config/rules/merge-rules.ts'
import { parseRules } from '../../config/rules/parse-rules.ts'
import { textOf } from '../../config/text-of.ts'
import type { Decision } from '../../gateway/agents/decision.ts'
import type { Policy, Principal } from '../../gateway/agents/policy.ts'
import type { Rules } from '../../gateway/agents/rules.ts'
import { getOrMake } from '../../base/maps.ts'
import { conditionsReady } from '../../gateway/conditions/condition.ts'
import { HttpError } from '../../http/http-error.ts'
import type { AuditSearch } from '../../telemetry/audit/audit-search.ts'
import { toAuditLine } from '../../telemetry/audit/audit-line.ts'
import { type Difference, Replay } from '../../telemetry/audit/replay.ts'
import type { RulesDraft } from '../contract/agents.ts'

/** The changes of one rules file. */
export interface FileDraft {
  readonly path: string
  readonly before: string
  readonly after: string
  readonly changes: readonly AccessChange[]
}

/** Calls of the last days are replayed, newest first, up to this many. */
const REPLAYED_MS = 7 * 86_400_000
const MAX_REPLAYED = 10_000
const PAGE = 500

/** Applies changes to the texts of the files whose agents they are about. */
export function draftFiles(changes: readonly AccessChange[], config: Config): FileDraft[] {
  const byFile = new Map<string, AccessChange[]>()
  for (const change of changes)
    getOrMake(byFile, fileOf(change.agent, config), () => []).push(change)
  return [...byFile].map(([path, own]) => {
    const before = textOf(path)
    return { path, before, after: own.reduce(withAccess, before), changes: own }
  })
}

function fileOf(agent: string, { origins, leftOut }: Config): string {
  const path = origins.agents.get(agent)
  if (path === undefined)
    throw new HttpError(
      409,
      'NO_RULES',
      `No rules file has the agent "${agent}"`,
      'Add it to the file under "agents" first: `portolan rules suggest` shows what it has used.',
    )
  const untrusted = leftOut.find((file) => file.path === path)
  if (untrusted) throw new HttpError(409, 'NOT_TRUSTED', untrusted.message, untrusted.command)
  return path
}

/** Returns the rules as they would be; throws if the files would not be valid. */
export function rulesOf(drafts: readonly FileDraft[], { files }: Config): Rules {
  const parsed = files.rules.map(({ path }) => {
    const draft = drafts.find((each) => each.path === path)
    return parseRules(parseJson(draft?.after ?? textOf(path)), path)
  })
  const [problem] = parsed.flatMap(({ problems }) => problems)
  if (problem) throw new HttpError(409, 'INVALID_RULES', describeProblem(problem))
  const rules = mergeRules(parsed.flatMap((each) => each.rules ?? []))
  if (rules) return rules
  throw new HttpError(409, 'NO_RULES', 'There are no rules to change')
}

export interface Drafting {
  readonly config: Config
  readonly auditSearch: AuditSearch
  readonly principal: (agent: string) => Principal
  readonly policyOf: (rules: Rules) => Policy
}

/** What the changes would do to the files, and would have done to the calls of the last days. */
export async function describeDraft(
  changes: readonly AccessChange[],
  { config, auditSearch, principal, policyOf }: Drafting,
): Promise<RulesDraft> {
  const drafts = draftFiles(changes, config)
  const rules = rulesOf(drafts, config)
  const policy = policyOf(rules)
  return {
    files: drafts.map(({ path, before, after }) => ({
      path,
      digest: digestOf(before),
      diff: diffOf(path, before, after),
    })),
    unmet: changes.flatMap((change) => {
      const { agent, server, tool } = change
      const who = principal(agent)
      const found = tool === undefined ? policy.server(who, server) : policy.tool(who, server, tool)
      const rule = obstacleTo(change, found)
      return rule === undefined ? [] : [{ ...change, rule }]
    }),
    replay: await replayLast(auditSearch, { before: config.rules, after: rules }),
  }
}

/** Returns the rule that decides otherwise than a change wants; undefined if it is as wanted. */
function obstacleTo({ effect, when }: AccessChange, found: Decision): string | undefined {
  const isDenied = effect === 'deny' && when === undefined
  if (found.effect === 'deny') return isDenied ? undefined : found.rule
  const { rule, ask } = found.grant
  if (isDenied) return rule
  if (effect === 'ask') return ask ? undefined : rule
  return effect === 'allow' && when === undefined ? ask?.rule : undefined
}

async function replayLast(
  audit: AuditSearch,
  { before, after }: { readonly before: Rules | undefined; readonly after: Rules },
): Promise<RulesDraft['replay']> {
  const [now, then] = [new Replay(after), before && new Replay(before)]
  await conditionsReady()
  const since = Date.now() - REPLAYED_MS
  let cursor: string | undefined
  do {
    const page = await audit.search({ since, limit: PAGE, cursor })
    for (const line of page.records.flatMap((record) => toAuditLine(record) ?? [])) {
      now.add(line)
      then?.add(line)
    }
    cursor = page.next
  } while (cursor !== undefined && now.calls < MAX_REPLAYED)
  // What the rules in force judge differently from those of then is no effect of the draft.
  const known = new Set(
    (['allow', 'deny'] as const).flatMap((how) => then?.differences(how) ?? []).map(keyOf),
  )
  const fresh = (how: Difference['now']) =>
    now.differences(how).filter((difference) => !known.has(keyOf(difference)))
  return {
    calls: now.calls,
    isCut: cursor !== undefined,
    denied: fresh('deny'),
    allowed: fresh('allow'),
    asked: newQuestions(now, then),
    undecided: now.undecided,
  }
}

/** Counts by agent and rule; only those that are more than the rules in force ask. */
function newQuestions(now: Replay, then: Replay | undefined): RulesDraft['replay']['asked'] {
  const known = then?.questions.all() ?? []
  return now.questions.all().flatMap(({ agent, rule, calls }) => {
    const before = known.find((each) => each.agent === agent && each.rule === rule)?.calls ?? 0
    return calls > before ? [{ agent, rule, calls: calls - before }] : []
  })
}

function keyOf({ agent, server, tool, now }: Difference): string {
  return JSON.stringify([agent, server, tool, now])
}

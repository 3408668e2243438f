import { type Terminal, count, number } from '../shared/terminal/terminal.ts'
import type { Proposal, RuleQuestions } from '../../telemetry/audit/questions.ts'
import type { Difference } from '../../telemetry/audit/replay.ts'
import type { ReplayedRules } from './run-rules.ts'

const SHOWN = 20

export function renderReplay(
  { replay, path: rules, proposals }: ReplayedRules,
  terminal: Terminal,
): void {
  const { line, paint } = terminal
  line(
    `${count(replay.calls, 'call')} of ${count(replay.agents.size, 'agent')}, judged by ${rules}`,
  )
  const denied = replay.differences('deny')
  const allowed = replay.differences('allow')
  if (denied.length + allowed.length === 0) line(`${paint('green', '✓')} all as before`)
  show(`${paint('red', '✗')} allowed then, denied by these rules`, denied, terminal)
  show(`${paint('yellow', '⚠')} denied then, allowed by these rules`, allowed, terminal)
  renderQuestions(replay.questions.all(), proposals, terminal)
  if (replay.undecided > 0)
    line(
      `${paint('yellow', '⚠')} ${count(replay.undecided, 'call')} of tools with conditions without arguments in the audit, taken as allowed: \`audit.arguments\` records them`,
    )
}

/** Says how often people would have been asked, and what would ask them less. */
export function renderQuestions(
  questions: readonly RuleQuestions[],
  proposals: readonly Proposal[],
  { line, paint, table }: Pick<Terminal, 'line' | 'paint' | 'table'>,
): void {
  if (questions.length === 0) return
  const all = questions.reduce((sum, { calls }) => sum + calls, 0)
  line(`${paint('yellow', '?')} people would have been asked about ${count(all, 'call')}`)
  table(questions.slice(0, SHOWN).map(questionRow))
  for (const { rule, tool, unless, covers, of } of proposals.slice(0, SHOWN)) {
    line(`  ${number(covers)} of ${number(of)} less, with this in \`unless\` of ${rule} (${tool}):`)
    line(`    ${JSON.stringify(unless)}`)
  }
}

function questionRow({ agent, rule, calls, undecided, days }: RuleQuestions): string[] {
  const [day = '', most = 0] = [...days].toSorted((a, b) => b[1] - a[1])[0] ?? []
  return [
    agent,
    rule,
    `${undecided > 0 ? 'at most ' : ''}${number(calls)}`,
    `${number(Math.round((calls / days.size) * 10) / 10)} a day, ${number(most)} on ${day}`,
  ]
}

function show(title: string, found: readonly Difference[], { line, table }: Terminal): void {
  if (found.length === 0) return
  line(`${title}: ${count(callsOf(found), 'call')}`)
  table(
    found
      .slice(0, SHOWN)
      .map(({ agent, server, tool, calls, rule }) => [
        agent,
        tool === undefined ? server : `${server}/${tool}`,
        number(calls),
        rule,
      ]),
  )
  if (found.length > SHOWN) line(`  and ${number(found.length - SHOWN)} more: --json`)
}

export function toReplayJson({ replay, path: rules, proposals }: ReplayedRules) {
  const denied = replay.differences('deny')
  const allowed = replay.differences('allow')
  return {
    rules,
    calls: replay.calls,
    agents: replay.agents.size,
    undecided: replay.undecided,
    questions: replay.questions
      .all()
      .map(({ days, ...each }) => ({ ...each, days: Object.fromEntries(days) })),
    proposals,
    newly_denied: callsOf(denied),
    newly_allowed: callsOf(allowed),
    differences: [...denied, ...allowed],
  }
}

function callsOf(found: readonly Difference[]): number {
  return found.reduce((sum, { calls }) => sum + calls, 0)
}

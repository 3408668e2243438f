import { type Terminal, count, number } from '../shared/terminal/terminal.ts'
import type { Difference, Replay } from '../../telemetry/audit/replay.ts'

const SHOWN = 20

export function renderReplay(replay: Replay, rules: string, terminal: Terminal): void {
  const { line, paint } = terminal
  line(
    `${count(replay.calls, 'call')} of ${count(replay.agents.size, 'agent')}, judged by ${rules}`,
  )
  const denied = replay.differences('deny')
  const allowed = replay.differences('allow')
  if (denied.length + allowed.length === 0) line(`${paint('green', '✓')} all as before`)
  show(`${paint('red', '✗')} allowed then, denied by these rules`, denied, terminal)
  show(`${paint('yellow', '⚠')} denied then, allowed by these rules`, allowed, terminal)
  if (replay.undecided > 0)
    line(
      `${paint('yellow', '⚠')} ${count(replay.undecided, 'call')} of tools with conditions without arguments in the audit, taken as allowed: \`audit.arguments\` records them`,
    )
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

export function toReplayJson(replay: Replay, rules: string) {
  const denied = replay.differences('deny')
  const allowed = replay.differences('allow')
  return {
    rules,
    calls: replay.calls,
    agents: replay.agents.size,
    undecided: replay.undecided,
    newly_denied: callsOf(denied),
    newly_allowed: callsOf(allowed),
    differences: [...denied, ...allowed],
  }
}

function callsOf(found: readonly Difference[]): number {
  return found.reduce((sum, { calls }) => sum + calls, 0)
}

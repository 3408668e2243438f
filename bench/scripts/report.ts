import { median, round, table } from '../support/numbers.ts'
import { type Transcript, totalOf } from './agent.ts'
import type { Solved } from './solve.ts'

/** With fewer calls, a script can keep little out of the context. */
const FEW = 4

export interface TaskResult {
  readonly tokenReductionPct: number
  readonly tasks: number
}

/** Prints a row for each task, medians, and the tasks where scripts are worse. */
export function reportTasks(solved: readonly Solved[]): TaskResult {
  const rows = solved.map(({ task, calls, routes: { direct, discover, scripts } }) => [
    task.name,
    task.kind,
    calls,
    totalOf(direct),
    totalOf(discover),
    totalOf(scripts),
    `${round(saved(discover, scripts), 0)} %`,
    `${round(saved(discover, scripts, withoutDefinitions), 0)} %`,
    `${direct.roundTrips} / ${discover.roundTrips} / ${scripts.roundTrips}`,
    [direct, discover, scripts].map(({ ms }) => Math.round(ms)).join(' / '),
  ])
  console.log(table(HEADER, rows))
  const [first] = solved
  const many = solved.filter(({ calls }) => calls >= FEW)
  const percent = (of: Measure, of2: 'direct' | 'discover' = 'discover') =>
    round(median(many.map(({ routes }) => saved(routes[of2], routes.scripts, of))), 1)
  const tokenReductionPct = percent(totalOf)
  console.log(`
${solved.length} tasks, ${many.length} of them with ${FEW} calls or more. Of those, in the median, scripts take
${tokenReductionPct} % fewer tokens than discover, ${percent(withoutDefinitions)} % when the definitions of tools are not counted,
${percent(totalOf, 'direct')} % fewer than direct, ${percent(withoutDefinitions, 'direct')} % without the definitions.
Definitions: direct ${first?.routes.direct.definitions}, discover ${first?.routes.discover.definitions}, scripts ${first?.routes.scripts.definitions} tokens. They are paid once for a
conversation, not once for a task, and most of those of direct are tools that no task needs: that is unfair
to direct, so compare it without them. Call by call, lists of APIs arrive shortened to 2,000 tokens, as the
gateway does by default, and the missing fields are read with read_result and the right
JMESPath at the first try. Before its script, an agent looks at the beginning of one result of each tool
whose result find_tools does not show. Each token counts once, though a model reads its context again at
every round trip, which is unfair to scripts.`)
  report('more tokens than discover', solved, totalOf)
  report('more tokens than discover, definitions not counted', solved, withoutDefinitions)
  report('more round trips than discover', solved, ({ roundTrips }) => roundTrips)
  return { tokenReductionPct, tasks: solved.length }
}

const HEADER = [
  'task',
  'kind',
  'calls',
  'direct',
  'discover',
  'script',
  'fewer than discover',
  'without definitions',
  'round trips',
  'ms',
]

type Measure = (transcript: Transcript) => number

const withoutDefinitions: Measure = ({ written, read }) => written + read

function saved(from: Transcript, to: Transcript, of: Measure = totalOf): number {
  return 100 * (1 - of(to) / of(from))
}

function report(what: string, solved: readonly Solved[], of: Measure): void {
  const lost = solved.filter(({ routes }) => of(routes.scripts) > of(routes.discover))
  const named = lost.map(
    ({ task, routes }) => `${task.name} (${of(routes.scripts)} : ${of(routes.discover)})`,
  )
  console.log(`scripts take ${what}: ${named.join('; ') || 'in no task'}`)
}

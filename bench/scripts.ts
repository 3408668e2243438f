/**
 * Measures what scripts save and cost, without a model. Programs that know the solution solve tasks
 * over npm servers and API descriptions call by call, on the direct and the discover surface, and
 * with a script, and must get the same answer. Then come the time that scripts add, cold and warm,
 * and hostile scripts.
 *
 *   npm run bench -- scripts [--only tasks,cold,warm,hostile]
 */
import { loadavg } from 'node:os'
import { parseArgs } from 'node:util'
import { HostileSandbox } from '../test/support/hostile-sandbox.ts'
import { HOSTILE_SCRIPTS } from '../test/support/hostile-scripts.ts'
import { openFixtures } from './scripts/fixtures.ts'
import { reportTasks } from './scripts/report.ts'
import { type Solved, Solver } from './scripts/solve.ts'
import { FILE_TASKS } from './scripts/tasks/files.ts'
import { GITHUB_TASKS } from './scripts/tasks/github.ts'
import { JOIN_TASKS } from './scripts/tasks/joins.ts'
import { MEMORY_TASKS } from './scripts/tasks/memory.ts'
import { STRIPE_TASKS } from './scripts/tasks/stripe.ts'
import { measureCold, measureWarm } from './scripts/timings.ts'
import { round } from './support/numbers.ts'

const PARTS = {
  async cold() {
    const { preparedMs, unpreparedMs, secondMs } = await measureCold()
    console.log(
      `first script ${round(preparedMs)} ms after the tools were listed, ${round(unpreparedMs)} ms without that, ${round(secondMs)} ms the second time`,
    )
    return { coldMs: round(preparedMs), coldUnpreparedMs: round(unpreparedMs) }
  },
  async warm() {
    const { overheadMs, innerCallUs, chainUs } = await measureWarm()
    console.log(
      `an empty script ${round(overheadMs)} ms; a call inside one ${round(innerCallUs, 0)} µs beyond the ${round(chainUs, 0)} µs of the call itself`,
    )
    return { overheadP50Ms: round(overheadMs), innerCallUs: round(innerCallUs, 0) }
  },
  async tasks() {
    const fixtures = await openFixtures()
    const solver = await Solver.open(fixtures)
    const solved: Solved[] = []
    for (const task of [
      ...GITHUB_TASKS,
      ...STRIPE_TASKS,
      ...FILE_TASKS,
      ...MEMORY_TASKS,
      ...JOIN_TASKS,
    ])
      solved.push(await solver.solve(task))
    await fixtures.close()
    return reportTasks(solved)
  },
  async hostile() {
    const sandbox = new HostileSandbox()
    let worstBytes = 0
    const escaped: string[] = []
    for (const script of HOSTILE_SCRIPTS) {
      const attempt = await sandbox.attempt(script)
      worstBytes = Math.max(worstBytes, attempt.memoryBytes)
      if (attempt.escaped) escaped.push(script.name)
    }
    await sandbox.close()
    const worstMemoryMb = round(worstBytes / 2 ** 20, 1)
    console.log(
      `${HOSTILE_SCRIPTS.length} hostile scripts, at most ${worstMemoryMb} MB; escaped: ${escaped.join(', ') || 'none'}`,
    )
    return { worstMemoryMb, escapes: escaped.length }
  },
}

const { values: options } = parseArgs({ options: { only: { type: 'string' } } })
const wanted = options.only?.split(',') ?? Object.keys(PARTS)
const result: Record<string, number> = {}
for (const [name, measure] of Object.entries(PARTS))
  if (wanted.includes(name)) {
    console.log(
      `\n${name} (load of the machine ${loadavg()
        .map((load) => load.toFixed(1))
        .join(' ')})`,
    )
    Object.assign(result, await measure())
  }
console.log(`RESULT ${JSON.stringify(result)}`)
process.exit(0)

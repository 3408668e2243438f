import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Attack } from './report.ts'
import { Rig, until } from './rig.ts'

const ROUNDS = 4
const SETTINGS = { builtins: { traces: true } }
const ENV = {
  PORTOLAN_TRACES_READ_TIMEOUT: '20',
  PORTOLAN_TRACES_WRITE_TIMEOUT: '20',
  RATE_LIMIT_WRITE_PER_MINUTE: '100000',
  PORTOLAN_TRACES_RATE_LIMIT_WRITE_PER_MINUTE: '100000',
  PORTOLAN_TRACES_RATE_LIMIT_READ_PER_MINUTE: '100000',
}
const WORDS =
  'alpha beta gamma delta epsilon zeta eta theta iota kappa lambda sigma omega quartz basalt copper'.split(
    ' ',
  )

/** `kill -9` during writes: what was acknowledged is there afterwards, and files can be read. */
export const kills: Attack = {
  name: 'kill -9 during writes',
  async run(field) {
    let rig = await Rig.open({ settings: SETTINGS, env: ENV })
    const acknowledged: string[] = []
    const write = async (n: number) => {
      const word = WORDS.map((each, at) => `${each}${(n * 7 + at * 13) % 97}`).join(' ')
      const answer = await rig.call('traces__contribute_trace', {
        title: `Problem ${n} of ${word.slice(0, 60)}`,
        context_text: `When ${word} happens in part ${n} the build stops at step ${n * 3}.`,
        solution_text: `Replace ${word} by option ${n} and run the step ${n * 3} again.`,
      })
      const id = /ID: ([0-9a-f-]{36})/.exec(answer)?.[1]
      if (id !== undefined) acknowledged.push(id)
    }
    for (let round = 0; round < ROUNDS; round += 1) {
      // Opens traces first, so that the kill comes during writes and not during the opening.
      await rig.call('traces__list_tags')
      const writes = Array.from({ length: 40 }, async (_, n) =>
        write(round * 1_000 + n).catch(() => undefined),
      )
      await new Promise((resolve) => setTimeout(resolve, 300 + 250 * round))
      await rig.stop('SIGKILL')
      await Promise.all(writes)
      rig = await Rig.open({ settings: SETTINGS, env: ENV, folder: rig.folder })
      const opened = rig
      await field.try(`round ${round}: it is ready again`, async () =>
        Boolean(await until(async () => (await opened.get('/ready')).status === 200, 60_000)),
      )
      await field.try(
        `round ${round}: no acknowledged trace is lost of ${acknowledged.length}`,
        async () => {
          for (const id of acknowledged.slice(-30))
            if (!(await opened.call('traces__get_trace', { trace_id: id })).includes(id))
              return false
          return true
        },
      )
      await field.try(`round ${round}: every audit line but a torn last one can be read`, () => {
        const lines = readFileSync(join(opened.folder, 'home', 'audit.jsonl'), 'utf8')
          .trimEnd()
          .split('\n')
        const broken = lines.filter((line) => !isJson(line))
        return broken.length <= round + 1
      })
    }
    await field.try('something was acknowledged', () => acknowledged.length > 0)
    await rig.discard()
  },
}

function isJson(line: string): boolean {
  try {
    JSON.parse(line)
    return true
  } catch {
    return false
  }
}

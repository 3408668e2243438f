import { readFileSync } from 'node:fs'
import type { Attack } from './report.ts'
import { Rig } from './rig.ts'
import { hostile } from './servers.ts'

const TIMES = 40
/** A search of 240 characters takes about three; the machine of the test may be slow. */
const MAX_MS = 20
const WORDS =
  'find the item of a project, create a report, change it by its id or a filter and send mail '

/** Queries for tools that are as long as a request may be. */
export const longQueries: Attack = {
  name: 'long queries',
  async run(field) {
    const rig = await Rig.open({ servers: { one: hostile('many'), two: hostile('many') } })
    const queries: Readonly<Record<string, string>> = {
      '2,000 characters': WORDS.repeat(30).slice(0, 2_000),
      '900,000 characters': WORDS.repeat(10_000),
      '2,000 characters of requests': 'create an item; '.repeat(125),
      '2,000 different words': words(2_000).join(' '),
      '400 sentences': words(1_200)
        .map((word, at) => (at % 3 === 2 ? `${word}.` : word))
        .join(' '),
      'one word of 100,000 letters': 'ab'.repeat(50_000),
      '1,000 words joined': words(1_000).join('_'),
      '2,000 characters of another script': '項目を作成する'.repeat(286),
    }
    for (const query of Object.values(queries)) await rig.call('find_tools', { query })
    for (const [name, query] of Object.entries(queries))
      await field.try(`find_tools with ${name}`, async () => {
        const before = cpuMs(rig.pid)
        for (let time = 0; time < TIMES; time += 1) await rig.call('find_tools', { query })
        const ms = (cpuMs(rig.pid) - before) / TIMES
        console.log(`  ${name}: ${ms.toFixed(1)} ms each`)
        return ms < MAX_MS
      })
    await rig.discard()
  },
}

function words(count: number): string[] {
  return Array.from({ length: count }, (_, n) => `word${(n * 7919).toString(26)}`)
}

/** The processor time of the main thread, in ms. */
function cpuMs(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6
}

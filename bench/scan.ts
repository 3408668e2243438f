// Measures the scan of definitions: `npm run bench -- scan --corpus FILE`. Attacks that others have
// published, one half apart from those that rules are written against (by a hash of the id), and
// false alarms at the definitions of published servers. `--half` measures one half, `--show` prints
// what is wrong. bench/scan/README.md says where the corpora come from, and what the file has:
// { id, source, label: "malicious" | "benign", server, definition, peers?: { server: [tool] } }[].
import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import type { JsonObject } from '../src/base/json/json.ts'
import { type ScanClass, worstClass } from '../src/upstreams/listing/scan/finding.ts'
import { scanDefinition } from '../src/upstreams/listing/scan/scan.ts'
import { SERVERS } from '../test/compat/servers.ts'
import { listVersion } from './fatigue/list-versions.ts'
import { round } from './support/numbers.ts'

interface Sample {
  readonly id: string
  readonly source: string
  readonly label: 'malicious' | 'benign'
  readonly server: string
  readonly definition: JsonObject
  /** The tools of other servers, by server. */
  readonly peers?: Readonly<Record<string, readonly string[]>>
}

const { values: options } = parseArgs({
  options: {
    corpus: { type: 'string', default: '../shared/bench/scan/corpus.json' },
    half: { type: 'string' },
    show: { type: 'boolean', default: false },
  },
})

/** Which findings count: those that hold a server back, or those that people are shown as well. */
const LEVELS = { held: ['high'], shown: ['high', 'medium'] } as const
type Level = keyof typeof LEVELS

const isFound = (worst: ScanClass | undefined, level: Level) =>
  LEVELS[level].some((each) => each === worst)

const halfOf = ({ id }: Sample) =>
  (createHash('sha256').update(id).digest()[3] ?? 0) % 2 === 0 ? 'development' : 'apart'

const halves = existsSync(options.corpus) ? corpora(options.corpus) : undefined
if (!halves) console.log(`There is no corpus in ${options.corpus}: only false alarms are measured`)
const real = await published()
console.log(`RESULT ${JSON.stringify({ ...halves, real })}`)

function corpora(path: string) {
  const samples: readonly Sample[] = JSON.parse(readFileSync(path, 'utf8'))
  const names = ['development', 'apart'].filter((name) => (options.half ?? name) === name)
  return Object.fromEntries(
    names.map((name) => [name, measure(samples.filter((one) => halfOf(one) === name))]),
  )
}

function measure(samples: readonly Sample[]) {
  const judged = samples.map((sample) => ({ sample, worst: worstOf(sample) }))
  const of = (wanted: Sample['label']) => judged.filter(({ sample }) => sample.label === wanted)
  const share = (wanted: Sample['label'], level: Level) => {
    const all = of(wanted)
    return round(all.filter(({ worst }) => isFound(worst, level)).length / all.length, 3)
  }
  for (const { sample, worst } of judged) {
    const isRight = isFound(worst, 'shown') === (sample.label === 'malicious')
    if (options.show && !isRight) console.log(`${sample.label} ${sample.id}: ${textOf(sample)}`)
  }
  return {
    malicious: of('malicious').length,
    recall: share('malicious', 'shown'),
    recallHeld: share('malicious', 'held'),
    benign: of('benign').length,
    falseAlarms: share('benign', 'shown'),
    falseAlarmsHeld: share('benign', 'held'),
  }
}

function worstOf({ definition, server, peers = {} }: Sample): ScanClass | undefined {
  const tools = new Map(Object.entries(peers))
  const own = [nameOf(definition)]
  return worstClass(scanDefinition(definition, { server, tools, own }))
}

function textOf({ definition }: Sample): string {
  return JSON.stringify(definition).slice(0, 600)
}

/** Scans every definition of published servers, each beside the tools of all others. */
async function published() {
  const listed = []
  for (const server of SERVERS.filter(({ unlisted }) => unlisted === undefined))
    listed.push({ name: server.name, ...(await listVersion(server, server.version)) })
  const offering = listed.filter(({ tools }) => tools.length > 0)
  const names = new Map(offering.map(({ name, tools }) => [name, tools.map(nameOf)]))
  let [tools, shown, held] = [0, 0, 0]
  const heldServers = new Set<string>()
  for (const { name, tools: own, prompts, resourceTemplates } of offering) {
    const others = new Map([...names].filter(([other]) => other !== name))
    for (const definition of [...own, ...prompts, ...resourceTemplates]) {
      const found = scanDefinition(definition, {
        server: name,
        tools: others,
        own: own.map(nameOf),
      })
      const worst = worstClass(found)
      tools += 1
      if (!isFound(worst, 'shown')) continue
      shown += 1
      if (isFound(worst, 'held')) held += 1
      if (isFound(worst, 'held')) heldServers.add(name)
      if (options.show) console.log(`real ${name}.${nameOf(definition)}: ${JSON.stringify(found)}`)
    }
  }
  return {
    servers: offering.length,
    definitions: tools,
    falseAlarms: round(shown / tools, 4),
    falseAlarmsHeld: round(held / tools, 4),
    serversHeld: heldServers.size,
  }
}

function nameOf(definition: JsonObject): string {
  return String(definition['name'] ?? definition['uriTemplate'])
}

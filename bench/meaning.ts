// Measures what vectors add to words, on all sets: `npm run bench -- meaning --sets FOLDER
// --servers FOLDER`. `--sets` has bare clones of public repositories (bench/meaning/public-sets.ts
// names them); `--servers` is a folder that `npm install` filled with real servers (own-sets.ts
// names them). `--repos` has checkouts, as `<owner>+<name>`, of the repositories of
// bench/data/natural-questions; `--questions` names other folders of such sets, each with the same
// checkouts. `--published` is the data of the code benchmark (bench/code.ts) and `--checkouts` its
// repositories by name, searched by source folder and as a whole. `--manuals` adds the questions
// about Debian's manuals, which apt fetches once. Without options only the sets in this repository
// are measured. Progress goes to stderr; everything together takes about ten minutes on an idle
// machine.
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { packageFile } from '../src/base/files/package-files.ts'
import { createBuiltinEmbedder } from '../src/search/embed/builtin-embedder.ts'
import { SIXTY, measureQuestions } from './clauses/measure-questions.ts'
import { measureAnswers } from './meaning/measure-answers.ts'
import { measureCode, naturalQuestions, publishedQuestions } from './meaning/measure-code.ts'
import {
  type Mode,
  type ToolSet,
  measureLatency,
  measureTools,
  openTools,
} from './meaning/measure-tools.ts'
import { manyTools, ownSet, plainQuestions } from './meaning/own-sets.ts'
import { measureHalves } from './meaning/measure-wordings.ts'
import { publicSets } from './meaning/public-sets.ts'
import { quantile, round, table } from './support/numbers.ts'
import { measureQuality } from './traces/quality.ts'

const MODES: readonly Mode[] = ['words', 'vectors', 'fused']
const { values: options } = parseArgs({
  options: {
    sets: { type: 'string' },
    servers: { type: 'string' },
    repos: { type: 'string' },
    questions: { type: 'string', multiple: true },
    published: { type: 'string' },
    checkouts: { type: 'string' },
    manuals: { type: 'boolean', default: false },
  },
})

const tell = (line: string) => process.stderr.write(`${line}\n`)
const model = measureModel()
tell(`model: ${JSON.stringify(model)}`)
const own = await ownSet()
const sets = new Map<string, ToolSet>([
  ['own 500 tools', own],
  ['exact names', exactNames(own)],
  ...(options.servers === undefined ? [] : await plainQuestions(options.servers, tell)),
  ...(options.sets === undefined ? [] : publicSets(options.sets)),
])

const plain = sets.get('plain questions')
const wishes = plain && (await measureHalves('tools', new Map([['all', plain.tools]])))
if (wishes) tell(`wishes in three wordings: ${JSON.stringify(wishes)}`)

const rows: (string | number)[][] = []
const recalls: Record<string, object> = {}
for (const [name, set] of sets) {
  const opened = await openTools(set.tools)
  const measured = new Map<Mode, Awaited<ReturnType<typeof measureTools>>>()
  for (const mode of MODES) measured.set(mode, await measureTools(opened, set, mode))
  const fused = measured.get('fused')
  const recall = MODES.map((mode) => round(measured.get(mode)?.recallAt5 ?? 0, 3))
  rows.push([
    name,
    set.tools.length,
    set.queries.length,
    ...recall,
    round(fused?.anyAt5 ?? 0, 3),
    round(fused?.mrr ?? 0, 3),
    `${fused?.top1 ?? 0} / ${fused?.top3 ?? 0}`,
    `${fused?.refused ?? 0} / ${fused?.refusedWrongly ?? 0}`,
    Math.round(fused?.tokens ?? 0),
  ])
  tell(`${name}: R@5 ${recall.join(' / ')}, any@5 ${fused?.anyAt5.toFixed(3)}`)
  recalls[name] = {
    words: recall[0],
    vectors: recall[1],
    fused: recall[2],
    anyAt5: round(fused?.anyAt5 ?? 0, 3),
    mrr: round(fused?.mrr ?? 0, 3),
    top1: fused?.top1,
    top3: fused?.top3,
    refused: fused?.refused,
    refusedWrongly: fused?.refusedWrongly,
    tokens: Math.round(fused?.tokens ?? 0),
  }
}
console.log(
  table(
    [
      'tools',
      'count',
      'queries',
      'R@5 words',
      'vectors',
      'fused',
      'any@5',
      'MRR',
      'top 1 / 3',
      'refused: rightly / wrongly',
      'tokens',
    ],
    rows,
  ),
)

const latency = await measureLatency(manyTools(own.tools), own.queries)
tell(`find_tools over ${latency.tools} tools: p95 ${round(latency.p95Ms)} ms`)
const traces = {
  words: await measureQuality(),
  fused: await measureQuality(createBuiltinEmbedder()),
}
const code = await measureCodeSets()
const silent = () => undefined
const knowledge = options.manuals && {
  words: await measureQuestions(SIXTY, undefined, silent),
  fused: await measureQuestions(SIXTY, createBuiltinEmbedder(), silent),
}
if (knowledge) tell(`manuals: ${JSON.stringify(knowledge)}`)
console.log(
  `RESULT ${JSON.stringify({
    tools: recalls,
    ...(wishes && { wishes }),
    traces,
    code,
    ...(knowledge && { knowledge }),
    findTools: {
      tools: latency.tools,
      p50Ms: round(latency.p50Ms),
      p95Ms: round(latency.p95Ms),
      p95CpuMs: round(latency.p95CpuMs),
    },
    model,
  })}`,
)
// Servers that were only started to list their tools may still be ending.
process.exit(0)

async function measureCodeSets() {
  const { repos, published, checkouts } = options
  const natural = options.questions ?? [join(import.meta.dirname, 'data/natural-questions')]
  const codeSets = [
    ...(repos === undefined
      ? []
      : natural.map(
          (folder, at) => [`natural ${at + 1}`, naturalQuestions(folder, repos)] as const,
        )),
    ...(published === undefined || checkouts === undefined
      ? []
      : ([
          ['source folder', publishedQuestions(published, checkouts, { whole: false })],
          ['whole checkout', publishedQuestions(published, checkouts, { whole: true })],
        ] as const)),
  ]
  const measured: Record<string, object> = {}
  for (const [name, questions] of codeSets) {
    const words = await measureCode(questions, { words: true, tell })
    const fused = await measureCode(questions, { words: false, tell })
    const answers = await measureAnswers(questions)
    tell(`${name}, answers of search_code: ${JSON.stringify(answers)}`)
    measured[name] = { words, fused, answers }
  }
  return measured
}

/** A query that is the name of a tool must find that tool first. */
function exactNames({ tools }: ToolSet): ToolSet {
  const queries = tools.map(({ server, name }) => ({
    query: name,
    tools: tools.filter((other) => other.name === name).map((other) => `${other.server}.${name}`),
    server,
  }))
  return { tools, queries }
}

/** Measures the model on disk, to load, in memory, and per text, before anything else is loaded. */
function measureModel() {
  const bytes = statSync(packageFile('assets/models', 'portolan-static-1.bin')).size
  const before = process.memoryUsage().rss
  const embedder = createBuiltinEmbedder()
  const started = performance.now()
  embedder.embedNow('load')
  const loadMs = performance.now() - started
  const rssMb = (process.memoryUsage().rss - before) / 2 ** 20
  const times: number[] = []
  for (let n = 0; n < 2000; n++) {
    const at = performance.now()
    embedder.embedNow(`how do I delete file number ${n % 10} from the folder`)
    times.push(1000 * (performance.now() - at))
  }
  return {
    megabytes: round(bytes / 1e6),
    loadMs: Math.round(loadMs),
    rssMb: round(rssMb, 1),
    queryMicroseconds: round(quantile(times, 0.5), 1),
  }
}

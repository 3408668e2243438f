import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { measureFirstAnswer } from './code/first-answer.ts'
import { measureQuality } from './code/quality.ts'
import { mean, quantile } from './code/score.ts'
import { measureSpeed } from './code/speed.ts'

const USAGE = `npm run bench -- code <folder of repositories> [--data FOLDER] [--out FILE] [--quality]
  The folder has a checkout per repository, by its name in repos.json.
  --data     repos.json and annotations/; also CODE_BENCH_DATA; by default ../shared/bench/code-search
  --out      writes every answer, for the benchmark's own scorer
  --quality  leaves the speed figures out
npm run bench -- code --scale <folder>
  One large tree, for instance a checkout of kubernetes: index, queries, one changed file, regex beside ripgrep`

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    data: { type: 'string' },
    out: { type: 'string' },
    quality: { type: 'boolean', default: false },
    scale: { type: 'string' },
  },
})
if (values.scale !== undefined) {
  const { measureScale } = await import('./code/scale.ts')
  console.log(`RESULT ${JSON.stringify(await measureScale(values.scale), round)}`)
  process.exit(0)
}
const [repos] = positionals
const data = values.data ?? process.env['CODE_BENCH_DATA'] ?? '../shared/bench/code-search'
if (repos === undefined || !existsSync(join(data, 'repos.json'))) {
  console.error(USAGE)
  process.exit(2)
}

const quality = await measureQuality(repos, data)
for (const [name, score] of quality.perRepo) console.error(`${name.padEnd(24)}${score.toFixed(3)}`)
for (const name of quality.missing) console.error(`${name.padEnd(24)}not in ${repos}: left out`)
if (values.out !== undefined) writeFileSync(values.out, JSON.stringify(quality.results))

const speed = values.quality ? {} : await measureSpeed(repos, data)
const cliFirstAnswerMs = values.quality ? undefined : await measureFirstAnswer(repos, data)
const result = {
  ndcg10: mean([...quality.perRepo.values()]),
  repos: quality.perRepo.size,
  queries: quality.queries,
  ...speed,
  queryP50Ms: quantile(quality.queryMs, 0.5),
  queryP95Ms: quantile(quality.queryMs, 0.95),
  cliFirstAnswerMs,
}
console.log(`RESULT ${JSON.stringify(result, round)}`)

function round(_: string, value: unknown): unknown {
  return typeof value === 'number' ? Number(value.toPrecision(4)) : value
}

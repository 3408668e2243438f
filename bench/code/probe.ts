import { appendFileSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import { refresh } from '../../src/builtins/code/engine/index/refresh.ts'
import { build } from './quality.ts'
import { quantile } from './score.ts'

// Runs in its own process: see speed.ts.
const root = process.argv[2] ?? '.'

const started = performance.now()
const index = await build(root)
const coldMs = performance.now() - started
let lines = 0
for (const file of index.files.values()) lines += file.lines
const rssMb = process.resourceUsage().maxRSS / 1024

const asked = performance.now()
index.lexical.search('how are requests routed')
const firstQueryMs = performance.now() - asked

// Recently written files are read again until their time stamps can be trusted, so this waits.
await new Promise((resolve) => setTimeout(resolve, 1_100))
await refresh(index)
const unchanged: number[] = []
for (let time = 0; time < 5; time++) {
  const before = performance.now()
  await refresh(index)
  unchanged.push(performance.now() - before)
}
const noChangeMs = quantile(unchanged, 0.5)

const changed = join(root, 'changed.ts')
let oneFileMs = 0
if (existsSync(changed)) {
  appendFileSync(changed, 'export function after(): number { return 2 }\n')
  const before = performance.now()
  index.take({ path: 'changed.ts', size: 0, mtimeMs: Date.now() })
  index.lexical.search('after')
  oneFileMs = performance.now() - before
}

process.stdout.write(JSON.stringify({ coldMs, firstQueryMs, lines, rssMb, noChangeMs, oneFileMs }))

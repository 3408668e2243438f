import { parseArgs } from 'node:util'
import type { Mutant } from '@stryker-mutator/api/core'
import { copyOfSources } from './copy-of-sources.ts'
import { type Group, GROUPS } from './groups.ts'
import { instrument } from './instrument.ts'
import { isSampled } from './run-log.ts'
import { type Tried, runMutants } from './run-mutants.ts'

/**
 * Changes the code in thousands of small ways and counts which changes make tests fail.
 *
 *     npm run mutants                               every group
 *     npm run mutants -- gateway identity           these groups
 *     npm run mutants -- src/gateway/agents src/gateway/catalog.ts    these folders and files
 *     npm run mutants -- identity --every 4         one change in four, for a first look
 *     npm run mutants -- src/shaping/tokens --tests src/shaping/tokens.test.ts    by these tests alone
 */
const { values, positionals: wanted } = parseArgs({
  options: {
    every: { type: 'string', default: '1' },
    tests: { type: 'string', multiple: true },
  },
  allowPositionals: true,
})
const every = Number(values.every)
const percents: Record<string, number> = {}
let failed = false
for (const [name, group] of Object.entries(GROUPS)) {
  const paths = wanted.filter((path) => `${path}/`.startsWith(`src/${name}/`))
  if (wanted.length > 0 && !wanted.includes(name) && paths.length === 0) continue
  const percent = await measure(group, paths.length > 0 ? paths : group.mutate)
  percents[name] = percent
  if (percent < group.leastPercent) failed = true
  console.log(`${name}: ${percent} %, at least ${group.leastPercent} % wanted`)
}
console.log(`RESULT ${JSON.stringify({ bench: 'mutants', percents })}`)
process.exitCode = failed ? 1 : 0

async function measure({ tests }: Group, paths: readonly string[]): Promise<number> {
  const copy = copyOfSources()
  const all = await instrument(copy, paths)
  const files = [...new Set(all.map(({ fileName }) => fileName))]
  const tried = await runMutants(copy, { tests: values.tests ?? tests, files, every })
  const mutants = all.filter(({ id }) => isSampled(id, every) && !tried.static.has(id))
  for (const file of tried.red) console.log(`Not used, since it fails without any mutant: ${file}`)
  report(mutants, tried)
  return percentOf(mutants, tried)
}

/** Prints the share per file, the weakest first, and each mutant that no test killed. */
function report(mutants: readonly Mutant[], tried: Tried): void {
  const files = new Map<string, Mutant[]>()
  for (const mutant of mutants)
    files.set(mutant.fileName, [...(files.get(mutant.fileName) ?? []), mutant])
  const weakestFirst = [...files].toSorted(
    ([, one], [, other]) => percentOf(one, tried) - percentOf(other, tried),
  )
  for (const [file, own] of weakestFirst) {
    console.log(`${String(percentOf(own, tried)).padStart(4)} %  ${file}`)
    for (const { id, location, mutatorName, replacement } of own)
      if (!tried.killed.has(id))
        console.log(
          `          ${location.start.line + 1}:${location.start.column + 1} ${tried.covered.has(id) ? 'survived' : 'not covered'} ${mutatorName} → ${replacement.replaceAll(/\s+/g, ' ').slice(0, 90)}`,
        )
  }
}

function percentOf(mutants: readonly Mutant[], { killed }: Tried): number {
  const noticed = mutants.filter(({ id }) => killed.has(id)).length
  return mutants.length === 0 ? 100 : Math.round((1_000 * noticed) / mutants.length) / 10
}

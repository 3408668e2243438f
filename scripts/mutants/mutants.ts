import type { MutantResult } from '@stryker-mutator/api/core'
import { Stryker } from '@stryker-mutator/core'
import { type Group, GROUPS } from './groups.ts'

/**
 * Changes the code in thousands of small ways and counts which changes the tests notice.
 *
 *     npm run mutants                               every group
 *     npm run mutants -- gateway identity           these groups
 *     npm run mutants -- src/gateway/agents src/gateway/catalog.ts    these folders and files
 *
 * What was tried before and has not changed since is not tried again (`.stryker`).
 */
const wanted = process.argv.slice(2)
const root = `${process.cwd()}/`
const percents: Record<string, number> = {}
let failed = false
for (const [name, group] of Object.entries(GROUPS)) {
  const files = wanted.filter((path) => `${path}/`.startsWith(`src/${name}/`))
  if (wanted.length > 0 && !wanted.includes(name) && files.length === 0) continue
  const mutants = await mutate(name, group, files)
  report(mutants)
  percents[name] = percentOf(mutants)
  if (percents[name] < group.leastPercent) failed = true
  console.log(`${name}: ${percents[name]} %, at least ${group.leastPercent} % wanted`)
}
console.log(`RESULT ${JSON.stringify({ bench: 'mutants', percents })}`)
process.exitCode = failed ? 1 : 0

async function mutate(
  name: string,
  { mutate: all, tests }: Group,
  files: readonly string[],
): Promise<MutantResult[]> {
  process.env['MUTANTS_TESTS'] = tests.join(' ')
  const stryker = new Stryker({
    configFile: 'scripts/mutants/stryker.config.json',
    mutate: [...(files.length > 0 ? files.map(toGlob) : all), '!src/**/*.test.ts'],
    incrementalFile: `.stryker/${name}.json`,
  })
  return stryker.runMutationTest()
}

function toGlob(path: string): string {
  return path.endsWith('.ts') ? path : `${path}/**/*.ts`
}

/** Prints the share per file, the weakest first, and each change that no test noticed. */
function report(mutants: readonly MutantResult[]): void {
  const files = new Map<string, MutantResult[]>()
  for (const mutant of mutants) {
    const file = mutant.fileName.replace(root, '')
    files.set(file, [...(files.get(file) ?? []), mutant])
  }
  const weakestFirst = [...files].toSorted(
    ([, one], [, other]) => percentOf(one) - percentOf(other),
  )
  for (const [file, own] of weakestFirst) {
    console.log(`${String(percentOf(own)).padStart(4)} %  ${file}`)
    for (const { status, location, mutatorName, replacement } of own)
      if (status === 'Survived' || status === 'NoCoverage')
        console.log(
          `          ${location.start.line}:${location.start.column} ${status} ${mutatorName} → ${replacement.replaceAll(/\s+/g, ' ').slice(0, 90)}`,
        )
  }
}

function percentOf(mutants: readonly MutantResult[]): number {
  const count = (...statuses: string[]) =>
    mutants.filter(({ status }) => statuses.includes(status)).length
  const noticed = count('Killed', 'Timeout')
  const all = noticed + count('Survived', 'NoCoverage')
  return all === 0 ? 100 : Math.round((1_000 * noticed) / all) / 10
}

import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { copyOfSources } from './copy-of-sources.ts'
import { NAMED_MUTATIONS, type NamedMutation } from './named-mutations.ts'

/**
 * Applies each named mutation alone, in a copy of the sources, and runs the unit tests near it: at
 * least one must fail. `npm run mutants:named [-- words of a name]`
 */
const wanted = process.argv.slice(2).join(' ')
const mutations = NAMED_MUTATIONS.filter(({ name }) => name.includes(wanted))
const folder = copyOfSources()

const tests = [...new Set(mutations.flatMap((mutation) => mutation.tests))]
if (!testsPass(tests)) throw new Error('The tests fail without any mutation: fix them first.')
const survived = mutations.filter(survives).map(({ name }) => name)
console.log(
  `RESULT ${JSON.stringify({ bench: 'mutants:named', tried: mutations.length, killed: mutations.length - survived.length, survived })}`,
)
process.exitCode = survived.length === 0 ? 0 : 1

function survives({ name, file, from, to, tests: near }: NamedMutation): boolean {
  const path = join(folder, file)
  const source = readFileSync(path, 'utf8')
  if (source.split(from).length !== 2) throw new Error(`${file} does not hold exactly one: ${from}`)
  writeFileSync(
    path,
    source.replace(from, () => to),
  )
  const passed = testsPass(near)
  writeFileSync(path, source)
  console.log(`${passed ? 'SURVIVED' : 'killed  '}  ${name}`)
  return passed
}

function testsPass(paths: readonly string[]): boolean {
  const vitest = join(folder, 'node_modules', 'vitest', 'vitest.mjs')
  const args = [vitest, 'run', '--project', 'unit', '--bail', '1', '--reporter', 'dot', ...paths]
  return spawnSync(process.execPath, args, { cwd: folder, stdio: 'ignore' }).status === 0
}

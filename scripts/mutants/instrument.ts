import { readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Mutant } from '@stryker-mutator/api/core'
import { Instrumenter } from '@stryker-mutator/instrumenter'

const no = () => false
const nothing = () => undefined

const QUIET = {
  isTraceEnabled: no,
  isDebugEnabled: no,
  isInfoEnabled: no,
  isWarnEnabled: no,
  isErrorEnabled: no,
  isFatalEnabled: no,
  trace: nothing,
  debug: nothing,
  info: nothing,
  warn: nothing,
  error: nothing,
  fatal: nothing,
}

/** Writes every mutant of these files into the copy of the sources, each behind a switch. */
export async function instrument(
  copy: string,
  paths: readonly string[],
): Promise<readonly Mutant[]> {
  const files = paths.flatMap(filesOf).map((name) => ({
    name,
    mutate: true,
    content: readFileSync(name, 'utf8'),
  }))
  const instrumenter = new Instrumenter(QUIET)
  const { files: changed, mutants } = await instrumenter.instrument(files, {
    plugins: null,
    ignorers: [],
    // Tests do not compare messages word by word.
    excludedMutations: ['StringLiteral'],
  })
  for (const { name, content } of changed) writeFileSync(join(copy, name), content)
  return mutants.filter(({ status }) => status !== 'Ignored')
}

function filesOf(path: string): string[] {
  const folder = path.replace(/\/\*$/, '')
  const names = path.endsWith('.ts')
    ? [path]
    : readdirSync(folder, { recursive: folder === path, encoding: 'utf8' }).map((name) =>
        join(folder, name),
      )
  return names.filter((name) => /(?<!\.test|\.d)\.ts$/.test(name))
}

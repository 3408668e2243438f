import { spawnSync } from 'node:child_process'
import { join, resolve } from 'node:path'
import { type Bench, BENCHES } from './benches.ts'

/** Runs a bench by its name with the options behind it; without a name, lists them. */
const [name, ...options] = process.argv.slice(2)
if (name === undefined) list()
else run(name, options)

function list(): void {
  console.log('npm run bench -- <name> [options]; the comment on top of its file has the options\n')
  for (const [each, { about }] of Object.entries(BENCHES))
    console.log(`  ${each.padEnd(10)} ${about}`)
}

function run(wanted: string, given: readonly string[]): void {
  const bench = BENCHES[wanted]
  if (!bench) throw new Error(`There is no bench "${wanted}": npm run bench lists them`)
  if (bench.needsBuild) start('npm', ['run', '--silent', 'build'])
  const file = join('bench', bench.file ?? `${wanted}.ts`)
  start(process.execPath, [...nodeOptions(bench), file, ...given])
}

/** Loaders by absolute addresses, as benches start children in other folders. */
function nodeOptions({ stripTypes, heapMb }: Bench): string[] {
  const loader = stripTypes
    ? new URL('strip-types/register.mjs', import.meta.url).href
    : import.meta.resolve('tsx')
  return [...(heapMb ? [`--max-old-space-size=${heapMb}`] : []), '--import', loader]
}

function start(command: string, args: readonly string[]): void {
  const cwd = resolve(import.meta.dirname, '..')
  const { status, error } = spawnSync(command, args, { cwd, stdio: 'inherit' })
  if (error) throw error
  if (status !== 0) process.exit(status ?? 1)
}

import { readFileSync, readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, it } from 'vitest'
import { BENCHES } from '../bench/benches.ts'

const ROOT = resolve(import.meta.dirname, '..')
const files = readdirSync(join(ROOT, 'bench'), { recursive: true, encoding: 'utf8' })

it('runs every bench from a TypeScript file, so that a renamed field fails to compile', () => {
  const named = Object.entries(BENCHES).map(([name, { file = `${name}.ts` }]) => file)
  const top = files.filter((file) => /^[\w-]+\.ts$/.test(file))
  const runner = ['benches.ts', 'run.ts']
  expect([...named, ...runner].toSorted()).toEqual([...top, 'attack/attack.ts'].toSorted())
})

it('ends every bench with a line of figures', () => {
  const silent = Object.entries(BENCHES).filter(([name, { file = `${name}.ts` }]) => {
    return !/['`]RESULT /.test(readFileSync(join(ROOT, 'bench', file), 'utf8'))
  })
  expect(silent).toEqual([])
})

it('names only benches that exist in the documents', () => {
  const documents = ['README.md', 'CONTRIBUTING.md', 'ARCHITECTURE.md', 'assets', 'bench', 'docs']
  const named = documents
    .flatMap((name) => textsIn(join(ROOT, name)))
    .flatMap((text) =>
      [...text.matchAll(/npm run bench -- ([\w-]+)/g)].flatMap(([, name = '']) => name),
    )
  expect(named.length).toBeGreaterThan(20)
  expect(named.filter((name) => !Object.hasOwn(BENCHES, name))).toEqual([])
})

it('lets no untyped file of a bench import anything of ours', () => {
  const untyped = files.filter((file) => /\.[cm]?js$/.test(file))
  const importing = untyped.filter((file) =>
    /(?:from|import)\s*\(?'\.\.?\//.test(readFileSync(join(ROOT, 'bench', file), 'utf8')),
  )
  expect(untyped).toContain('passthrough.mjs')
  expect(importing).toEqual([])
})

function textsIn(path: string): string[] {
  if (/\.(md|ts)$/.test(path)) return [readFileSync(path, 'utf8')]
  const names = readdirSync(path, { recursive: true, encoding: 'utf8' })
  return names
    .filter((name) => /\.(md|ts)$/.test(name))
    .map((name) => readFileSync(join(path, name), 'utf8'))
}

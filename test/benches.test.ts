import { readFileSync, readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, it } from 'vitest'

const ROOT = resolve(import.meta.dirname, '..')
const { scripts }: { scripts: Record<string, string> } = JSON.parse(
  readFileSync(join(ROOT, 'package.json'), 'utf8'),
)
const files = readdirSync(join(ROOT, 'bench'), { recursive: true, encoding: 'utf8' })

it('runs every bench from a TypeScript file, so that a renamed field fails to compile', () => {
  const benches = Object.entries(scripts).filter(([name]) => /^bench:|^soak$|^attack$/.test(name))
  const untyped = benches.filter(([, command]) => {
    const file = /bench\/(\S+)$/.exec(command)?.[1] ?? ''
    return !file.endsWith('.ts') || !files.includes(file)
  })
  expect(benches.length).toBeGreaterThan(10)
  expect(untyped).toEqual([])
})

it('lets no untyped file of a bench import anything of ours', () => {
  const untyped = files.filter((file) => /\.[cm]?js$/.test(file))
  const importing = untyped.filter((file) =>
    /(?:from|import)\s*\(?'\.\.?\//.test(readFileSync(join(ROOT, 'bench', file), 'utf8')),
  )
  expect(untyped).toContain('passthrough.mjs')
  expect(importing).toEqual([])
})

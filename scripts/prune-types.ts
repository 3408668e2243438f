/** Removes the declarations that `dist/index.d.ts`, which programs import, does not lead to. */
import { readFileSync, readdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'

const DIST = join(import.meta.dirname, '../dist')

const reached = new Set([join(DIST, 'index.d.ts')])
// Iterating over a set also visits elements that are added meanwhile.
for (const file of reached)
  for (const [, path = ''] of readFileSync(file, 'utf8').matchAll(/['"](\.[^'"]+)\.[jt]s['"]/g))
    reached.add(join(dirname(file), `${path}.d.ts`))
for (const path of readdirSync(DIST, { recursive: true, encoding: 'utf8' }))
  if (path.endsWith('.d.ts') && !reached.has(join(DIST, path))) rmSync(join(DIST, path))

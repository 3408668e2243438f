/**
 * `npm run shrinkwrap` writes npm-shrinkwrap.json, so that users of the package get exactly the
 * tested versions of all dependencies. It is written when the package is packed and removed
 * afterwards: otherwise npm would use it as our own lockfile, and it has no development
 * dependencies.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

interface Lock {
  readonly packages: Readonly<Record<string, { readonly dev?: boolean }>>
}

const root = join(import.meta.dirname, '..')
const lock: Lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))
const packages = Object.fromEntries(
  Object.entries(lock.packages)
    .filter(([, { dev }]) => !dev)
    .map(([path, entry]) => [path, path === '' ? { ...entry, devDependencies: undefined } : entry]),
)
writeFileSync(
  join(root, 'npm-shrinkwrap.json'),
  `${JSON.stringify({ ...lock, packages }, null, 2)}\n`,
)

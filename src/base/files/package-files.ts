import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Our own folder: what is built is in it at another depth than its source. */
const ROOT = above(import.meta.dirname)

/** Whether this runs from the sources, as in tests. */
const FROM_SOURCE = import.meta.filename.endsWith('.ts')

/** A file or folder that comes with the package. */
export function packageFile(...parts: readonly string[]): string {
  return join(ROOT, ...parts)
}

/** A module of ours that is started by itself, such as `cli/main`: the built one, or its source. */
export function moduleFile(name: string, built: 'js' | 'cjs' = 'js'): string {
  return FROM_SOURCE ? join(ROOT, 'src', `${name}.ts`) : join(ROOT, 'dist', `${name}.${built}`)
}

function above(folder: string): string {
  return existsSync(join(folder, 'package.json')) ? folder : above(dirname(folder))
}

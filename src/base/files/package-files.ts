import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** The root of the package; sources and built files are at different depths below it. */
const ROOT = above(import.meta.dirname)

/** Whether this runs from the sources, as in tests. */
export const FROM_SOURCE = import.meta.filename.endsWith('.ts')

/** Returns the path of a file or folder that comes with the package. */
export function packageFile(...parts: readonly string[]): string {
  return join(ROOT, ...parts)
}

/** Returns the path of a module that is started by itself, such as `cli/main`. */
export function moduleFile(name: string, built: 'js' | 'cjs' = 'js'): string {
  return FROM_SOURCE ? join(ROOT, 'src', `${name}.ts`) : join(ROOT, 'dist', `${name}.${built}`)
}

function above(folder: string): string {
  return existsSync(join(folder, 'package.json')) ? folder : above(dirname(folder))
}

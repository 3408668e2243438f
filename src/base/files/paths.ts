import { isAbsolute, relative, sep } from 'node:path'

/** Whether a path is the folder or below it. Both are absolute, with symbolic links resolved. */
export function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path)
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way)
}

import { isAbsolute, relative, sep } from 'node:path'

/** Whether a path is a folder or is below it. Both are absolute, and links in them resolved. */
export function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path)
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way)
}

import { existsSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { basename, delimiter, dirname, isAbsolute, join, resolve } from 'node:path'
import type { Environment } from '../../../base/environment.ts'
import { findProgram } from '../../../base/files/find-program.ts'
import { isFolder, isInside, resolveLinks } from '../../../base/files/paths.ts'
import type { ChildOptions } from '../child.ts'

/** Returns where this user is at home, also if the variable is not set. */
export function homeOf(env: Environment): string {
  return env['HOME'] || homedir()
}

/**
 * Returns what a program is made of, outside of the system's folders: the program itself, the package
 * or the installation that it belongs to, and the Node.js that its first line may ask for.
 */
export function programPlaces({ command, args, inherits, cwd }: ChildOptions): string[] {
  const env = inherits ?? process.env
  const home = homeOf(env)
  const programs = [command, 'node'].flatMap((name) => {
    const found = findProgram(name, env)
    return found === undefined ? [] : [resolve(cwd ?? '/', found)]
  })
  const scripts = args
    .filter((arg) => /\.(?:[cm]?[jt]s|py|rb|sh|jar)$/.test(arg))
    .map((arg) => resolve(cwd ?? '/', arg))
    .filter((path) => existsSync(path))
  return [...programs, ...scripts].flatMap((path) => [path, ...packageOf(resolveLinks(path), home)])
}

const MANIFESTS = ['package.json', 'pyproject.toml', 'pyvenv.cfg']

/** Returns the folder of the package or installation that a file belongs to. */
function packageOf(file: string, home: string): string[] {
  const modules = file.indexOf('/node_modules/')
  if (modules > 0) return [file.slice(0, modules + '/node_modules'.length)]
  const above = dirname(dirname(file))
  const isInstallation = basename(dirname(file)) === 'bin' && existsSync(join(above, 'lib'))
  if (isInstallation && above !== join(home, '.local') && isBelow(above, home)) {
    // A virtual environment is of a Python that is elsewhere.
    const python = resolveLinks(join(above, 'bin', 'python'))
    return isInside(python, above) ? [above] : [above, ...packageOf(python, home)]
  }
  for (let folder = dirname(file); isBelow(folder, home); folder = dirname(folder))
    if (MANIFESTS.some((name) => existsSync(join(folder, name)))) return [folder]
  return []
}

/** Whether a folder is neither the home folder nor one above it. */
function isBelow(folder: string, home: string): boolean {
  return folder !== dirname(folder) && !isInside(home, folder)
}

/**
 * Returns the files and folders that an entry names by absolute paths: in its arguments, as `--root=/x`,
 * and in its variables, as GOOGLE_APPLICATION_CREDENTIALS. `withNew` adds the folders of files that
 * the server is to make.
 */
export function namedPaths({ args, env, inherits }: ChildOptions, withNew: boolean): string[] {
  const own = inherits ?? process.env
  const certificates = ['NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE', 'SSL_CERT_DIR'].map(
    (name) => own[name] ?? '',
  )
  return [...args, ...Object.values(env), ...certificates]
    .flatMap((word) =>
      word.replace(/^--?[\w-]+=|^(?:file|sqlite):(?:\/\/)?(?=\/)/, '').split(delimiter),
    )
    .map((word) => (word.startsWith('~/') ? join(homeOf(own), word.slice(2)) : word))
    .filter((word) => isAbsolute(word))
    .flatMap((path) => {
      if (isFile(path) || isFolder(path)) return [path]
      const folder = dirname(path)
      return withNew && isFolder(folder) && dirname(folder) !== dirname(dirname(folder))
        ? [folder]
        : []
    })
    .filter((path) => !OF_THE_SYSTEM.some((folder) => isInside(resolveLinks(path), folder)))
}

/** What is there is no file of anybody, but processes, devices and sockets. */
const OF_THE_SYSTEM = ['/proc', '/sys', '/dev', '/run']

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false
}

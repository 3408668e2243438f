import { basename } from 'node:path'

/** A package of the npm registry that an entry starts with `npx`. */
export interface NpmPackage {
  readonly name: string
  /** A version, a range or a tag; `latest` if the command has none. */
  readonly spec: string
  /** The program of the package that the command names, beside the package. */
  readonly program?: string | undefined
  /** The arguments of that program. */
  readonly args: readonly string[]
}

/** Why what a runner starts cannot be installed once, and may be another version at every start. */
export interface NotPinned {
  readonly notPinned: string
}

const RUNNER =
  /^(?:npx|uvx|bunx)\b|^(?:docker|podman) run\b|^(?:npm|pnpm|yarn|bun|pipx|uv|deno) (?:exec|x|dlx|run|tool)\b|^cmd \/c\b/i
/** Options of npx that do not change what it runs. */
const HARMLESS =
  /^(?:-y|--yes|-q|--quiet|-s|--silent|--prefer-online|--prefer-offline|--loglevel=\w+)$/
const PACKAGE_OPTION = /^(?:-p|--package)(?:=(.*))?$/
const PACKAGE = /^((?:@[\w~-][\w.~-]*\/)?[\w~-][\w.~-]*)(?:@([\w.^~*<>=| +-]+))?$/
const ARCHIVE = /\.(?:tgz|tar|tar\.gz)$/i
const EXACT = /^\d+\.\d+\.\d+(?:[-+][\w.+-]+)?$/

/**
 * Returns the package that a command runs, or why it is not pinned; undefined for a command that runs
 * a program of this machine.
 */
export function npmPackageOf(
  command: string,
  args: readonly string[],
): NpmPackage | NotPinned | undefined {
  const runner = basename(command.replaceAll('\\', '/')).replace(/\.(?:cmd|exe)$/i, '')
  if (!RUNNER.test([runner, ...args].join(' '))) return undefined
  if (runner !== 'npx')
    return { notPinned: `only packages that npx runs are pinned, not ${runner}` }
  const line = readLine(args)
  if ('notPinned' in line) return line
  const { named, words } = line
  const [first = '', ...others] = words
  const [, name, spec = 'latest'] = PACKAGE.exec(named ?? first) ?? []
  if (name === undefined || ARCHIVE.test(name))
    return { notPinned: 'what its npx runs is no package of a registry' }
  return { name, spec, program: named === undefined ? undefined : first, args: others }
}

/** Returns the package that a command runs, if it can be installed once. */
export function pinnablePackage(command: string, args: readonly string[]): NpmPackage | undefined {
  const found = npmPackageOf(command, args)
  return found && 'name' in found ? found : undefined
}

/** Separates the options of npx from the words after them. */
function readLine(
  args: readonly string[],
): NotPinned | { readonly named: string | undefined; readonly words: readonly string[] } {
  const rest = [...args]
  let named: string | undefined
  while (rest[0]?.startsWith('-')) {
    const word = rest.shift() ?? ''
    if (word === '--') break
    const option = PACKAGE_OPTION.exec(word)
    if (option && named === undefined) named = option[1] ?? rest.shift()
    else if (!HARMLESS.test(word))
      return { notPinned: `its npx has the option ${word.replace(/=.*/s, '')}` }
  }
  return { named, words: rest }
}

export function isExactVersion(spec: string): boolean {
  return EXACT.test(spec)
}

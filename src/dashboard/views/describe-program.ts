import type { StdioServer } from '../../config/servers/servers.ts'
import type { ServerProgram } from '../contract/servers.ts'

const NPM = /^(?<name>(?:@[\w~-][\w.~-]*\/)?[\w~-][\w.~-]*)(?:@(?<version>[\w.^~*<>=| +-]+))?$/
const PYPI = /^(?<name>[A-Za-z\d][\w.-]*)(?:\[[\w,-]*\])?(?:(?:==|@)(?<version>[\w.+!-]+))?$/
const IMAGE = /^(?<name>[a-z\d][\w./:-]*?)(?:[:@](?<version>[\w.:-]+))?$/

interface Runner {
  readonly source: ServerProgram['source']
  readonly pattern: RegExp
  /** The words before the package, such as `run`. */
  readonly verbs?: readonly string[]
  /** Options that take a word. */
  readonly valued?: RegExp
  /** The option that names the package. */
  readonly named?: RegExp
}

const NODE: Runner = { source: 'npm', pattern: NPM, named: /^(?:-p|--package)$/ }
const PYTHON: Runner = { source: 'PyPI', pattern: PYPI, named: /^(?:--from|--spec)$/ }
const CONTAINER: Runner = {
  source: 'image',
  pattern: IMAGE,
  verbs: ['run'],
  valued:
    /^(?:-[epvuwl]|--(?:env|env-file|name|network|user|volume|mount|publish|workdir|label|platform|entrypoint|memory|cpus|add-host))$/,
}
const RUNNERS: Readonly<Record<string, Runner>> = {
  npx: NODE,
  bunx: NODE,
  pnpm: { ...NODE, verbs: ['dlx'] },
  yarn: { ...NODE, verbs: ['dlx'] },
  npm: { ...NODE, verbs: ['exec', 'x'] },
  uvx: { ...PYTHON, valued: /^(?:-p|--python|--with|--index-url)$/ },
  pipx: { ...PYTHON, verbs: ['run'] },
  docker: CONTAINER,
  podman: CONTAINER,
}

/** Returns the package or image that a command runs; null for any other program. */
export function describeProgram({
  command,
  args,
}: Pick<StdioServer, 'command' | 'args'>): ServerProgram | null {
  const runner = runnerOf(command)
  const [first = '', ...rest] = args
  if (!runner || (runner.verbs && !runner.verbs.includes(first))) return null
  const found = runner.pattern.exec(packageWord(runner.verbs ? rest : args, runner))
  const { name, version } = found?.groups ?? {}
  if (name === undefined) return null
  const isNewest = version === undefined || version === 'latest'
  return { source: runner.source, name, version: isNewest ? null : version }
}

function runnerOf(command: string): Runner | undefined {
  const program = /([^/\\]*?)(?:\.(?:cmd|exe))?$/i.exec(command)?.[1] ?? ''
  return Object.hasOwn(RUNNERS, program) ? RUNNERS[program] : undefined
}

function packageWord(words: readonly string[], { valued, named }: Runner): string {
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? ''
    const [option = '', value] = word.split('=', 2)
    if (named?.test(option)) return value ?? words[at + 1] ?? ''
    if (!word.startsWith('-')) return word
    if (valued?.test(word)) at += 1
  }
  return ''
}

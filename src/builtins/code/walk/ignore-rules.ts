import { statSync } from 'node:fs'
import { homedir } from 'node:os'
import { join, relative } from 'node:path'
import { readText } from '../../../base/git/read-git.ts'
import { parseIgnorePattern } from './ignore-pattern.ts'
import { MatchingWork, RulesTooCostly } from './matching-work.ts'
import { PatternTable } from './pattern-table.ts'

/** Left out of a code index unless the project includes it with `includePatterns`. */
const NEVER_WANTED =
  '.git .svn .hg .venv .tox .mypy_cache .ruff_cache .pytest_cache .idea .vscode node_modules __pycache__ *.min.js *.min.css *.map package-lock.json yarn.lock pnpm-lock.yaml'.split(
    ' ',
  )
/** Usually build output; files in them that git tracks are source. */
const BUILD_FOLDERS = ['target/', 'vendor/', 'dist/', 'build/']

const MAX_RULE_BYTES = 1_000_000
/** Of one character of an ignore file. */
const PARSE_COST = 10

const DEFAULTS = 'default excludes'
const DEFAULT_FOLDERS = 'default excludes of build folders'

/** Rules as they are written. */
interface RuleText {
  readonly source: string
  readonly text: string
  /** The folder of the rules, relative to the root: cut off before matching. */
  readonly base: string
  /** For rules above the root: the path from their folder to it, prepended before matching. */
  readonly prefix: string
}

interface Rules extends RuleText {
  readonly patterns: PatternTable
}

export type Verdict =
  | { readonly ignored: false }
  /** `byGit`: by a rule of git or about build folders; such rules do not apply to tracked files. */
  | { readonly ignored: true; readonly by: string; readonly byGit: boolean }

export interface IgnoreOptions {
  readonly gitignore?: boolean
  /** The repository's common `.git` folder, which contains `info/exclude`. */
  readonly gitDir?: string | undefined
  /** The top of the working tree, when the root is a folder inside it. */
  readonly gitRoot?: string | undefined
  readonly exclude?: readonly string[]
  /** Leaves out the default excludes and `.portolanignore`: the rules are those of git alone. */
  readonly gitOnly?: boolean
  /** Git's index file: tracked files are kept, whatever git's ignore files say. */
  readonly gitIndex?: string | undefined
}

const KEPT: Verdict = { ignored: false }

/**
 * The ignore rules that apply in one folder: its own and those of the folders above it. As in git,
 * the nearest file with a matching line decides, and later lines override earlier ones.
 */
export class IgnoreRules {
  readonly #above: IgnoreRules | undefined
  readonly #own: readonly RuleText[]
  /** Nearest first. */
  readonly #chain: readonly Rules[]
  readonly #user: Rules | undefined
  readonly #gitignore: boolean
  readonly #gitOnly: boolean
  /** Shared by all folders of a walk. */
  readonly #work: MatchingWork

  private constructor(own: readonly RuleText[], above?: IgnoreRules, options: IgnoreOptions = {}) {
    this.#above = above
    this.#own = own
    this.#work = above ? above.#work : new MatchingWork()
    const parsed = (rules: RuleText): Rules => parse(rules, this.#work)
    const user = userText(options)
    this.#user = above ? above.#user : user && parsed(user)
    this.#gitignore = above ? above.#gitignore : (options.gitignore ?? true)
    this.#gitOnly = above ? above.#gitOnly : (options.gitOnly ?? false)
    this.#chain = [...own.map(parsed).toReversed(), ...(above ? above.#chain : [])]
  }

  /** Compiles a user's patterns that select files instead of ignoring them. */
  static matching(patterns: readonly string[]): (path: string) => boolean {
    const wanted = parse(ruleText('includePatterns', patterns.join('\n')), new MatchingWork())
    return (path) =>
      decision(wanted, path, path.slice(path.lastIndexOf('/') + 1), false) === 'ignored'
  }

  /**
   * Returns the rules of the root; reuses `known`, which were read before, if their files are
   * unchanged.
   */
  static forRoot(root: string, options: IgnoreOptions, known?: IgnoreRules): IgnoreRules {
    const gitignore = options.gitignore ?? true
    const own = options.gitOnly
      ? []
      : [
          ruleText(DEFAULT_FOLDERS, BUILD_FOLDERS.join('\n')),
          ruleText(DEFAULTS, NEVER_WANTED.join('\n')),
        ]
    if (gitignore) {
      const inRepo = wayDown(options.gitRoot, root)
      own.push(...readRules('global excludes', globalExcludesFile(), inRepo))
      if (options.gitDir) {
        own.push(...readRules('.git/info/exclude', join(options.gitDir, 'info/exclude'), inRepo))
      }
      own.push(...rulesAbove(options.gitRoot, root))
    }
    own.push(...folderRules(root, '', { ...options, gitignore }))
    if (!known || known.#userText !== userText(options)?.text || !known.#says(own))
      return new IgnoreRules(own, undefined, options)
    known.#work.startAgain()
    return known
  }

  /** Returns the rules inside a folder that is not ignored and has its own; `known` as above. */
  enter(absolute: string, path: string, known?: IgnoreRules): IgnoreRules {
    const own = folderRules(absolute, `${path}/`, {
      gitignore: this.#gitignore,
      gitOnly: this.#gitOnly,
    })
    return known && known.#says(own, this) ? known : new IgnoreRules(own, this)
  }

  get #userText(): string | undefined {
    return this.#user?.text
  }

  #says(own: readonly RuleText[], above?: IgnoreRules): boolean {
    return (
      this.#above === above &&
      this.#own.length === own.length &&
      own.every(({ source, text }, at) => {
        const known = this.#own[at]
        return known?.source === source && known.text === text
      })
    )
  }

  /** Tests a path, relative to the root, whose folder is known not to be ignored. */
  test(path: string, isFolder: boolean): Verdict {
    const name = path.slice(path.lastIndexOf('/') + 1)
    if (this.#user && decision(this.#user, path, name, isFolder) === 'ignored') {
      return { ignored: true, by: this.#user.source, byGit: false }
    }
    this.#work.spend(this.#chain.length)
    for (const rule of this.#chain) {
      const decided = decision(rule, path, name, isFolder)
      if (decided === 'ignored') return { ignored: true, by: rule.source, byGit: isGits(rule) }
      if (decided === 'kept') return KEPT
    }
    return KEPT
  }
}

function isGits({ source }: Rules): boolean {
  return source !== DEFAULTS && !source.endsWith('.portolanignore')
}

function decision(
  rule: Rules,
  path: string,
  name: string,
  isFolder: boolean,
): 'ignored' | 'kept' | undefined {
  const { base, prefix, patterns } = rule
  const below = prefix === '' && base === '' ? path : prefix + path.slice(base.length)
  const pattern = patterns.last(below, name, isFolder)
  return pattern && (pattern.negated ? 'kept' : 'ignored')
}

interface RuleLocation {
  readonly base?: string
  readonly prefix?: string
}

function ruleText(
  source: string,
  text: string,
  { base = '', prefix = '' }: RuleLocation = {},
): RuleText {
  return { source, text, base, prefix }
}

function userText({ exclude }: IgnoreOptions): RuleText | undefined {
  return exclude?.length ? ruleText('excludePatterns', exclude.join('\n')) : undefined
}

function parse(rules: RuleText, work: MatchingWork): Rules {
  const spend = (cost: number): void => work.spend(cost)
  spend(rules.text.length * PARSE_COST)
  const patterns = rules.text
    .split(/\r?\n/)
    .map((line) => parseIgnorePattern(line, spend))
    .filter((pattern) => pattern !== undefined)
  return { ...rules, patterns: new PatternTable(patterns, spend) }
}

/** Absent or unreadable rules have no effect, as in git. */
function readRules(source: string, file: string, place?: RuleLocation): RuleText[] {
  const text = readText(file, MAX_RULE_BYTES)
  if (text !== undefined) return [ruleText(source, text, place)]
  if (isTooLarge(file))
    throw new RulesTooCostly(`${file} is larger than ${MAX_RULE_BYTES} bytes; make it smaller`)
  return []
}

function isTooLarge(file: string): boolean {
  try {
    const stat = statSync(file)
    return stat.isFile() && stat.size > MAX_RULE_BYTES
  } catch {
    return false
  }
}

/** `.portolanignore` comes last, so that it can override git's rules in both directions. */
function folderRules(
  folder: string,
  base: string,
  { gitignore, gitOnly }: Pick<IgnoreOptions, 'gitignore' | 'gitOnly'>,
): RuleText[] {
  const files = [...(gitignore ? ['.gitignore'] : []), ...(gitOnly ? [] : ['.portolanignore'])]
  return files.flatMap((file) => readRules(`${base}${file}`, join(folder, file), { base }))
}

function wayDown(from: string | undefined, to: string): RuleLocation {
  const way = from === undefined ? '' : relative(from, to)
  return way === '' || way.startsWith('..') ? {} : { prefix: `${way}/` }
}

/** Reads the `.gitignore` files above the root, from the top of the repository down. */
function rulesAbove(gitRoot: string | undefined, root: string): RuleText[] {
  const { prefix } = wayDown(gitRoot, root)
  if (gitRoot === undefined || prefix === undefined) return []
  const found: RuleText[] = []
  for (let folder = gitRoot, rest = prefix; rest !== '';) {
    found.push(
      ...readRules(join(folder, '.gitignore'), join(folder, '.gitignore'), { prefix: rest }),
    )
    const cut = rest.indexOf('/') + 1
    folder = join(folder, rest.slice(0, cut))
    rest = rest.slice(cut)
  }
  return found
}

/** Returns `core.excludesFile` of the user's git configuration, else git's default path. */
function globalExcludesFile(): string {
  const { env } = process
  const home = env['HOME'] ?? homedir()
  const configHome = env['XDG_CONFIG_HOME'] || join(home, '.config')
  for (const config of [
    env['GIT_CONFIG_GLOBAL'] ?? join(home, '.gitconfig'),
    join(configHome, 'git/config'),
  ]) {
    const [, file] =
      /^\s*excludesfile\s*=\s*"?([^"\n]+?)"?\s*$/im.exec(readText(config) ?? '') ?? []
    if (file) return file.replace(/^~(?=\/)/, home)
  }
  return join(configHome, 'git/ignore')
}

import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { dirname, extname, join, resolve } from 'node:path'
import { readFoundFile } from '../../../base/files/read-found-file.ts'

export interface ProjectKind {
  readonly language?: string
  readonly framework?: string
}

const LANGUAGES = new Map(
  Object.entries({
    python: '.py',
    typescript: '.ts .tsx .mts',
    javascript: '.js .jsx .mjs',
    rust: '.rs',
    go: '.go',
    ruby: '.rb',
    java: '.java',
    kotlin: '.kt',
    php: '.php',
    csharp: '.cs',
    swift: '.swift',
    c: '.c',
    cpp: '.cc .cpp',
    elixir: '.ex',
    scala: '.scala',
  }).flatMap(([language, endings]) => endings.split(' ').map((ending) => [ending, language])),
)

const MANIFESTS: readonly (readonly [
  file: string,
  language: string,
  frameworks: readonly string[],
])[] = [
  ['pyproject.toml', 'python', ['fastapi', 'django', 'flask']],
  ['requirements.txt', 'python', ['fastapi', 'django', 'flask']],
  ['Cargo.toml', 'rust', ['axum', 'actix', 'rocket']],
  ['go.mod', 'go', ['gin', 'echo', 'fiber']],
  ['Gemfile', 'ruby', ['rails']],
  ['pom.xml', 'java', ['spring']],
  ['build.gradle', 'java', ['spring']],
  ['composer.json', 'php', ['laravel']],
  ['package.json', 'javascript', ['next', 'nuxt', 'react', 'vue', 'svelte', 'angular', 'express']],
]

const NOT_OURS =
  /^(?:\..*|node_modules|vendor|dist|build|out|target|coverage|venv|env|__pycache__|site-packages|third_party)$/
const MAX_DEPTH = 4
const MAX_FILES = 4_000

/** Returns the repository that contains the folder, or else the folder itself. */
export function projectRoot(cwd: string): string {
  const start = resolve(cwd)
  for (let folder = start; ; folder = dirname(folder)) {
    if (existsSync(join(folder, '.git'))) return folder
    if (folder === dirname(folder)) return start
  }
}

/** Returns the language of most files in a project, and the framework in its manifest. */
export async function detectProject(cwd: string): Promise<ProjectKind> {
  const root = projectRoot(cwd)
  const files = new Set(await readdir(root).catch(() => []))
  const manifests = MANIFESTS.filter(([file]) => files.has(file))
  const counted = await mainLanguage(root)
  const manifest = manifests.find(([, name]) => isOf(counted, name)) ?? manifests[0]
  const language = counted ?? manifest?.[1]
  if (language === undefined) return {}
  const framework = manifest && frameworkIn(join(root, manifest[0]), manifest[2])
  return { language, ...(framework !== undefined && { framework }) }
}

function frameworkIn(file: string, names: readonly string[]): string | undefined {
  const text = textOf(file)
  return names.find((name) => new RegExp(`["'\\s/@-]${name}\\b`, 'i').test(text))
}

function textOf(file: string): string {
  try {
    return readFoundFile(file) ?? ''
  } catch {
    return ''
  }
}

function isOf(counted: string | undefined, language: string): boolean {
  return counted === language || (counted === 'typescript' && language === 'javascript')
}

async function mainLanguage(root: string): Promise<string | undefined> {
  const counts = new Map<string, number>()
  for await (const name of filesIn(root)) {
    const language = LANGUAGES.get(extname(name))
    if (language !== undefined) counts.set(language, (counts.get(language) ?? 0) + 1)
  }
  return [...counts].toSorted(([, a], [, b]) => b - a)[0]?.[0]
}

/** Yields the names of a project's files, level by level, up to a depth and a number of files. */
async function* filesIn(root: string): AsyncGenerator<string> {
  let left = MAX_FILES
  let level = [root]
  for (let depth = 0; depth < MAX_DEPTH; depth += 1) {
    const inner: string[] = []
    for (const folder of level) {
      for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
        if (entry.isDirectory() && !NOT_OURS.test(entry.name)) inner.push(join(folder, entry.name))
        if (!entry.isFile()) continue
        if (left === 0) return
        left -= 1
        yield entry.name
      }
    }
    level = inner
  }
}

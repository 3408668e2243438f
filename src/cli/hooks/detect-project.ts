import { readFile, readdir } from 'node:fs/promises'
import { join } from 'node:path'

export interface ProjectKind {
  readonly language?: string
  readonly framework?: string
}

const MANIFESTS: readonly (readonly [
  file: string,
  language: string,
  frameworks: readonly string[],
])[] = [
  ['pyproject.toml', 'python', ['fastapi', 'django', 'flask']],
  ['requirements.txt', 'python', ['fastapi', 'django', 'flask']],
  ['Cargo.toml', 'rust', []],
  ['go.mod', 'go', []],
  ['Gemfile', 'ruby', ['rails']],
  ['pom.xml', 'java', ['spring']],
  ['build.gradle', 'java', ['spring']],
  ['composer.json', 'php', ['laravel']],
  ['package.json', 'javascript', ['next', 'nuxt', 'react', 'vue', 'svelte', 'angular', 'express']],
]

/** What the manifest of a project says about it. */
export async function detectProject(folder: string): Promise<ProjectKind> {
  const files = new Set(await readdir(folder).catch(() => []))
  const manifest = MANIFESTS.find(([file]) => files.has(file))
  if (!manifest) return {}
  const [file, language, frameworks] = manifest
  const text = await readFile(join(folder, file), 'utf8').catch(() => '')
  const framework = frameworks.find((name) => new RegExp(`["'\\s/@-]${name}\\b`, 'i').test(text))
  return {
    language: language === 'javascript' && files.has('tsconfig.json') ? 'typescript' : language,
    ...(framework !== undefined && { framework }),
  }
}

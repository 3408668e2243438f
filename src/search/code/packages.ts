import { fileRole } from './file-role.ts'
import { folderStems, spelling } from './path-words.ts'

/** The files that make a folder a package. */
const MANIFEST =
  /(^|\/)(package\.json|cargo\.toml|pyproject\.toml|setup\.py|go\.mod|composer\.json|mix\.exs|build\.gradle(\.kts)?|pom\.xml|package\.swift|[^/]+\.(gemspec|csproj|cabal))$/i
/** A manifest inside a package's source belongs to a part of that package. */
const IN_SOURCE = /(^|\/)(src|lib)\/.*\//i
/** If the root has a smaller share of the code than this, it only holds packages together. */
const MIN_OF_ROOT = 0.1
const ROOT = ''

/**
 * The packages of a checkout. If one of them is the main one (it has the project's name, or is its
 * root), the others are beside it: extras, parts that are published separately, tools.
 */
export class Packages {
  readonly #folders: ReadonlySet<string>
  readonly #main: string | undefined
  readonly #ownWords: ReadonlySet<string>

  constructor(paths: readonly string[], project: string) {
    const manifests = paths.filter((path) => MANIFEST.test(path) && !IN_SOURCE.test(path))
    this.#folders = new Set(manifests.map(folderOf))
    this.#main = this.#folders.size > 1 ? this.#findMain(paths, spelling(project)) : undefined
    this.#ownWords = new Set([...folderStems(project), ...folderStems(this.#main ?? '')])
  }

  /** Whether a file is in a package beside the main one that no word of the query names. */
  isBeside(path: string, queryStems: readonly string[]): boolean {
    if (this.#main === undefined) return false
    const folder = this.#packageOf(path)
    if (folder === this.#main) return false
    const name = folderStems(folder.slice(folder.lastIndexOf('/') + 1))
    return !name.some((word) => !this.#ownWords.has(word) && queryStems.includes(word))
  }

  #findMain(paths: readonly string[], project: string): string | undefined {
    const named = [...this.#folders].find(
      (folder) => spelling(folder.slice(folder.lastIndexOf('/') + 1)) === project,
    )
    if (named !== undefined || !this.#folders.has(ROOT)) return named
    const sources = paths.filter((path) => fileRole(path) === 'source')
    const ofRoot = sources.filter((path) => this.#packageOf(path) === ROOT)
    return ofRoot.length >= MIN_OF_ROOT * sources.length ? ROOT : undefined
  }

  #packageOf(path: string): string {
    let folder = folderOf(path)
    while (folder !== ROOT && !this.#folders.has(folder)) folder = folderOf(folder)
    return folder
  }
}

function folderOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')))
}

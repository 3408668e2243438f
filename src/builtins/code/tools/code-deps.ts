import type { CodeLibrary } from '../engine/index/code-library.ts'
import type { Embedders } from '../engine/index/embedders.ts'

/** The dependencies of every tool of this server. */
export interface CodeDeps {
  readonly library: CodeLibrary
  readonly embedders: Embedders
  /** Why the bundled model cannot be used and only words rank; undefined if it can or is off. */
  readonly modelProblem?: string | undefined
  /** How long an answer may wait for the index to catch up with the working tree. */
  readonly freshnessBudgetMs: number
  /** Whether the first search indexes a detected project instead of asking for `index_codebase`. */
  readonly autoIndex: boolean
  /** How long such a search waits for its answer; the indexing itself goes on. */
  readonly autoIndexBudgetMs: number
  /** How long `index_codebase` waits before it answers that the indexing goes on. */
  readonly indexWaitMs: number
  /** Folders that network clients may read, besides indexed projects. */
  readonly allowedRoots: readonly string[]
  /** The address of the dashboard, if one is or can be served. */
  readonly dashboardUrl: () => Promise<string | undefined> | string | undefined
  readonly openBrowser: (url: string) => Promise<boolean>
  readonly env: NodeJS.ProcessEnv
}

import type { CodeLibrary } from '../engine/index/code-library.ts'
import type { Embedders } from '../project/embedders.ts'

/** What every tool of this server works with. */
export interface CodeDeps {
  readonly library: CodeLibrary
  readonly embedders: Embedders
  /** Why the model of the package cannot be used and words alone rank; undefined when it can, or is not wanted. */
  readonly modelProblem?: string | undefined
  /** How long an answer may wait for the index to catch up with the working tree. */
  readonly freshnessBudgetMs: number
  /** Index a detected project at the first search instead of asking for `index_codebase`. */
  readonly autoIndex: boolean
  /** How long such a search waits for its answer; the indexing itself goes on. */
  readonly autoIndexBudgetMs: number
  /** How long `index_codebase` waits before it answers that the indexing goes on. */
  readonly indexWaitMs: number
  /** Folders that clients over the network may read, besides what is indexed. */
  readonly allowedRoots: readonly string[]
  /** The address of the dashboard, where one is served or can be. */
  readonly dashboardUrl: () => Promise<string | undefined> | string | undefined
  readonly openBrowser: (url: string) => Promise<boolean>
  readonly env: NodeJS.ProcessEnv
}

import type { FileRole } from './file-role.ts'

/** What the ranking of code is made of; measured by bench/code.ts. */
export interface CodeWeights {
  readonly body: number
  readonly path: number
  readonly names: number
  readonly pool: number
  readonly coherence: number
  readonly centrality: number
  readonly pathMatch: number
  readonly folderMatch: number
  readonly definition: number
  readonly mentionedDefinition: number
  readonly nameIsSymbol: number
  readonly repeat: number
  readonly role: Readonly<Record<FileRole, number>>
}

export const CODE_WEIGHTS: CodeWeights = {
  body: 1,
  path: 2,
  names: 1,
  pool: 100,
  coherence: 0.4,
  centrality: 0.25,
  pathMatch: 1.3,
  folderMatch: 0.5,
  definition: 3,
  mentionedDefinition: 1.5,
  nameIsSymbol: 1.5,
  repeat: 0.5,
  role: { source: 1, test: 0.3, example: 0.3, legacy: 0.3, declaration: 0.7, barrel: 0.5 },
}

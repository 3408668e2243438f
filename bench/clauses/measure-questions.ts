import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ingestOptions } from '../../src/builtins/knowledge/ingest/ingest-options.ts'
import { createKnowledgeBase } from '../../src/builtins/knowledge/knowledge-base.ts'
import type { Embedder } from '../../src/search/embed/embedder.ts'
import { countTokens } from '../../src/shaping/tokens.ts'
import { openStorage } from '../../src/storage/open-storage.ts'
import { type QuestionScores, askQuestions } from './ask-questions.ts'
import { FURTHER_MANUALS, MANUALS, type ManualPdf, packageFile } from './debian-manuals.ts'

export interface QuestionSet {
  /** In this folder. */
  readonly file: string
  readonly manuals: readonly ManualPdf[]
}

/** Sixty questions over three manuals in PDF. */
export const SIXTY: QuestionSet = {
  file: 'questions.yml',
  manuals: MANUALS.map(({ name, packageName, files }) => ({ name, packageName, pdf: files.pdf })),
}

/** Seventy-six questions about two others, in words that the manuals hardly use. */
export const FURTHER: QuestionSet = {
  file: 'further-questions.yml',
  manuals: FURTHER_MANUALS,
}

/** Ingests the manuals and asks the questions; without an embedder, it searches by words alone. */
export async function measureQuestions(
  { file: questions, manuals }: QuestionSet,
  embedder: Embedder | undefined,
  tell: (line: string) => void,
): Promise<QuestionScores> {
  const home = await mkdtemp(join(tmpdir(), 'portolan-bench-'))
  const storage = await openStorage({ home })
  const base = createKnowledgeBase({ storage, countTokens, home, embedder })
  try {
    const files: string[] = []
    for (const { name, packageName, pdf } of manuals) {
      const file = join(home, `${name}.pdf`)
      await writeFile(file, await packageFile(packageName, pdf))
      files.push(file)
    }
    await base.queue.run(files, ingestOptions.parse({}))
    return await askQuestions(base.store, questions, tell)
  } finally {
    await base.close()
    await storage.close()
    await rm(home, { recursive: true, force: true })
  }
}

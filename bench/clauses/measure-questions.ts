import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ingestOptions } from '../../src/builtins/knowledge/ingest/ingest-options.ts'
import { createKnowledgeBase } from '../../src/builtins/knowledge/knowledge-base.ts'
import type { Embedder } from '../../src/search/embed/embedder.ts'
import { countTokens } from '../../src/shaping/tokens.ts'
import { openStorage } from '../../src/storage/open-storage.ts'
import { type QuestionScores, askQuestions } from './ask-questions.ts'
import { MANUALS, packageFile } from './debian-manuals.ts'

/** Sixty questions over three manuals in PDF; without an embedder, by words alone. */
export async function measureQuestions(
  embedder: Embedder | undefined,
  tell: (line: string) => void,
): Promise<QuestionScores> {
  const home = await mkdtemp(join(tmpdir(), 'portolan-bench-'))
  const storage = await openStorage({ home })
  const base = createKnowledgeBase({ storage, countTokens, home, embedder })
  try {
    const files: string[] = []
    for (const { name, packageName, files: formats } of MANUALS) {
      const file = join(home, `${name}.pdf`)
      await writeFile(file, await packageFile(packageName, formats.pdf))
      files.push(file)
    }
    await base.queue.run(files, ingestOptions.parse({}))
    return await askQuestions(base.store, tell)
  } finally {
    await base.close()
    await storage.close()
    await rm(home, { recursive: true, force: true })
  }
}

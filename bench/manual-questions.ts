import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ingestOptions } from '../src/builtins/knowledge/ingest/ingest-options.ts'
import { createKnowledgeBase } from '../src/builtins/knowledge/knowledge-base.ts'
import { createBuiltinEmbedder } from '../src/search/embed/builtin-embedder.ts'
import { countTokens } from '../src/shaping/tokens.ts'
import { openStorage } from '../src/storage/open-storage.ts'
import { askQuestions } from './clauses/ask-questions.ts'
import { MANUALS, packageFile } from './clauses/debian-manuals.ts'

/** Sixty questions over three manuals in PDF, by words alone and with the model of the package. */
const home = await mkdtemp(join(tmpdir(), 'portolan-bench-'))
const files: string[] = []
for (const { name, packageName, files: formats } of MANUALS) {
  const file = join(home, `${name}.pdf`)
  await writeFile(file, await packageFile(packageName, formats.pdf))
  files.push(file)
}
try {
  const words = await measure(undefined)
  const both = await measure(createBuiltinEmbedder())
  process.stdout.write(`RESULT ${JSON.stringify({ words, both })}\n`)
} finally {
  await rm(home, { recursive: true, force: true })
}

async function measure(embedder: ReturnType<typeof createBuiltinEmbedder> | undefined) {
  const own = await mkdtemp(join(home, 'base-'))
  const storage = await openStorage({ home: own })
  const base = createKnowledgeBase({ storage, countTokens, home: own, embedder })
  try {
    await base.queue.run(files, ingestOptions.parse({}))
    const tell = (line: string) => process.stderr.write(`${embedder ? 'both' : 'words'} ${line}\n`)
    return await askQuestions(base.store, tell)
  } finally {
    await base.close()
    await storage.close()
  }
}

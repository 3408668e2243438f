import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { messageOf } from '../../../base/errors.ts'
import type { ServiceContext } from '../../../protocol/service.ts'
import type { CodeDeps } from '../tools/code-deps.ts'
import { settingsHere } from '../tools/indexing/find-index.ts'

interface Part {
  readonly ok: boolean
  readonly error?: string
}

/** Checks what search and indexing need: a writable folder, and the embedder if one is set. */
export async function checkInfra(
  deps: CodeDeps,
  context: Pick<ServiceContext, 'project'>,
): Promise<Record<string, unknown>> {
  const { embedding } = await settingsHere(deps, context)
  const [database, embedder] = await Promise.all([
    attempt(async () => writeAndForget(deps.library.store.folder)),
    attempt(async () => deps.embedders.probe({ embedding })),
  ])
  return {
    database,
    embedding: {
      ...embedder,
      provider: embedding.provider ?? null,
      model: embedding.model ?? null,
    },
    all_ok: database.ok && embedder.ok,
  }
}

async function writeAndForget(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true })
  const file = join(folder, `.probe.${process.pid}.tmp`)
  await writeFile(file, 'x')
  await rm(file)
}

async function attempt(work: () => Promise<unknown>): Promise<Part> {
  try {
    await work()
    return { ok: true }
  } catch (error) {
    return { ok: false, error: messageOf(error) }
  }
}

import { mkdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { SHOP, aFolder, aProject } from '../../../../../test/support/code-project.ts'
import { deferred } from '../../../../../test/support/deferred.ts'
import type { Embedder } from '../../../../search/embed/embedder.ts'
import { projectAt } from '../../project/find-project.ts'
import { DEFAULT_SETTINGS } from './index-settings.ts'
import { ProjectIndex } from './project-index.ts'
import { refresh } from './refresh.ts'
import { ChunkVectors } from './chunk-vectors.ts'

function anEmbedder(answer: () => Promise<void> = async () => undefined) {
  const texts: string[] = []
  const embedder: Embedder = {
    identity: 'stub',
    dimension: async () => 2,
    embed: async (asked) => {
      await answer()
      texts.push(...asked)
      return asked.map(() => Float32Array.of(1, 0))
    },
    close: async () => undefined,
  }
  return { embedder, texts }
}

async function aShop(files: Readonly<Record<string, string>> = SHOP): Promise<ProjectIndex> {
  const index = ProjectIndex.empty(projectAt(aProject(files)), 'shop', DEFAULT_SETTINGS, undefined)
  await refresh(index)
  return index
}

describe('the vectors of a project', () => {
  it('are saved when they change, and not because a file is empty', async () => {
    const index = await aShop({ ...SHOP, 'src/__init__.py': '' })
    expect(index.files.get('src/__init__.py')?.ranges).toEqual([])
    const file = join(aFolder(), 'vectors.bin')
    const vectors = await ChunkVectors.open(anEmbedder().embedder, file)
    await vectors.update(index)
    const saved = statSync(file).ino
    await vectors.update(index)
    expect(statSync(file).ino).toBe(saved)
    index.drop('src/price.ts')
    await vectors.update(index)
    expect(statSync(file).ino).not.toBe(saved)
  })

  it('are saved later if they could not be saved at first', async () => {
    const index = await aShop()
    const file = join(aFolder(), 'vectors.bin')
    const { embedder, texts } = anEmbedder()
    const vectors = await ChunkVectors.open(embedder, file)
    mkdirSync(join(file, 'in-the-way'), { recursive: true })
    await expect(vectors.update(index)).rejects.toThrow('EISDIR')
    rmSync(file, { recursive: true })
    await vectors.update(index)
    const embedded = texts.length
    const again = await ChunkVectors.open(embedder, file)
    await again.update(index)
    expect(texts).toHaveLength(embedded)
  })

  it('are made for everybody who waits, although one of them cancels', async () => {
    // More than one request to the embedder: the signal is checked in between.
    const names = Array.from({ length: 200 }, (_, n) => [`${n}.ts`, `export const a${n} = 1\n`])
    const index = await aShop(Object.fromEntries(names))
    const { promise, resolve } = deferred<void>()
    const { embedder, texts } = anEmbedder(async () => promise)
    const vectors = await ChunkVectors.open(embedder, join(aFolder(), 'vectors.bin'))
    const cancel = new AbortController()
    const cancelled = vectors.update(index, cancel.signal)
    const others = [vectors.update(index), vectors.update(index)]
    cancel.abort()
    resolve()
    await expect(cancelled).rejects.toThrow(/abort/i)
    await Promise.all(others)
    expect(texts).toHaveLength(index.lexical.chunkCount)
  })
})

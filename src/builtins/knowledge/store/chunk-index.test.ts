import { beforeEach, expect, it, onTestFinished } from 'vitest'
import { tempFolder } from '../../../../test/support/temp-folder.ts'
import { unreliableStorage } from '../../../../test/support/unreliable-storage.ts'
import { type NewChunk, replaceChunks } from '../../../storage/knowledge/chunks.ts'
import { saveSource } from '../../../storage/knowledge/sources.ts'
import { openStorage } from '../../../storage/open-storage.ts'
import type { Storage } from '../../../storage/storage.ts'
import { ChunkIndex } from './chunk-index.ts'

let home: string
let storage: Storage

beforeEach(async () => {
  home = tempFolder().path
  storage = await openStorage({ home })
  onTestFinished(async () => storage.close())
})

/** Stores a document of so many chunks; their ids contain the version. */
async function put(id: string, chunks: number, version = 1): Promise<void> {
  await storage.transaction(async (db) => {
    await saveSource(db, {
      id,
      collection: 'c',
      location: id,
      title: id,
      source_type: 'document',
      authority_tier: 'tier1',
      document_type: 'document',
      status: 'complete',
      word_count: 1,
      chunk_count: chunks,
      metadata_json: '{}',
      created_at: 1,
      updated_at: 1,
    })
    const rows = Array.from({ length: chunks }, (_, ordinal) => aChunk(id, ordinal, version))
    await replaceChunks(db, id, rows)
  })
}

function aChunk(source: string, ordinal: number, version: number): NewChunk {
  return {
    id: `${source}-${ordinal}-${version}`,
    source_id: source,
    ordinal,
    content: `rope ${ordinal}`,
    lead_length: 0,
    token_count: 2,
    content_hash: `${ordinal}`,
    section_title: '',
    section_path_json: '[]',
    clause_number: null,
    parts_json: '[]',
    chunk_type: 'content',
    normative: null,
    obligation: null,
    pages_json: '[]',
    references_json: '[]',
    parent_id: null,
  }
}

it('reports the sources of the saved index, even if the database fails meanwhile', async () => {
  await put('saved', 2000)
  const before = await ChunkIndex.open(storage, home)
  await before.refresh()
  await before.save()
  await put('later', 1)

  const unreliable = unreliableStorage(storage)
  const index = await ChunkIndex.open(unreliable.storage, home)
  unreliable.answer(1)
  await expect(index.refresh()).rejects.toThrow('the database cannot be reached')
  unreliable.answer(Infinity)
  expect(await index.refresh()).toEqual({ goneChunks: [], changedSources: ['saved', 'later'] })
  expect(await index.refresh()).toEqual({ goneChunks: [], changedSources: [] })
})

it('reports the chunks that are gone, even if the database fails meanwhile', async () => {
  await put('a', 2)
  const unreliable = unreliableStorage(storage)
  const index = await ChunkIndex.open(unreliable.storage, undefined)
  await index.refresh()
  await put('a', 1, 2)
  unreliable.answer(2)
  await expect(index.refresh()).rejects.toThrow('the database cannot be reached')
  unreliable.answer(Infinity)
  expect(await index.refresh()).toEqual({ goneChunks: ['a-0-1', 'a-1-1'], changedSources: ['a'] })
})

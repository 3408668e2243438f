import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ingestOptions } from '../../src/builtins/knowledge/ingest/ingest-options.ts'
import {
  type KnowledgeBase,
  type KnowledgeOptions,
  createKnowledgeBase,
} from '../../src/builtins/knowledge/knowledge-base.ts'
import { searchKnowledge } from '../../src/builtins/knowledge/search/search-knowledge.ts'
import { countTokens } from '../../src/shaping/tokens.ts'
import { openStorage } from '../../src/storage/open-storage.ts'
import type { Storage } from '../../src/storage/storage.ts'
import { type HashEmbedder, hashEmbedder } from './hash-embedder.ts'
import { temporaryFolder } from './temporary-folder.ts'

export interface StoreUnderTest {
  readonly databaseUrl?: string
  readonly vectors: KnowledgeOptions['vectors']
  /** Makes the vectors unreachable, if they are outside the database. */
  breakVectors?(isSilent: boolean): void
  /** Returns how many vectors the store really contains. */
  vectorCount?(): number
  remove(): Promise<void>
}

const DOCUMENTS = {
  'a.md': '# 1 Vehicles\n\nThe truck SHALL carry 500 kg of sand.\n\n# 2 Roads\n\nRoads are wide.',
  'b.md': '# 1 Ships\n\nThe ship carries containers over the sea.\n',
  'c.md': '# 1 Planes\n\nNOTE The plane flies above the clouds.\n',
}

/** Tests that every knowledge store must pass. */
export function testKnowledgeStore(name: string, open: () => Promise<StoreUnderTest>): void {
  describe(`knowledge in ${name}`, () => {
    let under: StoreUnderTest
    let folder: Awaited<ReturnType<typeof temporaryFolder>>
    let storage: Storage
    let embedder: HashEmbedder
    let base: KnowledgeBase

    beforeEach(async () => {
      under = await open()
      folder = await temporaryFolder()
      await mkdir(join(folder.path, 'docs'))
      for (const [file, text] of Object.entries(DOCUMENTS)) await write(file, text)
      storage = await openStorage({ home: folder.path, databaseUrl: under.databaseUrl })
      embedder = hashEmbedder()
      base = reopened()
    })

    afterEach(async () => {
      await base.close()
      await storage.close()
      await under.remove()
      await folder.remove()
    })

    function reopened(): KnowledgeBase {
      const { vectors } = under
      return createKnowledgeBase({ storage, countTokens, embedder, vectors, home: folder.path })
    }

    async function write(file: string, text: string): Promise<void> {
      await writeFile(join(folder.path, 'docs', file), text)
    }

    async function ingest(collection = 'knowledge') {
      const { outcomes } = await base.queue.run(
        [join(folder.path, 'docs')],
        ingestOptions.parse({ collection }),
      )
      return outcomes.map(({ status }) => status)
    }

    async function find(query: string, more: Partial<Parameters<typeof searchKnowledge>[1]> = {}) {
      const { found } = await searchKnowledge(base.store, { query, limit: 5, ...more })
      return found.map(({ chunk }) => chunk.content.split('\n')[0])
    }

    it('stores what it ingests, and finds it by words and by meaning', async () => {
      expect(await ingest()).toEqual(['stored', 'stored', 'stored'])
      expect((await find('containers sea'))[0]).toBe('1 Ships')
      expect((await find('lorry', { mode: 'meaning' }))[0]).toBe('1 Vehicles')
      expect(await find('lorry', { mode: 'words' })).toEqual([])
      expect(await (await base.store.vectors())?.count()).toBe(4)
    })

    it('filters meaning as it filters words', async () => {
      await ingest()
      for (const mode of ['meaning', 'words'] as const) {
        const carries = { mode, filter: { normative: true } }
        expect(await find('truck ship plane carries', carries)).toEqual(['1 Vehicles'])
        expect(await find('roads ship plane', { mode, filter: { clausePrefix: '2' } })).toEqual([
          '2 Roads',
        ])
        expect(await find('ship', { mode, filter: { collection: 'other' } })).toEqual([])
      }
    })

    it('passes over what has not changed, and embeds only what is new', async () => {
      await ingest()
      const before = embedder.embedded()
      expect(await ingest()).toEqual(['unchanged', 'unchanged', 'unchanged'])
      expect(embedder.embedded()).toBe(before)
    })

    it('replaces a document that changed, vectors included', async () => {
      await ingest()
      await write('b.md', '# 1 Submarines\n\nThe submarine dives below the waves.\n')
      expect(await ingest()).toEqual(['unchanged', 'stored', 'unchanged'])
      expect(await find('containers sea', { mode: 'words' })).toEqual([])
      expect((await find('submarine waves'))[0]).toBe('1 Submarines')
      await base.store.index()
      expect(under.vectorCount?.() ?? 4).toBe(4)
    })

    it('forgets a deleted document, and ingests it again', async () => {
      await ingest()
      const { found } = await searchKnowledge(base.store, { query: 'ship containers', limit: 1 })
      const [ship] = found
      expect(await base.store.remove(ship?.chunk.source.id ?? '')).toBe(true)
      expect(await base.store.remove(ship?.chunk.source.id ?? '')).toBe(false)
      expect(await find('ship containers', { mode: 'words' })).toEqual([])
      expect((await find('containers', { mode: 'meaning' })).includes('1 Ships')).toBe(false)
      expect(await ingest()).toEqual(['unchanged', 'stored', 'unchanged'])
      expect((await find('ship containers'))[0]).toBe('1 Ships')
    })

    it('does not store the same document twice under two names', async () => {
      await ingest()
      await write('copy.md', DOCUMENTS['b.md'])
      expect(await ingest()).toEqual(['unchanged', 'unchanged', 'unchanged', 'duplicate'])
      expect((await find('containers sea', { mode: 'words' })).length).toBe(1)
    })

    it('keeps collections apart', async () => {
      await ingest('harbour')
      expect(await find('ship', { filter: { collection: 'harbour' }, mode: 'words' })).toEqual([
        '1 Ships',
      ])
      expect(await find('ship', { filter: { collection: 'knowledge' }, mode: 'words' })).toEqual([])
    })

    it('sees what another process stored and deleted', async () => {
      await find('anything')
      const other = reopened()
      await other.queue.run([join(folder.path, 'docs')], ingestOptions.parse({}))
      expect((await find('containers sea'))[0]).toBe('1 Ships')
      expect((await find('lorry', { mode: 'meaning' }))[0]).toBe('1 Vehicles')
      const { found } = await searchKnowledge(other.store, { query: 'ship', limit: 1 })
      const [ship] = found
      await other.store.remove(ship?.chunk.source.id ?? '')
      expect(await find('containers sea', { mode: 'words' })).toEqual([])
      await other.close()
    })

    it('tells an embedder that is down, stores nothing half, and recovers', async () => {
      embedder.fail('connect ECONNREFUSED')
      expect(await ingest()).toEqual(['failed', 'failed', 'failed'])
      expect(await find('ship', { mode: 'words' })).toEqual([])
      expect(await searchKnowledge(base.store, { query: 'ship', limit: 1 })).toEqual({
        found: [],
        lexicalOnly: true,
      })
      embedder.fail(undefined)
      expect(await ingest()).toEqual(['stored', 'stored', 'stored'])
      expect((await find('ship'))[0]).toBe('1 Ships')
      embedder.fail('connect ECONNREFUSED')
      expect(await find('ship', { mode: 'meaning' })).toEqual(['1 Ships'])
    })

    it('keeps the old text searchable when its new version cannot be read', async () => {
      await ingest()
      await rm(join(folder.path, 'docs', 'b.md'))
      await write('b.md', '\n')
      expect(await ingest()).toEqual(['unchanged', 'failed', 'unchanged'])
      expect((await find('containers sea'))[0]).toBe('1 Ships')
    })

    it('searches by words, and says so, while vectors elsewhere do not answer', async () => {
      await ingest()
      if (!under.breakVectors) return
      const ships = { query: 'ship', limit: 5 }
      expect(await searchKnowledge(base.store, ships)).toMatchObject({ lexicalOnly: false })
      for (const isSilent of [false, true]) {
        under.breakVectors(isSilent)
        const outcome = await searchKnowledge(base.store, ships)
        expect(outcome.found.map(({ chunk }) => chunk.sectionTitle)).toEqual(['1 Ships'])
        expect(outcome.lexicalOnly).toBe(true)
      }
    })
  })
}

import { Client } from 'pg'
import { expect, inject, it, onTestFinished } from 'vitest'
import { createDatabase } from '../../test/support/postgres.ts'
import { builtinContext } from '../app/builtins/builtin-context.ts'
import { openStorage } from './open-storage.ts'
import type { Storage } from './storage.ts'
import { nearestChunks } from './knowledge/vectors.ts'
import { useVectors } from './vectors.ts'

async function asSuperuser(url: string, ...statements: readonly string[]): Promise<void> {
  const client = new Client({ connectionString: url })
  await client.connect()
  for (const statement of statements) await client.query(statement)
  await client.end()
}

/** A database whose role may make tables in a schema of its own, and no extension. */
async function withoutExtension() {
  const url = await createDatabase(inject('postgresUrl'))
  const role = `plain_${process.pid}_${Math.random().toString(36).slice(2, 10)}`
  await asSuperuser(
    url,
    `create role ${role} login`,
    `create schema portolan authorization ${role}`,
    `alter role ${role} set search_path = portolan, public`,
  )
  const own = new URL(url)
  own.username = role
  own.password = ''
  const open = async (): Promise<Storage> => {
    const storage = await openStorage({ home: '/nowhere', databaseUrl: own.href })
    onTestFinished(async () => storage.close())
    return storage
  }
  return { open, enable: async () => asSuperuser(url, 'create extension vector') }
}

it('opens a PostgreSQL without pgvector, and asks for it only where vectors are used', async () => {
  const { open, enable } = await withoutExtension()
  const storage = await open()
  await storage.ping()
  await expect(useVectors(storage)).rejects.toThrow(
    'PostgreSQL has no pgvector, which search by meaning needs',
  )
  await storage.ping()
  await enable()
  await useVectors(storage)
  await useVectors(storage)
  expect(await nearestChunks(storage.db, 'm', Float32Array.of(1, 0), { limit: 1 })).toEqual([])
})

it('searches by words where nobody named a model, and refuses where somebody did', async () => {
  const { open, enable } = await withoutExtension()
  const storage = await open()
  const warnings: string[] = []
  const embedderWith = async (env: Record<string, string>) =>
    builtinContext({ env, home: '/nowhere', warn: (problem) => warnings.push(problem) }).embedder(
      storage,
    )
  expect(await embedderWith({})).toBeUndefined()
  expect(warnings).toEqual([expect.stringMatching(/^Search is by words alone: .* no pgvector/)])
  const named = {
    PORTOLAN_EMBEDDING_MODEL: 'm',
    PORTOLAN_EMBEDDING_BASE_URL: 'http://127.0.0.1:1/v1',
  }
  await expect(embedderWith(named)).rejects.toThrow('no pgvector')
  await enable()
  expect(await embedderWith({})).toBeDefined()
  expect(warnings).toHaveLength(1)
})

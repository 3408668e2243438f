import { expect, it } from 'vitest'
import { tempFolder } from '../../../../test/support/temp-folder.ts'
import { code } from '../../../builtins/code/index.ts'
import { knowledge } from '../../../builtins/knowledge/index.ts'
import { traces } from '../../../builtins/traces/index.ts'
import { recordTrust } from '../../../config/trust/record-trust.ts'
import { noteOnListening, takeOver } from './take-over.ts'

const { replaces: commonTrace } = traces.standalone ?? {}
const { replaces: knowledgeMcp } = knowledge.standalone ?? {}

function aPlace(env: Record<string, string> = {}) {
  const folder = tempFolder()
  const place = { cwd: folder.path, env: { PORTOLAN_HOME: folder.file('data'), ...env } }
  return { folder, place }
}

it('reads a file .env only after somebody has trusted its content, and says so', async () => {
  const { folder, place } = aPlace({ READ_TIMEOUT: '1' })
  const text = 'API_BASE_URL=http://there\nREAD_TIMEOUT=9\nPATH=/evil\n'
  folder.write('.env', text)
  const before = await takeOver(commonTrace, place)
  expect(before.env['PORTOLAN_TRACES_URL']).toBeUndefined()
  expect(before.notes).toEqual([
    'Reads the variables of CommonTrace: READ_TIMEOUT.',
    expect.stringMatching(/^Leaves out .*\.env \(API_BASE_URL, READ_TIMEOUT\).*portolan trust/),
  ])
  recordTrust(place, [{ path: folder.file('.env'), text }], 'trusted')
  const after = await takeOver(commonTrace, place)
  expect(after.env).toMatchObject({
    PORTOLAN_TRACES_URL: 'http://there',
    PORTOLAN_TRACES_READ_TIMEOUT: '1',
  })
  expect(after.env['PATH']).toBeUndefined()
  folder.write('.env', `${text}# changed`)
  expect((await takeOver(commonTrace, place)).env['PORTOLAN_TRACES_URL']).toBeUndefined()
})

it('says nothing of a file .env in which nothing is its own, and needs none', async () => {
  const { folder, place } = aPlace()
  expect((await takeOver(commonTrace, place)).notes).toEqual([])
  folder.write('.env', 'DATABASE_URL=postgres://app\n')
  expect((await takeOver(commonTrace, place)).notes).toEqual([])
})

const withDefaults = (env: Record<string, string>) =>
  commonTrace?.withDefaults?.(env)['PORTOLAN_TRACES_URL']

it('calls what CommonTrace calls where there is a key and no address, and what is set otherwise', () => {
  expect(withDefaults({ COMMONTRACE_API_KEY: 'ct_x' })).toBe('http://localhost:8000')
  const set = { COMMONTRACE_API_KEY: 'ct_x', PORTOLAN_TRACES_URL: 'https://ours' }
  expect(withDefaults(set)).toBe('https://ours')
  expect(withDefaults({})).toBeUndefined()
})

it('reads the names of knowledge-mcp, and sends no document away because of a key alone', async () => {
  const { place } = aPlace({ QDRANT_URL: 'http://q:6333', OPENAI_API_KEY: 'sk-x' })
  const alone = await takeOver(knowledgeMcp, place)
  expect(alone.env).toMatchObject({ PORTOLAN_QDRANT_URL: 'http://q:6333' })
  expect(alone.env['PORTOLAN_EMBEDDING_MODEL']).toBeUndefined()
  expect(alone.notes.join('\n')).toMatch(
    /QDRANT_URL\.\nOPENAI_API_KEY is not used.*EMBEDDING_MODEL=/,
  )
  const wanted = await takeOver(knowledgeMcp, {
    ...place,
    env: { ...place.env, EMBEDDING_MODEL: 'text-embedding-3-small', QDRANT_URL: ':memory:' },
  })
  expect(wanted.env).toMatchObject({ PORTOLAN_EMBEDDING_MODEL: 'text-embedding-3-small' })
  expect(wanted.env['PORTOLAN_QDRANT_URL']).toBeUndefined()
  expect(wanted.notes.join('\n')).toMatch(
    /EMBEDDING_MODEL, OPENAI_API_KEY\.\nQDRANT_URL is not the/,
  )
})

it('says which variables of CocoSearch it read, and which have no use', async () => {
  const { place } = aPlace({
    COCOSEARCH_PROJECT: '/shop',
    COCOSEARCH_OLLAMA_URL: 'http://o',
    COCOSEARCH_DATABASE_URL: 'postgres://db',
  })
  const { env, notes } = await takeOver(code.standalone?.replaces, place)
  expect(env).toMatchObject({ PORTOLAN_PROJECT: '/shop', PORTOLAN_CODE_OLLAMA_URL: 'http://o' })
  expect(notes).toEqual([
    'Reads the variables of CocoSearch: COCOSEARCH_OLLAMA_URL, COCOSEARCH_PROJECT.',
    'COCOSEARCH_DATABASE_URL has no use here: indexes are files in the data folder, and no database is needed',
  ])
})

it('says that it listens for this machine only where the original listened for all', () => {
  const http = { kind: 'streamable-http', port: 1, path: '/mcp' } as const
  expect(noteOnListening(commonTrace, { ...http, host: '127.0.0.1' })).toHaveLength(1)
  expect(noteOnListening(commonTrace, { ...http, host: '0.0.0.0' })).toEqual([])
  expect(noteOnListening(commonTrace, { kind: 'stdio' })).toEqual([])
  expect(noteOnListening(undefined, { ...http, host: '127.0.0.1' })).toEqual([])
})

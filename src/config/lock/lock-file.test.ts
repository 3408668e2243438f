import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { removeFolder } from '../../../test/support/temporary-folder.ts'
import { lockText, parseLock, readLock, withServer, writeLock } from './lock-file.ts'
import { EMPTY_LOCK, type Lock } from './lock-schema.ts'

const folder = mkdtempSync(join(tmpdir(), 'portolan-lock-'))
afterAll(() => removeFolder(folder))

const search = {
  digest: 'sha256-a',
  definition: { name: 'search', description: 'Finds pages.', inputSchema: { type: 'object' } },
}

const lock: Lock = {
  version: 1,
  servers: {
    pages: {
      package: { name: 'pages-mcp', version: '1.2.3', integrity: 'sha512-x' },
      command: ['npx', '-y', 'pages-mcp'],
      tools: { search, add: { ...search, digest: 'sha256-b' } },
      prompts: {},
      resourceTemplates: {},
      instructions: {},
    },
    docs: {
      url: 'https://docs.example/mcp',
      tools: {},
      prompts: {},
      resourceTemplates: {},
      instructions: {},
    },
  },
}

describe('the lock file', () => {
  it('is read as it was written', () => {
    const path = join(folder, 'mcp.lock')
    writeLock(path, lock)
    expect(readLock(path)).toEqual(lock)
  })

  it('is undefined where there is none', () => {
    expect(readLock(join(folder, 'none', 'mcp.lock'))).toBeUndefined()
  })

  it('has the same text whatever the order of servers and tools', () => {
    const { docs, pages } = lock.servers
    if (!docs || !pages) throw new Error('the lock has both servers')
    const tools = Object.fromEntries(Object.entries(pages.tools).toReversed())
    const other: Lock = { version: 1, servers: { docs, pages: { ...pages, tools } } }
    expect(lockText(other)).toBe(lockText(lock))
  })

  it('says in its text what it is and which command writes it', () => {
    expect(lockText(lock)).toContain('`portolan lock` writes it')
  })

  it('keeps numbers that a double cannot hold', () => {
    const text = lockText(lock).replace('"type": "object"', '"maximum": 9007199254740993')
    expect(lockText(parseLock(text, 'mcp.lock'))).toContain('9007199254740993')
  })

  it('names the file, the place and the next step if it cannot be used', () => {
    const path = join(folder, 'bad.lock')
    writeFileSync(path, '{"version": 1, "servers": {"pages": {"command": "npx"}}}')
    expect(() => readLock(path)).toThrow(/bad\.lock: servers\.pages\.command.*portolan lock/s)
    expect(() => parseLock('<<<<<<< HEAD', path)).toThrow(/is not valid JSON.*portolan lock/s)
  })

  it('changes one field of one server, and keeps the rest', () => {
    const next = { name: 'pages-mcp', version: '2.0.0' }
    const changed = withServer(lock, 'pages', { package: next })
    expect(changed.servers['pages']).toEqual({ ...lock.servers['pages'], package: next })
    expect(changed.servers['docs']).toEqual(lock.servers['docs'])
    expect(withServer(lock, 'pages').servers).not.toHaveProperty('pages')
    expect(withServer(EMPTY_LOCK, 'new', {}).servers['new']?.tools).toEqual({})
  })
})

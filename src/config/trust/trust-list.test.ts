import { describe, expect, it } from 'vitest'
import { tempFolder } from '../../../test/support/temp-folder.ts'
import { type TrustEntry, identify, readTrust, realPath, verdictOn } from './trust-list.ts'

const ENTRY = { path: '/p/.mcp.json', sha256: 'abc', decision: 'trusted', at: '2026-01-01' }

/** The entries of a list that says this. */
function listed(content: unknown) {
  const folder = tempFolder()
  folder.write('trusted.json', content)
  return readTrust({ cwd: '/', env: { PORTOLAN_HOME: folder.path } }).files
}

describe('the list of what is trusted', () => {
  it('has only entries that say all that is needed', () => {
    expect(listed({ files: [ENTRY, { ...ENTRY, decision: 'declined' }] })).toHaveLength(2)
    const { path: _, ...nameless } = ENTRY
    for (const wrong of [
      nameless,
      { ...ENTRY, path: 7 },
      { ...ENTRY, sha256: undefined },
      { ...ENTRY, at: 7 },
      { ...ENTRY, decision: 'yes' },
      'trusted',
      null,
    ])
      expect(listed({ files: [wrong, ENTRY] })).toEqual([ENTRY])
  })

  it.each([{ files: ENTRY }, { files: { 0: ENTRY } }, [ENTRY], '{', 'null', ''])(
    'trusts nothing where it says %j',
    (content) => {
      expect(listed(content)).toEqual([])
    },
  )

  it('trusts nothing where there is none', () => {
    expect(readTrust({ cwd: '/', env: { PORTOLAN_HOME: tempFolder().path } }).files).toEqual([])
  })
})

const entry = (path: string, text: string, decision: TrustEntry['decision']): TrustEntry => ({
  ...identify(path, text),
  decision,
  at: '',
})

describe('a verdict', () => {
  it('is about one content of one file, and the last one counts', () => {
    const folder = tempFolder()
    const [one, other] = [folder.file('a'), folder.file('b')]
    const entries = [entry(one, 'x', 'trusted'), entry(other, 'y', 'declined')]
    expect(verdictOn(one, 'x', entries)).toBe('trusted')
    expect(verdictOn(one, 'y', entries)).toBe('changed')
    expect(verdictOn(other, 'y', entries)).toBe('declined')
    expect(verdictOn(other, 'x', entries), 'a file of which nothing was trusted').toBe('unknown')
    expect(verdictOn(folder.file('c'), 'x', entries)).toBe('unknown')
    expect(verdictOn(one, 'x', [...entries, entry(one, 'x', 'declined')])).toBe('declined')
  })

  it('of a file in a folder that is not there is about its path', () => {
    expect(realPath('/no/such/folder/file')).toBe('/no/such/folder/file')
  })
})
